"""A mixture of models of independent units: where annealing starts.

A single model of independent units knows no mode of the RBM. A mixture that was fitted to samples of the RBM has a part
near each mode that was found, so that annealing starts close to where it ends.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core.kernels import Array, sum_softplus

Float64 = npt.NDArray[np.float64]

_LEAST_MEAN = 0.01
"""no unit of a part is always on or always off, so that every state can be reached"""
_N_ROUNDS = 30
"""of the EM algorithm"""


class Mixture(NamedTuple):
    """q(v) = sum_k share_k prod_i Bernoulli(v_i; S(biases_ki)), S the logistic function.

    >>> flat = Mixture.of_means(np.full((1, 3), 0.5), np.ones(1))
    >>> bool(np.isclose(flat.log_densities(np.eye(3))[0, 0], 3 * np.log(0.5)))
    True
    """

    biases: Array
    """(n_parts, n_visible)"""
    log_shares: Float64
    """(n_parts,)"""
    log_norms: Float64
    """sum_i log(1 + exp(biases_ki)), (n_parts,)"""

    @classmethod
    def of_means(cls, means: Float64, shares: Float64, dtype: npt.DTypeLike = np.float64) -> Mixture:
        return cls.of_biases(np.asarray(np.log(means) - np.log1p(-means), dtype=dtype), shares)

    @classmethod
    def of_biases(cls, biases: Array, shares: Float64) -> Mixture:
        return cls(biases, np.log(shares), sum_softplus(biases.astype(np.float64)))

    def __len__(self) -> int:
        return len(self.biases)

    @property
    def means(self) -> Float64:
        """Of the units of each part."""
        return np.asarray(1 / (1 + np.exp(-self.biases.astype(np.float64))))

    def log_densities(self, v: Array) -> Float64:
        """Log q_k(v), (n_rows, n_parts)."""
        return (v @ self.biases.T).astype(np.float64) - self.log_norms

    def nearest(self, v: Array) -> npt.NDArray[np.intp]:
        """The part under which each row is most probable, whatever the shares."""
        return np.asarray(self.log_densities(v).argmax(axis=1))

    def draw(self, n_rows: int, rng: np.random.Generator) -> Array:
        parts = rng.choice(len(self), size=n_rows, p=np.exp(self.log_shares))
        means = 1 / (1 + np.exp(-self.biases[parts]))
        return np.asarray(rng.random(means.shape) < means, dtype=self.biases.dtype)


def fit_means(rows: Float64, n_parts: int, rng: np.random.Generator) -> Float64:
    """Fit the parts' means to rows of 0 and 1 by the EM algorithm; a part without rows is left out.

    The first means are rows far from each other, as in k-means++. One row's worth of the overall mean is added to each
    part, since some parts have few rows.

    >>> rows = np.repeat([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]], 50, axis=0)
    >>> sorted(fit_means(rows, 2, np.random.default_rng(0)).round(1).tolist())
    [[0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """
    overall = (rows.sum(axis=0) + 0.5) / (len(rows) + 1)
    means = np.clip(0.9 * _far_apart(rows, n_parts, rng) + 0.1 * overall, _LEAST_MEAN, 1 - _LEAST_MEAN)
    log_shares = np.full(len(means), -np.log(len(means)))
    for _ in range(_N_ROUNDS):
        log_odds, log_off = np.log(means) - np.log1p(-means), np.log1p(-means).sum(axis=1)
        log_joint = rows @ log_odds.T + log_off + log_shares
        belongs = np.exp(log_joint - np.logaddexp.reduce(log_joint, axis=1, keepdims=True))
        belongs = belongs[:, belongs.sum(axis=0) > 0.5]
        n_rows = belongs.sum(axis=0)
        means = (belongs.T @ rows + overall) / (n_rows[:, None] + 1)
        means = np.clip(means, _LEAST_MEAN, 1 - _LEAST_MEAN)
        log_shares = np.log(n_rows / n_rows.sum())
    return np.asarray(means)


def _far_apart(rows: Float64, n_parts: int, rng: np.random.Generator) -> Float64:
    chosen = [rows[rng.integers(len(rows))]]
    distance = np.abs(rows - chosen[0]).sum(axis=1)
    while len(chosen) < n_parts and distance.any():
        chosen.append(rows[rng.choice(len(rows), p=distance**2 / (distance**2).sum())])
        distance = np.minimum(distance, np.abs(rows - chosen[-1]).sum(axis=1))
    return np.array(chosen)
