"""Bytes into whole lines, in constant memory, as they arrive."""

from __future__ import annotations

import os
import select
import stat
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, NamedTuple

from genreplay.streams.limits import LIMITS

BLOCK = 2**18
"""bytes of a file that are asked for at a time"""
PIPE_BLOCK = 2**16
"""the same for a pipe: what was taken from it must be learned before the reader can stop"""
KEPT = 1000
"""bytes that are kept of a line that is too long"""
PATIENCE = 0.5
"""seconds without input after which a reader returns an empty block"""


class Stopped(Exception):
    """The reader was told to stop. All whole records that arrived before were handed over."""


class Piece(NamedTuple):
    """Whole lines that have arrived; none if nothing has arrived for a while."""

    line: int
    """number of the first line, from 1"""
    data: bytes
    too_long: bool = False
    """the data are only the start of one line, which is longer than the limit"""


def never() -> bool:
    """Nobody says stop."""
    return False


def reads(file: BinaryIO, stopped: Callable[[], bool] = never, patience: float = PATIENCE) -> Iterator[bytes]:
    """Blocks of bytes as soon as they arrive; empty bytes when nothing has arrived for a while.

    Raises ``Stopped`` once ``stopped()`` is true, before it takes anything more from the input.

    >>> from io import BytesIO
    >>> list(reads(BytesIO(b"abc")))
    [b'abc']
    """
    descriptor = _pipe(file)
    read = getattr(file, "read1", file.read)
    size = BLOCK if descriptor is None else PIPE_BLOCK
    while True:
        if stopped():
            raise Stopped
        if descriptor is not None and not select.select([descriptor], [], [], patience)[0]:
            yield b""
            continue
        block: bytes = read(size)
        if not block:
            return
        yield block


def pieces(blocks: Iterable[bytes], longest: int = LIMITS.cell) -> Iterator[Piece]:
    r"""Cut blocks at line ends; a byte order mark is dropped, and the last line gets an end if it has none.

    A line of more than ``longest`` bytes, which must not be less than a block has, is cut short.

    >>> list(pieces([b"a\nb", b"c\nd"]))
    [Piece(line=1, data=b'a\n', too_long=False), Piece(line=2, data=b'bc\n', too_long=False),
    Piece(line=3, data=b'd\n', too_long=False)]
    """
    held: list[bytes] = []
    n_held, line, dropping, at_start = 0, 1, False, True
    for block in blocks:
        if not block:
            yield Piece(line, b"")
            continue
        if dropping:
            _, end, block = block.partition(b"\n")
            if not end:
                continue
            line, dropping = line + 1, False
        end_of_last = block.rfind(b"\n") + 1
        if end_of_last:
            data = b"".join([*held, block[:end_of_last]])
            held, n_held = [], 0
            if at_start:
                data, at_start = data.removeprefix(b"\xef\xbb\xbf"), False
            if len(data) > longest and data.find(b"\n") > longest:  # a block is shorter: only its first line can be
                yield Piece(line, data[:KEPT], too_long=True)
                line, data = line + 1, data[data.find(b"\n") + 1 :]
            if data:
                yield Piece(line, data)
                line += data.count(b"\n")
        if end_of_last < len(block):
            held.append(block[end_of_last:])
            n_held += len(held[-1])
        if n_held > longest + 3 * at_start:
            yield Piece(line, b"".join(held)[:KEPT], too_long=True)
            held, n_held, dropping, at_start = [], 0, True, False
    if held:
        yield Piece(line, b"".join(held).removeprefix(b"\xef\xbb\xbf" if at_start else b"") + b"\n")


def text(data: bytes) -> str:
    """Decode UTF-8; bytes that are not UTF-8 become surrogates, which ``is_text`` detects.

    >>> text(b"caf\\xe9")
    'caf\\udce9'
    """
    return data.decode("utf-8", "surrogateescape")


def too_long(longest: int) -> str:
    """The reason why a line is a bad row."""
    return f"a line of more than {longest:,} bytes; --max-cell allows longer ones"


def _pipe(file: BinaryIO) -> int | None:
    """The descriptor of a pipe; None for a regular file, which never makes a reader wait."""
    try:
        descriptor = file.fileno()
    except (OSError, AttributeError):
        return None
    if os.name != "posix" or stat.S_ISREG(os.fstat(descriptor).st_mode):
        return None
    return descriptor
