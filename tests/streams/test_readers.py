from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import threading
import tracemalloc
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genreplay.streams import delimited, lines
from genreplay.streams.chunks import BadRow, Chunk, InputError
from genreplay.streams.delimited import read_delimited
from genreplay.streams.limits import LIMITS
from genreplay.streams.ndjson import read_ndjson
from genreplay.streams.readers import Format, open_rows


class Table(NamedTuple):
    """All chunks of a reader put together."""

    names: tuple[str, ...]
    cells: list[tuple[object, ...]]
    rows: list[int]
    lines: list[int]
    bad: list[BadRow]


def gathered(chunks: Iterator[Chunk]) -> Table:
    table = Table((), [], [], [], [])
    for chunk in chunks:
        assert chunk.n_records <= 1000
        if chunk.columns:
            assert table.names in ((), tuple(chunk.columns)), "the columns stay"
            table = table._replace(names=tuple(chunk.columns))
            table.cells.extend(zip(*chunk.columns.values(), strict=True))
        table.rows.extend(chunk.rows)
        table.lines.extend(chunk.lines)
        table.bad.extend(chunk.bad)
    n_records = len(table.rows) + len(table.bad)
    assert sorted([*table.rows, *(bad.row for bad in table.bad)]) == list(range(1, n_records + 1))
    assert len(table.cells) == len(table.rows) == len(table.lines)
    return table


def read(content: bytes, form: Format = "csv", **options: object) -> Table:
    return gathered(open_rows(io.BytesIO(content), form, **options))  # type: ignore[arg-type]


