"""How surprising rows are, from their codes and the surprise of their cells: compiled loops, or NumPy without Numba.

The yardstick of a score says which nats stand for it. It is an array: the centre and the spread of the scores, the last
edge and the nats for each unit beyond it, and then the nats at the edges between. ``Scale`` of the estimators makes it.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from genreplay.core.kernels.arrays import Codes, Float64, Offsets
from genreplay.core.kernels.choice import compiled_loops

EDGES = np.linspace(-8, 8, 257)
"""of a yardstick: asinh of the distance from the centre in spreads, so that they widen outwards, to 1,490 spreads"""
_INNER, _DISTANCES = EDGES[1:-1], np.sinh(EDGES)
N_BEFORE_EDGES = 4
"""numbers of a yardstick before those at the edges"""
LOWEST_CELL = -20.0
"""score of the most surprising cell where there is none"""
CELLS = 30
"""rows in which the most surprising cell must be the strangest one before it counts beside the row"""
N_TAIL, SMALLEST_TAIL, LARGEST_TAIL = 30, 1 / 500, 1 / 20
"""scores that the tail is fitted to, and limits of their share"""
N_PRIOR = 5
"""scores with an excess of one spread that are added to those of the tail, which are few at first"""
DIGITS = 9
"""after rounding, equal rows have equal scores, in whatever block they are computed"""


class Measures(NamedTuple):
    """What the scores of rows are measured by."""

    rarity: Float64
    """-log of the share of each code, of all groups; of combinations times their weight"""
    usual: Float64
    """usual surprise of the cells of each group of the RBM; infinite where they are not judged"""
    yardsticks: Float64
    """of whole rows, of their most surprising cells, and of both joined"""


def recount(centre: float, spread: float, counts: Float64, scores: Float64, memory: float) -> Float64:
    """How many scores fell into each interval after further ones; the oldest are forgotten beyond the memory.

    This function and the next are compiled as they are, where there is Numba.
    """
    places = np.searchsorted(_INNER, np.arcsinh((scores - centre) / spread), side="right")
    counts = counts + np.bincount(places, minlength=len(counts))
    return np.asarray(counts * min(memory / max(counts.sum(), 1e-9), 1.0))


def yardstick(centre: float, spread: float, counts: Float64) -> Float64:
    """The yardstick of scores that fell into these intervals: beyond the highest few, the nats rise in a line."""
    n, above = counts.sum(), np.zeros(len(counts) + 1)
    above[:-1] = counts[::-1].cumsum()[::-1]
    values = centre + spread * _DISTANCES
    n_tail = min(max(N_TAIL, SMALLEST_TAIL * n), LARGEST_TAIL * n)
    first = int(np.argmax(above <= n_tail))
    middles = (values[first:-1] + values[first + 1 :]) / 2
    excess = (counts[first:] * (middles - values[first])).sum() + N_PRIOR * spread
    slope = (above[first] + N_PRIOR) / excess
    found = np.empty(N_BEFORE_EDGES + len(above))
    found[0], found[1], found[2], found[3] = centre, spread, values[-1], slope
    at_edges = np.log(n + 1) - np.log(above + 0.5)
    at_edges[first:] = at_edges[first] + slope * (values[first:] - values[first])
    found[N_BEFORE_EDGES:] = np.maximum(at_edges, 0.0)
    return found


def nats(yardstick: Float64, scores: Float64) -> Float64:
    """The nats that stand for scores."""
    centre, spread, last_edge, slope = yardstick[:N_BEFORE_EDGES]
    at_edges = yardstick[N_BEFORE_EDGES:]
    inside = np.interp(np.arcsinh((scores - centre) / spread), EDGES, at_edges)
    far: Float64 = np.where(scores > last_edge, at_edges[-1] + (scores - last_edge) * slope, inside)
    return far


def joined(row: Float64, cell: Float64) -> Float64:
    """One score of a row, from the nats of the whole row and those of its most surprising cell.

    In terms of p-values it is the sum of 1/p of the row and 1/(30 p)^2 of the cell. The largest of many cells is often
    moderately surprising by chance, so it counts from one row in thirty on, and then soon more than the row.

    >>> joined(np.array([3.0, 3.0]), np.array([2.0, 9.0])).round(1).tolist()
    [3.0, 11.2]
    """
    return np.logaddexp(row, 2 * (cell - math.log(CELLS)))


def scores(offsets: Offsets, rows: Codes, cells: Float64, measures: Measures) -> Float64:
    """Four scores of each row, given the surprise of its cells: row, cell, both joined, and the nats of that.

    That of the row is the sum of its cells' surprise and of its combinations' rarity. A cell is surprising if it is
    rare, or unlikely given the others: the larger of both counts, so that nothing explains a rare cell away. That of
    the cell is the surprise of the most surprising one, less what is usual in its column.
    """
    compiled, out = loops(), np.empty((4, len(rows)))
    if compiled is not None:
        compiled.scores(offsets, rows, cells, *measures, out)
        return out
    n_groups = cells.shape[1]
    rarity = measures.rarity[offsets[:-1] + rows]
    whole = np.maximum(rarity[:, :n_groups], cells).sum(axis=1) + rarity[:, n_groups:].sum(axis=1)
    row = whole.round(DIGITS)
    cell = (cells - measures.usual).max(axis=1, initial=LOWEST_CELL).round(DIGITS)
    both = joined(nats(measures.yardsticks[0], row), nats(measures.yardsticks[1], cell))
    out[:] = row, cell, both, nats(measures.yardsticks[2], both)
    return out


class RowConstants(NamedTuple):
    """All that ``judge_row`` needs beside the row: a model, its odds, and what scores are measured by."""

    W: Float64
    b: Float64
    E: Float64
    A: Float64
    offsets: Offsets
    rarity: Float64
    usual: Float64
    yardsticks: Float64


def judge_row(constants: RowConstants, row: Codes) -> tuple[Float64, float] | None:
    """The surprise of the cells of a row, (1, groups), and the row's nats, in one compiled call; None without Numba."""
    compiled = loops()
    if compiled is None:
        return None
    cells = np.empty((1, len(constants.usual)))
    return cells, compiled.judge_row(*constants, row, cells)


def loops() -> Any:
    """The compiled forms of these functions; None without Numba."""
    compiled = compiled_loops()
    return None if compiled is None else compiled.scores
