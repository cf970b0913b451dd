"""Rows that wait to be learned together, with their keys: numbers in arrays, so that many fit into little memory."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from sys import intern

import numpy as np

from genreplay.fleet.keyed import Cells
from genreplay.streams.cells import is_missing
from genreplay.streams.chunks import BadRow, Chunk, is_text, short
from genreplay.streams.schema import Schema, TypedRows
from genreplay.streams.writers import cell_text

_ROW, _PRINTED, _OBJECT = 60, 60, 60
"""bytes of a row beside its cells, of one that is printed, and of each cell that is printed with it, about"""


class WaitingRows:
    """Rows in the order in which they came.

    >>> waiting = WaitingRows(Schema({"colour": "category", "age": "number"}))
    >>> waiting.add(["a", "b"], TypedRows(np.array([["red", 31.0], ["blue", 47.0]], dtype=object), [1, 2], []), [])
    >>> waiting.keys, [column.tolist() for column in waiting.columns]
    (['a', 'b'], [['red', 'blue'], [31.0, 47.0]])
    """

    def __init__(self, schema: Schema) -> None:
        self.rows = array("q")
        """their numbers in the input"""
        self.keys: list[str] = []
        self.kept: list[tuple[object, ...]] = []
        """cells of the input that are printed with them"""
        self.n_bytes = 0
        """about"""
        self._is_number = [kind in ("number", "timestamp") for kind in schema.kinds_by_place.values()]
        self._parts: list[list[Cells]] = [[] for _ in self._is_number]

    def add(self, keys: Sequence[str], rows: TypedRows, kept: Sequence[tuple[object, ...]]) -> None:
        """Take further rows."""
        self.rows.extend(rows.rows)
        self.keys += map(intern, keys)
        self.kept += kept
        for parts, column, is_number in zip(self._parts, rows.cells.T, self._is_number, strict=True):
            parts.append(column.astype(np.float64) if is_number else _shared(column))
        self.n_bytes += len(rows.rows) * (_ROW + 8 * len(self._parts))
        self.n_bytes += _PRINTED * len(kept) + _OBJECT * sum(map(len, kept))

    @property
    def columns(self) -> list[Cells]:
        """The cells, an array for each column."""
        return [np.concatenate(parts) if parts else np.empty(0) for parts in self._parts]


def _shared(column: Cells) -> Cells:
    """The same cells, equal texts as one object."""
    shared = np.empty(len(column), dtype=object)
    shared[:] = [intern(cell) if type(cell) is str else cell for cell in column.tolist()]
    return shared


def with_keys(chunk: Chunk, rows: TypedRows, by: str) -> tuple[list[str], TypedRows]:
    """The keys of rows, and the rows; a row without a key is a bad one.

    >>> chunk = Chunk({"id": ["7", ""], "age": ["31", "47"]}, [1, 2], [2, 3])
    >>> keys, rows = with_keys(chunk, TypedRows(np.array([[31.0], [47.0]]), [1, 2], []), "id")
    >>> keys, rows.rows, rows.bad[0].reason
    (['7'], [1], "column 'id': there is no key")
    """
    column, places = chunk.columns[by], {row: place for place, row in enumerate(chunk.rows)}
    keys, bad, kept = [], [], []
    for here, row in enumerate(rows.rows):
        place = places[row]
        cell = column[place]
        key = cell if type(cell) is str else cell_text(cell)
        if is_missing(cell) or not is_text(key):
            fault = "there is no key" if is_missing(cell) else f"{short(key)} is not text"
            bad.append(BadRow(row, chunk.lines[place], f"column {short(by)}: {fault}", chunk.raw(place)))
        else:
            keys.append(key.strip())
            kept.append(here)
    if not bad:
        return keys, rows
    every = sorted([*rows.bad, *bad], key=lambda each: each.row)
    return keys, TypedRows(rows.cells[kept], [rows.rows[here] for here in kept], every)
