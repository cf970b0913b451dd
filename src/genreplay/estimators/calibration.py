"""How surprising a score is, judged by the stream's own scores: running shares, nothing stored.

A score says which rows are stranger than others, but not how strange rows usually are. The scores of the stream say
that, each taken before its row is learned: the share of them that is higher is a p-value. They are not kept, only how
many fell into each of some intervals, and the oldest are forgotten by and by, because the model changes. From the
highest few of them on, the p-value falls off exponentially, by their mean excess.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from genreplay.core.ingredient import Json

Float64 = npt.NDArray[np.float64]

MEMORY = 5_000
"""rows that the shares remember"""
_EDGES = np.linspace(-8, 8, 257)
"""of the intervals: asinh of the distance from the centre in spreads, so that they widen outwards, to 1,490 spreads"""
_DISTANCES = np.sinh(_EDGES)
_LOWEST, _STEP = float(_EDGES[0]), float(_EDGES[1] - _EDGES[0])
_N_TAIL, _SMALLEST_TAIL, _LARGEST_TAIL = 30, 1 / 500, 1 / 20
"""rows that the tail is fitted to, and limits of their share"""
_N_PRIOR = 5
"""rows with an excess of one spread that are added to those of the tail, which are few at first"""
_CELLS = 30
"""rows in which the most surprising cell must be the strangest one before it counts beside the row"""


@dataclass(frozen=True, eq=False)
class Scale:
    """How many of a stream's scores fell into each interval."""

    centre: float
    spread: float
    counts: Float64

    @classmethod
    def of(cls, scores: Float64) -> Scale:
        """The scale of some scores.

        >>> scale = Scale.of(np.arange(1000.0))
        >>> np.exp(-scale.nats(np.array([10.0, 500.0, 900.0, 3000.0]))).round(2).tolist()
        [0.98, 0.5, 0.1, 0.0]
        """
        low, centre, high = np.quantile(scores, [0.1, 0.5, 0.9])
        empty = cls(float(centre), max(float(high - low) / 2.5, 1e-3), np.zeros(len(_EDGES) - 1))
        return empty.with_scores(scores)

    def with_scores(self, scores: Float64) -> Scale:
        """The scale after further scores; the oldest are forgotten where there are more than MEMORY."""
        places = np.searchsorted(_EDGES, self._position(scores), side="right") - 1
        places = np.clip(places, 0, len(self.counts) - 1)
        counts = self.counts + np.bincount(places, minlength=len(self.counts))
        return replace(self, counts=counts * min(MEMORY / max(counts.sum(), 1e-9), 1.0))

    def _position(self, scores: Float64) -> Float64:
        return np.arcsinh((scores - self.centre) / self.spread)

    def nats(self, scores: Float64) -> Float64:
        """-log of the share of the scores that are higher."""
        at_edges, edge, slope = self._table
        inside = np.interp(self._position(scores), _EDGES, at_edges)
        far: Float64 = np.where(scores > edge, at_edges[-1] + (scores - edge) * slope, inside)
        return far

    def nats_one(self, score: float) -> float:
        """``nats`` of one score, without arrays."""
        at_edges, edge, slope = self._list
        if score > edge:
            return at_edges[-1] + (score - edge) * slope
        x = (math.asinh((score - self.centre) / self.spread) - _LOWEST) / _STEP
        if x <= 0:
            return at_edges[0]
        place = int(x)
        low, high = at_edges[place : place + 2]
        return low + (x - place) * (high - low)

    @cached_property
    def _list(self) -> tuple[list[float], float, float]:
        at_edges, edge, slope = self._table
        values = at_edges.tolist()
        return [*values, values[-1]], edge, float(slope)  # the last edge has a neighbour, too

    @cached_property
    def _table(self) -> tuple[Float64, float, float]:
        """The nats at the edges of the intervals; the last edge, and the nats for each unit of the score beyond."""
        n = self.counts.sum()
        above = np.append(self.counts[::-1].cumsum()[::-1], 0.0)
        at_edges = np.log(n + 1) - np.log(above + 0.5)
        values = self.centre + self.spread * _DISTANCES
        n_tail = min(max(_N_TAIL, _SMALLEST_TAIL * n), _LARGEST_TAIL * n)
        first = int(np.argmax(above <= n_tail))
        middles = (values[first:-1] + values[first + 1 :]) / 2
        excess = float(self.counts[first:] @ (middles - values[first])) + _N_PRIOR * self.spread
        slope = (above[first] + _N_PRIOR) / excess
        at_edges[first:] = at_edges[first] + slope * (values[first:] - values[first])
        return np.maximum(at_edges, 0.0), float(values[-1]), slope

    @property
    def nbytes(self) -> int:
        return self.counts.nbytes + 16

    def to_json(self) -> dict[str, Json]:
        """All of it, for a file."""
        return {"centre": self.centre, "spread": self.spread, "counts": self.counts.tolist()}

    @classmethod
    def from_json(cls, state: Mapping[str, Any]) -> Scale:
        """The scale that ``to_json`` wrote."""
        return cls(state["centre"], state["spread"], np.array(state["counts"]))


def joined(row: Float64, cell: Float64) -> Float64:
    """One score of a row, from the nats of the whole row and those of its most surprising cell.

    In terms of p-values it is the sum of 1/p of the row and 1/(30 p)^2 of the cell. The largest of many cells is often
    moderately surprising by chance, so it counts from one row in thirty on, and then soon more than the row.

    >>> joined(np.array([3.0, 3.0]), np.array([2.0, 9.0])).round(1).tolist()
    [3.0, 11.2]
    """
    return np.logaddexp(row, 2 * (cell - math.log(_CELLS)))


def joined_one(row: float, cell: float) -> float:
    """``joined`` of two numbers.

    >>> round(joined_one(3.0, 9.0), 1)
    11.2
    """
    cell = 2 * (cell - math.log(_CELLS))
    return max(row, cell) + math.log1p(math.exp(-abs(row - cell)))
