"""Loops for an RBM whose visible units come in groups: conditional probabilities, their gradient, Gibbs steps.

All of them rest on one identity. Let s_j be the probability that hidden unit j is on, given a row whose group g has the
code o. With another code k in that group, and all else as it is, the row is more or less likely by the factor

    exp(a_k - a_o) prod_j (1 - s_j + s_j exp(W_jk - W_jo)),

so that the conditional probabilities of all codes of a group need products and sums, but no further exponential.
"""

from __future__ import annotations

import numba
import numpy as np

from genreplay.core.kernels.arrays import Codes, Flags, Float64, Offsets
from genreplay.core.kernels.compiled.parallel import OPTIONS, over_rows

_UNITS_AT_ONCE = 32
"""hidden units after which a product is scaled, far from the largest number"""


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def hidden(W: Float64, b: Float64, offsets: Offsets, row: Codes, s: Float64) -> None:
    """Probabilities of the hidden units of a row."""
    for j in range(W.shape[0]):
        x = b[j]
        for g in range(row.shape[0]):
            x += W[j, offsets[g] + row[g]]
        s[j] = 1 / (1 + np.exp(-x))


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def conditional(E: Float64, a: Float64, s: Float64, first: int, own: int, p: Float64) -> None:
    """Probabilities of the codes of one group given the rest of the row; ``first`` is its first, ``own`` its code."""
    n = p.shape[0]
    highest = a[first]
    for k in range(1, n):
        highest = max(highest, a[first + k])
    for k in range(n):
        p[k] = np.exp(a[first + k] - highest)
    for j in range(E.shape[0]):
        rest, scale = 1 - s[j], s[j] / E[j, first + own]
        for k in range(n):
            p[k] *= rest + scale * E[j, first + k]
        if j % _UNITS_AT_ONCE == _UNITS_AT_ONCE - 1:
            _normalise(p)
    _normalise(p)


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def _normalise(p: Float64) -> None:
    total = 0.0
    for k in range(p.shape[0]):
        total += p[k]
    for k in range(p.shape[0]):
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
    s = np.empty(W.shape[0])
    p = np.empty(256)
    for r in range(first, last):
        hidden(W, b, offsets, rows[r], s)
        for g in range(rows.shape[1]):
            own = np.int64(rows[r, g])
            here = p[: offsets[g + 1] - offsets[g]]
            conditional(E, a, s, offsets[g], own, here)
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
    n_hidden, n_groups = W.shape[0], rows.shape[1]
    s, p = np.empty(n_hidden), np.empty(256)
    by_group = np.empty((n_groups, n_hidden))
    for r in range(rows.shape[0]):
        weight = weights[r]
        hidden(W, b, offsets, rows[r], s)
        for g in range(n_groups):
            start, own = offsets[g], np.int64(rows[r, g])
            here = p[: offsets[g + 1] - start]
            conditional(E, a, s, start, own, here)
            for j in range(n_hidden):
                rest, scale = 1 - s[j], s[j] / E[j, start + own]
                expected = 0.0
                for k in range(here.shape[0]):
                    x = scale * E[j, start + k]
                    x = here[k] * (x / (rest + x))
                    expected += x
                    dW[j, start + k] -= weight * x
                dW[j, start + own] += weight * s[j]
                by_group[g, j] = s[j] - expected
            for k in range(here.shape[0]):
                da[start + k] -= weight * here[k]
            da[start + own] += weight
        for j in range(n_hidden):
            total = 0.0
            for g in range(n_groups):
                total += by_group[g, j]
            db[j] += weight * total
            for g in range(n_groups):  # a code is a part of the rest of the row for all groups but its own
                dW[j, offsets[g] + rows[r, g]] += weight * (total - by_group[g, j])


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
    s, p = np.empty(W.shape[0]), np.empty(256)
    for r in range(first, last):
        hidden(W, b, offsets, rows[r], s)
        for t in range(uniform.shape[1]):
            for g in range(rows.shape[1]):
                if not free[r, g]:
                    continue
                start, own = offsets[g], np.int64(rows[r, g])
                here = p[: offsets[g + 1] - start]
                conditional(E, a, s, start, own, here)
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
