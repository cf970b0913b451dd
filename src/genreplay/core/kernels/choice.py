"""Which implementation runs: dense or sparse products, NumPy or compiled loops, and how many threads."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from types import ModuleType
from typing import Any, Literal

import numpy as np

from genreplay.core.kernels.arrays import Array

Products = Literal["auto", "dense", "sparse"]

products_in_use: ContextVar[Products] = ContextVar("products_in_use", default="auto")
"""set by ``use``; "auto" decides by density and shape"""

COMPILED_FROM = 2**14
"""array size from which one compiled loop is faster than a few NumPy calls"""
LITTLE = 2**25
"""numbers that NumPy computes with in the time that it takes to import Numba and to load its loops: under a second"""
_left_to_numpy: ContextVar[int] = ContextVar("left_to_numpy", default=-1)
"""set by ``numba_later``: work that NumPy may still do; once it is negative, the compiled loops do all of it"""


@contextmanager
def use(products: Products) -> Iterator[None]:
    """Choose how products are computed inside a ``with`` block.

    "dense" uses BLAS for every product. "sparse" uses sparse products for all rows of zeros and ones. "auto", the
    default, decides by density and shape.

    >>> from genreplay.core import kernels
    >>> with kernels.use("dense"):
    ...     isinstance(kernels.compact(np.zeros((400, 784), np.float32), width=500), kernels.Sparse)
    False
    """
    if products not in ("auto", "dense", "sparse"):
        raise ValueError(f"The 'products' parameter of use must be 'auto', 'dense' or 'sparse'. Got {products!r}.")
    if products == "sparse" and compiled_loops() is None:
        raise ModuleNotFoundError("Sparse products need Numba: install genreplay[fast].")
    token = products_in_use.set(products)
    try:
        yield
    finally:
        products_in_use.reset(token)


@contextmanager
def threads(n: int) -> Iterator[None]:
    """Run the compiled loops on up to ``n`` threads inside a ``with`` block. BLAS has its own setting.

    >>> from genreplay.core import kernels
    >>> with kernels.threads(1):
    ...     kernels.compact(np.eye(5), width=500).shape
    (5, 5)
    """
    loops: Any = compiled_loops()
    if loops is None:
        yield
        return
    before = loops.parallel.n_threads
    loops.parallel.n_threads = n
    try:
        yield
    finally:
        loops.parallel.n_threads = before


@contextmanager
def numba_later() -> Iterator[None]:
    """Leave the first work of a ``with`` block to NumPy, and import Numba when there is more: for a fast start.

    Results are rounded as without Numba until then. So it is for questions, not for learning.

    >>> with numba_later():
    ...     compiled_loops() is None
    True
    """
    token = _left_to_numpy.set(LITTLE)
    try:
        yield
    finally:
        _left_to_numpy.reset(token)


def spend(work: int) -> None:
    """Take note of work that is about to be done: how many numbers NumPy would compute with."""
    left = _left_to_numpy.get()
    if left >= 0:
        _left_to_numpy.set(left - work)


def compiled_loops() -> ModuleType | None:
    """Return the module of compiled loops, or None if Numba is not installed. Numba is imported at the first call.

    >>> loops = compiled_loops()
    >>> loops is None or hasattr(loops, "momentum")
    True
    """
    return _imported_loops() if _left_to_numpy.get() < 0 else None


@cache
def _imported_loops() -> ModuleType | None:
    if importlib.util.find_spec("numba") is None:
        return None
    from genreplay.core.kernels import compiled

    return compiled


def required_loops() -> ModuleType:
    """Return the module of compiled loops where the caller knows that Numba is installed."""
    loops = compiled_loops()
    assert loops is not None
    return loops


def loops_for(x: Array) -> ModuleType | None:
    """Return the compiled loops if they can process ``x`` and are faster than NumPy: large 2D arrays of float32."""
    if x.size < COMPILED_FROM or x.ndim != 2 or x.dtype != np.float32:
        return None
    return compiled_loops()
