"""A file that keeps the records that could not be read, each with its reason."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from genreplay.streams.chunks import BadRow, InputError

_HEAD = b'{"input": "'
"""how a file of bad rows starts; a file that starts differently is never changed"""


class Quarantine:
    r"""Bad rows as lines of JSON: their input, row, line, reason and text.

    Records are appended. The ``label`` of an input (see ``genreplay.cli.identity``) says which one it is: what its name
    and its first record are, and, after the last dot, which one of that name. Rows of the very same input are not
    written again. Where an interrupted input is continued, neither are those that the file has from before; another
    input that starts alike loses none. A last line that a crash cut off is removed. If there is no room for the rows of
    one call, none of them is kept.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "bad.ndjson"
    >>> for label in ("rows.csv#ab12.f3", "rows.csv#ab12.f3", "rows.csv#ab12.9d"):
    ...     with Quarantine(path) as file:
    ...         file.write(label, [BadRow(2, 3, "1 cell, but there are 2 columns", "x")])
    >>> print(path.read_text(), end="")
    {"input": "rows.csv#ab12.f3", "row": 2, "line": 3, "reason": "1 cell, but there are 2 columns", "raw": "x"}
    {"input": "rows.csv#ab12.9d", "row": 2, "line": 3, "reason": "1 cell, but there are 2 columns", "raw": "x"}
    """

    def __init__(self, path: Path, continued_after: int | None = None) -> None:
        if path.exists() and not path.is_file():
            raise InputError(f"{path} is not a regular file, which bad rows can be kept in.")
        self._continued_after = continued_after
        """the last record of an interrupted input whose bad rows are known to be here; None if nothing is continued"""
        self._path = path
        self._file = open(path, "ab", buffering=0)  # noqa: SIM115 (closed by __exit__)
        with open(path, "rb") as file:
            head = file.read(len(_HEAD))
        if head != _HEAD[: len(head)]:
            self._file.close()
            raise InputError(f"{path} has something else in it than bad rows: name another file to keep them in.")
        self._label = ""
        self._last_row = 0
        """of this input, in the file"""
        self._known: set[int] = set()
        """hashes of the rows after those that an interrupted run has accounted for"""

    def write(self, label: str, bad: Iterable[BadRow]) -> None:
        """Append the bad rows of an input that the file does not have yet."""
        if label != self._label:
            self._look_for(label)
        new = [record for record in bad if record.row > self._last_row and hash(record) not in self._known]
        if new:
            self._append("".join(json.dumps({"input": label, **record._asdict()}) + "\n" for record in new).encode())
            self._last_row = new[-1].row

    def _append(self, content: bytes) -> None:
        """Write all of it, or nothing: rows that the caller does not count must not be there."""
        end = self._file.seek(0, os.SEEK_END)
        rest = memoryview(content)
        try:
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self._file.truncate(end)
            raise OSError(error.errno, error.strerror, str(self._path)) from error

    def sync(self) -> None:
        """Make sure that everything is on the disk."""
        os.fsync(self._file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()

    def _look_for(self, label: str) -> None:
        """Find out which rows of an input are in the file, and remove a last line that was cut off."""
        self._label, self._last_row, self._known = label, 0, set()
        name = label.rpartition(".")[0]
        after = math.inf if self._continued_after is None else self._continued_after
        n_whole = 0
        with open(self._path, "rb") as file:
            for line in file:
                if not line.endswith(b"\n"):
                    self._file.truncate(n_whole)
                    break
                n_whole += len(line)
                try:
                    held = json.loads(line)
                    origin, record = held.pop("input"), BadRow(**held)
                except (KeyError, TypeError, ValueError):  # somebody else's line
                    continue
                if origin == label:
                    self._last_row = max(self._last_row, record.row)
                elif origin.rpartition(".")[0] == name and record.row > after:
                    self._known.add(hash(record))
