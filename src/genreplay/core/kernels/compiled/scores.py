"""The scores of rows, and one row judged in a single call. See ``kernels/scores.py`` for what they mean."""

from __future__ import annotations

import math

import numba
import numpy as np

from genreplay.core.kernels import scores as source
from genreplay.core.kernels.arrays import Codes, Float64, Offsets
from genreplay.core.kernels.compiled.grouped import write_surprise
from genreplay.core.kernels.compiled.parallel import OPTIONS
from genreplay.core.kernels.scores import CELLS, DIGITS, EDGES, LOWEST_CELL, N_BEFORE_EDGES

_LOWEST, _PER_UNIT = float(EDGES[0]), 1 / float(EDGES[1] - EDGES[0])
_UNIT = 10.0**DIGITS
_DOUBT = math.log(CELLS)

recount = numba.njit(cache=True, **OPTIONS)(source.recount)
yardstick = numba.njit(cache=True, **OPTIONS)(source.yardstick)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def rounded(x: float) -> float:
    """As NumPy rounds."""
    return np.rint(x * _UNIT) / _UNIT  # type: ignore[no-any-return]


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def nats(yardstick: Float64, score: float) -> float:
    """The nats that stand for a score."""
    centre, spread, last_edge, slope = yardstick[0], yardstick[1], yardstick[2], yardstick[3]
    at_edges = yardstick[N_BEFORE_EDGES:]
    last = at_edges.shape[0] - 1
    if score > last_edge:
        return at_edges[last] + (score - last_edge) * slope  # type: ignore[no-any-return]
    x = (np.arcsinh((score - centre) / spread) - _LOWEST) * _PER_UNIT
    if x <= 0:
        return at_edges[0]  # type: ignore[no-any-return]
    place = min(int(x), last - 1)
    return at_edges[place] + (x - place) * (at_edges[place + 1] - at_edges[place])  # type: ignore[no-any-return]


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def scores_of(
    offsets: Offsets, row: Codes, cells: Float64, rarity: Float64, usual: Float64, yardsticks: Float64
) -> tuple[float, float, float, float]:
    """The scores of one row."""
    whole, top = 0.0, LOWEST_CELL
    for g in range(cells.shape[0]):
        whole += max(rarity[offsets[g] + row[g]], cells[g])
        top = max(top, cells[g] - usual[g])
    for g in range(cells.shape[0], row.shape[0]):
        whole += rarity[offsets[g] + row[g]]
    whole, top = rounded(whole), rounded(top)
    by_row, by_cell = nats(yardsticks[0], whole), 2 * (nats(yardsticks[1], top) - _DOUBT)
    both = max(by_row, by_cell) + np.log1p(np.exp(-abs(by_row - by_cell)))
    return whole, top, both, nats(yardsticks[2], both)


@numba.njit(cache=True, **OPTIONS)  # type: ignore[untyped-decorator]
def scores(
    offsets: Offsets,
    rows: Codes,
    cells: Float64,
    rarity: Float64,
    usual: Float64,
    yardsticks: Float64,
    out: Float64,
) -> None:
    """The scores of rows, to ``out``, one line for each of the four."""
    for r in range(rows.shape[0]):
        found = scores_of(offsets, rows[r], cells[r], rarity, usual, yardsticks)
        out[0, r], out[1, r], out[2, r], out[3, r] = found


@numba.njit(cache=True, **OPTIONS)  # type: ignore[untyped-decorator]
def judge_row(
    W: Float64,
    b: Float64,
    E: Float64,
    A: Float64,
    offsets: Offsets,
    rarity: Float64,
    usual: Float64,
    yardsticks: Float64,
    row: Codes,
    cells: Float64,
) -> float:
    """The nats of one row; the surprise of its cells goes to the only line of ``cells``."""
    on, off, scale, p, out = np.empty(b.shape[0]), np.empty(b.shape[0]), np.empty(b.shape[0]), np.empty(256), cells[0]
    write_surprise(W, b, E, A, offsets, row[: out.shape[0]], on, off, scale, p, out)
    for g in range(out.shape[0]):
        out[g] = rounded(out[g])
    return scores_of(offsets, row, out, rarity, usual, yardsticks)[3]  # type: ignore[no-any-return]
