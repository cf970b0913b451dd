"""CSV and TSV: records of text, with quoted cells that may hold delimiters and line ends.

Lines are handed to Python's ``csv`` many at a time. Where a record goes over several lines or one is broken, they are
taken record by record. If a record cannot be read, only its first line is lost, and reading
continues with the next line: a stray quotation mark does not swallow the rest of the stream.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import TYPE_CHECKING, NamedTuple

from genreplay.streams import lines
from genreplay.streams.chunks import IDLE, Chunk, Chunks, Column, Fault, InputError, check_names, number, numbered_names
from genreplay.streams.limits import LIMITS, Limits
from genreplay.streams.lines import Piece

if TYPE_CHECKING:
    import _csv

Cells = list[str]
MAX_LINES = 1000
"""of a record; any line may open a quotation mark, and the search for its end must stop somewhere"""
_OPEN = "unexpected end of data"
"""csv's words for a quotation mark that is still open"""
_LIMIT = "field limit"
"""csv's words for a cell that is too long"""


class _Records(NamedTuple):
    """Records in order, with the line that each starts on."""

    rows: list[Cells]
    lines: Sequence[int]
    faults: list[Fault]


def read_delimited(
    blocks: Iterable[bytes], delimiter: str = ",", header: bool = True, limits: Limits = LIMITS
) -> Chunks:
    """Chunks of a CSV or TSV stream; blank lines are skipped.

    >>> _, chunk = read_delimited([b'name,n', b'ote\\nann,"a, b"\\nbob\\n'])
    >>> dict(chunk.columns), chunk.bad[0].reason
    ({'name': ('ann',), 'note': ('a, b',)}, '1 cell, but there are 2 columns')
    """
    if limits.cell > LIMITS.cell:  # the limit of Python's csv, which holds for the whole process, only if asked to
        csv.field_size_limit(limits.cell)
    names: tuple[str, ...] = ()
    n_before = 0
    for records in _Splitter(delimiter, limits.cell).split(lines.pieces(blocks, limits.cell)):
        if not names and (records.rows or records.faults):
            names, records = _name(records, header, limits)
            yield Chunk(dict.fromkeys(names, ()), (), ())
        if not records.rows and not records.faults:
            yield IDLE
            continue
        rows, places, faults = _check_width(records, len(names), delimiter)

        def columns(rows: Sequence[Cells], names: Sequence[str] = names) -> Mapping[str, Column]:
            return dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(names, ())

        yield from number(n_before, rows, places, faults, columns)
        n_before += len(rows) + len(faults)
    if not names:
        raise InputError("The input is empty: it has not even a header.")


def _name(records: _Records, header: bool, limits: Limits) -> tuple[tuple[str, ...], _Records]:
    """Names of the columns, and the records without the header."""
    first = records.faults[0] if records.faults else None
    if first is not None and (not records.rows or first.line < records.lines[0]):
        raise InputError(f"The first line cannot be read: {first.reason}. Is this the right format?")
    limits.check_columns(len(records.rows[0]), "The first row")
    if not header:
        return check_names(numbered_names(len(records.rows[0])), "The first row"), records
    names = check_names([name.strip() for name in records.rows[0]], "The header")
    return names, records._replace(rows=records.rows[1:], lines=records.lines[1:])


def _check_width(records: _Records, width: int, delimiter: str) -> _Records:
    if set(map(len, records.rows)) <= {width}:
        return records
    faults = [
        Fault(line, f"{_count(len(row))}, but there are {width} columns", _join(row, delimiter))
        for row, line in zip(records.rows, records.lines, strict=True)
        if len(row) != width
    ]
    kept = [i for i, row in enumerate(records.rows) if len(row) == width]
    return _Records(
        [records.rows[i] for i in kept],
        [records.lines[i] for i in kept],
        sorted([*records.faults, *faults], key=lambda fault: fault.line),
    )


