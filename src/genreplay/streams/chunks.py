"""Chunks of records, column by column, with the records that could not be read: what every reader returns."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

ROWS_PER_CHUNK = 1000

Column: TypeAlias = Sequence[object] | npt.NDArray[Any]
"""cells as the format has them: text, or values that JSON or an array gave a type"""

Item = TypeVar("Item")


class InputError(ValueError):
    """The input as a whole cannot be read; the message says why, and what to do."""


class BadRow(NamedTuple):
    """A record that cannot be used."""

    row: int
    """its place among the records, from 1"""
    line: int
    """the line that it starts on; for arrays, its row"""
    reason: str
    raw: str
    """the text of the record, possibly shortened"""


class Chunk(NamedTuple):
    """Consecutive records.

    A chunk without records says that no input has arrived for a while, or gives the names of the columns.

    >>> chunk = Chunk({"a": ["1", "2"]}, rows=[1, 3], lines=[2, 4], bad=[BadRow(2, 3, "2 cells", "x,y")])
    >>> chunk.n_records
    3
    """

    columns: Mapping[str, Column]
    """cells by the name of their column; empty until the names are known"""
    rows: Sequence[int]
    """place of each row of cells among all records, from 1, bad ones counted"""
    lines: Sequence[int]
    """line that each row of cells starts on"""
    bad: Sequence[BadRow] = ()

    @property
    def n_records(self) -> int:
        """Records that this chunk accounts for."""
        return len(self.rows) + len(self.bad)

    def raw(self, index: int) -> str:
        """One row of cells as text, for messages and for the file of bad rows.

        >>> Chunk({"a": ["1"], "b": ["x"]}, [1], [2]).raw(0)
        '{"a": "1", "b": "x"}'
        """
        return json.dumps(self.cells(index), default=str)

    def cells(self, index: int) -> dict[str, object]:
        """One row of cells by the names of their columns."""
        return {name: _plain(column[index]) for name, column in self.columns.items()}

    def place(self, row: int) -> int | None:
        """Where a record is among the rows of cells; None if it is bad, or not in the chunk.

        >>> Chunk({"a": ["1", "2"]}, rows=[1, 3], lines=[2, 4]).place(3)
        1
        """
        place = bisect_right(self.rows, row) - 1
        return place if place >= 0 and self.rows[place] == row else None

    def after(self, row: int) -> Chunk:
        """The part of the chunk whose records come after the given one.

        >>> Chunk({"a": ["1", "2"]}, [1, 2], [2, 3]).after(1).columns
        {'a': ['2']}
        """
        start = bisect_right(self.rows, row)
        columns = {name: column[start:] for name, column in self.columns.items()}
        return Chunk(columns, self.rows[start:], self.lines[start:], [bad for bad in self.bad if bad.row > row])


Chunks: TypeAlias = Generator[Chunk, None, None]
"""what a reader returns; it can be closed before its end"""

IDLE = Chunk({}, (), ())
"""no input has arrived for a while"""


class Fault(NamedTuple):
    """A record that a reader could not read, before it has a row number."""

    line: int
    reason: str
    raw: str


def number(
    n_before: int,
    items: Sequence[Item],
    lines: Sequence[int],
    faults: Sequence[Fault],
    columns: Callable[[Sequence[Item]], Mapping[str, Column]],
) -> Iterator[Chunk]:
    """Number the records that follow ``n_before`` others, and cut them into chunks.

    ``lines`` and ``faults`` are in order, and no two records start on one line, so that lines tell the order of good
    and bad records.

    >>> faults = [Fault(3, "no", "?")]
    >>> [chunk] = number(10, ["x", "y"], [2, 4], faults, lambda items: {"a": items})
    >>> list(chunk.rows), chunk.bad
    ([11, 13], [BadRow(row=12, line=3, reason='no', raw='?')])
    """
    bad: list[BadRow] = []
    rows: Sequence[int] = range(n_before + 1, n_before + 1 + len(items))
    if faults:
        order = {line: n_before + rank for rank, line in enumerate(sorted([*lines, *(f.line for f in faults)]), 1)}
        rows = [order[line] for line in lines]
        bad = [BadRow(order[fault.line], *fault) for fault in faults]
    n_records = len(items) + len(bad)
    start = n_bad = 0
    for last in range(ROWS_PER_CHUNK, n_records + ROWS_PER_CHUNK, ROWS_PER_CHUNK):
        stop = bisect_right(rows, n_before + last)
        stop_bad = bisect_right(bad, n_before + last, key=lambda bad_row: bad_row.row)
        yield Chunk(columns(items[start:stop]), rows[start:stop], lines[start:stop], bad[n_bad:stop_bad])
        start, n_bad = stop, stop_bad


def check_names(names: Sequence[str], origin: str) -> tuple[str, ...]:
    """Return the names of columns; raise InputError for the first invalid one.

    >>> check_names(["a", "b", "a"], "The header")
    Traceback (most recent call last):
    genreplay.streams.chunks.InputError: The header names two columns 'a': names must differ.
    """
    seen: set[str] = set()
    for place, name in enumerate(names, 1):
        if not name:
            raise InputError(f"{origin} gives column {place} no name: every column needs one.")
        if not is_text(name):
            raise InputError(
                f"{origin} names a column {short(name)}, which is not UTF-8 text: is this the right format?"
            )
        if name in seen:
            raise InputError(f"{origin} names two columns {short(name)}: names must differ.")
        seen.add(name)
    return tuple(names)


def numbered_names(n_columns: int) -> tuple[str, ...]:
    """Names for columns that have none.

    >>> numbered_names(3)
    ('c0', 'c1', 'c2')
    """
    return tuple(f"c{place}" for place in range(n_columns))


def is_text(text: str) -> bool:
    r"""Whether text came from valid UTF-8 and has no NUL, so that it can be written anywhere again.

    >>> is_text("blue"), is_text("bl\0e"), is_text(b"\xff".decode(errors="surrogateescape"))
    (True, False, False)
    """
    if "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def short(cell: object) -> str:
    """A cell as a message may show it: escaped, and not too long.

    >>> short("x" * 100)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…'"
    """
    return repr(cell if len(cell) <= 40 else cell[:40] + "…") if isinstance(cell, str) else repr(cell)[:60]


def shown(name: str) -> str:
    r"""A name as it is if a terminal can show it, otherwise escaped.

    >>> print(shown("eye colour"), shown("\x1b[31m"))
    eye colour '\x1b[31m'
    """
    return name if name.isprintable() and len(name) <= 40 else short(name)


def listed(names: Iterable[str]) -> str:
    """The first ten names, for a message.

    >>> listed(["a", "b"]), listed(map(str, range(20)))
    ("'a', 'b'", "'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', …")
    """
    first = list(islice(names, 11))
    text = ", ".join(map(short, first[:10]))
    return f"{text}, …" if len(first) > 10 else text


def _plain(cell: object) -> object:
    return cell.item() if isinstance(cell, np.generic) else cell
