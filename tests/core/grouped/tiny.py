"""Tiny models of tables whose sums can be written out, for tests against brute force."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from genreplay.core.grouped.model import GroupedRBM, free_energy, offsets_of
from genreplay.core.kernels.arrays import Codes, Float64, Offsets

SIZES = (3, 2, 4)


def random_model(
    n_hidden: int, scale: float = 1.0, sizes: Sequence[int] = SIZES, seed: int = 0
) -> tuple[GroupedRBM, Offsets]:
    rng, n = np.random.default_rng(seed), sum(sizes)
    W, a, b = (scale * rng.normal(size=shape) for shape in ((n, n_hidden), n, n_hidden))
    return GroupedRBM(W, a, b), offsets_of(sizes)


def extreme_model(n_hidden: int, seed: int = 0) -> tuple[GroupedRBM, Offsets]:
    """All parameters at the limits that the learner has."""
    rng, n = np.random.default_rng(seed), sum(SIZES)
    W, a, b = (rng.choice([-8.0, 8.0], size=shape) for shape in ((n, n_hidden), n, n_hidden))
    return GroupedRBM(W, a, b), offsets_of(SIZES)


def all_rows(sizes: Sequence[int] = SIZES) -> Codes:
    return np.array(list(itertools.product(*map(range, sizes))), dtype=np.uint8)


def joint(rbm: GroupedRBM, offsets: Offsets) -> Float64:
    """P(row) of all rows."""
    energy = free_energy(rbm, offsets, all_rows(np.diff(offsets).tolist()))
    p = np.exp(energy.min() - energy)
    return np.asarray(p / p.sum())


def log_conditionals(rbm: GroupedRBM, offsets: Offsets, rows: Codes) -> Float64:
    """Logarithms of P(code | the other groups) of each row and group, from free energies with each code in turn."""
    out = np.empty(rows.shape)
    for g, size in enumerate(np.diff(offsets).tolist()):
        energies = []
        for k in range(size):
            other = rows.copy()
            other[:, g] = k
            energies.append(-free_energy(rbm, offsets, other))
        nats = np.stack(energies, axis=1)
        out[:, g] = nats[np.arange(len(rows)), rows[:, g]] - np.logaddexp.reduce(nats, axis=1)
    return out
