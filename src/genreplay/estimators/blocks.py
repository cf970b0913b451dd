"""Rows in blocks: enough of them for NumPy to be fast, few enough for memory."""

from __future__ import annotations

from collections.abc import Iterator

ROWS_PER_BLOCK = 1000


def slices(n_rows: int, size: int) -> Iterator[slice]:
    """Slices that cut rows into blocks.

    >>> list(slices(2500, 1000))
    [slice(0, 1000, None), slice(1000, 2000, None), slice(2000, 2500, None)]
    """
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))