class _Splitter:
    """Whole lines into records; lines of a record that is not complete wait for the rest."""

    def __init__(self, delimiter: str, longest: int) -> None:
        self._delimiter, self._longest = delimiter, longest
        self._waiting: list[str] = []
        """lines of a record whose quotation mark is still open"""
        self._n_waiting = 0
        """their characters"""

    def split(self, pieces: Iterable[Piece]) -> Iterator[_Records]:
        line = 1
        for piece in pieces:
            if piece.too_long:
                yield self._finish(piece.line)
                fault = Fault(piece.line, lines.too_long(self._longest), lines.text(piece.data))
                yield _Records([], (), [fault])
            elif not piece.data:
                yield _Records([], (), [])
            else:
                yield self._take(piece)
            line = piece.line + piece.data.count(b"\n")
        if self._waiting:
            yield self._finish(line)

    def _take(self, piece: Piece) -> _Records:
        text = lines.text(piece.data)
        if not self._waiting:
            n_lines = piece.data.count(b"\n")
            try:
                rows = list(self._reader(StringIO(text, newline="\n")))
            except csv.Error:
                rows = []
            if len(rows) == n_lines:
                return _without_blanks(_Records(rows, range(piece.line, piece.line + n_lines), []))
        first = piece.line - len(self._waiting)
        self._waiting += StringIO(text, newline="\n")
        self._n_waiting += len(text)
        is_short = len(self._waiting) <= MAX_LINES and self._n_waiting <= csv.field_size_limit()
        if is_short and self._n_waiting > len(text) and '"' not in text:
            return _Records([], (), [])  # still open
        return self._carefully(first, last=False)

    def _finish(self, end: int) -> _Records:
        """Split the waiting lines, though the last record is incomplete; the line after them has the number ``end``."""
        return self._carefully(end - len(self._waiting), last=True)

    def _carefully(self, first: int, last: bool) -> _Records:
        """Split the waiting lines record by record; ``first`` is the number of the first line."""
        waiting, place = self._waiting, 0
        rows: list[Cells] = []
        places: list[int] = []
        faults: list[Fault] = []
        start, ahead, reader = 0, waiting[:0], self._reader([])  # lines that are being read, from start on
        while place < len(waiting):
            if place == start + len(ahead):
                start, ahead = place, waiting[place : place + MAX_LINES]
                reader = self._reader(ahead)
            reason = ""
            try:
                row = next(reader)
            except csv.Error as error:
                if _OPEN in str(error) and start < place:
                    start, ahead = place, []  # it may be complete if it is read from its own first line on
                    continue
                reason = _reason(error)
                if _OPEN in str(error) and _length(ahead) <= self._longest:
                    if len(ahead) == MAX_LINES:
                        reason = f"a quotation mark that is not closed within {MAX_LINES:,} lines"
                    elif not last:
                        break
            else:
                stop = start + reader.line_num
                if stop - place > 1 and _length(waiting[place:stop]) > self._longest:
                    reason = f"a quoted cell of more than {self._longest:,} characters; --max-cell allows longer ones"
            if reason:
                faults.append(Fault(first + place, reason, waiting[place].rstrip("\r\n")))
                place += 1
                start, ahead = place, []
            else:
                rows.append(row)
                places.append(first + place)
                place = stop
        self._waiting = waiting[place:]
        self._n_waiting = _length(self._waiting)
        return _without_blanks(_Records(rows, places, faults))

    def _reader(self, source: Iterable[str]) -> _csv.Reader:
        return csv.reader(source, delimiter=self._delimiter, strict=True)


def _length(lines: Iterable[str]) -> int:
    return sum(map(len, lines))


def _without_blanks(records: _Records) -> _Records:
    if [] not in records.rows:
        return records
    kept = [i for i, row in enumerate(records.rows) if row]
    return records._replace(rows=[records.rows[i] for i in kept], lines=[records.lines[i] for i in kept])


def _reason(error: csv.Error) -> str:
    if _OPEN in str(error):
        return "a quotation mark that is never closed"
    if _LIMIT in str(error):
        return f"a cell of more than {csv.field_size_limit():,} characters; is a quotation mark left open?"
    return f"not CSV ({error})"


def _count(n_cells: int) -> str:
    return "1 cell" if n_cells == 1 else f"{n_cells} cells"


def _join(row: Cells, delimiter: str) -> str:
    out = StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="").writerow(row)
    return out.getvalue()
