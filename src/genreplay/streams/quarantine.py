"""A file that keeps the records that could not be read, each with its reason."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from io import SEEK_END
from pathlib import Path
from typing import Self

from genreplay.streams.chunks import BadRow, InputError

_HEAD = b'{"input": "'
"""how a file of bad rows starts; a file that starts differently is never changed"""
_TAIL = 2**23
"""bytes in which the last record of a file must lie: a line of text has far fewer bytes, which JSON may escape"""


class Quarantine:
    r"""Bad rows as lines of JSON: their input, row, line, reason and text.

    Records are appended. Those that the file already has are not written again, and a last line that a crash cut off is
    removed: however often an input is read, the file holds each bad row once.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "bad.ndjson"
    >>> for _ in range(2):
    ...     with Quarantine(path) as file:
    ...         file.write("1:ab12", [BadRow(2, 3, "1 cell, but there are 2 columns", "x")])
    >>> print(path.read_text(), end="")
    {"input": "1:ab12", "row": 2, "line": 3, "reason": "1 cell, but there are 2 columns", "raw": "x"}
    """

    def __init__(self, path: Path) -> None:
        if path.exists() and not path.is_file():
            raise InputError(f"{path} is not a regular file, which bad rows can be kept in.")
        self._file = open(path, "ab+")  # noqa: SIM115 (closed by __exit__)
        self._file.seek(0)
        head = self._file.read(len(_HEAD))
        if head != _HEAD[: len(head)]:
            self._file.close()
            raise InputError(f"{path} has something else in it than bad rows: name another file to keep them in.")
        self._last_input, self._last_row = self._last_record()

    def write(self, source: str, bad: Iterable[BadRow]) -> None:
        """Append the bad rows of an input that the file does not have yet."""
        for record in bad:
            if source != self._last_input or record.row > self._last_row:
                line = json.dumps({"input": source, **record._asdict()})
                self._file.write(line.encode() + b"\n")
                self._last_input, self._last_row = source, record.row

    def sync(self) -> None:
        """Make sure that everything is on the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()

    def _last_record(self) -> tuple[str, int]:
        size = self._file.seek(0, SEEK_END)
        self._file.seek(max(0, size - _TAIL))
        tail = self._file.read()
        whole = tail[: tail.rfind(b"\n") + 1]
        if whole != tail:
            self._file.truncate(size - len(tail) + len(whole))
        try:
            last = json.loads(whole.splitlines()[-1])
            return str(last["input"]), int(last["row"])
        except (IndexError, KeyError, TypeError, ValueError):
            return "", 0
