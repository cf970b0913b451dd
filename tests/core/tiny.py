"""Tiny models whose sums can be written out, for tests against brute force."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from genreplay.core.rbm import RBM

Float64 = npt.NDArray[np.float64]


def random_rbm(n_visible: int, n_hidden: int, scale: float = 1.0, seed: int = 0) -> RBM:
    rng = np.random.default_rng(seed)
    return RBM(
        W=scale * rng.standard_normal((n_hidden, n_visible)),
        a=scale * rng.standard_normal(n_visible),
        b=scale * rng.standard_normal(n_hidden),
    )


def all_states(n_units: int) -> Float64:
    return np.array(list(itertools.product([0.0, 1.0], repeat=n_units)))


def joint_weights(rbm: RBM) -> Float64:
    """exp(-E(v, h)) for every pair of states, by loops over the units (Eq. 1)."""
    weights = np.empty((2**rbm.n_visible, 2**rbm.n_hidden))
    for x, v in enumerate(all_states(rbm.n_visible)):
        for y, h in enumerate(all_states(rbm.n_hidden)):
            energy = 0.0
            for i in range(rbm.n_visible):
                energy -= rbm.a[i] * v[i]
            for j in range(rbm.n_hidden):
                energy -= rbm.b[j] * h[j]
                for i in range(rbm.n_visible):
                    energy -= h[j] * rbm.W[j, i] * v[i]
            weights[x, y] = np.exp(-energy)
    return weights


def visible_distribution(rbm: RBM) -> Float64:
    """P(v) for every state of the visible layer, in the order of ``all_states``."""
    weights = joint_weights(rbm).sum(axis=1)
    return weights / weights.sum()
