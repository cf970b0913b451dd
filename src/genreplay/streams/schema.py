"""The kind of each column of a table: inferred from the first rows, or given in a TOML file."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from genreplay.streams import columns
from genreplay.streams.cells import Kind
from genreplay.streams.chunks import BadRow, Chunk, InputError, check_names, listed, short, shown
from genreplay.streams.remarks import remark

ColumnKind = Literal["number", "category", "boolean", "timestamp", "ignore"]
KINDS: tuple[ColumnKind, ...] = get_args(ColumnKind)
SAMPLE_ROWS = 500
"""records that kinds are inferred from"""


class TypedRows(NamedTuple):
    """Typed rows, and the records that could not be read."""

    cells: npt.NDArray[Any]
    """(rows, columns): float64 where all columns are numbers, else object; NaN or None where a cell is missing"""
    rows: Sequence[int]
    """place of each row among all records, from 1"""
    bad: Sequence[BadRow]
    """by place"""


@dataclass(frozen=True)
class Schema:
    r"""Names and kinds of a table's columns, in order.

    Cells become typed: a number is a float, a category text, a boolean True or False, a timestamp seconds since 1970
    (UTC). A missing cell is NaN or None. An ignored column is not read.

    >>> from genreplay.streams.readers import open_rows
    >>> from io import BytesIO
    >>> table = b"age,colour,id\n31,red,a7\n?,blue,b2\nold,red,c9\n"
    >>> _, chunk = open_rows(BytesIO(table), "csv")
    >>> schema = Schema({"age": "number", "colour": "category", "id": "ignore"})
    >>> rows = schema.parse(chunk)
    >>> rows.cells.tolist(), list(rows.rows)
    ([[31.0, 'red'], [nan, 'blue']], [1, 2])
    >>> rows.bad[0].line, rows.bad[0].reason
    (4, "column 'age': 'old' is not a number")
    """

    kinds: Mapping[str, ColumnKind]

    def __post_init__(self) -> None:
        check_names(list(self.kinds), "The schema")
        for name, kind in self.kinds.items():
            if kind not in KINDS:
                raise InputError(f"The schema calls column {short(name)} a {kind!r}: choose from {', '.join(KINDS)}.")

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are read."""
        return tuple(name for name, kind in self.kinds.items() if kind != "ignore")

    @property
    def kinds_by_place(self) -> dict[str | int, Kind]:
        """Kind of each column that is read, by its place in the cells."""
        return {place: kind for place, name in enumerate(self.names) if (kind := self.kinds[name]) != "ignore"}

    @classmethod
    def infer(cls, chunks: Sequence[Chunk], given: Schema | None = None) -> Schema:
        """Infer kinds from the first records; kinds that are given stay.

        The rules are those of ``genreplay.streams.columns``. Records after the first 500 are not used, so the result
        does not depend on how the stream is cut.

        >>> chunk = Chunk({"x": ["1", "", "3"], "y": ["true", "false", ""], "z": ["1", "a", "b"]}, [1, 2, 3], [2, 3, 4])
        >>> dict(Schema.infer([chunk]).kinds)
        {'x': 'number', 'y': 'boolean', 'z': 'category'}
        """
        named = next((chunk.columns for chunk in chunks if chunk.columns), {})
        known = dict(given.kinds) if given else {}
        for name in known:
            if name not in named:
                raise InputError(f"The input has no column {short(name)}: it has {listed(named)}.")
        kinds = {name: known.get(name) or columns.kind_of(first_cells(chunks, name)) for name in named}
        if all(kind == "ignore" for kind in kinds.values()):
            raise InputError("No column is left to learn from: all are ignored.")
        return cls(kinds)

    def remarks(self, chunks: Sequence[Chunk], given: Schema | None = None) -> list[str]:
        """A sentence for each column that looks like times, but for which another kind was inferred."""
        declared = given.kinds if given else {}
        found = (
            remark(name, first_cells(chunks, name), kind)
            for name, kind in self.kinds.items()
            if name not in declared and kind != "ignore"
        )
        return [sentence for sentence in found if sentence]

    @classmethod
    def from_toml(cls, path: str | os.PathLike[str]) -> Schema:
        """Read a file with a table ``[columns]`` of kinds by name."""
        try:
            document = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"The schema {path} cannot be read: {error.strerror}.") from error
        except (ValueError, RecursionError) as error:  # not UTF-8, not TOML, or nested too deeply
            raise InputError(f"The schema {path} is not TOML: {error}.") from error
        kinds = document.get("columns")
        if not isinstance(kinds, dict) or not kinds or set(document) != {"columns"}:
            raise InputError(f'The schema {path} must have one table, [columns], of lines such as age = "number".')
        for name, kind in kinds.items():
            if kind not in KINDS:
                raise InputError(f"The schema {path} gives column {short(name)} the kind {short(kind)}: {_one_of()}.")
        return cls(kinds)

    def to_toml(self) -> str:
        """The schema as text that ``from_toml`` reads.

        >>> print(Schema({"age": "number", "eye colour": "category"}).to_toml(), end="")
        [columns]
        "age" = "number"
        "eye colour" = "category"
        """
        lines = (f'{_toml_string(name)} = "{kind}"' for name, kind in self.kinds.items())
        return "\n".join(["[columns]", *lines, ""])

    def check(self, chunk: Chunk) -> None:
        """Check that a chunk has these columns and no others; ignored columns may be absent."""
        unseen = [name for name in chunk.columns if name not in self.kinds]
        if unseen:
            column = f" {quote(unseen[0])}" if shown(unseen[0]) == unseen[0] else ""
            raise InputError(
                f"The input has a column {short(unseen[0])} that the model does not know: leave it out with "
                f"--ignore{column}."
            )
        lacking = [name for name in self.names if name not in chunk.columns]
        if lacking:
            raise InputError(f"The input has no column {short(lacking[0])}: it has {listed(chunk.columns)}.")

    def parse(self, chunk: Chunk) -> TypedRows:
        """Type the cells of a chunk; a row with a cell that cannot be read is a bad row."""
        n_rows = len(chunk.rows)
        numeric = all(self.kinds[name] == "number" for name in self.names)
        cells = np.empty((n_rows, len(self.names)), dtype=np.float64 if numeric else object)
        reasons: dict[int, str] = {}
        for place, (name, kind) in enumerate(zip(self.names, self.kinds_by_place.values(), strict=True)):
            typed = columns.READERS[kind](chunk.columns.get(name, [None] * n_rows))
            cells[:, place] = typed.cells
            for row, fault in typed.faults.items():
                reasons.setdefault(row, f"column {short(name)}: {fault}")
        if not reasons:
            return TypedRows(cells, chunk.rows, chunk.bad)
        unread = (BadRow(chunk.rows[i], chunk.lines[i], reason, chunk.raw(i)) for i, reason in reasons.items())
        kept = [i for i in range(n_rows) if i not in reasons]
        bad = sorted([*chunk.bad, *unread], key=lambda bad_row: bad_row.row)
        return TypedRows(cells[kept], [chunk.rows[i] for i in kept], bad)


def first_cells(chunks: Sequence[Chunk], name: str) -> list[object]:
    """The first cells of a column, those of at most 500 records."""
    return [
        cell
        for chunk in chunks
        if (column := chunk.columns.get(name)) is not None
        for cell in columns.items(column[: sum(row <= SAMPLE_ROWS for row in chunk.rows)])
    ]


def _one_of() -> str:
    return f"choose from {', '.join(KINDS)}"


def _toml_string(text: str) -> str:
    """A TOML string: a JSON string that escapes one more character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
