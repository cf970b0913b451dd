"""Loops for probabilities, draws and annealing, in float32.

The functions that the loops call are in the same file, because Numba's cache notices changes in a loop's own file only.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from genreplay.core.kernels.arrays import Array, Flags, Float64, Uint16
from genreplay.core.kernels.compiled.parallel import OPTIONS, over_rows

_LOG2_E = np.float32(1 / np.log(2))
# polynomial for 2^f with f in [0, 1], fitted to a relative error below 8e-8
_C0, _C1, _C2 = np.float32(0.99999993), np.float32(0.69315307), np.float32(0.24015362)
_C3, _C4, _C5 = np.float32(0.055826306), np.float32(0.0089893550), np.float32(0.0018775705)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def exp_neg(x: np.float32) -> Any:
    """exp(-x) for x >= 0 in float32, computed as 2^k 2^f, where 2^k is written directly to the exponent bits.

    The compiler can use vector instructions for this function, but not for math.exp. Results below 2^-40 are set to 0:
    products of such numbers would be subnormal, and multiplying subnormal numbers takes a hundred times as long.
    """
    t = -x * _LOG2_E
    nothing = t < np.float32(-40)
    t = np.float32(-40) if nothing else t
    whole = np.floor(t)
    f = t - whole
    power = np.int32((np.int32(whole) + np.int32(127)) << np.int32(23)).view(np.float32)
    power = np.float32(0) if nothing else power
    return power * (_C0 + f * (_C1 + f * (_C2 + f * (_C3 + f * (_C4 + f * _C5)))))


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def probability(x: np.float32, e: np.float32) -> Any:
    """S(x), from e = exp(-|x|)."""
    one = np.float32(1)
    return (one if x >= 0 else e) / (one + e)


@over_rows
def sigmoid(first: int, last: int, x: Array) -> None:
    """Replace x by S(x).

    It works in place, because the compiler cannot vectorise as well if two arguments may be the same array.
    """
    for r in range(first, last):
        row = x[r]
        for i in range(row.shape[0]):
            row[i] = probability(row[i], exp_neg(abs(row[i])))


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def decide(p: Array, uniform: Uint16, spare: float, out: Array) -> None:
    """Draw one row with the method of ``kernels.draw``. ``out`` may be ``p``."""
    zero, one, scale = np.float32(0), np.float32(1), np.float32(65536)
    between = zero
    for i in range(p.shape[0]):
        chance = min(max(scale * p[i] - np.float32(uniform[i]), zero), one)
        out[i] = chance
        between += chance * (one - chance)
    if between > 0:
        for i in range(p.shape[0]):
            chance = np.float64(out[i])
            if 0 < chance < 1:
                on = spare < chance
                spare = spare / chance if on else (spare - chance) / (1 - chance)
                out[i] = on


@over_rows
def sample(
    first: int,
    last: int,
    x: Array,
    uniform: Uint16,
    spare: Float64,
    p: Array,
    out: Array,
) -> None:
    """Compute the probabilities p = S(x), and draw with them."""
    for r in range(first, last):
        row, p_row = x[r], p[r]
        for i in range(row.shape[0]):
            p_row[i] = probability(row[i], exp_neg(abs(row[i])))
        decide(p_row, uniform[r], spare[r], out[r])


@over_rows
def anneal(
    first: int,
    last: int,
    x: Array,
    uniform: Uint16,
    spare: Float64,
    beta: float,
    following: float,
    p: Array,
    out: Array,
    change: Float64,
) -> None:
    """Compute the sums of ``kernels.anneal`` and draw with p = S(following x), in one pass.

    A sum of logarithms is the logarithm of a product. One logarithm is enough for a hundred units, because each factor
    is at most 2.
    """
    zero, one = np.float32(0), np.float32(1)
    for r in range(first, last):
        row, p_row = x[r], p[r]
        positive, logs = zero, 0.0
        for begin in range(0, row.shape[0], 100):
            before, after = one, one
            for i in range(begin, min(begin + 100, row.shape[0])):
                e = exp_neg(following * abs(row[i]))
                before *= one + exp_neg(beta * abs(row[i]))
                after *= one + e
                positive += max(row[i], zero)
                p_row[i] = probability(row[i], e)
            logs += np.log(np.float64(after)) - np.log(np.float64(before))
        decide(p_row, uniform[r], spare[r], out[r])
        change[r] = (np.float64(following) - np.float64(beta)) * positive + logs


@over_rows
def softplus_between(first: int, last: int, x: Array, c: Array, beta: float, wanted: Flags, sums: Float64) -> None:
    """Compute the sums of ``kernels.softplus_between``, with a logarithm for a hundred units, as in ``anneal``.

    The compiler uses vector instructions only where it sees that the hundred units are an array of their own.
    """
    zero, one = np.float32(0), np.float32(1)
    rest = one - beta
    for r in range(first, last):
        for k in range(c.shape[0]):
            if not wanted[r, k]:
                continue
            positive, logs = zero, 0.0
            for begin in range(0, x.shape[1], 100):
                x_part, c_part = x[r, begin : begin + 100], c[k, begin : begin + 100]
                product = one
                for i in range(x_part.shape[0]):
                    y = rest * c_part[i] + beta * x_part[i]
                    product *= one + exp_neg(abs(y))
                    positive += max(y, zero)
                logs += np.log(np.float64(product))
            sums[r, k] = np.float64(positive) + logs
