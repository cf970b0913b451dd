"""Where Theta starts (Algorithm 1, line 3)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from genreplay.core.ingredient import Ingredient, is_number, require
from genreplay.core.kernels import Array
from genreplay.core.partition import base_rate_biases
from genreplay.core.rbm import RBM, init


@dataclass(frozen=True, repr=False)
class RandomStart(Ingredient):
    """All of Theta is drawn from N(0, sigma), as in the paper.

    >>> from genreplay import PAPER
    >>> PAPER.replace(start=RandomStart(sigma=0.1))
    Recipe(start=RandomStart(sigma=0.1))
    """

    sigma: float = 0.01
    """standard deviation"""

    def __post_init__(self) -> None:
        require(self, "sigma", "a number, 0 or more", self.sigma == 0 or is_number(self.sigma, above=0))

    def draw(self, n_visible: int, n_hidden: int, rng: np.random.Generator, dtype: npt.DTypeLike) -> RBM:
        """Theta before any row is there."""
        return init(n_visible, n_hidden, rng, self.sigma, dtype)

    def meet_first_batch(self, rbm: RBM, batch: Array) -> None:
        """Change Theta, in place, when the first batch is there and before it is learned."""


@dataclass(frozen=True, repr=False)
class RandomWeights(RandomStart):
    """Only W is drawn from N(0, sigma); the biases start at zero. Another reading of the paper.

    >>> rbm = RandomWeights(sigma=0.1).draw(n_visible=3, n_hidden=2, rng=np.random.default_rng(0), dtype=np.float64)
    >>> rbm.a, rbm.b, bool(rbm.W.any())
    (array([0., 0., 0.]), array([0., 0.]), True)
    """

    def draw(self, n_visible: int, n_hidden: int, rng: np.random.Generator, dtype: npt.DTypeLike) -> RBM:
        rbm = super().draw(n_visible, n_hidden, rng, dtype)
        rbm.a[:], rbm.b[:] = 0, 0
        return rbm


@dataclass(frozen=True, repr=False)
class BaseRateStart(RandomStart):
    """The visible biases start at the log-odds of the first batch's means.

    The first updates then need not learn how often each unit is on. Not in the paper.

    >>> rbm = RBM(W=np.zeros((1, 2)), a=np.zeros(2), b=np.zeros(1))
    >>> BaseRateStart().meet_first_batch(rbm, np.array([[1.0, 0.0], [1.0, 1.0]]))
    >>> rbm.a.round(2)
    array([1.61, 0.  ])
    """

    def meet_first_batch(self, rbm: RBM, batch: Array) -> None:
        half_a_row = 0.5 / len(batch)
        rbm.a[:] = base_rate_biases(batch.sum(axis=0, dtype=np.float64), len(batch), smoothing=half_a_row)
