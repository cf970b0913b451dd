"""Parquet files, by batches of rows (extra ``parquet``)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from genreplay.streams.chunks import ROWS_PER_CHUNK, Chunk, Column, InputError, check_names


def read_parquet(path: Path) -> Iterator[Chunk]:
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
    except (pyarrow.ArrowException, OSError) as error:  # damage comes as either
        raise InputError(f"{path} is not a Parquet file, or it is damaged ({error}).") from error


def _column(array: Any) -> Column:
    """Arrow's column as NumPy's where numbers or times, else as a list."""
    from pyarrow import types

    kind = array.type
    if types.is_dictionary(kind):
        array = array.dictionary_decode()
        kind = array.type
    if types.is_integer(kind) or types.is_floating(kind):
        numbers: Column = array.to_numpy(zero_copy_only=False).astype(np.float64)
        return numbers
    if types.is_decimal(kind):
        return np.array([np.nan if cell is None else float(cell) for cell in array.to_pylist()])
    if types.is_timestamp(kind) or types.is_date(kind):
        times: Column = array.to_numpy(zero_copy_only=False).astype("datetime64[us]")
        return times
    cells: Column = array.to_pylist()
    return cells
