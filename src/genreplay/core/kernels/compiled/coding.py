"""The codes of a row of numbers, and of its principal components."""

from __future__ import annotations

import numba
import numpy as np

from genreplay.core.kernels.arrays import Codes, Float64, Offsets
from genreplay.core.kernels.compiled.parallel import OPTIONS


@numba.njit(**OPTIONS)  # type: ignore[untyped-decorator]
def place(edges: Float64, x: float) -> int:
    """How many edges are smaller; all of them for NaN."""
    n = 0
    for k in range(edges.shape[0]):
        n += not edges[k] >= x
    return n


@numba.njit(cache=True, **OPTIONS)  # type: ignore[untyped-decorator]
def code_numbers(
    values: Float64,
    edges: Float64,
    firsts: Offsets,
    centre: Float64,
    scale: Float64,
    weights: Float64,
    farthest: float,
    codes: Codes,
) -> bool:
    """Write the codes of the numbers of a row, NaN where missing, and of their components; False if one is infinite.

    ``firsts`` says where the edges of each number and of each component begin. The last line of ``weights`` is what is
    added to the products.
    """
    n = values.shape[0]
    for i in range(n):
        if np.isinf(values[i]):
            return False
        codes[i] = place(edges[firsts[i] : firsts[i + 1]], values[i])
    components = weights[n].copy()
    for i in range(n if components.shape[0] else 0):
        if np.isnan(values[i]):
            continue
        drawn_in = min(max(np.arcsinh((values[i] - centre[i]) / scale[i]), -farthest), farthest)
        for c in range(components.shape[0]):
            components[c] += drawn_in * weights[i, c]
    for c in range(components.shape[0]):
        codes[n + c] = place(edges[firsts[n + c] : firsts[n + c + 1]], np.rint(components[c]))
    return True
