from __future__ import annotations

import gzip
import tracemalloc
from io import BytesIO
from pathlib import Path

import pytest

from genreplay.streams.chunks import InputError
from genreplay.streams.gzipped import unpacked
from genreplay.streams.readers import open_rows

CSV = b"a,b\n" + b"".join(b"%d,x%d\n" % (i, i) for i in range(3000))


def cells(source: object, form: str | None = None) -> list[object]:
    return [cell for chunk in open_rows(source, form) if chunk.rows for cell in chunk.columns["a"]]  # type: ignore[arg-type]


@pytest.mark.parametrize("form", ["csv", "tsv", "ndjson"])
def test_a_compressed_file_reads_like_the_plain_one(tmp_path: Path, form: str) -> None:
    data = {"csv": CSV, "tsv": CSV.replace(b",", b"\t"), "ndjson": b'{"a": 1}\n{"a": 2}\n'}[form]
    path = tmp_path / f"rows.{form}.gz"
    path.write_bytes(gzip.compress(data))
    assert cells(path) == cells(BytesIO(data), form)  # type: ignore[comparison-overlap]


def test_members_padding_and_single_bytes_are_understood() -> None:
    data = gzip.compress(CSV[:1000]) + gzip.compress(CSV[1000:]) + b"\0" * 700
    assert cells(BytesIO(data)) == cells(BytesIO(CSV))
    assert b"".join(unpacked(data[i : i + 1] for i in range(len(data)))) == CSV


@pytest.mark.parametrize("size", [1, 5, 12, 100, 3000])
def test_cut_data_give_their_rows_and_then_one_sentence(size: int) -> None:
    data = gzip.compress(CSV)[:size]
    found: list[object] = []
    with pytest.raises(InputError) as raised:
        for chunk in open_rows(BytesIO(data)):
            found += chunk.columns["a"] if chunk.rows else []
    assert found == [str(i) for i in range(len(found))], "a row that is cut off is not read as a whole one"
    if size >= 12:
        assert "cut short" in str(raised.value)
    if size == 3000:
        assert len(found) > 100


def test_damaged_data_are_one_sentence() -> None:
    data = bytearray(gzip.compress(CSV))
    data[len(data) // 2] ^= 0xFF
    with pytest.raises(InputError, match="The gzip data of the input are damaged"):
        cells(BytesIO(bytes(data)))
    with pytest.raises(InputError, match="damaged"):
        cells(BytesIO(gzip.compress(CSV) + b"junk"))


def test_plain_bytes_in_a_file_named_gz_and_formats_that_cannot_be_unpacked_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv.gz"
    path.write_bytes(CSV)
    with pytest.raises(InputError, match="is not gzip data, though its name ends in"):
        cells(path)
    with pytest.raises(InputError, match="unpack it with gunzip"):
        open_rows(tmp_path / "rows.parquet.gz")


def test_a_hundred_megabytes_are_unpacked_in_little_memory() -> None:
    line = b"1" * 99 + b"\n"
    packed = gzip.compress(line * 1_000_000, compresslevel=1)
    tracemalloc.start()
    n_bytes = sum(len(block) for block in unpacked([packed]))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert n_bytes == 100_000_000
    assert peak < 4_000_000
