"""Rows on their way into an estimator: dense or sparse, of any number type, never copied whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from genreplay.core.kernels import Sparse
from genreplay.estimators.blocks import ROWS_PER_BLOCK, slices

InputRows: TypeAlias = npt.NDArray[Any] | sparse.csr_array

NUMBERS_PER_BLOCK = 2**22


def blocks(rows: InputRows) -> Iterator[InputRows]:
    """Cut rows into blocks: a thousand rows, or fewer where they are wide. Sparse rows stay sparse.

    >>> [block.shape for block in blocks(sparse.csr_array((2500, 3)))]
    [(1000, 3), (1000, 3), (500, 3)]
    """
    size = max(1, min(ROWS_PER_BLOCK, NUMBERS_PER_BLOCK // rows.shape[1]))
    for block in slices(rows.shape[0], size):
        yield rows[block]


def dense(block: InputRows) -> npt.NDArray[Any]:
    """A block as a plain array."""
    return block if isinstance(block, np.ndarray) else block.toarray()


def above(block: sparse.csr_array, threshold: float, dtype: npt.DTypeLike) -> Sparse:
    """Ones where a sparse block lies above a threshold of at least 0, without making it dense.

    >>> above(sparse.csr_array([[0, 3, 0], [0.2, 0, 9]]), 0.5, np.float32).dense()
    array([[0., 1., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    kept = block.data > threshold
    start = np.concatenate([[0], np.cumsum(kept)])[block.indptr]
    places = block.indices[kept].astype(np.int32)
    return Sparse(start, places, np.ones(len(places), dtype), block.shape[1])


def plain(X: npt.ArrayLike, allow_nan: bool) -> npt.ArrayLike:
    """Convert what scikit-learn would misread: masked cells, and None in lists, become NaN where that is allowed.

    >>> plain([[1, None]], allow_nan=True)
    array([[ 1., nan]])
    """
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        if not allow_nan:
            raise ValueError("X has masked cells: fill them first, for instance with impute.")
        return np.where(np.ma.getmaskarray(X), np.nan, np.ma.getdata(X))
    if isinstance(X, list | tuple):
        X = np.asarray(X)
        if X.dtype == object:
            try:
                X = X.astype(np.float64)
            except (TypeError, ValueError) as error:
                raise ValueError(f"X must hold numbers, but {error}.") from error
    return X


def canonical(rows: InputRows) -> InputRows:
    """Sum duplicate entries of a sparse matrix, in a copy."""
    if not isinstance(rows, np.ndarray) and not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    return rows


def value_range(rows: InputRows) -> tuple[float, float]:
    """Return the smallest and the largest known value.

    >>> value_range(np.array([[0.5, np.nan], [2.0, 1.0]]))
    (0.5, 2.0)
    """
    values: npt.NDArray[Any] = rows.data if isinstance(rows, sparse.csr_array | sparse.csr_matrix) else rows
    if values.dtype == bool or values.size == 0:
        return 0.0, 1.0
    # fmin and fmax ignore NaN
    low, high = float(np.fmin.reduce(values, axis=None)), float(np.fmax.reduce(values, axis=None))
    return (min(low, 0.0), max(high, 0.0)) if sparse.issparse(rows) else (low, high)
