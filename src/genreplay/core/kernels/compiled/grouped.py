"""Loops for an RBM whose visible units come in groups: conditional probabilities, their gradient, Gibbs steps.

All of them rest on one identity. Let s_j be the probability that hidden unit j is on, given a row whose group g has the
code o. With another code k in that group, and all else as it is, the row is more or less likely by the factor

    exp(a_k - a_o) prod_j (1 - s_j + s_j exp(W_kj - W_oj)),

so that the conditional probabilities of all codes of a group need products and sums, but no further exponential. The
odds E = exp(W) and A = exp(a) are those of a model, and computed once for it. The numbers have the type of the odds:
double precision for scores and filled cells, single precision for dreams, and for gradients while a model learns.
"""

from __future__ import annotations

import numba
import numpy as np

from genreplay.core.kernels.arrays import Codes, Flags, Float64, Offsets
from genreplay.core.kernels.compiled.parallel import OPTIONS, over_rows
from genreplay.core.kernels.grouped import RARE

_USUAL_UNITS = 64
"""hidden units that learning is compiled for, beside any number: it then takes a tenth less time"""
_UNITS_AT_ONCE = 32
"""hidden units whose factors are multiplied before the products are scaled, far from the largest double"""
_LARGEST = 1e30
"""sum of the products of all units from which they are computed more carefully"""
_NEGLIGIBLE = 1e-6
"""probability of a code below which its gradient is left out"""


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def hidden(W: Float64, b: Float64, offsets: Offsets, row: Codes, on: Float64, off: Float64) -> None:
    """Probabilities that the hidden units of a row are on, and that they are off, each exact where it is small."""
    for j in range(b.shape[0]):
        on[j] = b[j]
    for g in range(row.shape[0]):
        weights = W[offsets[g] + row[g]]
        for j in range(b.shape[0]):
            on[j] += weights[j]
    one = on.dtype.type(1)
    for j in range(b.shape[0]):
        small = np.exp(-abs(on[j]))
        large = one / (one + small)
        small *= large
        is_likely = on[j] > 0
        on[j] = large if is_likely else small
        off[j] = small if is_likely else large


@numba.njit(forceinline=True, **OPTIONS)  # type: ignore[untyped-decorator]
def conditional(
    n_hidden: int, E: Float64, A: Float64, on: Float64, off: Float64, first: int, own: int, scale: Float64, p: Float64
) -> None:
    """Probabilities of the codes of one group given the rest of the row; ``first`` is its first, ``own`` its code.

    Also, to ``scale``, what E is multiplied with in the factors. Codes that hardly ever come, such as most of those far
    beyond the range of a number, are left out unless they are the row's own: they take half of the time otherwise.
    """
    one, total = on.dtype.type(1), on.dtype.type(0)
    held = E[first + own]
    for j in range(n_hidden):
        scale[j] = on[j] / held[j]
    for k in range(p.shape[0]):
        if A[first + k] < RARE and k != own:
            p[k] = 0
            continue
        row = E[first + k]
        product = one
        for j in range(n_hidden):
            product *= off[j] + scale[j] * row[j]
        p[k] = A[first + k] * product
        total += p[k]
    if not total < _LARGEST:
        in_blocks(E, A, off, scale, first, own, p)
        return
    total = one / total
    for k in range(p.shape[0]):
        p[k] *= total


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def in_blocks(E: Float64, A: Float64, off: Float64, scale: Float64, first: int, own: int, p: Float64) -> None:
    """The same where products are large: some units at a time, in double precision."""
    q = np.empty(p.shape[0])
    for k in range(q.shape[0]):
        q[k] = 0.0 if A[first + k] < RARE and k != own else A[first + k]
    for block in range(0, off.shape[0], _UNITS_AT_ONCE):
        total = 0.0
        for k in range(q.shape[0]):
            for j in range(block, min(block + _UNITS_AT_ONCE, off.shape[0])):
                q[k] *= np.float64(off[j]) + np.float64(scale[j]) * np.float64(E[first + k, j])
            total += q[k]
        q /= total
    for k in range(q.shape[0]):
        p[k] = q[k]


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def write_surprise(
    W: Float64,
    b: Float64,
    E: Float64,
    A: Float64,
    offsets: Offsets,
    row: Codes,
    on: Float64,
    off: Float64,
    scale: Float64,
    p: Float64,
    out: Float64,
) -> None:
    """-log P(code | rest of the row) of each group of a row, to ``out``; ``on``, ``off``, ``scale``, ``p``: room."""
    hidden(W, b, offsets, row, on, off)
    for g in range(row.shape[0]):
        own = np.int64(row[g])
        here = p[: offsets[g + 1] - offsets[g]]
        conditional(b.shape[0], E, A, on, off, offsets[g], own, scale, here)
        out[g] = -np.log(max(here[own], 1e-300))


