"""Arrays saved by NumPy: npy and npz files, and npy through a pipe, read in chunks."""

from __future__ import annotations

import lzma
import struct
import sys
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from genreplay.streams import lines
from genreplay.streams.cells import MAX_LABEL
from genreplay.streams.chunks import (
    IDLE,
    ROWS_PER_CHUNK,
    BadRow,
    Chunk,
    Chunks,
    InputError,
    check_names,
    listed,
    numbered_names,
)
from genreplay.streams.limits import LIMITS, Limits
from genreplay.streams.lines import KEPT, never

_TYPES = "biufU"
"""booleans, integers, floats, text"""
_DAMAGE = (
    *(OSError, ValueError, EOFError, OverflowError, RuntimeError),  # RuntimeError includes NotImplementedError
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
)
"""what NumPy and zipfile raise for a file that is damaged, encrypted or something else"""
_LONGEST_START = 12
"""bytes up to the header: magic number, version, and the length of the header"""
_LONGEST_HEADER = 2**16
"""bytes of a header that are waited for; NumPy refuses a header of more than 10,000"""


def read_npy(
    file: BinaryIO, path: Path | None = None, stopped: Callable[[], bool] = never, limits: Limits = LIMITS
) -> Chunks:
    """Chunks of a 2-D array, as its rows arrive; one in Fortran order is mapped if there is a path, else read whole.

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> np.save(file, np.eye(2))
    >>> _ = file.seek(0)
    >>> [names, chunk] = read_npy(file)
    >>> dict(chunk.columns)
    {'c0': array([1., 0.]), 'c1': array([0., 1.])}
    """
    arrived = _Arrived(lines.reads(file, stopped))
    yield from arrived.wait_for(_LONGEST_START)
    start = 10 if arrived.held[6] == 1 else _LONGEST_START  # the length of the header has two bytes, or four
    length = start + int.from_bytes(arrived.held[8:start], "little")
    yield from arrived.wait_for(min(length, _LONGEST_HEADER))
    shape, in_fortran_order, dtype = _header(BytesIO(arrived.take(length)))
    names = _names(shape, dtype, limits)
    yield Chunk(dict.fromkeys(names, ()), (), ())
    n_before = 0
    for part in _parts(arrived, shape, dtype, in_fortran_order, path, limits):
        if part is None:
            yield IDLE
            continue
        rows: Sequence[int] = range(n_before + 1, n_before + 1 + len(part))
        n_before += len(part)
        bad: list[BadRow] = []
        if dtype.kind == "U" and (junk := _not_unicode(part)):
            bad = [
                BadRow(rows[i], rows[i], "a cell that is not Unicode text", part[i].tobytes()[:KEPT].hex())
                for i in junk
            ]
            rows, part = np.delete(rows, junk).tolist(), np.delete(part, junk, axis=0)
        yield Chunk({name: part[:, place] for place, name in enumerate(names)}, rows, rows, bad)


