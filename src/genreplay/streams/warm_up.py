"""The first rows of a stream: they wait until there are enough of them to fix kinds and codes."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from genreplay.core.ingredient import Json
from genreplay.streams import columns
from genreplay.streams.cells import Kind, from_json, to_json
from genreplay.streams.columns import Objects, row_of_chunk
from genreplay.streams.remarks import remark
from genreplay.streams.table import Array, Table


@dataclass(frozen=True, eq=False)
class WarmUp:
    """Rows that wait, in the chunks that they came in.

    Rows of plain numbers wait as float64, others as plain cells. Text waits as it came: how it is read depends on the
    kind of its column, which all rows of the warm-up decide together.

    >>> rows = WarmUp(["age"]).with_rows(Table(np.array([["31"], ["NA"]], dtype=object)), {})
    >>> rows.with_rows(Table(np.array([[47.5]])), {}).read({})
    [('number', array([31. ,  nan, 47.5]))]
    """

    names: Sequence[str]
    chunks: tuple[Array, ...] = ()

    @property
    def n_rows(self) -> int:
        return sum(map(len, self.chunks))

    @property
    def cells(self) -> Objects:
        """All rows, as plain cells."""
        return np.concatenate([np.empty((0, len(self.names)), dtype=object), *self.chunks])

    def with_rows(self, table: Table, given: Mapping[int, Kind]) -> WarmUp:
        """These rows and those of one more chunk.

        Columns whose kind is given are read as that kind at once. So an unreadable cell is refused when it comes, not
        when the warm-up ends.
        """
        if table.whole is not None and table.whole.dtype.kind in "iuf":
            for i, (column, name) in enumerate(zip(table.columns, self.names, strict=True)):
                columns.read(column, given.get(i, "number"), name)
            return WarmUp(self.names, (*self.chunks, table.whole.astype(np.float64)))
        rows = np.empty((table.n_rows, len(self.names)), dtype=object)
        for i, (column, name) in enumerate(zip(table.columns, self.names, strict=True)):
            cells = columns.read(column, given.get(i), name)
            rows[:, i] = cells
        return WarmUp(self.names, (*self.chunks, rows))

    def read(self, given: Mapping[int, Kind], last_is_new: bool = False) -> list[tuple[Kind, Array]]:
        """The kind of each column, and its typed cells.

        An error counts rows from the start of the warm-up, or, if the last chunk is new, from its start.
        """
        if not self.chunks:
            return []
        n_before = self.n_rows - len(self.chunks[-1]) if last_is_new else self.n_rows

        def where(row: int) -> str:
            return f"row {row} of the warm-up" if row < n_before else row_of_chunk(row - n_before)

        is_plain = all(chunk.dtype != object for chunk in self.chunks)
        rows = np.concatenate(self.chunks) if is_plain else self.cells
        read = []
        for i, (column, name) in enumerate(zip(rows.T, self.names, strict=True)):
            kind = given.get(i) or columns.kind_of(column)
            try:
                read.append((kind, columns.read(column, kind, name, where)))
                if i not in given and (said := remark(name, column, kind)):
                    warnings.warn(f"{said} The parameter 'kinds' declares kinds.", UserWarning, stacklevel=2)
            except ValueError as error:
                raise ValueError(
                    f"{error} The column is a {kind} by its other cells: correct this one, or give the kind of the "
                    "column with the parameter 'kinds'."
                ) from None
        return read

    def to_json(self) -> list[Json]:
        """The rows for a file."""
        return [[to_json(cell) for cell in row] for chunk in self.chunks for row in chunk.tolist()]

    @classmethod
    def from_json(cls, names: Sequence[str], rows: Sequence[Sequence[Any]], given: Mapping[int, Kind]) -> WarmUp:
        """The rows that ``to_json`` wrote, as one chunk; a cell that is not of the kind that is given is refused."""
        if not rows:
            return cls(names)
        cells = np.empty((len(rows), len(names)), dtype=object)
        cells[:] = [[from_json(cell) for cell in row] for row in rows]
        for i, kind in given.items():
            columns.read(cells[:, i], kind, names[i])
        return cls(names, (cells,))


def kinds_by_index(kinds: Mapping[str | int, Kind] | None, names: Sequence[str]) -> dict[int, Kind]:
    """Check kinds given by the name or the index of a column, and return them by index.

    >>> kinds_by_index({"colour": "category", 0: "number"}, ["age", "colour"])
    {1: 'category', 0: 'number'}
    """
    given: dict[int, Kind] = {}
    for key, kind in (kinds or {}).items():
        if kind not in columns.READERS:
            known = ", ".join(columns.READERS)
            raise ValueError(f"The 'kinds' parameter must name one of {known}. Got {kind!r} for {key!r} instead.")
        if isinstance(key, Integral) and 0 <= key < len(names):
            given[int(key)] = kind
        elif key in names:
            given[list(names).index(str(key))] = kind
        else:
            raise ValueError(f"The 'kinds' parameter has {key!r}, but the columns are {', '.join(names)}.")
    return given