def in_parts(content: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({min(cut, len(content)) for cut in cuts} | {0, len(content)})
    return [content[a:b] for a, b in pairwise(places)]


def test_csv_gives_named_columns_rows_and_lines() -> None:
    table = read(b"a,b\n1,x\n2,y\n")
    assert table == Table(("a", "b"), [("1", "x"), ("2", "y")], [1, 2], [2, 3], [])


def test_tsv_is_separated_by_tabs_and_may_have_commas() -> None:
    assert read(b"a\tb\n1,5\tx\n", "tsv").cells == [("1,5", "x")]


def test_columns_without_a_header_are_numbered() -> None:
    table = read(b"1,x\n2,y\n", header=False)
    assert table.names == ("c0", "c1")
    assert table.cells == [("1", "x"), ("2", "y")]


@pytest.mark.parametrize("content", [b"\xef\xbb\xbfa,b\r\n1,2\r\n\r\n3,4", b"a, b \n1,2\n\n\n3,4\n\n"])
def test_byte_order_mark_line_ends_and_blank_lines_do_not_matter(content: bytes) -> None:
    table = read(content)
    assert table.names == ("a", "b")
    assert table.cells == [("1", "2"), ("3", "4")]
    assert table.rows == [1, 2]
    assert table.lines[0] == 2


def test_a_quoted_cell_may_hold_delimiters_quotes_and_line_ends() -> None:
    table = read(b'a,b\n"x, ""y""\nz",1\nw,2\n')
    assert table.cells == [('x, "y"\nz', "1"), ("w", "2")]
    assert table.lines == [2, 4]


def test_a_row_of_the_wrong_width_is_bad() -> None:
    table = read(b"a,b\n1,2\n3\n4,5,6\n7,8\n")
    assert table.rows == [1, 4]
    assert table.bad == [
        BadRow(2, 3, "1 cell, but there are 2 columns", "3"),
        BadRow(3, 4, "3 cells, but there are 2 columns", "4,5,6"),
    ]


def test_a_stray_quotation_mark_costs_one_line() -> None:
    table = read(b'a,b\n1,2\n"3,4\n5,6\n7,8\n')
    assert table.rows == [1, 3, 4]
    assert table.bad == [BadRow(2, 3, "a quotation mark that is never closed", '"3,4')]


def test_a_quotation_mark_open_for_too_long_costs_one_line_before_the_end_is_known() -> None:
    filler = b"5,6\n" * (LIMITS.cell // 4)
    chunks = read_delimited([b"a,b\n", b'"3,4\n', *in_parts(filler, list(range(0, len(filler), 50_000))), b'7"'])
    table = gathered(chunks)
    assert table.bad[0] == BadRow(1, 2, "a quotation mark that is not closed within 1,000 lines", '"3,4')
    assert table.bad[1] == BadRow(2 + len(table.rows), 3 + len(table.rows), "1 cell, but there are 2 columns", '"7"""')
    assert table.rows[0] == 2
    assert len(table.rows) == filler.count(b"\n")


def test_quotation_marks_that_are_opened_again_and_again_do_not_take_for_ever() -> None:
    table = read(b"a,b\n" + b'x","y\n' * 3000)
    assert {bad.reason for bad in table.bad[:-999]} == {"a quotation mark that is not closed within 1,000 lines"}
    assert {bad.reason for bad in table.bad[-999:]} == {"a quotation mark that is never closed"}
    assert [bad.line for bad in table.bad] == list(range(2, 3002))


@given(st.lists(st.sampled_from(['"', "\n", ",", "a", "bc\n"]), max_size=40), st.lists(st.integers(0, 60), max_size=5))
def test_records_of_many_lines_are_the_same_however_they_are_cut(marks: list[str], cuts: list[int]) -> None:
    content = b"a,b\n" + "".join(marks).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "MAX_LINES", 3)
        assert gathered(read_delimited(in_parts(content, cuts))) == read(content)


def test_text_after_a_closing_quotation_mark_is_bad() -> None:
    table = read(b'a,b\n"1"x,2\n3,4\n')
    assert table.rows == [2]
    assert table.bad[0].line == 2
    assert "not CSV" in table.bad[0].reason


def test_a_line_that_is_too_long_is_one_bad_row_in_constant_memory() -> None:
    def blocks() -> Iterator[bytes]:
        yield b"a,b\n1,2\n"
        for _ in range(400):
            yield b"x" * 2**16
        yield b"\n3,4\n"

    tracemalloc.start()
    table = gathered(read_delimited(blocks()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert table.rows == [1, 3]
    assert table.bad == [BadRow(2, 3, lines.too_long(LIMITS.cell), "x" * lines.KEPT)]
    assert table.lines == [2, 4]
    assert peak < 6 * LIMITS.cell, "26 MB came through"


def test_memory_does_not_grow_with_the_length_of_the_stream() -> None:
    def peak(n_blocks: int) -> int:
        chunks = read_delimited(block for block in [b"a,b\n", *[b"1.25,red\n" * 1000] * n_blocks])
        tracemalloc.start()
        for _ in chunks:
            pass
        high = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return high

    peak(10)
    assert peak(200) < 1.2 * peak(20)


def test_bytes_that_are_not_utf_8_stay_findable() -> None:
    table = read(b"a,b\ncaf\xe9,1\n\xff\xfe,2\n")
    assert table.cells == [("caf\udce9", "1"), ("\udcff\udcfe", "2")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"\n\n\n", "empty"),
        (b"a,b,a\n1,2,3\n", "The header names two columns 'a'"),
        (b"a,,b\n", "gives column 2 no name"),
        (b"a, ,b\n", "gives column 2 no name"),
        (b"\xff\xfea\0,\0b\0\n\0", "not UTF-8 text"),
        (b"a\0,b\n", "not UTF-8 text"),
        (b'"a,b\n', "first line cannot be read"),
        (b"x" * (LIMITS.cell + 1), "first line cannot be read"),
        (b"a," * 20_000 + b"b\n", "20,001 columns"),
    ],
)
def test_input_that_is_unreadable_as_a_whole_says_so(content: bytes, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read(content)


def test_a_header_alone_is_a_table_without_rows() -> None:
    assert read(b"a,b") == Table(("a", "b"), [], [], [], [])


cell = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6) | st.sampled_from(
    ['"', "\n", ",", 'a"b', "\r\n", " ", '""']
)


@given(st.lists(st.lists(cell, min_size=2, max_size=2), max_size=20), st.lists(st.integers(0, 300), max_size=10))
def test_any_table_comes_through_csv_however_it_is_cut(rows: list[list[str]], cuts: list[int]) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerows([["a", "b"], *rows])
    table = gathered(read_delimited(in_parts(out.getvalue().encode(), cuts)))
    assert not table.bad
    assert table.cells == [tuple(row) for row in rows]


junk = st.lists(
    st.sampled_from([b'"', b",", b"\n", b"\r", b"\r\n", b"1", b"x", b"\0", b"\xff", b"\xc3\xa9", b'""', b"\n\n"]),
    max_size=60,
).map(b"".join)


@given(junk, st.lists(st.integers(0, 100), max_size=10), st.booleans())
def test_junk_gives_the_same_records_however_it_is_cut(content: bytes, cuts: list[int], header: bool) -> None:
    def result(blocks: list[bytes]) -> Table | str:
        try:
            return gathered(read_delimited(blocks, header=header))
        except InputError as error:
            return str(error)

    assert result(in_parts(content, cuts)) == result([content] if content else [])


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=10))
def test_junk_lines_are_the_same_however_they_are_cut(content: bytes, cuts: list[int]) -> None:
    def result(blocks: list[bytes]) -> Table | str:
        try:
            return gathered(read_ndjson(blocks, 3))
        except InputError as error:
            return str(error)

    assert result(in_parts(content, cuts)) == result([content] if content else [])


