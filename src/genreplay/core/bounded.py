r"""A bound on what one row can do to a model: clipped contributions, and noise beside them (not in the paper).

A model file may give away whether a row was learned. It cannot give away much about a row that has hardly moved it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from genreplay.core import kernels
from genreplay.core.contrastive import NegativePhase
from genreplay.core.ingredient import is_number, require
from genreplay.core.kernels import Array, Sparse, VisibleRows, Workspace
from genreplay.core.rbm import RBM, bernoulli, hidden_given_visible, visible_given_hidden


@dataclass(frozen=True, repr=False)
class BoundedRows(NegativePhase):
    r"""Contrastive divergence in which the norm of each row's contribution is bounded, and noise is added.

    The contribution of a row is the difference of its statistics before and after the reconstruction,
    $g_i = (h v^\top - \hat h \hat v^\top,\; v - \hat v,\; h - \hat h)$. It is scaled down to the norm ``bound`` where
    it is larger, and Gaussian noise with standard deviation ``noise * bound`` is added to the sum of a step [1].

    What it promises: every step is a Gaussian mechanism, and a row takes part in the steps of one update only. So
    whoever sees everything that follows from the parameters knows of a single row no more than what ``epsilon`` says,
    by Gaussian differential privacy [2]: the $n_E$ steps of an update together have $\mu = \sqrt{n_E}$ / ``noise``.
    This is a guarantee only for a recipe in which rows reach the model in no other way, such as
    ``PAPER.replace(negative=BoundedRows())``. ``BaseRateStart``, ``Centred``, ``OnDrift`` and stored rows are other
    ways. It covers the parameters and the dreams. It does not cover what else a model file has: rows that wait (call
    ``flush``), and the sum of all rows.

    With ``noise=0`` the influence of a row is bounded, and nothing is promised.

    References
    ----------
    [1] M. Abadi et al.: Deep Learning with Differential Privacy, 2016.
    [2] J. Dong, A. Roth, W. Su: Gaussian Differential Privacy, 2022.

    Examples
    --------
    >>> from genreplay import PAPER
    >>> recipe = PAPER.replace(negative=BoundedRows(bound=5, noise=2), n_epochs=1)
    >>> round(recipe.negative.epsilon(n_epochs=1, delta=1e-5), 2)
    1.99
    """

    bound: float = 10.0
    """largest norm of a row's contribution to the sum of a step"""
    noise: float = 1.0
    """standard deviation of the noise on that sum, as a multiple of the bound"""

    def __post_init__(self) -> None:
        require(self, "bound", "a positive number", is_number(self.bound, above=0))
        require(self, "noise", "a number, 0 or more", self.noise == 0 or is_number(self.noise, above=0))

    def gradient(
        self,
        rbm: RBM,
        V: VisibleRows,
        chains: Array | None,
        n_cd: int,
        n_new: int,
        rng: np.random.Generator,
        work: Workspace,
    ) -> RBM:
        rows = V.dense(np.empty(V.shape, dtype=rbm.W.dtype)) if isinstance(V, Sparse) else V
        H = H_neg = hidden_given_visible(rbm, rows)
        for k in range(1, n_cd + 1):
            probabilities = visible_given_hidden(rbm, bernoulli(H_neg, rng))
            V_neg = probabilities if k == n_cd else bernoulli(probabilities, rng)
            H_neg = hidden_given_visible(rbm, V_neg)
        share = np.minimum(1, self.bound / np.maximum(norms(rows, H, V_neg, H_neg), self.bound))
        weight = share[:, np.newaxis].astype(rbm.W.dtype)
        W, a, b = kernels.contrast(rows, H * weight, V_neg, H_neg * weight, work)
        a = (weight * (rows - V_neg)).mean(axis=0)
        if self.noise:
            scale = self.noise * self.bound / len(rows)
            for part in (W.T, a, b):
                part += scale * rng.standard_normal(part.shape, dtype=rbm.W.dtype.type)
        return RBM(W, a, b)

    def epsilon(self, n_epochs: int, delta: float) -> float:
        """Epsilon of (epsilon, delta)-differential privacy for one row, where an update makes so many steps.

        Two streams are neighbours if they differ in one row, which contributes nothing in one of them.

        >>> BoundedRows(noise=0).epsilon(n_epochs=10, delta=1e-5)
        inf
        """
        if not 0 < delta < 1:
            raise ValueError(f"The 'delta' parameter of epsilon must lie between 0 and 1. Got {delta!r} instead.")
        if self.noise == 0:
            return math.inf
        mu = math.sqrt(n_epochs) / self.noise
        low, high = 0.0, 1.0
        if delta_of(mu, low) <= delta:
            return 0.0
        while delta_of(mu, high) > delta:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if delta_of(mu, middle) > delta else (low, middle)
        return high


def norms(V: Array, H: Array, V_neg: Array, H_neg: Array) -> Array:
    r"""Norm of each row's contribution to W, a and b together, without its outer products.

    $|h v^\top - \hat h \hat v^\top|^2 = |h|^2 |v|^2 + |\hat h|^2 |\hat v|^2 - 2 (h \cdot \hat h)(v \cdot \hat v)$.

    >>> one, zero = np.ones((1, 1)), np.zeros((1, 1))
    >>> norms(one, one, zero, zero) ** 2  # h v, v and h all differ by 1
    array([3.])
    """

    def dot(first: Array, second: Array) -> Array:
        return np.asarray(np.einsum("ij,ij->i", first, second, dtype=np.float64))

    outer = dot(H, H) * dot(V, V) + dot(H_neg, H_neg) * dot(V_neg, V_neg) - 2 * dot(H, H_neg) * dot(V, V_neg)
    v, h = V - V_neg, H - H_neg
    return np.sqrt(np.maximum(outer, 0) + dot(v, v) + dot(h, h))


def delta_of(mu: float, epsilon: float) -> float:
    r"""The smallest delta at which mu-Gaussian privacy is (epsilon, delta)-differential privacy.

    $\delta = \Phi(\mu/2 - \epsilon/\mu) - e^\epsilon \Phi(-\mu/2 - \epsilon/\mu)$ (Dong, Roth, Su, Corollary 1).

    >>> round(delta_of(mu=1.0, epsilon=1.0), 4)
    0.1269
    """
    near, far = (0.5 * math.erfc(x / math.sqrt(2)) for x in (epsilon / mu - mu / 2, epsilon / mu + mu / 2))
    return near - math.exp(epsilon) * far if far else near
