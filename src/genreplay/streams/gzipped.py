"""Gzip: compressed bytes recognised by their first two bytes and unpacked as they arrive, in constant memory."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from genreplay.streams.chunks import InputError
from genreplay.streams.lines import BLOCK

MAGIC = b"\x1f\x8b"
"""the first two bytes of gzip data"""
_GZIP = 16 + zlib.MAX_WBITS
"""zlib's number for data with the header of gzip"""


def unpacked(blocks: Iterable[bytes], name: str | None = None) -> Iterator[bytes]:
    """Blocks of plain bytes, whether the given ones are gzip data or plain already. Empty blocks come through.

    If gzip data are cut short or damaged, everything that could be unpacked comes first, then an InputError. With a
    ``name``, that of a file that ends in .gz, plain bytes are an error too.

    >>> import gzip
    >>> data = gzip.compress(b"a,b\\n1,2\\n")
    >>> list(unpacked([data[:1], b"", data[1:]])), list(unpacked([b"a,b\\n"]))
    ([b'', b'a,b\\n1,2\\n'], [b'a,b\\n'])
    """
    source = iter(blocks)
    first = b""
    for block in source:
        first += block
        if not block:
            yield block
        elif len(first) >= len(MAGIC):
            break
    if first.startswith(MAGIC):
        yield from _unzip(first, source)
    elif name is not None:
        raise InputError(f"{name} is not gzip data, though its name ends in .gz: rename it, or compress it again.")
    else:
        if first:
            yield first
        yield from source


def _unzip(first: bytes, source: Iterator[bytes]) -> Iterator[bytes]:
    """Unpack one gzip member after the other; never more than a block at a time, however well it was compressed."""
    unzip = zlib.decompressobj(_GZIP)
    waiting = first
    """compressed bytes that have arrived but are not unpacked"""
    while True:
        while waiting:
            try:
                block = unzip.decompress(waiting, BLOCK)
            except zlib.error as error:
                raise InputError(
                    f"The gzip data of the input are damaged ({error}): the rows that could be unpacked were read, the "
                    "others are lost. Compress the table again."
                ) from error
            if block:
                yield block
            waiting = unzip.unconsumed_tail
            if unzip.eof:
                waiting = unzip.unused_data.lstrip(b"\0")  # zeros may fill the last block of a tape or disk
                if waiting:
                    unzip = zlib.decompressobj(_GZIP)
        arrived = next(source, None)
        if arrived is None:
            break
        if not arrived:
            yield arrived
        elif unzip.eof:
            arrived = arrived.lstrip(b"\0")
            unzip = zlib.decompressobj(_GZIP) if arrived else unzip
        waiting = arrived
    if not unzip.eof:
        raise InputError(
            "The gzip data of the input are cut short: the rows that could be unpacked were read, the others are "
            "missing. Copy or compress the table again."
        )