@pytest.mark.parametrize("size", [1, 7, 20])
def test_long_lines_are_cut_off_at_the_same_place_however_they_come(size: int) -> None:
    content = b"a,b\n" + b"".join(b"x" * n + b",1\n" for n in (17, 18, 19, 20, 40, 3))
    parts = [content[i : i + size] for i in range(0, len(content), size)]
    pieces = list(lines.pieces(parts, longest=20))
    assert b"".join(piece.data for piece in pieces if not piece.too_long) == b"a,b\n" + b"".join(
        b"x" * n + b",1\n" for n in (17, 18, 3)
    )
    assert [piece.line for piece in pieces if piece.too_long] == [4, 5, 6]


def test_records_are_handed_on_a_thousand_at_a_time() -> None:
    chunks = [chunk for chunk in open_rows(io.BytesIO(b"a\n" + b"1\n" * 2500), "csv") if chunk.n_records]
    assert [len(chunk.rows) for chunk in chunks] == [1000, 1000, 500]
    assert chunks[1].rows[0] == 1001


def test_a_chunk_can_be_cut_after_a_record() -> None:
    chunk = Chunk({"a": ["1", "2", "3"]}, [1, 3, 4], [2, 4, 5], [BadRow(2, 3, "", "")])
    assert chunk.after(0) == chunk
    assert chunk.after(1) == Chunk({"a": ["2", "3"]}, [3, 4], [4, 5], [BadRow(2, 3, "", "")])
    assert chunk.after(2) == Chunk({"a": ["2", "3"]}, [3, 4], [4, 5], [])
    assert chunk.after(9).n_records == 0


def test_ndjson_takes_its_columns_from_the_first_objects() -> None:
    content = b'{"a": 1, "b": "x"}\n\n{"b": null, "c": true}\n{}\n'
    table = read(content, "ndjson")
    assert table.names == ("a", "b", "c")
    assert table.cells == [(1, "x", None), (None, None, True), (None, None, None)]
    assert table.lines == [1, 3, 4]


def test_a_key_that_comes_after_the_sample_is_a_bad_row() -> None:
    chunks = read_ndjson([b'{"a": 1}\n' * 3 + b'{"a": 1, "z": 2}\n'], n_sample=3)
    table = gathered(chunks)
    assert table.names == ("a",)
    assert table.bad == [BadRow(4, 4, "an unseen column, 'z'", '{"a": 1, "z": 2}')]


def test_known_names_need_no_sample() -> None:
    table = read(b'{"a": 1}\n{"b": 1}\n{"c": 1}\n', "ndjson", names=["b", "a"], sampled=False)
    assert table.names == ("b", "a")
    assert table.cells == [(None, 1), (1, None)]
    assert table.bad[0].reason == "an unseen column, 'c'"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"nonsense", "not JSON"),
        (b'{"a": 1', "not JSON"),
        (b'{"a": 1} {"a": 2}', "more than one JSON value"),
        (b"[1, 2]", "not a JSON object"),
        (b"3", "not a JSON object"),
        (b"[" * 100_000, "not JSON"),
        (b'{"a": ' + b"9" * 5000 + b"}", "not JSON"),
        (b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}", "values nested more than 100 deep"),
        (b'{"a": ' * 101 + b"1" + b"}" * 101, "values nested more than 100 deep"),
        (b'{"\\u0000": 1}', "an unseen column"),
        (b'{"": 1}', "an unseen column"),
        (b'{"\\ud800": 1}', "an unseen column"),
        (b'{"a": "' + b"x" * LIMITS.cell + b'"}', "a line of more than"),
    ],
)
def test_a_line_that_is_no_flat_object_is_bad(line: bytes, said: str) -> None:
    table = read(b'{"a": 1}\n' + line + b'\n{"a": 2}\n', "ndjson")
    assert table.cells == [(1,), (2,)]
    assert said in table.bad[0].reason
    assert table.bad[0].line == 2