class _Arrived:
    """Bytes that have arrived and are not used yet."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self.held = bytearray()

    def wait_for(self, n_bytes: int) -> Iterator[Chunk]:
        """Wait until so many bytes are there; yields while nothing arrives."""
        while len(self.held) < n_bytes:
            if not self.fetch():
                yield IDLE

    def fetch(self) -> bool:
        """Take the next block. Return whether anything has arrived."""
        block = next(self._blocks, None)
        if block is None:
            raise InputError("The array is cut short: the file ends before its last row.")
        self.held += block
        return bool(block)

    def take(self, n_bytes: int) -> bytes:
        """Use the first bytes."""
        taken = bytes(self.held[:n_bytes])
        del self.held[:n_bytes]
        return taken


def read_npz(
    path: Path, key: str | None = None, stopped: Callable[[], bool] = never, limits: Limits = LIMITS
) -> Chunks:
    """Chunks of one array of an npz file: that named ``key``, or the only 2-D one."""
    try:
        with zipfile.ZipFile(path) as archive:
            arrays = [name for name in archive.namelist() if name.endswith(".npy")]
            with archive.open(_choose(archive, arrays, key)) as member:
                yield from read_npy(cast("BinaryIO", member), None, stopped, limits)
    except InputError:
        raise
    except _DAMAGE as error:
        raise InputError(f"{path} is not an npz file, or it is damaged ({error}).") from error


def _choose(archive: zipfile.ZipFile, arrays: list[str], key: str | None) -> str:
    found = listed(name.removesuffix(".npy") for name in arrays) or "none"
    if key is not None:
        if f"{key}.npy" not in arrays:
            raise InputError(f"The file has no array {key!r}: it has {found}.")
        return f"{key}.npy"
    tables = [name for name in arrays if _n_dimensions(archive, name) == 2]
    if len(tables) != 1:
        raise InputError(f"The file has {len(tables)} 2-D arrays: name one with --key. Its arrays: {found}.")
    return tables[0]


def _n_dimensions(archive: zipfile.ZipFile, name: str) -> int:
    with archive.open(name) as member:
        return len(_header(cast("BinaryIO", member))[0])


def _header(file: BinaryIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether in Fortran order, and number type."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # files written by Python 2 are read too
            version = npy.read_magic(file)
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            return read(file)
    except Exception as error:  # a header is a Python literal, and parsing a broken one can raise anything
        raise InputError(f"The input is not an array in NumPy's format ({error}).") from error


def _names(shape: tuple[int, ...], dtype: np.dtype[Any], limits: Limits) -> tuple[str, ...]:
    if len(shape) != 2 or shape[0] < 0 or shape[1] < 1:
        raise InputError(f"The array has the shape {shape}: it must be 2-D, one row for each record.")
    limits.check_columns(shape[1], "The array")
    if dtype.kind not in _TYPES or not 0 < dtype.itemsize <= 8 * MAX_LABEL:
        raise InputError(f"The array holds {dtype}: it must hold numbers, booleans or text.")
    return check_names(numbered_names(shape[1]), "The array")


def _not_unicode(texts: npt.NDArray[Any]) -> list[int]:
    """Rows with a cell that is not valid Unicode: an array may hold any 32-bit numbers in place of characters."""
    codes = np.ascontiguousarray(texts).view(f"{texts.dtype.byteorder}u4")
    rows: list[int] = np.flatnonzero((codes > sys.maxunicode).any(axis=1)).tolist()
    return rows


def _parts(
    arrived: _Arrived,
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    in_fortran_order: bool,
    path: Path | None,
    limits: Limits,
) -> Iterator[npt.NDArray[Any] | None]:
    """The rows, as many as have arrived, at most a chunk; None while nothing arrives."""
    n_rows, n_columns = shape
    if in_fortran_order:
        yield from _by_columns(arrived, shape, dtype, path, limits)
        return
    n_bytes, n_before = n_columns * dtype.itemsize, 0
    while n_before < n_rows:
        n = min(len(arrived.held) // n_bytes, ROWS_PER_CHUNK, n_rows - n_before)
        if n:
            yield np.frombuffer(arrived.take(n * n_bytes), dtype).reshape(n, n_columns)
            n_before += n
        elif not arrived.fetch():
            yield None


def _by_columns(
    arrived: _Arrived, shape: tuple[int, ...], dtype: np.dtype[Any], path: Path | None, limits: Limits
) -> Iterator[npt.NDArray[Any] | None]:
    if path is None:
        n_bytes = shape[0] * shape[1] * dtype.itemsize
        limits.check_array(n_bytes, "The array is stored column by column, so that it must be read as a whole, and it")
        for _ in arrived.wait_for(n_bytes):
            yield None
        array: npt.NDArray[Any] = np.frombuffer(arrived.take(n_bytes), dtype).reshape(shape, order="F")
    else:
        try:
            array = np.load(path, mmap_mode="r")
        except (*_DAMAGE, TypeError) as error:
            raise InputError(f"{path} is cut short: it ends before its last row ({error}).") from error
    for start in range(0, shape[0], ROWS_PER_CHUNK):
        yield array[start : start + ROWS_PER_CHUNK]
