"""Rows on their way into an estimator: dense or sparse, of any number type, never copied whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import gen_batches

Rows: TypeAlias = npt.NDArray[Any] | sparse.csr_array

ROWS_PER_BLOCK = 1000


def blocks(rows: Rows) -> Iterator[npt.NDArray[Any]]:
    """Cut rows into dense blocks of at most a thousand.

    >>> [len(block) for block in blocks(sparse.csr_array((2500, 3)))]
    [1000, 1000, 500]
    """
    for block in gen_batches(rows.shape[0], ROWS_PER_BLOCK):
        part = rows[block]
        yield part.toarray() if sparse.issparse(part) else part


def canonical(rows: Rows) -> Rows:
    """Sum what a sparse matrix holds twice for one cell, in a copy."""
    if not isinstance(rows, np.ndarray) and not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def value_range(rows: Rows) -> tuple[float, float]:
    """Return the smallest and the largest known value.

    >>> value_range(np.array([[0.5, np.nan], [2.0, 1.0]]))
    (0.5, 2.0)
    """
    values: npt.NDArray[Any] = rows.data if isinstance(rows, sparse.csr_array | sparse.csr_matrix) else rows
    if values.dtype == bool or values.size == 0:
        return 0.0, 1.0
    # fmin and fmax pass over NaN
    low, high = float(np.fmin.reduce(values, axis=None)), float(np.fmax.reduce(values, axis=None))
    return (min(low, 0.0), max(high, 0.0)) if sparse.issparse(rows) else (low, high)
