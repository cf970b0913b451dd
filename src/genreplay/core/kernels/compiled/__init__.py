"""Loops compiled by Numba, for what NumPy has no single call: sparse products, and sums and draws in one pass.

Importing this package imports Numba. ``choice.compiled_loops`` does so when the loops are first needed. Each loop is
compiled at its first call and cached on disk. It releases Python's global lock, so threads can share its rows.
"""

from genreplay.core.kernels.compiled import coding, grouped, parallel, running, scores
from genreplay.core.kernels.compiled.draws import anneal, sample, sigmoid, softplus_between
from genreplay.core.kernels.compiled.sparse import (
    add_product,
    count_flips,
    count_ones,
    list_flips,
    list_ones,
    transpose,
)
from genreplay.core.kernels.compiled.update import momentum

__all__ = [
    "add_product",
    "anneal",
    "coding",
    "count_flips",
    "count_ones",
    "grouped",
    "list_flips",
    "list_ones",
    "momentum",
    "parallel",
    "running",
    "sample",
    "scores",
    "sigmoid",
    "softplus_between",
    "transpose",
]
