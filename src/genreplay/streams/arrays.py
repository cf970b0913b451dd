"""Arrays saved by NumPy: npy and npz files, and npy through a pipe, read in chunks."""

from __future__ import annotations

import lzma
import struct
import sys
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt
from numpy.lib import format as npy

from genreplay.streams.cells import MAX_LABEL
from genreplay.streams.chunks import (
    MAX_COLUMNS,
    ROWS_PER_CHUNK,
    BadRow,
    Chunk,
    Chunks,
    InputError,
    check_names,
    listed,
    numbered_names,
)
from genreplay.streams.lines import BLOCK, KEPT

_TYPES = "biufU"
"""booleans, integers, floats, text"""
_DAMAGE = (
    *(OSError, ValueError, EOFError, OverflowError, RuntimeError),  # RuntimeError includes NotImplementedError
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
)
"""what NumPy and zipfile raise for a file that is damaged, encrypted or something else"""


def read_npy(file: BinaryIO, path: Path | None = None) -> Chunks:
    """Chunks of a 2-D array; one in Fortran order is mapped if there is a path, else read whole.

    >>> from io import BytesIO
    >>> file = BytesIO()
    >>> np.save(file, np.eye(2))
    >>> _ = file.seek(0)
    >>> [names, chunk] = read_npy(file)
    >>> dict(chunk.columns)
    {'c0': array([1., 0.]), 'c1': array([0., 1.])}
    """
    shape, in_fortran_order, dtype = _header(file)
    names = _names(shape, dtype)
    yield Chunk(dict.fromkeys(names, ()), (), ())
    n_before = 0
    for part in _parts(file, shape, dtype, in_fortran_order, path):
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


def read_npz(path: Path, key: str | None = None) -> Chunks:
    """Chunks of one array of an npz file: that named ``key``, or the only 2-D one."""
    try:
        with zipfile.ZipFile(path) as archive:
            arrays = [name for name in archive.namelist() if name.endswith(".npy")]
            with archive.open(_choose(archive, arrays, key)) as member:
                yield from read_npy(cast("BinaryIO", member))
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


def _names(shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[str, ...]:
    if len(shape) != 2 or shape[0] < 0 or not 0 < shape[1] <= MAX_COLUMNS:
        raise InputError(
            f"The array has the shape {shape}: it must be 2-D, one row for each record, with at most {MAX_COLUMNS:,} "
            "columns."
        )
    if dtype.kind not in _TYPES or not 0 < dtype.itemsize <= 8 * MAX_LABEL:
        raise InputError(f"The array holds {dtype}: it must hold numbers, booleans or text.")
    return check_names(numbered_names(shape[1]), "The array")


def _not_unicode(texts: npt.NDArray[Any]) -> list[int]:
    """Rows with a cell that is not valid Unicode: an array may hold any 32-bit numbers in place of characters."""
    codes = np.ascontiguousarray(texts).view(f"{texts.dtype.byteorder}u4")
    rows: list[int] = np.flatnonzero((codes > sys.maxunicode).any(axis=1)).tolist()
    return rows


def _parts(
    file: BinaryIO, shape: tuple[int, ...], dtype: np.dtype[Any], in_fortran_order: bool, path: Path | None
) -> Iterator[npt.NDArray[Any]]:
    n_rows, n_columns = shape
    array = _by_columns(file, shape, dtype, path) if in_fortran_order else None
    for start in range(0, n_rows, ROWS_PER_CHUNK):
        n = min(ROWS_PER_CHUNK, n_rows - start)
        if array is not None:
            yield array[start : start + n]
        else:
            yield np.frombuffer(_exactly(file, n * n_columns * dtype.itemsize), dtype).reshape(n, n_columns)


def _by_columns(file: BinaryIO, shape: tuple[int, ...], dtype: np.dtype[Any], path: Path | None) -> npt.NDArray[Any]:
    if path is None:
        return np.frombuffer(_exactly(file, shape[0] * shape[1] * dtype.itemsize), dtype).reshape(shape, order="F")
    try:
        array: npt.NDArray[Any] = np.load(path, mmap_mode="r")
    except (*_DAMAGE, TypeError) as error:
        raise InputError(f"{path} is cut short: it ends before its last row ({error}).") from error
    return array


def _exactly(file: BinaryIO, n_bytes: int) -> bytes:
    """Exactly ``n_bytes`` bytes; a pipe may deliver them in parts."""
    parts: list[bytes] = []
    while n_bytes:
        part = file.read(min(n_bytes, BLOCK))  # never allocate more than arrives
        if not part:
            raise InputError("The array is cut short: the file ends before its last row.")
        parts.append(part)
        n_bytes -= len(part)
    return b"".join(parts)
