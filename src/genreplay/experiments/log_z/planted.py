"""Models whose log Z is known and hard to estimate."""

from __future__ import annotations

import numpy as np

from genreplay.core.kernels import Array, sum_softplus
from genreplay.core.rbm import RBM, bernoulli, visible_given_hidden


def planted(rng: np.random.Generator) -> RBM:
    """An RBM with 2 to 10 deep modes on 40 to 300 visible units.

    Hidden unit j prefers a random pattern. Its bias makes up for that, so that the states with only this unit on have a
    total probability that is a drawn number of nats above that of the states with none on, up to 60.
    """
    n_visible, n_modes, n_weak = int(rng.integers(40, 301)), int(rng.integers(2, 11)), int(rng.integers(0, 5))
    a = rng.normal(-rng.uniform(0, 2), 0.3, size=n_visible)
    density, strength, depth = rng.uniform(0.1, 0.5), rng.uniform(1, 6), rng.uniform(0, 60)
    patterns = np.where(rng.random((n_modes, n_visible)) < density, 1.0, -1.0)
    deep = patterns * strength * rng.uniform(0.7, 1.3, size=(n_modes, 1))
    deep_bias = sum_softplus(a[None]) - sum_softplus(a + deep) + depth - rng.uniform(0, 6, size=n_modes)
    weak = rng.normal(0, rng.uniform(0.05, 0.3), size=(n_weak, n_visible))
    b = np.concatenate([deep_bias, rng.normal(0, 0.5, size=n_weak)])
    return RBM(*(part.astype(np.float32) for part in (np.vstack([deep, weak]), a, b)))


def rows_of(rbm: RBM, n_rows: int, rng: np.random.Generator) -> Array:
    """Exact samples: the hidden states are enumerated, and v is drawn given one of them."""
    states = ((np.arange(2**rbm.n_hidden)[:, None] >> np.arange(rbm.n_hidden)) & 1).astype(np.float64)
    log_p = states @ rbm.b + sum_softplus(states @ rbm.W + rbm.a)
    p = np.exp(log_p - log_p.max())
    h = states[rng.choice(len(states), size=n_rows, p=p / p.sum())]
    return bernoulli(visible_given_hidden(rbm, h), rng)
