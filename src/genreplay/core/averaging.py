"""Which parameters score and dream at the faces: the newest, or an average over recent updates."""

from __future__ import annotations

from dataclasses import dataclass

from genreplay.core.ingredient import Ingredient, is_number, require
from genreplay.core.rbm import RBM

_RECENT_SHARE = 5
"""an average over the first t updates weighs mostly the last t / 5 of them"""


@dataclass(frozen=True, repr=False)
class NoAverage(Ingredient):
    """The newest parameters, as in the paper.

    >>> import numpy as np
    >>> NoAverage().update(None, RBM(W=np.zeros((1, 1)), a=np.zeros(1), b=np.zeros(1)), t=1) is None
    True
    """

    def update(self, before: RBM | None, rbm: RBM, t: int) -> RBM | None:
        """The average after update t; None if there is none."""
        return None


@dataclass(frozen=True, repr=False)
class RecentAverage(NoAverage):
    """An exponential average of the parameters over updates; it averages out the noise of the newest batches.

    Of the first t updates only about the last fifth counts, since the early ones are far off (O. Shamir, T. Zhang:
    Stochastic Gradient Descent for Non-smooth Optimization, 2013: polynomial-decay averaging). Not in the paper.

    >>> import numpy as np
    >>> first, second = (RBM(W=np.full((1, 1), x), a=np.zeros(1), b=np.zeros(1)) for x in (1.0, 2.0))
    >>> average = RecentAverage(keep=0.9)
    >>> average.update(average.update(None, first, t=1), second, t=2).W.round(2)
    array([[1.83]])
    """

    keep: float = 0.97
    """share of the average that stays at each update; at first less stays"""

    def __post_init__(self) -> None:
        require(self, "keep", "a number between 0 and 1", is_number(self.keep, above=0) and self.keep < 1)

    def update(self, before: RBM | None, rbm: RBM, t: int) -> RBM | None:
        if before is None:
            return rbm.copy()
        new = max(1 - self.keep, _RECENT_SHARE / (t + _RECENT_SHARE - 1))
        return RBM(*(old + new * (part - old) for old, part in zip(before, rbm, strict=True)))
