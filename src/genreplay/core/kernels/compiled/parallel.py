"""Compile a loop over rows, and share its rows among threads."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, wraps
from typing import Any

import numba

PARALLEL_FROM = 2**20
"""amount of work from which a second thread saves time"""
# Sums may be computed in any order, and a product may be fused with a sum. Division does not check for zero.
# Numba's cache does not notice a change of these options: delete it after one.
OPTIONS: dict[str, Any] = {"nogil": True, "fastmath": {"reassoc", "contract"}, "error_model": "numpy"}

n_threads: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
"""threads that share the rows; by default the number of cores, or the environment variable NUMBA_NUM_THREADS"""


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(thread_name_prefix="genreplay")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a forked child does not inherit the threads


def over_rows(function: Callable[..., Any]) -> Callable[..., list[Any]]:
    """Compile a loop from row ``first`` to row ``last``. Call the result with the number of rows and amount of work.

    The call returns a list with the result of each thread. It uses a thread pool of its own, because OpenMP's threads
    would keep the cores busy while BLAS needs them.
    """
    loop = numba.njit(cache=True, **OPTIONS)(function)

    @wraps(function)
    def call(n_rows: int, work: int, *arguments: Any) -> list[Any]:
        n = min(n_threads, n_rows) if work >= PARALLEL_FROM else 1
        if n <= 1:
            return [loop(0, n_rows, *arguments)]
        edges = [n_rows * k // n for k in range(n + 1)]
        others = [_pool().submit(loop, edges[k], edges[k + 1], *arguments) for k in range(1, n)]
        return [loop(0, edges[1], *arguments), *(other.result() for other in others)]

    return call