@over_rows
def surprise(
    first: int,
    last: int,
    W: Float64,
    b: Float64,
    E: Float64,
    A: Float64,
    offsets: Offsets,
    rows: Codes,
    out: Float64,
) -> None:
    """The same for rows."""
    on, off, scale, p = np.empty(b.shape[0]), np.empty(b.shape[0]), np.empty(b.shape[0]), np.empty(256)
    for r in range(first, last):
        write_surprise(W, b, E, A, offsets, rows[r], on, off, scale, p, out[r])


@numba.njit(forceinline=True, **OPTIONS)  # type: ignore[untyped-decorator]
def add_gradient_of(
    n_hidden: int,
    W: Float64,
    b: Float64,
    E: Float64,
    A: Float64,
    offsets: Offsets,
    rows: Codes,
    weights: Float64,
    dW: Float64,
    da: Float64,
    db: Float64,
) -> None:
    """The same for a number of hidden units that may be a constant."""
    n_groups = rows.shape[1]
    on, off, scale = np.empty(n_hidden, E.dtype), np.empty(n_hidden, E.dtype), np.empty(n_hidden, E.dtype)
    p, by_group, total = np.empty(256, E.dtype), np.empty((n_groups, n_hidden), E.dtype), np.empty(n_hidden, E.dtype)
    for r in range(rows.shape[0]):
        weight = E.dtype.type(weights[r])
        hidden(W, b, offsets, rows[r], on, off)
        total[:] = 0
        for g in range(n_groups):
            start, own = offsets[g], np.int64(rows[r, g])
            here, rest = p[: offsets[g + 1] - start], by_group[g]
            conditional(n_hidden, E, A, on, off, start, own, scale, here)
            rest[:] = on
            for k in range(here.shape[0]):
                da[start + k] -= weight * here[k]
                if here[k] < _NEGLIGIBLE:
                    continue
                row, slope = E[start + k], dW[start + k]
                for j in range(n_hidden):
                    x = scale[j] * row[j]
                    x = here[k] * (x / (off[j] + x))
                    rest[j] -= x
                    slope[j] -= weight * x
            da[start + own] += weight
            for j in range(n_hidden):
                total[j] += rest[j]
        for j in range(n_hidden):
            db[j] += weight * total[j]
        for g in range(n_groups):  # a code is a part of the rest of the row for all groups but its own
            slope, rest = dW[offsets[g] + rows[r, g]], by_group[g]
            for j in range(n_hidden):
                slope[j] += weight * (on[j] + total[j] - rest[j])


@numba.njit(cache=True, **OPTIONS)  # type: ignore[untyped-decorator]
def add_gradient(
    W: Float64,
    b: Float64,
    E: Float64,
    A: Float64,
    offsets: Offsets,
    rows: Codes,
    weights: Float64,
    dW: Float64,
    da: Float64,
    db: Float64,
) -> None:
    """Add the gradient of the weighted sum of log P(code | rest of the row), over rows and groups."""
    if b.shape[0] == _USUAL_UNITS:
        add_gradient_of(_USUAL_UNITS, W, b, E, A, offsets, rows, weights, dW, da, db)
    else:
        add_gradient_of(b.shape[0], W, b, E, A, offsets, rows, weights, dW, da, db)


@over_rows
def gibbs(
    first: int,
    last: int,
    W: Float64,
    b: Float64,
    E: Float64,
    A: Float64,
    offsets: Offsets,
    rows: Codes,
    free: Flags,
    uniform: Float64,
    n_before: int,
    total: Float64,
) -> None:
    """Draw the free groups of each row, one after the other, given the rest, as often as ``uniform`` has steps.

    The probabilities of their codes in all steps after the first ``n_before`` are added to ``total``.
    """
    n_hidden, one = b.shape[0], E.dtype.type(1)
    on, off, scale = np.empty(n_hidden, E.dtype), np.empty(n_hidden, E.dtype), np.empty(n_hidden, E.dtype)
    p = np.empty(256, E.dtype)
    for r in range(first, last):
        for t in range(uniform.shape[1]):
            hidden(W, b, offsets, rows[r], on, off)
            for g in range(rows.shape[1]):
                if not free[r, g]:
                    continue
                start, own = offsets[g], np.int64(rows[r, g])
                here = p[: offsets[g + 1] - start]
                conditional(n_hidden, E, A, on, off, start, own, scale, here)
                if t >= n_before:
                    for k in range(here.shape[0]):
                        total[r, start + k] += here[k]
                left, new = uniform[r, t, g], np.int64(0)
                while new < here.shape[0] - 1 and left >= here[new]:
                    left -= here[new]
                    new += 1
                if new != own:
                    rows[r, g] = new
                    odds = E[start + new]
                    for j in range(n_hidden):  # the hidden units given the new code, by the same identity
                        x = scale[j] * odds[j]
                        y = one / (off[j] + x)
                        on[j] = x * y
                        off[j] *= y


