"""What is too large is refused before memory is taken for it, in a sentence that says how to allow it."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from genreplay.streams.chunks import InputError
from genreplay.streams.limits import LIMITS, Limits
from genreplay.streams.readers import Format, open_rows
from tests.attack.hostile.parquet import described

WIDE = LIMITS.columns + 1


def npz_in_fortran_order(path: Path, shape: tuple[int, int]) -> None:
    """A small file: zeros are easy to compress."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        file = io.BytesIO()
        np.save(file, np.zeros(shape, order="F"))
        archive.writestr("rows.npy", file.getvalue())


def array_of(n_columns: int) -> bytes:
    file = io.BytesIO()
    np.save(file, np.zeros((1, n_columns)))
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "form"),
    [
        (",".join(f"c{i}" for i in range(WIDE)).encode() + b"\n", "csv"),
        (array_of(WIDE), "npy"),
    ],
)
def test_a_table_that_is_too_wide_is_refused_and_can_be_allowed(content: bytes, form: Format) -> None:
    with pytest.raises(InputError, match=f"1,025 columns, more than 1,024.*--max-columns {WIDE}"):
        list(open_rows(io.BytesIO(content), form))
    chunks = list(open_rows(io.BytesIO(content), form, limits=Limits(columns=WIDE)))
    assert len(chunks[0].columns) == WIDE


def test_an_object_with_too_many_keys_is_a_bad_row() -> None:
    content = json.dumps({f"c{i}": 0 for i in range(WIDE)}).encode() + b'\n{"a": 1}\n'
    chunk = list(open_rows(io.BytesIO(content), "ndjson"))[-1]
    assert list(chunk.columns) == ["a"]
    assert "--max-columns" in chunk.bad[0].reason


def test_an_array_in_fortran_order_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.npz"
    npz_in_fortran_order(path, (3_000_000, 6))
    assert path.stat().st_size < 200_000
    tracemalloc.start()
    with pytest.raises(InputError, match=r"column by column.*144,000,000 bytes.*--max-array 144000000"):
        list(open_rows(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**21
    allowed = open_rows(path, limits=Limits(array=144_000_000))
    assert [len(next(allowed).rows) for _ in range(3)] == [0, 1000, 1000]


def test_one_long_text_of_a_parquet_file_is_held_once_and_its_rows_are_bad(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "rows.parquet"
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 600 + [1] * 400), pa.array(["x" * 400_000, "short"]))
    parquet.write_table(pa.table({"text": text.cast(pa.string()), "n": list(range(1000))}), path)
    assert path.stat().st_size < 1_000_000
    before = pa.default_memory_pool().max_memory()
    chunks = list(open_rows(path))
    assert pa.default_memory_pool().max_memory() - before < 20e6, "600 texts of 400 kB are 240 MB"
    assert [len(chunk.rows) for chunk in chunks] == [0, 400]
    assert set(chunks[1].columns["text"]) == {"short"}
    assert len(chunks[1].bad) == 600
    assert "--max-cell" in chunks[1].bad[0].reason
    with_all = list(open_rows(path, limits=Limits(cell=400_000)))
    assert len(with_all[1].rows) == 1000


def test_a_column_that_grows_without_measure_when_it_is_unpacked_is_refused(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "rows.parquet"
    table = pa.table({"n": np.zeros(20_000_000)})
    parquet.write_table(table, path, use_dictionary=False, compression="zstd", row_group_size=2**25)
    assert path.stat().st_size < 1_000_000
    with pytest.raises(InputError, match=r"Column 'n' has .* bytes in the file, but unpacked it takes .*--max-array"):
        list(open_rows(path))


@pytest.mark.parametrize("what", ["columns", "groups", "parts"])
def test_a_parquet_file_of_nothing_but_description_is_refused_before_that_is_read(tmp_path: Path, what: str) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "rows.parquet"
    path.write_bytes(described(what, 2_000_000))
    with pytest.raises(InputError, match=r"describes its columns in 2,000,0\d\d bytes, which, unpacked, .*--max-array"):
        list(open_rows(path))


@pytest.mark.parametrize("what", ["groups", "parts"])
def test_a_parquet_file_whose_groups_have_other_columns_is_damaged(tmp_path: Path, what: str) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "rows.parquet"
    path.write_bytes(described(what, 300))
    with pytest.raises(InputError, match="its groups of rows do not have the columns of the file"):
        list(open_rows(path))


def test_a_list_in_a_parquet_file_is_not_read_and_its_rows_are_bad_unless_the_column_is_ignored(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    from genreplay.streams.schema import Schema

    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table({"list": [[1, 2]] * 3, "n": [1, 2, 3]}), path)
    chunk = list(open_rows(path))[-1]
    bad = Schema({"list": "category", "n": "number"}).parse(chunk).bad
    assert [each.reason for each in bad] == ["column 'list': a nested value, []"] * 3
    assert len(Schema({"list": "ignore", "n": "number"}).parse(chunk).rows) == 3


def test_long_lines_with_nested_values_do_not_fill_the_memory() -> None:
    line = json.dumps({"a": 1, "b": [1.5] * 10_000}).encode() + b"\n"
    file = io.BytesIO(line * 100)
    tracemalloc.start()
    chunks = list(open_rows(file, "ndjson"))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert sum(len(chunk.rows) for chunk in chunks) == 100
    assert peak < 5e6, "the lists alone would take 8 MB, and the numbers 24 MB more"
