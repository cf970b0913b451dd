"""Results on standard output: CSV with a header, or NDJSON."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from genreplay.cli.errors import ClosedOutput
from genreplay.streams.writers import csv_line, json_line


class Output:
    """Rows of named cells, written at once, so that the next program in a pipe does not have to wait."""

    def __init__(self, names: Sequence[str], as_json: bool) -> None:
        self._names = names
        self._as_json = as_json
        if not as_json:
            write(csv_line(names))

    def write(self, rows: Iterable[Sequence[object]]) -> None:
        """Write rows of cells in the order of the names."""
        if self._as_json:
            write("".join(json_line(self._names, cells) for cells in rows), as_json=True)
        else:
            write("".join(map(csv_line, rows)))


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
