"""Sparse rows: a CSR matrix of ones, or of the units that flipped; and the decision when to use it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from genreplay.core.kernels.arrays import Array, Integers
from genreplay.core.kernels.choice import compiled_loops, products_in_use, required_loops

SPARSE_BELOW = 0.2
"""density of ones up to which sparse products beat BLAS; ``genreplay bench density`` measures the crossover"""
SPARSE_HIDDEN_BELOW = 0.1
"""the same for products with hidden rows, which also need a transposed copy of W"""
SPARSE_FROM_WIDTH = 64
"""size of the other layer from which sparse products beat BLAS"""


@dataclass(frozen=True, eq=False)
class Sparse:
    """A sparse matrix in CSR form. The kernels store only the values 1 and -1 in it.

    >>> Sparse.of(np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 0.0]])).places
    array([1, 2], dtype=int32)
    """

    start: Integers
    """row r is stored at places[start[r]:start[r + 1]] and values[start[r]:start[r + 1]]"""
    places: Integers
    """column of each value"""
    values: Array
    n_columns: int

    @classmethod
    def of(cls, rows: Array) -> Sparse:
        """Convert a dense matrix."""
        row, place = np.nonzero(rows)
        start = np.searchsorted(row, np.arange(len(rows) + 1))
        return cls(start, place.astype(np.int32), rows[row, place], rows.shape[1])

    @property
    def shape(self) -> tuple[int, int]:
        return len(self), self.n_columns

    def __len__(self) -> int:
        return len(self.start) - 1

    def __getitem__(self, rows: slice) -> Sparse:
        first, last, _ = rows.indices(len(self))
        start = self.start[first : max(first, last) + 1]
        inside = slice(start[0], start[-1])
        return Sparse(start - start[0], self.places[inside], self.values[inside], self.n_columns)

    def dense(self, out: Array | None = None) -> Array:
        """Convert to a dense matrix."""
        out = np.empty(self.shape, self.values.dtype) if out is None else out
        out[:] = 0
        out[self._rows, self.places] = self.values
        return out

    @property
    def _rows(self) -> Integers:
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    def sum_of_rows(self, weights: Array) -> Array:
        """Return the product with a vector, one number per row."""
        terms = self.values * weights[self.places]
        return np.bincount(self._rows, terms, minlength=len(self)).astype(weights.dtype)

    @cached_property
    def sums(self) -> Array:
        """The sum of each column."""
        return np.bincount(self.places, self.values, minlength=self.n_columns).astype(self.values.dtype)

    @cached_property
    def T(self) -> Sparse:
        """The transposed matrix."""
        start = np.concatenate([[0], np.cumsum(np.bincount(self.places, minlength=self.n_columns))])
        places, values = np.empty_like(self.places), np.empty_like(self.values)
        transpose = required_loops().transpose
        transpose(len(self), 0, self.start, self.places, self.values, start[:-1].copy(), places, values)
        return Sparse(start, places, values, len(self))

    def add_product(self, table: Array, out: Array, scale: float = 1.0) -> None:
        """Add scale * (self @ table) to ``out``."""
        work, number = len(self.places) * table.shape[1], out.dtype.type
        add_product = required_loops().add_product
        add_product(len(self), work, self.start, self.places, self.values, number(scale), table, out)


class Near(NamedTuple):
    """Rows of zeros and ones, stored as their difference from other rows of zeros and ones.

    >>> Near(Sparse.of(np.array([[0.0, -1.0, 1.0]]))).flips.places
    array([1, 2], dtype=int32)
    """

    flips: Sparse
    """these rows minus the other rows"""


VisibleRows = Array | Sparse
"""states of the visible layer, one row per observation"""


def compact(rows: VisibleRows, width: int, density: float = SPARSE_BELOW) -> VisibleRows:
    """Make ``rows`` sparse if that makes products with a matrix of ``width`` columns faster, and dense otherwise.

    Sparse rows become dense if sparse products are not faster. So the results do not depend on the form of the input.

    >>> compact(np.full((4, 100), 0.5), width=500).shape  # no bits: they stay as they are
    (4, 100)
    """
    products, loops = products_in_use.get(), compiled_loops()
    if isinstance(rows, Sparse):
        worth = width >= SPARSE_FROM_WIDTH and len(rows.places) <= density * math.prod(rows.shape)
        return rows if loops is not None and (products == "sparse" or (products == "auto" and worth)) else rows.dense()
    if products == "dense" or loops is None or not len(rows):
        return rows
    if products == "auto":
        some = rows[:: 1 + len(rows) // 8]
        if width < SPARSE_FROM_WIDTH or np.count_nonzero(some) > 1.5 * density * some.size:
            return rows  # too narrow, or a sample of the rows is so dense that counting all of them is not worth it
    rows = np.ascontiguousarray(rows)
    counts = np.empty(len(rows), dtype=np.int64)
    if not all(loops.count_ones(len(rows), rows.size, rows, counts)):
        return rows
    start = np.concatenate([[0], np.cumsum(counts)])
    if products == "auto" and start[-1] > density * rows.size:
        return rows
    places = np.empty(start[-1], dtype=np.int32)
    loops.list_ones(len(rows), rows.size, rows, start, places)
    return Sparse(start, places, np.ones(len(places), dtype=rows.dtype), rows.shape[1])


def compact_near(rows: Array, origin: VisibleRows) -> VisibleRows | Near:
    """Make 0/1 ``rows`` sparse if ``origin`` is sparse: store their ones or their flips, whichever are fewer.

    Flips are the units in which ``rows`` differ from ``origin``. ``rows`` may be overwritten: use the returned value.

    >>> rows = np.eye(3)
    >>> compact_near(rows, origin=np.zeros((3, 3))) is rows  # dense rows stay dense
    True
    """
    if not isinstance(origin, Sparse):
        return rows
    loops = required_loops()
    ones, flips = np.empty(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.int64)
    if not all(loops.count_flips(len(rows), rows.size, rows, origin.start, origin.places, ones, flips)):
        return rows  # other values than 0 and 1: the model has diverged, and the caller detects that
    near = flips.sum() < ones.sum()
    start = np.concatenate([[0], np.cumsum(flips if near else ones)])
    if products_in_use.get() == "auto" and start[-1] > SPARSE_BELOW * rows.size:
        return rows
    places, values = np.empty(start[-1], dtype=np.int32), np.ones(start[-1], dtype=rows.dtype)
    if near:
        loops.list_flips(len(rows), rows.size, rows, origin.start, origin.places, start, places, values)
    else:
        loops.list_ones(len(rows), rows.size, rows, start, places)
    listed = Sparse(start, places, values, rows.shape[1])
    return Near(listed) if near else listed