def test_a_stream_of_ever_new_keys_does_not_fill_the_memory() -> None:
    objects = (json.dumps({f"k{i}-{j}": 1 for j in range(LIMITS.columns // 2)}).encode() + b"\n" for i in range(30))
    table = gathered(read_ndjson(objects, n_sample=20))
    assert len(table.names) == LIMITS.columns
    assert len(table.rows) == 2


def test_ndjson_without_an_object_says_so() -> None:
    for content in (b"", b"\n", b"[]\n"):
        with pytest.raises(InputError, match="no JSON object"):
            read(content, "ndjson")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16, bool, "U3"])
def test_arrays_are_read_from_files_and_pipes(tmp_path: Path, order: str, dtype: object) -> None:
    array = np.asarray(np.arange(2400).reshape(1200, 2) % 7, dtype=dtype, order=order)  # type: ignore[call-overload]
    np.save(tmp_path / "x.npy", array)
    np.savez(tmp_path / "x.npz", x=array, weights=np.ones(3))
    expected = [tuple(row) for row in array.tolist()]
    for table in (
        gathered(open_rows(tmp_path / "x.npy")),
        gathered(open_rows(tmp_path / "x.npz")),
        gathered(open_rows(tmp_path / "x.npz", key="x")),
        read((tmp_path / "x.npy").read_bytes(), "npy"),
    ):
        assert table.names == ("c0", "c1")
        assert [tuple(cell.item() for cell in row) for row in table.cells] == expected  # type: ignore[attr-defined]


@pytest.mark.parametrize("array", [np.ones(3), np.ones((2, 2, 2)), np.ones((3, 0)), np.ones((2, 2), complex)])
def test_an_array_that_is_no_table_is_refused(tmp_path: Path, array: np.ndarray[tuple[int, ...], np.dtype]) -> None:
    np.save(tmp_path / "x.npy", array)
    with pytest.raises(InputError, match="The array"):
        gathered(open_rows(tmp_path / "x.npy"))


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_damaged_array_is_refused(tmp_path: Path, order: str) -> None:
    path = tmp_path / "x.npy"
    np.save(path, np.asarray(np.ones((50, 2)), order=order))  # type: ignore[call-overload]
    content = path.read_bytes()
    for damaged in (b"", b"junk", content[:20], b"\x93NUMPY\x09\x00", content[:-5]):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"not an array|cut short"):
            gathered(open_rows(path))
        with pytest.raises(InputError, match=r"not an array|cut short"):
            read(damaged, "npy")


@pytest.mark.parametrize(
    "header",
    [
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), ",
        b"{'descr': '<f8\0', 'fortran_order': False, 'shape': (3, 2)}",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)} \x9a",
        b"  {'descr': '",
        b"(" * 5000,
        b"{'descr': '<U99999999', 'fortran_order': False, 'shape': (3, 2)}",
        b"{'descr': '<f8', 'fortran_order': True, 'shape': (10**9, 9)}",
        b"{'descr': '<f8', 'fortran_order': True, 'shape': (999999999999, 9)}",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999, 9)}",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 999999)}",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 999999999999)}",
        b"{'descr': '<f8', 'fortran_order': False, 'shape': (3, -2)}",
        b"{'descr': '<f8', 'fortran_order': True, 'shape': (-3, 2)}",
        b"{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2, 1)}",
        b"{'descr': '<U0', 'fortran_order': False, 'shape': (3, 2)}",
        b"{'descr': '<f16', 'fortran_order': True, 'shape': (30, -2)}",
    ],
)
def test_a_broken_or_boastful_header_is_refused(tmp_path: Path, header: bytes) -> None:
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"\0" * 48
    (tmp_path / "x.npy").write_bytes(content)
    for chunks in (open_rows(tmp_path / "x.npy"), open_rows(io.BytesIO(content), "npy")):
        with pytest.raises(InputError):
            gathered(chunks)


@pytest.mark.parametrize("order", ["<", ">"])
def test_an_array_of_texts_may_hold_what_is_no_text(tmp_path: Path, order: str) -> None:
    codes = np.array([[97, 98], [97, 0x110000], [0xFFFFFFFF, 98], [99, 0]], dtype=f"{order}u4")
    np.save(tmp_path / "x.npy", codes.view(f"{order}U1"))
    table = gathered(open_rows(tmp_path / "x.npy"))
    assert table.cells == [("a", "b"), ("c", "")]
    assert [(bad.row, bad.reason) for bad in table.bad] == [(n, "a cell that is not Unicode text") for n in (2, 3)]


