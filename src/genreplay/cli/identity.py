"""Which input it is: digests of its first and of its last records, so that another one is not taken for it."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import deque
from itertools import chain

from genreplay.streams.chunks import Chunk

N_LAST = 100
"""records that are compared before an input is continued"""


class Trace:
    """The first record of an input, and the last ones that were taken from it.

    >>> whole, grown, other = Trace(), Trace(), Trace()
    >>> whole.follow(Chunk({"a": ["1", "2"]}, [1, 2], [2, 3]), last=2)
    >>> grown.follow(Chunk({"a": ["1", "2", "3"]}, [1, 2, 3], [2, 3, 4]), last=2)
    >>> other.follow(Chunk({"a": ["1", "9", "3"]}, [1, 2, 3], [2, 3, 4]), last=2)
    >>> whole.last == grown.last, whole.last == other.last, whole.first == other.first
    (True, False, True)
    """

    def __init__(self) -> None:
        self.first = ""
        """digest of the first record; empty before it came"""
        self._last: deque[str] = deque(maxlen=N_LAST)

    def follow(self, chunk: Chunk, last: int) -> None:
        """Take the next records, those after number ``last`` excepted."""
        if not self.first and 1 in chain(chunk.rows[:1], (bad.row for bad in chunk.bad[:1])):
            self.first = _digest([_text(chunk, 1)])
        end = min(last, max(chain(chunk.rows[-1:], (bad.row for bad in chunk.bad[-1:])), default=0))
        start = max(end - N_LAST + 1, min(chain(chunk.rows[:1], (bad.row for bad in chunk.bad[:1])), default=1))
        self._last.extend(_text(chunk, row) for row in range(start, end + 1))

    @property
    def last(self) -> str:
        """Digest of the last records."""
        return _digest(self._last)


def _text(chunk: Chunk, row: int) -> str:
    """A record as text; what is missing does not count, since an NDJSON object may have fewer keys than columns."""
    place = chunk.place(row)
    if place is None:
        return next((bad.raw for bad in chunk.bad if bad.row == row), "") or "?"
    known = {name: cell for name, cell in chunk.cells(place).items() if cell is not None}
    return json.dumps(known, sort_keys=True, default=str)


def _digest(records: deque[str] | list[str]) -> str:
    state = hashlib.blake2b(digest_size=8)
    for record in records:
        state.update(record.encode("utf-8", "surrogatepass") + b"\0")
    return state.hexdigest()


def label(source: str, first: str) -> str:
    """A name for an input in a file of bad rows: what it was called, its first record, and which one of that name.

    Two files of one name differ in size or time of change. Of two pipes nobody knows whether they carry the same.

    >>> label("-", "ab12") == label("-", "ab12"), label("-", "ab12").startswith("-#ab12.")
    (False, True)
    """
    if source != "-" and os.path.isfile(source):
        found = os.stat(source)
        stamp = f"{os.path.realpath(source)} {found.st_size} {found.st_mtime_ns}"
    else:
        stamp = f"{os.getpid()} {time.time_ns()}"
    return f"{source}#{first}.{_digest([stamp])}"
