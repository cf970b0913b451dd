"""How many rows of the past an update rehearses (n_Bhat, line 14), and what its step is divided by (line 39)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from genreplay.core.ingredient import MOST_ROWS, Ingredient, is_number, require, require_count
from genreplay.core.kernels import Array

_MOST_PER_NEW = 1_000
"""rows that may be rehearsed for each new one"""


class Rehearsal(Ingredient):
    """A base for rules of how many rows to rehearse.

    >>> from genreplay import MODERN, PAPER
    >>> PAPER.rehearsal, MODERN.rehearsal
    (EveryUpdate(), OnDrift())
    """

    redraw: bool = False
    """whether every epoch of an update rehearses other rows"""

    def n_rows_for(self, n_new: int, drift: float) -> int:
        """Rows to rehearse beside ``n_new`` rows that have drifted from the past by this share."""
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class EveryUpdate(Rehearsal):
    """The same number of rows in every update from the second on, as in the paper.

    >>> EveryUpdate().n_rows_for(n_new=100, drift=0.0)
    300
    """

    n_rows: int = 300
    """n_Bhat"""
    redraw: bool = False
    """rehearse other rows in every epoch; the paper rehearses the same ones in all epochs of an update"""

    def __post_init__(self) -> None:
        require_count(self, "n_rows", MOST_ROWS)
        require(self, "redraw", "a bool", isinstance(self.redraw, bool))

    def n_rows_for(self, n_new: int, drift: float) -> int:
        return self.n_rows


@dataclass(frozen=True, repr=False)
class OnDrift(Rehearsal):
    """As many rows as the batch has drifted from the past: none where rows come in random order. Not in the paper.

    There, each batch is like the past, and rehearsed rows would only dilute it. Redrawn rows keep the model from
    overfitting a few of them.

    >>> [OnDrift().n_rows_for(n_new=100, drift=drift) for drift in (0.0, 0.5, 1.0)]
    [0, 150, 300]
    """

    rows_per_new: float = 3
    """rows rehearsed for each new row at full drift"""
    redraw: bool = True
    """rehearse other rows in every epoch"""

    def __post_init__(self) -> None:
        holds = is_number(self.rows_per_new, above=0) and self.rows_per_new <= _MOST_PER_NEW
        require(self, "rows_per_new", f"a positive number, up to {_MOST_PER_NEW:,}", holds)
        require(self, "redraw", "a bool", isinstance(self.redraw, bool))

    def n_rows_for(self, n_new: int, drift: float) -> int:
        return round(self.rows_per_new * n_new * drift)


@dataclass(frozen=True, repr=False)
class AllRows(Ingredient):
    """Line 39 divides the sums over rows by all rows there are: n_B + n_Bhat from the second update on.

    >>> AllRows().factor(n_new=100, n_replayed=300)
    1.0
    """

    def factor(self, n_new: int, n_replayed: int) -> float:
        """What the mean over all rows is multiplied by."""
        return 1.0


@dataclass(frozen=True, repr=False)
class NewRows(AllRows):
    """The sums are divided by the rows of the batch alone. Not in the paper.

    Beside three dreams for each row, a step would otherwise learn a quarter of what is new. The decay grows along
    with the sums.

    >>> NewRows().factor(n_new=100, n_replayed=300)
    4.0
    """

    def factor(self, n_new: int, n_replayed: int) -> float:
        return (n_new + n_replayed) / n_new


def drift_of_means(batch: Array, ones: npt.NDArray[np.float64], n_learned: int) -> float:
    """How far a batch has drifted from the past: the share of the distance of their means that chance cannot explain.

    The squared distance of the means of n and of N rows from the same source is expected to be the sum of the units'
    variances, times 1/n + 1/N. Units are correlated, so it varies: twice as much is put down to chance. In a stream
    in random order the share is 0; where rows come class by class it is near 1.

    >>> rng = np.random.default_rng(0)
    >>> past, alike, other = (rng.random((100, 50)) < p for p in (0.2, 0.2, 0.8))
    >>> [round(drift_of_means(rows, past.sum(axis=0), 100), 2) for rows in (alike, other)]
    [0.0, 0.98]
    """
    means = (ones + 0.5) / (n_learned + 1)
    distance = float(np.square(batch.mean(axis=0) - means).sum())
    chance = float((means * (1 - means)).sum()) * (1 / len(batch) + 1 / max(n_learned, 1))
    return 1 - 2 * chance / distance if distance > 2 * chance else 0.0
