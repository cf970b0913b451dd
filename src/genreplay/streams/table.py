"""A chunk of a table, taken apart into columns. What the cells mean is decided in ``genreplay.streams.columns``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]


class Table:
    """The rows of a chunk by column: one 2-D array, or an array for each column of a data frame.

    >>> table = Table(np.array([[1.5, "red"], [2.5, None]], dtype=object))
    >>> table.n_rows, table.columns[1].tolist()
    (2, ['red', None])
    """

    def __init__(self, columns: Array | Sequence[Array]) -> None:
        whole = columns if isinstance(columns, np.ndarray) else None
        self.whole = whole
        self.columns = columns if whole is None else whole.T
        self.n_rows = len(columns[0]) if whole is None else len(whole)

    def head(self, n: int) -> Table:
        """The first n rows."""
        return self.part(0, n)

    def part(self, first: int, last: int | None = None) -> Table:
        """The rows from ``first`` on, up to ``last``."""
        rows = slice(first, last)
        return Table([column[rows] for column in self.columns] if self.whole is None else self.whole[rows])


class NotReadyError(ValueError):
    """Something was asked that needs rows, or codes, before there were any."""


class TakesTables:
    """How an encoder or a detector takes rows, and which columns they must have.

    Here rows are a 2-D array whose columns are known to be the right ones, as on the command line. The faces for
    scikit-learn take data frames and lists as well, and check names: see ``TableFeatures``.
    """

    n_features_in_: int
    feature_names_in_: npt.NDArray[np.object_]  # missing where the columns came without names
    _not_ready: ClassVar[type[ValueError]] = NotReadyError

    def _read(self, X: object) -> Table:
        return Table(np.asarray(X))

    def _names_of(self, X: object, table: Table) -> list[str]:
        return [f"x{i}" for i in range(len(table.columns))]

    def _remember_columns(self, X: object) -> None:
        """Take the columns of the first rows for those of all others."""
        self.n_features_in_ = len(self._read(X).columns)

    def _check_columns(self, X: object) -> None:
        """Refuse rows that have other columns than the first ones."""
        n_columns = len(self._read(X).columns)
        if n_columns != self.n_features_in_:
            raise ValueError(f"The rows have {n_columns} columns, but the first ones had {self.n_features_in_}.")

    def _read_further(self, X: object) -> Table:
        """Rows with the columns of the first ones."""
        table = self._read(X)
        self._check_columns(X)
        return table
