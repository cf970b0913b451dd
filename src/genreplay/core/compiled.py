"""The loops that NumPy has no call for, compiled by Numba: sparse products, and sums and draws in one pass.

Each is compiled at its first call and kept on disk. It holds no lock of Python's, so that its rows can be shared out
among threads. Sparse matrices are in CSR form: row r has its ``values`` at the columns ``places``, both from
``start[r]`` to ``start[r + 1]``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, wraps
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.signedinteger[Any]]
Numbers = npt.NDArray[np.floating]

_PARALLEL_FROM = 2**20
"""numbers to go through, from which waking a second thread pays"""
# Sums may be taken in any order and products fused into them; a division needs no look at its divisor.
_OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": {"reassoc", "contract"}, "error_model": "numpy"}

n_threads: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
"""threads that share the rows; as many as cores, or as the variable NUMBA_NUM_THREADS says"""


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(thread_name_prefix="genreplay")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # the threads stay with the parent


def _over_rows(function: Callable[..., Any]) -> Callable[..., list[Any]]:
    """Compile a loop from row ``first`` to row ``last``; call it with the number of rows and the work there is.

    Threads of our own, since those of OpenMP would keep the cores busy while BLAS needs them.
    """
    loop = numba.njit(cache=True, **_OPTIONS)(function)

    @wraps(function)
    def call(n_rows: int, work: int, *arguments: Any) -> list[Any]:
        n = min(n_threads, n_rows) if work >= _PARALLEL_FROM else 1
        if n <= 1:
            return [loop(0, n_rows, *arguments)]
        edges = [n_rows * k // n for k in range(n + 1)]
        others = [_pool().submit(loop, edges[k], edges[k + 1], *arguments) for k in range(1, n)]
        return [loop(0, edges[1], *arguments), *(other.result() for other in others)]

    return call


@_over_rows
def add_product(
    first: int,
    last: int,
    start: Integers,
    places: Integers,
    values: Numbers,
    scale: float,
    table: Numbers,
    out: Numbers,
) -> None:
    """Add scale * (sparse @ table) to ``out``: to each of its rows, some rows of ``table``.

    Eight rows of the table at a time, since the loop is bound by reading and writing, most of it of ``out``.
    """
    for r in range(first, last):
        total = out[r]
        k, stop = start[r], start[r + 1]
        while k + 8 <= stop:
            t0, t1, t2, t3 = table[places[k]], table[places[k + 1]], table[places[k + 2]], table[places[k + 3]]
            t4, t5, t6, t7 = table[places[k + 4]], table[places[k + 5]], table[places[k + 6]], table[places[k + 7]]
            x0, x1, x2, x3 = scale * values[k], scale * values[k + 1], scale * values[k + 2], scale * values[k + 3]
            x4, x5, x6, x7 = scale * values[k + 4], scale * values[k + 5], scale * values[k + 6], scale * values[k + 7]
            for j in range(total.shape[0]):
                total[j] += ((x0 * t0[j] + x1 * t1[j]) + (x2 * t2[j] + x3 * t3[j])) + (
                    (x4 * t4[j] + x5 * t5[j]) + (x6 * t6[j] + x7 * t7[j])
                )
            k += 8
        if k + 4 <= stop:
            t0, t1, t2, t3 = table[places[k]], table[places[k + 1]], table[places[k + 2]], table[places[k + 3]]
            x0, x1, x2, x3 = scale * values[k], scale * values[k + 1], scale * values[k + 2], scale * values[k + 3]
            for j in range(total.shape[0]):
                total[j] += (x0 * t0[j] + x1 * t1[j]) + (x2 * t2[j] + x3 * t3[j])
            k += 4
        while k < stop:
            t0, x0 = table[places[k]], scale * values[k]
            for j in range(total.shape[0]):
                total[j] += x0 * t0[j]
            k += 1


@_over_rows
def count_ones(first: int, last: int, rows: Numbers, counts: Integers) -> bool:
    """Count the ones of each row; False if there is a number other than 0 and 1."""
    n_other = 0
    for r in range(first, last):
        ones, other = 0, 0
        for i in range(rows.shape[1]):
            ones += rows[r, i] == 1
            other += (rows[r, i] != 1) & (rows[r, i] != 0)
        counts[r] = ones
        n_other += other
    return n_other == 0


@_over_rows
def list_ones(first: int, last: int, rows: Numbers, start: Integers, places: Integers) -> None:
    """Write down the places of the ones."""
    for r in range(first, last):
        k, stop = start[r], start[r + 1]
        for i in range(rows.shape[1]):
            if k == stop:
                break
            places[k] = i  # overwritten by the next if this is none: cheaper than a branch that is hard to guess
            k += rows[r, i] != 0


@_over_rows
def count_flips(
    first: int, last: int, rows: Numbers, start: Integers, places: Integers, ones: Integers, flips: Integers
) -> bool:
    """Count, row by row, the ones of 0/1 ``rows``, and the units in which they differ from the listed ones.

    False if there is a number other than 0 and 1, such as NaN.
    """
    zero = rows.dtype.type(0)
    n_other = zero
    for r in range(first, last):
        row = rows[r]
        total, other, kept = zero, zero, zero
        for i in range(row.shape[0]):
            total += row[i]
            other += row[i] * (row[i] - 1)
        for k in range(start[r], start[r + 1]):
            kept += row[places[k]]
        ones[r] = int(total)
        flips[r] = int(total - 2 * kept) + start[r + 1] - start[r]
        n_other += other
    return bool(n_other == 0)


@_over_rows
def list_flips(
    first: int,
    last: int,
    rows: Numbers,
    start: Integers,
    places: Integers,
    flip_start: Integers,
    flip_places: Integers,
    flip_values: Numbers,
) -> None:
    """Write down where ``rows`` differ from the listed ones: -1 for a listed one that is lost, 1 for one gained.

    Overwrites ``rows``: its ones that are listed become 0, so that those which remain are gained.
    """
    for r in range(first, last):
        row = rows[r]
        k, stop = flip_start[r], flip_start[r + 1]
        for m in range(start[r], start[r + 1]):
            if row[places[m]] == 0:
                flip_places[k] = places[m]
                flip_values[k] = -1
                k += 1
            row[places[m]] = 0
        for m in range(k, stop):
            flip_values[m] = 1
        for i in range(row.shape[0]):
            if k == stop:
                break
            flip_places[k] = i  # as in list_ones
            k += row[i] != 0


@_over_rows
def transpose(
    first: int,
    last: int,
    start: Integers,
    places: Integers,
    values: Numbers,
    place: Integers,
    transposed_places: Integers,
    transposed_values: Numbers,
) -> None:
    """List the rows of each column; ``place`` has where each column's list starts, and ends where it ends.

    For one thread, since the columns' lists grow while the rows are gone through.
    """
    for r in range(first, last):
        for k in range(start[r], start[r + 1]):
            column = places[k]
            transposed_places[place[column]] = r
            transposed_values[place[column]] = values[k]
            place[column] += 1


_LOG2_E = np.float32(1 / np.log(2))
# 2^f for f in [0, 1]: a polynomial fitted to a relative error below 8e-8
_C0, _C1, _C2 = np.float32(0.99999993), np.float32(0.69315307), np.float32(0.24015362)
_C3, _C4, _C5 = np.float32(0.055826306), np.float32(0.0089893550), np.float32(0.0018775705)


@numba.njit(**_OPTIONS)  # type: ignore[untyped-decorator]
def exp_neg(x: np.float32) -> Any:
    """exp(-x) for x >= 0 in float32: 2^k 2^f, where 2^k is written straight into the exponent's bits.

    Loops with this can use vector instructions, while those with math.exp call a function for each number. Below 2^-40
    it is 0: products of such numbers would be subnormal, and multiplying those takes a hundred times as long.
    """
    t = -x * _LOG2_E
    nothing = t < np.float32(-40)
    t = np.float32(-40) if nothing else t
    whole = np.floor(t)
    f = t - whole
    power = np.int32((np.int32(whole) + np.int32(127)) << np.int32(23)).view(np.float32)
    power = np.float32(0) if nothing else power
    return power * (_C0 + f * (_C1 + f * (_C2 + f * (_C3 + f * (_C4 + f * _C5)))))


@numba.njit(**_OPTIONS)  # type: ignore[untyped-decorator]
def probability(x: np.float32, e: np.float32) -> Any:
    """S(x), from e = exp(-|x|)."""
    one = np.float32(1)
    return (one if x >= 0 else e) / (one + e)


@_over_rows
def sigmoid(first: int, last: int, x: Numbers) -> None:
    """Turn x into S(x), in float32.

    In place, for of two arguments that may be the same array the compiler would have to expect it.
    """
    for r in range(first, last):
        row = x[r]
        for i in range(row.shape[0]):
            row[i] = probability(row[i], exp_neg(abs(row[i])))


@numba.njit(**_OPTIONS)  # type: ignore[untyped-decorator]
def decide(p: Numbers, uniform: npt.NDArray[np.uint16], spare: float, out: Numbers) -> None:
    """The draws of ``kernels.draw`` for one row in float32; ``out`` may be ``p``."""
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


@_over_rows
def sample(
    first: int,
    last: int,
    x: Numbers,
    uniform: npt.NDArray[np.uint16],
    spare: npt.NDArray[np.float64],
    p: Numbers,
    out: Numbers,
) -> None:
    """Probabilities p = S(x), and draws with them."""
    for r in range(first, last):
        row, p_row = x[r], p[r]
        for i in range(row.shape[0]):
            p_row[i] = probability(row[i], exp_neg(abs(row[i])))
        decide(p_row, uniform[r], spare[r], out[r])


@_over_rows
def anneal(
    first: int,
    last: int,
    x: Numbers,
    uniform: npt.NDArray[np.uint16],
    spare: npt.NDArray[np.float64],
    beta: float,
    following: float,
    p: Numbers,
    out: Numbers,
    change: npt.NDArray[np.float64],
) -> None:
    """The sums of ``kernels.anneal``, and draws with p = S(following x), in one pass.

    A sum of logarithms is the logarithm of a product: one serves a hundred units, none of whose factors exceeds 2.
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


@_over_rows
def momentum(
    first: int,
    last: int,
    theta: Numbers,
    velocity: Numbers,
    slope: Numbers,
    rate: float,
    keep: float,
    decay: float,
) -> None:
    """Set velocity to keep velocity + rate slope - decay theta, add it to theta: all in one pass over memory."""
    theta, velocity, slope = theta[first:last], velocity[first:last], slope[first:last]
    for k in range(theta.shape[0]):
        velocity[k] = keep * velocity[k] + rate * slope[k] - decay * theta[k]
        theta[k] += velocity[k]