@pytest.mark.skipif(os.name != "posix", reason="named pipes")
def test_a_pipe_may_carry_an_array_by_columns(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.asfortranarray(np.arange(6.0).reshape(3, 2)))
    content = (tmp_path / "x.npy").read_bytes()
    path = tmp_path / "pipe.npy"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(content,), daemon=True)
    writer.start()
    assert gathered(open_rows(path)).cells == [(0, 1), (2, 3), (4, 5)]
    writer.join()


@pytest.mark.skipif(os.name != "posix", reason="named pipes")
@pytest.mark.parametrize("form", ["npz", "parquet"])
def test_a_named_pipe_cannot_carry_what_is_read_from_its_end(tmp_path: Path, form: Format) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    opener = threading.Thread(target=lambda: os.close(os.open(path, os.O_WRONLY)), daemon=True)
    opener.start()
    with pytest.raises(InputError, match=f"A pipe cannot carry {form}"):
        open_rows(path, form)
    opener.join()


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_archive_is_refused_whatever_packed_it(tmp_path: Path, method: int) -> None:
    content = io.BytesIO()
    np.save(content, np.random.default_rng(0).random((300, 3)))
    path = tmp_path / "x.npz"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("x.npy", content.getvalue())
    assert len(gathered(open_rows(path)).cells) == 300
    whole = path.read_bytes()
    for place in range(60, len(whole), len(whole) // 40):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with contextlib.suppress(InputError):
            gathered(open_rows(path))


def test_an_array_of_python_2_is_read() -> None:
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 2L)}"
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + b"\0" * 48
    assert len(read(content, "npy").cells) == 3


