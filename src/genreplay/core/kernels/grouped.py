"""Visible units in groups, exactly one of which is on: compiled loops, or NumPy where there is no Numba.

See ``compiled/grouped.py`` for the identity that both use.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from genreplay.core.kernels.arrays import Codes, Flags, Float64, Offsets
from genreplay.core.kernels.choice import compiled_loops, spend

Parameters = tuple[Float64, Float64, Float64]

_LIGHT = 8
"""weights whose work here takes as long as that of one in the other loops, which decide when a second thread helps"""
_CALLS, _PER_CALL = 20, 200
"""of NumPy: its calls for the probabilities of one group, and how many numbers it computes with in the time of one"""
RARE = 1e-4
"""exp(a) of a code, about its share of the stream, below which only rows that have it ask for its probability"""


class Odds(NamedTuple):
    """The exponentials of a model's parameters, which all probabilities are made of."""

    E: Float64
    """exp(W)"""
    A: Float64
    """exp(a)"""

    @classmethod
    def of(cls, W: Float64, a: Float64) -> Odds:
        loops = _loops()
        return cls(np.exp(W) if loops is None else loops.exponential(W), np.exp(a))


def surprise(W: Float64, a: Float64, b: Float64, offsets: Offsets, rows: Codes, odds: Odds | None = None) -> Float64:
    """-log P(code | rest of the row) of each row and group."""
    spend(len(rows) * W.size + rows.shape[1] * _CALLS * _PER_CALL)
    odds, out, loops = odds or Odds.of(W, a), np.empty(rows.shape), _loops()
    if loops is not None:
        loops.surprise(len(rows), len(rows) * W.size // _LIGHT, W, b, *odds, offsets, rows, out)
        return out
    s = _hidden(W, b, offsets, rows)
    for g in range(rows.shape[1]):
        p = _conditional(odds, s, offsets, rows, g)[0]
        out[:, g] = -np.log(np.maximum(p[np.arange(len(rows)), rows[:, g]], 1e-300))
    return out


def gradient(W: Float64, a: Float64, b: Float64, offsets: Offsets, rows: Codes, weights: Float64) -> Parameters:
    """The gradient of the weighted sum of log P(code | rest of the row), over rows and groups."""
    dW, da, db = np.zeros_like(W), np.zeros_like(a), np.zeros_like(b)
    odds, loops = Odds.of(W, a), _loops()
    if loops is not None:
        loops.add_gradient(W, b, *odds, offsets, rows, weights, dW, da, db)
        return dW, da, db
    s = _hidden(W, b, offsets, rows)
    by_group = np.empty((rows.shape[1], *s.shape))
    for g in range(rows.shape[1]):
        p, factor, scale = _conditional(odds, s, offsets, rows, g)
        here = slice(offsets[g], offsets[g + 1])
        on = p[:, :, np.newaxis] * scale * odds.E[here] / factor  # P(code | rest) P(hidden unit | code, rest)
        by_group[g] = s - on.sum(axis=1)
        dW[here] -= np.einsum("r,rkj->kj", weights, on)
        da[here] -= weights @ p
        np.add.at(da, offsets[g] + rows[:, g], weights)
    total = by_group.sum(axis=0)
    db += weights @ total
    for g in range(rows.shape[1]):
        np.add.at(dW, offsets[g] + rows[:, g], weights[:, np.newaxis] * (s + total - by_group[g]))
    return dW, da, db


def gibbs(
    W: Float64,
    a: Float64,
    b: Float64,
    offsets: Offsets,
    rows: Codes,
    free: Flags,
    n_steps: int,
    rng: np.random.Generator,
    n_before: int | None = None,
    odds: Odds | None = None,
) -> tuple[Codes, Float64]:
    """Rows whose free groups were drawn, each given the rest of its row, ``n_steps`` times.

    Also the sum of the probabilities of the codes in all steps after the first ``n_before``; zero by default.
    """
    rows = rows.copy()
    uniform = rng.random((len(rows), n_steps, rows.shape[1]))
    n_before = n_steps if n_before is None else n_before
    total = np.zeros((len(rows) if n_before < n_steps else 0, len(W)))
    spend(n_steps * (len(rows) * W.size + rows.shape[1] * (rows.shape[1] + _CALLS) * _PER_CALL))
    odds, loops = odds or Odds.of(W, a), _loops()
    if loops is not None:
        work = len(rows) * n_steps * W.size // _LIGHT
        E, A = odds if len(total) else (part.astype(np.float32) for part in odds)  # rows alone need no more digits
        loops.gibbs(len(rows), work, W, b, E, A, offsets, rows, free, uniform, n_before, total)
        return rows, total
    for t in range(n_steps):
        for g in np.flatnonzero(free.any(axis=0)).tolist():
            s = _hidden(W, b, offsets, rows)
            p = _conditional(odds, s, offsets, rows, g)[0]
            if t >= n_before:
                total[:, offsets[g] : offsets[g + 1]] += np.where(free[:, g, np.newaxis], p, 0.0)
            drawn = (p.cumsum(axis=1) <= uniform[:, t, g, np.newaxis]).sum(axis=1)
            new = np.minimum(drawn, p.shape[1] - 1).astype(np.uint8)
            rows[:, g] = np.where(free[:, g], new, rows[:, g])
    return rows, total


class Ascent(NamedTuple):
    """Parameters that are learned by Adam (Kingma and Ba, 2015), with the running moments of their gradient."""

    theta: Parameters
    mean: Parameters
    square: Parameters
    rate: float
    limit: float
    """no parameter gets beyond it"""


def ascend(
    ascent: Ascent, shares: Float64, offsets: Offsets, rows: Codes, weights: Float64, rows_per_step: int, n_steps: int
) -> int:
    """Climb the gradient in place, a step for every few rows in their order; return how many steps there are now.

    ``theta`` has W, the learned part of the biases of the codes, and b; ``shares`` is the other part of these biases.
    """
    (W, learned, b), loops = ascent.theta, _loops()
    if loops is not None:
        loops.ascend(
            W, learned, b, ascent.mean, ascent.square, shares, offsets, rows, weights, rows_per_step, ascent.rate,
            n_steps, ascent.limit,
        )  # fmt: skip
        return n_steps + -(-len(rows) // rows_per_step)
    for first in range(0, len(rows), rows_per_step):
        some = slice(first, first + rows_per_step)
        slopes = gradient(W, shares + learned, b, offsets, rows[some], weights[some] / len(weights[some]))
        n_steps += 1
        for theta, slope, mean, square in zip(ascent.theta, slopes, ascent.mean, ascent.square, strict=True):
            adam(theta, slope, mean, square, ascent.rate, n_steps, ascent.limit)
    return n_steps


def adam(
    theta: Float64, gradient: Float64, mean: Float64, square: Float64, rate: float, n_steps: int, limit: float
) -> None:
    """One step of Adam, upwards and in place; no parameter gets beyond the limit."""
    loops = _loops()
    if loops is not None:
        loops.adam(*(array.reshape(-1) for array in (theta, gradient, mean, square)), rate, n_steps, limit)
        return
    mean *= 0.9
    mean += 0.1 * gradient
    square *= 0.999
    square += 0.001 * gradient**2
    step = rate * (mean / (1 - 0.9**n_steps)) / (np.sqrt(square / (1 - 0.999**n_steps)) + 1e-5)
    np.clip(theta + step, -limit, limit, out=theta)


def _hidden(W: Float64, b: Float64, offsets: Offsets, rows: Codes) -> Float64:
    x = b + sum(W[offsets[g] + rows[:, g]] for g in range(rows.shape[1]))
    s: Float64 = 1 / (1 + np.exp(-x))
    return s


def _conditional(odds: Odds, s: Float64, offsets: Offsets, rows: Codes, g: int) -> tuple[Float64, Float64, Float64]:
    """Probabilities (rows, codes), and the factors (rows, codes, hidden) with their scale (rows, 1, hidden)."""
    here = slice(offsets[g], offsets[g + 1])
    scale = (s / odds.E[offsets[g] + rows[:, g]])[:, np.newaxis]
    factor = (1 - s)[:, np.newaxis] + scale * odds.E[here]
    nats = np.log(odds.A[here]) + np.log(factor).sum(axis=2)
    rare = odds.A[here] < RARE
    nats = np.where(rare & (np.arange(len(rare)) != rows[:, g, np.newaxis]), -np.inf, nats)
    p = np.exp(nats - nats.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return p, factor, scale


def _loops() -> Any:
    loops = compiled_loops()
    return None if loops is None else loops.grouped