@numba.njit(forceinline=True, **OPTIONS)  # type: ignore[untyped-decorator]
def adam_of(
    n: int, theta: Float64, gradient: Float64, mean: Float64, square: Float64, first: float, second: float, limit: float
) -> None:
    """One step of Adam for n parameters, which may be a constant; ``first`` and ``second`` scale the moments."""
    for i in range(n):
        mean[i] = 0.9 * mean[i] + 0.1 * gradient[i]
        square[i] = 0.999 * square[i] + 0.001 * gradient[i] ** 2
        step = first * mean[i] / (np.sqrt(second * square[i]) + 1e-5)
        theta[i] = min(max(theta[i] + step, -limit), limit)


@numba.njit(cache=True, **OPTIONS)  # type: ignore[untyped-decorator]
def adam(
    theta: Float64, gradient: Float64, mean: Float64, square: Float64, rate: float, n_steps: int, limit: float
) -> None:
    """One step of Adam, upwards; no parameter gets beyond the limit."""
    first, second = rate / (1 - 0.9**n_steps), 1 / (1 - 0.999**n_steps)
    adam_of(theta.shape[0], theta, gradient, mean, square, first, second, limit)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def has_moved(x: Float64) -> bool:
    """Whether any number is not zero."""
    total = 0.0
    for i in range(x.shape[0]):
        total += abs(x[i])
    return total > 0


@numba.njit(cache=True, **OPTIONS)  # type: ignore[untyped-decorator]
def exponential(W: Float64) -> Float64:
    """exp(W), up to exp(10) or so, by a series for W / 256 that is squared eight times: a loop without calls."""
    out = np.empty_like(W)
    write_exponential(W.reshape(-1), out.reshape(-1))
    return out


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def write_exponential(x: Float64, out: Float64) -> None:
    """The same, to an array of any type."""
    for i in range(x.shape[0]):
        y = x[i] * (1 / 256)
        y = 1 + y * (1 + y * (1 / 2 + y * (1 / 6 + y * (1 / 24 + y * (1 / 120 + y * (1 / 720 + y * (1 / 5040)))))))
        y *= y
        y *= y
        y *= y
        y *= y
        y *= y
        y *= y
        y *= y
        y *= y
        out[i] = y


@numba.njit(cache=True, **OPTIONS)  # type: ignore[untyped-decorator]
def ascend(
    W: Float64,
    learned: Float64,
    b: Float64,
    means: tuple[Float64, Float64, Float64],
    squares: tuple[Float64, Float64, Float64],
    shares: Float64,
    offsets: Offsets,
    rows: Codes,
    weights: Float64,
    rows_per_step: int,
    rate: float,
    n_steps: int,
    limit: float,
) -> None:
    """A step of Adam for every few rows, in their order, where the biases of the codes are ``shares + learned``."""
    single = np.float32
    dW, da, db = np.empty(W.shape, single), np.empty(learned.shape, single), np.empty(b.shape, single)
    E, A = np.empty(W.shape, single), np.empty(learned.shape, single)
    write_exponential(W.reshape(-1), E.reshape(-1))
    for first in range(0, rows.shape[0], rows_per_step):
        last = min(first + rows_per_step, rows.shape[0])
        dW[:] = 0
        da[:] = 0
        db[:] = 0
        for k in range(learned.shape[0]):
            A[k] = np.exp(shares[k] + learned[k])
        add_gradient(W, b, E, A, offsets, rows[first:last], weights[first:last] / (last - first), dW, da, db)
        n_steps += 1
        by_mean, by_square = rate / (1 - 0.9**n_steps), 1 / (1 - 0.999**n_steps)
        for k in range(W.shape[0]):
            if has_moved(dW[k]) or has_moved(means[0][k]):  # a code that has never come stays where it is
                if W.shape[1] == _USUAL_UNITS:
                    adam_of(_USUAL_UNITS, W[k], dW[k], means[0][k], squares[0][k], by_mean, by_square, limit)
                else:
                    adam_of(W.shape[1], W[k], dW[k], means[0][k], squares[0][k], by_mean, by_square, limit)
                write_exponential(W[k], E[k])
        adam(learned, da, means[1], squares[1], rate, n_steps, limit)
        adam(b, db, means[2], squares[2], rate, n_steps, limit)