@pytest.mark.parametrize("form", ["npy", "npz", "parquet"])
def test_flipped_bits_are_read_or_refused_but_never_crash(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"x.{form}"
    if form == "npy":
        np.save(path, np.ones((5, 2)))
    elif form == "npz":
        np.savez_compressed(path, x=np.ones((5, 2)))
    else:
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        parquet.write_table(pyarrow.table({"a": [1.0, None], "b": ["x", "y"]}), path)
    whole = path.read_bytes()
    for place in np.random.default_rng(0).integers(8 * len(whole), size=300):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << (place % 8)
        path.write_bytes(flipped)
        with contextlib.suppress(InputError):
            for chunk in open_rows(path):
                assert chunk.n_records <= 1000


def test_objects_are_never_unpickled(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([["a", None]], dtype=object))
    with pytest.raises(InputError, match="holds object"):
        gathered(open_rows(tmp_path / "x.npy"))


def test_an_npz_file_must_have_the_array(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez(path, x=np.ones((2, 2)), y=np.ones((2, 2)))
    with pytest.raises(InputError, match=r"2 2-D arrays: name one with --key. Its arrays: 'x', 'y'\."):
        gathered(open_rows(path))
    with pytest.raises(InputError, match=r"no array 'z': it has 'x', 'y'\."):
        gathered(open_rows(path, key="z"))
    content = bytearray(path.read_bytes())
    content[140] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(InputError):
        gathered(open_rows(path, key="x"))
    path.write_bytes(b"junk")
    with pytest.raises(InputError, match="not an npz file"):
        gathered(open_rows(path))


def test_parquet_keeps_the_types_of_its_columns(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from datetime import UTC, date, datetime
    from decimal import Decimal

    from pyarrow import parquet

    moment = datetime(2024, 1, 1, 12, tzinfo=UTC)
    columns = {
        "i": pyarrow.array([1, None]),
        "x": pyarrow.array([1.5, None]),
        "d": pyarrow.array([Decimal("2.5"), None]),
        "b": pyarrow.array([True, None]),
        "s": pyarrow.array(["red", None]),
        "c": pyarrow.array(["red", None]).dictionary_encode(),
        "t": pyarrow.array([moment, None], pyarrow.timestamp("ms", tz="UTC")),
        "day": pyarrow.array([date(2024, 1, 1), None]),
    }
    path = tmp_path / "x.parquet"
    parquet.write_table(pyarrow.table(columns), path)
    from genreplay.streams.schema import Schema

    _, chunk = open_rows(path)
    schema = Schema.infer([chunk])
    assert list(schema.kinds.values()) == [*["number"] * 3, "boolean", "category", "category", *["timestamp"] * 2]
    rows = schema.parse(chunk)
    assert not rows.bad
    assert rows.cells[0].tolist() == [1, 1.5, 2.5, True, "red", "red", moment.timestamp(), moment.timestamp() - 43200]
    missing = [cell is None or cell != cell for cell in rows.cells[1]]
    assert all(missing)


def test_parquet_cells_that_python_cannot_hold_are_bad_rows(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    from genreplay.streams.schema import Schema

    offsets, letters = np.array([0, 1, 2, 3], np.int32).tobytes(), b"a\xffb"
    texts = pyarrow.StringArray.from_buffers(3, pyarrow.py_buffer(offsets), pyarrow.py_buffer(letters))
    far = pyarrow.array([0, 2**62, None], pyarrow.timestamp("ms"))
    nested = pyarrow.array([{"t": 2**62}] * 3, pyarrow.struct([("t", pyarrow.timestamp("us"))]))
    path = tmp_path / "x.parquet"
    parquet.write_table(pyarrow.table({"s": texts, "t": far, "n": nested}), path)
    _, chunk = open_rows(path)
    rows = Schema({"s": "category", "t": "timestamp", "n": "ignore"}).parse(chunk)
    assert rows.cells[0].tolist() == ["a", 0.0]
    assert rows.cells[1, 0] == "b"
    assert np.isnan(rows.cells[1, 1])
    assert [bad.reason for bad in rows.bad] == [r"column 's': '\udcff' is not UTF-8 text"]
    rows = Schema({"s": "ignore", "t": "timestamp", "n": "ignore"}).parse(chunk)
    assert [bad.reason for bad in rows.bad] == [
        "column 't': '146140482-04-24T15:36:27' is not an ISO 8601 time",
    ]
    rows = Schema({"s": "ignore", "t": "ignore", "n": "category"}).parse(chunk)
    assert len(rows.bad) == 3


def test_a_damaged_parquet_file_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = tmp_path / "x.parquet"
    for content in (b"", b"PAR1junkPAR1"):
        path.write_bytes(content)
        with pytest.raises(InputError, match="not a Parquet file"):
            gathered(open_rows(path))


def test_the_format_goes_by_the_name(tmp_path: Path) -> None:
    for name, content in {
        "x.csv": b"a,b\n1,2\n",
        "x.TSV": b"a\tb\n1\t2\n",
        "x.ndjson": b'{"a": "1", "b": "2"}\n',
        "x.jsonl": b'{"a": "1", "b": "2"}\n',
    }.items():
        (tmp_path / name).write_bytes(content)
        assert gathered(open_rows(tmp_path / name)).cells == [("1", "2")]
    (tmp_path / "x.txt").write_bytes(b"a,b\n1,2\n")
    with pytest.raises(InputError, match="add --format"):
        open_rows(tmp_path / "x.txt")
    assert gathered(open_rows(tmp_path / "x.txt", "csv")).cells == [("1", "2")]


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        open_rows(tmp_path / "none.csv")
    with pytest.raises(InputError, match="No such file"):
        open_rows(tmp_path / "none")
    with pytest.raises(InputError, match="Is a directory"):
        open_rows(tmp_path)
    with pytest.raises(InputError, match="A pipe cannot carry parquet"):
        open_rows("-", "parquet")


@pytest.mark.skipif(os.name != "posix", reason="pipes that can be waited for")
def test_a_slow_pipe_is_not_held_back_and_says_when_nothing_comes() -> None:
    reading, writing = os.pipe()
    heard = threading.Event()

    def write() -> None:
        os.write(writing, b"a,b\n1,2\n3,")
        heard.wait(10)
        os.write(writing, b"4\n")
        os.close(writing)

    writer = threading.Thread(target=write)
    writer.start()
    with open(reading, "rb") as pipe:
        chunks = read_delimited(lines.reads(pipe, patience=0.05))
        seen = []
        for chunk in chunks:
            if not chunk.columns:
                heard.set()
                seen.append("idle")
            elif chunk.rows:
                seen.append(next(zip(*chunk.columns.values(), strict=True)))
    writer.join()
    assert seen[0] == ("1", "2")
    assert seen[1] == "idle"
    assert seen[-1] == ("3", "4")
