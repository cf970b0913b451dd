"""Loops for an RBM whose visible units come in groups: conditional probabilities, their gradient, Gibbs steps.

All of them rest on one identity. Let s_j be the probability that hidden unit j is on, given a row whose group g has the
code o. With another code k in that group, and all else as it is, the row is more or less likely by the factor

    exp(a_k - a_o) prod_j (1 - s_j + s_j exp(W_kj - W_oj)),

so that the conditional probabilities of all codes of a group need products and sums, but no further exponential.
"""

from __future__ import annotations

import numba
import numpy as np

from genreplay.core.kernels.arrays import Codes, Flags, Float64, Offsets
from genreplay.core.kernels.compiled.parallel import OPTIONS, over_rows

_UNITS_AT_ONCE = 32
"""hidden units whose factors are multiplied before the products are scaled, far from the largest number"""
_NEGLIGIBLE = 1e-6
"""probability of a code below which its gradient is left out"""


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def hidden(W: Float64, b: Float64, offsets: Offsets, row: Codes, s: Float64) -> None:
    """Probabilities of the hidden units of a row."""
    for j in range(b.shape[0]):
        s[j] = b[j]
    for g in range(row.shape[0]):
        weights = W[offsets[g] + row[g]]
        for j in range(b.shape[0]):
            s[j] += weights[j]
    for j in range(b.shape[0]):
        s[j] = 1 / (1 + np.exp(-s[j]))


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def conditional(E: Float64, a: Float64, s: Float64, first: int, own: int, scale: Float64, p: Float64) -> None:
    """Probabilities of the codes of one group given the rest of the row; ``first`` is its first, ``own`` its code.

    Also, to ``scale``, what exp(W) is multiplied with in the factors.
    """
    n, n_hidden = p.shape[0], s.shape[0]
    highest = a[first]
    for k in range(1, n):
        highest = max(highest, a[first + k])
    for k in range(n):
        p[k] = np.exp(a[first + k] - highest)
    held = E[first + own]
    for j in range(n_hidden):
        scale[j] = s[j] / held[j]
    for block in range(0, n_hidden, _UNITS_AT_ONCE):
        last = min(block + _UNITS_AT_ONCE, n_hidden)
        total = 0.0
        for k in range(n):
            row = E[first + k]
            product = 1.0
            for j in range(block, last):
                product *= 1 - s[j] + scale[j] * row[j]
            p[k] *= product
            total += p[k]
        for k in range(n):
            p[k] /= total


@over_rows
def surprise(
    first: int,
    last: int,
    W: Float64,
    E: Float64,
    a: Float64,
    b: Float64,
    offsets: Offsets,
    rows: Codes,
    out: Float64,
) -> None:
    """-log P(code | rest of the row) of each group, to ``out``."""
    s, scale, p = np.empty(b.shape[0]), np.empty(b.shape[0]), np.empty(256)
    for r in range(first, last):
        hidden(W, b, offsets, rows[r], s)
        for g in range(rows.shape[1]):
            own = np.int64(rows[r, g])
            here = p[: offsets[g + 1] - offsets[g]]
            conditional(E, a, s, offsets[g], own, scale, here)
            out[r, g] = -np.log(max(here[own], 1e-300))


@numba.njit(cache=True, **OPTIONS)  # type: ignore[untyped-decorator]
def add_gradient(
    W: Float64,
    E: Float64,
    a: Float64,
    b: Float64,
    offsets: Offsets,
    rows: Codes,
    weights: Float64,
    dW: Float64,
    da: Float64,
    db: Float64,
) -> None:
    """Add the gradient of the weighted sum of log P(code | rest of the row), over rows and groups."""
    n_hidden, n_groups = b.shape[0], rows.shape[1]
    s, scale, p = np.empty(n_hidden), np.empty(n_hidden), np.empty(256)
    by_group, total = np.empty((n_groups, n_hidden)), np.empty(n_hidden)
    for r in range(rows.shape[0]):
        weight = weights[r]
        hidden(W, b, offsets, rows[r], s)
        total[:] = 0.0
        for g in range(n_groups):
            start, own = offsets[g], np.int64(rows[r, g])
            here, rest = p[: offsets[g + 1] - start], by_group[g]
            conditional(E, a, s, start, own, scale, here)
            rest[:] = s
            for k in range(here.shape[0]):
                da[start + k] -= weight * here[k]
                if here[k] < _NEGLIGIBLE:
                    continue
                row, slope = E[start + k], dW[start + k]
                for j in range(n_hidden):
                    x = scale[j] * row[j]
                    x = here[k] * (x / (1 - s[j] + x))
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
                slope[j] += weight * (s[j] + total[j] - rest[j])


@over_rows
def gibbs(
    first: int,
    last: int,
    W: Float64,
    E: Float64,
    a: Float64,
    b: Float64,
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
    s, scale, p = np.empty(b.shape[0]), np.empty(b.shape[0]), np.empty(256)
    for r in range(first, last):
        hidden(W, b, offsets, rows[r], s)
        for t in range(uniform.shape[1]):
            for g in range(rows.shape[1]):
                if not free[r, g]:
                    continue
                start, own = offsets[g], np.int64(rows[r, g])
                here = p[: offsets[g + 1] - start]
                conditional(E, a, s, start, own, scale, here)
                if t >= n_before:
                    for k in range(here.shape[0]):
                        total[r, start + k] += here[k]
                left, new = uniform[r, t, g], np.int64(0)
                while new < here.shape[0] - 1 and left >= here[new]:
                    left -= here[new]
                    new += 1
                if new != own:
                    rows[r, g] = new
                    hidden(W, b, offsets, rows[r], s)


@numba.njit(cache=True, **OPTIONS)  # type: ignore[untyped-decorator]
def adam(
    theta: Float64, gradient: Float64, mean: Float64, square: Float64, rate: float, n_steps: int, limit: float
) -> None:
    """One step of Adam, upwards; no parameter gets beyond the limit."""
    first, second = 1 - 0.9**n_steps, 1 - 0.999**n_steps
    for i in range(theta.shape[0]):
        mean[i] = 0.9 * mean[i] + 0.1 * gradient[i]
        square[i] = 0.999 * square[i] + 0.001 * gradient[i] ** 2
        step = rate * (mean[i] / first) / (np.sqrt(square[i] / second) + 1e-5)
        theta[i] = min(max(theta[i] + step, -limit), limit)
