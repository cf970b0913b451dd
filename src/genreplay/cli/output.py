"""Results on standard output: CSV with a header, on request without formulas, or NDJSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import BinaryIO, NamedTuple

import click

from genreplay.cli.errors import ClosedOutput
from genreplay.streams.writers import csv_line, json_line, without_formula

escape_option = click.option(
    "--escape-formulas",
    is_flag=True,
    help="CSV: put an apostrophe before text that a spreadsheet may take for a formula: text that starts with =, +, -, "
    "@, a tab or a line end, and is no number.",
)


class Style(NamedTuple):
    """How results are written; ``style`` combines the options."""

    as_json: bool
    escape_formulas: bool


def style(as_json: bool, escape_formulas: bool) -> Style:
    """Combine the options, or raise an error if they contradict each other."""
    if as_json and escape_formulas:
        raise click.UsageError("--escape-formulas is for CSV, but --json prints JSON: leave one out.")
    return Style(as_json, escape_formulas)


class Output:
    """Rows of named cells, written at once, so that the next program in a pipe does not have to wait.

    They go to ``file``, or to standard output. A file that is not empty has the names already.
    """

    def __init__(self, names: Sequence[str], style: Style, file: BinaryIO | None = None) -> None:
        self._names, self._style, self._file = names, style, file
        if not style.as_json and (file is None or file.tell() == 0):
            self._put(self._csv_line(names))

    def write(self, rows: Iterable[Sequence[object]]) -> None:
        """Write rows of cells in the order of the names."""
        if self._style.as_json:
            self._put("".join(json_line(self._names, cells) for cells in rows))
        else:
            self._put("".join(map(self._csv_line, rows)))

    def _put(self, text: str) -> None:
        if self._file is None:
            write(text, self._style.as_json)
        else:
            self._file.write(_encode(text, self._style.as_json))

    def _csv_line(self, cells: Sequence[object]) -> str:
        return csv_line([without_formula(cell) for cell in cells] if self._style.escape_formulas else cells)


def write(text: str, as_json: bool = False) -> None:
    """Write text to standard output at once, in UTF-8 whatever the locale says."""
    if sys.stdout is None:  # closed before Python started
        raise ClosedOutput
    try:
        sys.stdout.buffer.write(_encode(text, as_json))
        sys.stdout.buffer.flush()
    except BrokenPipeError as error:
        raise ClosedOutput from error


def _encode(text: str, as_json: bool) -> bytes:
    r"""Encode as UTF-8. Bytes of the input that were not UTF-8 are written unchanged, or escaped in JSON.

    >>> _encode("\udce9", as_json=False), _encode("\udce9", as_json=True)
    (b'\xe9', b'\\udce9')
    """
    try:
        return text.encode("utf-8", "backslashreplace" if as_json else "surrogateescape")
    except UnicodeEncodeError:  # a lone surrogate that JSON had escaped
        return text.encode("utf-8", "backslashreplace")
