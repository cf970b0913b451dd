"""Parquet files, by batches of rows (extra ``parquet``)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from genreplay.streams import lines
from genreplay.streams.chunks import ROWS_PER_CHUNK, Chunk, Chunks, Column, InputError, check_names
from genreplay.streams.columns import declared

_FIRST, _LAST = np.datetime64("0001-01-01T00:00:00"), np.datetime64("9999-12-31T23:59:59")


def read_parquet(path: Path) -> Chunks:
    """Chunks of a Parquet file; types of columns are kept, and nulls are missing cells."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise InputError("Parquet needs pyarrow: pip install 'genreplay[parquet]'.") from error
    try:
        with parquet.ParquetFile(path) as file:
            names = check_names(file.schema_arrow.names, "The file")
            yield Chunk(dict.fromkeys(names, ()), (), ())
            n_before = 0
            for batch in file.iter_batches(batch_size=ROWS_PER_CHUNK):
                rows = range(n_before + 1, n_before + 1 + len(batch))
                columns = {name: _column(batch.column(place)) for place, name in enumerate(names)}
                yield Chunk(columns, rows, rows)
                n_before += len(batch)
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError) as error:  # a damaged file can raise any of these
        raise InputError(f"{path} is not a Parquet file, or it is damaged ({error}).") from error


def _column(array: Any) -> Column:
    """An Arrow column as a NumPy array for numbers and times, as a list otherwise."""
    import pyarrow
    from pyarrow import types

    kind = array.type
    if types.is_dictionary(kind):  # the file declares categories, as pandas writes them
        categories = declared(_column(array.dictionary))
        return [None if place is None else categories[place] for place in array.indices.to_pylist()]
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
