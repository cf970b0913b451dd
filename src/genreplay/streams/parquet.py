"""Parquet files, by batches of rows (extra ``parquet``)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from genreplay.streams import lines
from genreplay.streams.chunks import ROWS_PER_CHUNK, BadRow, Chunk, Chunks, Column, InputError, check_names, short
from genreplay.streams.columns import declared
from genreplay.streams.limits import LIMITS, Limits
from genreplay.streams.lines import Stopped, never

_FIRST, _LAST = np.datetime64("0001-01-01T00:00:00"), np.datetime64("9999-12-31T23:59:59")
_RATIO = 100
"""a column that takes more than so many times its place in the file is looked at"""
_MOST_OF_FOOTER = 2**24
"""bytes of a text, and parts of a list, in the description of the file"""
_PER_BYTE = 128
"""bytes of memory for a byte of the description: ten in usual files, two hundred in the worst"""


def read_parquet(path: Path, stopped: Callable[[], bool] = never, limits: Limits = LIMITS) -> Chunks:
    """Chunks of a Parquet file; types of columns are kept, and nulls are missing cells."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise InputError("Parquet needs pyarrow: pip install 'genreplay[parquet]'.") from error
    safely = {"thrift_string_size_limit": _MOST_OF_FOOTER, "thrift_container_size_limit": _MOST_OF_FOOTER}
    try:
        _check_description(path, limits)
        with parquet.ParquetFile(path, **safely) as file:
            description = file.metadata
            limits.check_columns(description.num_columns, "The file")
            schema = file.schema_arrow
        names = check_names(schema.names, "The file")
        _check_sizes(description, path, limits)
        # Each text is held once, as in the file, however many rows have it. Lists are not looked at.
        texts = {field.name for field in schema if _is_text(field.type)}
        flat = [field.name for field in schema if not pyarrow.types.is_nested(field.type)]
        with parquet.ParquetFile(path, metadata=description, read_dictionary=list(texts), **safely) as file:
            yield Chunk(dict.fromkeys(names, ()), (), ())
            n_before = 0
            for batch in file.iter_batches(batch_size=ROWS_PER_CHUNK, columns=flat):
                if stopped():
                    raise Stopped
                yield _chunk(names, batch, texts, n_before, limits.cell)
                n_before += len(batch)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:  # a damaged file can raise any of these
        raise InputError(f"{path} is not a Parquet file, or it is damaged ({error}).") from error


def _check_description(path: Path, limits: Limits) -> None:
    """Refuse a file whose description, which is read as a whole, is too large: its last bytes say how large it is."""
    with open(path, "rb") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(end - 8, 0))
        n_bytes = min(int.from_bytes(file.read(4), "little"), end)
    limits.check_array(n_bytes * _PER_BYTE, f"The file describes its columns in {n_bytes:,} bytes, which, unpacked,")


def _check_sizes(description: Any, path: Path, limits: Limits) -> None:
    """Refuse a file some of whose columns are small only as long as they are compressed."""
    for number in range(description.num_row_groups):
        group = description.row_group(number)
        if group.num_columns != description.num_columns:  # Arrow would end the process
            raise InputError(
                f"{path} is a damaged Parquet file: its groups of rows do not have the columns of the file."
            )
        for place in range(group.num_columns):
            column = group.column(place)
            if column.total_uncompressed_size > _RATIO * max(column.total_compressed_size, 1):
                packed = f"Column {short(column.path_in_schema)} has {column.total_compressed_size:,} bytes in the file"
                limits.check_array(column.total_uncompressed_size, f"{packed}, but unpacked it")


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_binary(kind))


def _chunk(names: tuple[str, ...], batch: Any, texts: set[str], n_before: int, longest: int) -> Chunk:
    """Some rows; one with a cell that is too long is bad."""
    rows = np.arange(n_before + 1, n_before + 1 + len(batch))
    long = {place: name for name in batch.schema.names for place in _too_long(batch.column(name), longest)}
    if long:
        batch = batch.take(np.setdiff1d(np.arange(len(batch)), list(long)))
    columns: dict[str, Column] = {
        name: _column(batch.column(name), name in texts) if name in batch.schema.names else [[]] * len(batch)
        for name in names
    }
    reason = f"a cell of more than {longest:,} bytes; --max-cell allows longer ones"
    bad = [BadRow(int(rows[i]), int(rows[i]), f"column {short(long[i])}: {reason}", "") for i in sorted(long)]
    kept = np.delete(rows, list(long)).tolist()
    return Chunk(columns, kept, kept, bad)


def _too_long(array: Any, longest: int) -> list[int]:
    """The rows whose text has more bytes than that."""
    import pyarrow.compute as pc
    from pyarrow import types

    if not types.is_dictionary(array.type) or not _is_text(array.type.value_type):
        return []
    lengths = pc.fill_null(pc.binary_length(array.dictionary), 0).to_numpy(zero_copy_only=False)
    if lengths.max(initial=0) <= longest:
        return []
    codes = pc.fill_null(array.indices, -1).to_numpy(zero_copy_only=False)
    found: list[int] = np.flatnonzero((codes >= 0) & (lengths[codes] > longest)).tolist()
    return found


def _column(array: Any, is_text: bool = False) -> Column:
    """An Arrow column as a NumPy array for numbers and times, as a list otherwise."""
    import pyarrow
    from pyarrow import types

    kind = array.type
    if types.is_dictionary(kind):
        places = array.indices.to_pylist()
        used = sorted({place for place in places if place is not None})  # of a file there may be far more
        labels = _column(array.dictionary.take(pyarrow.array(used, pyarrow.int64())))
        if not is_text:  # the file declares categories, as pandas writes them
            labels = declared(labels)
        known = dict(zip(used, labels, strict=True))
        return [known.get(place) for place in places]
    if types.is_integer(kind) or types.is_floating(kind):
        numbers: Column = array.to_numpy(zero_copy_only=False).astype(np.float64)
        return numbers
    if types.is_decimal(kind):
        return np.array([np.nan if cell is None else float(cell) for cell in array.to_pylist()])
    if types.is_timestamp(kind) or types.is_date(kind):
        return _times(array.to_numpy(zero_copy_only=False))
    if types.is_string(kind) or types.is_large_string(kind):
        array = array.cast(pyarrow.large_binary())  # Arrow does not check that text is UTF-8
        return [None if cell is None else lines.text(cell) for cell in array.to_pylist()]
    return [_cell(scalar) for scalar in array]


def _times(times: npt.NDArray[np.datetime64]) -> Column:
    """Times to the microsecond; if some lie outside the years 1 to 9999, which cannot be read, all as text."""
    seconds = times.astype("datetime64[s]")
    outside = (seconds < _FIRST) | (seconds > _LAST)
    exact = times.astype("datetime64[us]")
    if not outside.any():
        return exact
    seconds_or_exact = (second if far else time for second, time, far in zip(seconds, exact, outside, strict=True))
    return [None if np.isnat(time) else str(time) for time in seconds_or_exact]


def _cell(scalar: Any) -> object:
    """A value of another type as a Python object; one that Python cannot hold becomes a list, which is refused."""
    try:
        return scalar.as_py()
    except (ValueError, OverflowError) as error:
        return [str(error)]
