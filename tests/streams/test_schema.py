from __future__ import annotations

from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from genreplay.streams.chunks import BadRow, Chunk, Column, InputError
from genreplay.streams.columns import booleans, labels, numbers, timestamps
from genreplay.streams.schema import KINDS, SAMPLE_ROWS, Schema


def a_chunk(first: int = 1, **columns: object) -> Chunk:
    n = len(next(iter(columns.values())))  # type: ignore[call-overload]
    return Chunk(columns, range(first, first + n), range(first + 1, first + 1 + n))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["1", "2.5", "-3e4", "", "NA"], "number"),
        (["1"] * 95 + ["oops"] * 5, "number"),
        (["1"] * 94 + ["oops"] * 6, "category"),
        (["12_000", "13_000"], "category"),
        (["inf", "nan", "inf"], "category"),
        (["true", "False", "TRUE", "?"], "boolean"),
        (["yes", "no", "?"], "category"),
        (["true", "false", "perhaps"], "category"),
        (["0", "1", "1"], "number"),
        (["2024-01-01T10:00:00", "2024-01-01 11:30Z", "null"], "timestamp"),
        (["2024-01-01", "2024-01-02"], "category"),
        (["", "na", "None"], "category"),
        ([True, False, None], "boolean"),
        ([1, 2.5, None], "number"),
        ([1, 2.5, True], "category"),
        (["a", [1], {}], "category"),
        (np.array([1, 2]), "number"),
        (np.array([True, False]), "boolean"),
        (np.array(["1", "x"]), "category"),
        (np.array(["2024-01-01", "NaT"], dtype="datetime64[s]"), "timestamp"),
    ],
)
def test_a_kind_is_inferred_from_the_known_cells(cells: list[object], kind: str) -> None:
    assert Schema.infer([a_chunk(x=cells)]).kinds == {"x": kind}


def test_inference_looks_at_the_first_records_however_they_are_cut() -> None:
    cells = ["1"] * SAMPLE_ROWS + ["word"] * 500
    whole = Schema.infer([a_chunk(x=cells)])
    cut = Schema.infer([a_chunk(x=cells[:7]), a_chunk(8, x=cells[7:])])
    assert whole == cut == Schema({"x": "number"})


def test_what_is_given_stands_and_the_rest_is_inferred() -> None:
    chunk = a_chunk(zip_code=["10115", "80331"], age=["1", "2"], id=["a", "b"])
    given = Schema({"id": "ignore", "zip_code": "category"})
    schema = Schema.infer([chunk], given)
    assert list(schema.kinds.items()) == [("zip_code", "category"), ("age", "number"), ("id", "ignore")]
    assert schema.names == ("zip_code", "age")
    assert schema.kinds_by_place == {0: "category", 1: "number"}


def test_a_given_column_must_be_there() -> None:
    with pytest.raises(InputError, match=r"no column 'agee': it has 'age'\."):
        Schema.infer([a_chunk(age=["1"])], Schema({"agee": "number"}))


def test_something_must_be_left_to_learn() -> None:
    with pytest.raises(InputError, match="No column is left"):
        Schema.infer([a_chunk(age=["1"])], Schema({"age": "ignore"}))


def test_cells_become_typed_in_the_order_of_the_schema() -> None:
    schema = Schema({"when": "timestamp", "x": "number", "colour": "category", "ok": "boolean", "note": "ignore"})
    chunk = a_chunk(
        note=["a" * 10_000, "\0"],
        ok=["no", "?"],
        colour=[" red", "n/a"],
        x=["1.5", ""],
        when=["1970-01-01T01:00:00+01:00", "NULL"],
    )
    rows = schema.parse(chunk)
    assert rows.cells.dtype == object
    assert rows.cells[0].tolist() == [0.0, 1.5, "red", False]
    when, x, colour, ok = rows.cells[1]
    assert np.isnan(when)
    assert np.isnan(x)
    assert colour is None
    assert ok is None
    assert type(rows.cells[0, 1]) is float
    assert type(rows.cells[0, 3]) is bool


def test_a_table_of_numbers_is_a_float_array() -> None:
    rows = Schema({"x": "number", "y": "number"}).parse(a_chunk(x=["1", ""], y=[3, 4.5]))
    np.testing.assert_array_equal(rows.cells, np.array([[1, 3], [np.nan, 4.5]]))
    assert rows.cells.dtype == np.float64


def test_a_row_with_an_unreadable_cell_is_bad_and_the_others_stay() -> None:
    schema = Schema({"x": "number", "y": "number"})
    bad_before = BadRow(2, 3, "wrong width", "1")
    chunk = Chunk({"x": ["1", "a", "3"], "y": ["4", "b", "inf"]}, [1, 3, 4], [2, 4, 5], [bad_before])
    rows = schema.parse(chunk)
    assert rows.cells.tolist() == [[1, 4]]
    assert list(rows.rows) == [1]
    assert rows.bad == [
        bad_before,
        BadRow(3, 4, "column 'x': 'a' is not a number", '{"x": "a", "y": "b"}'),
        BadRow(4, 5, "column 'y': 'inf' is not a finite number", '{"x": "3", "y": "inf"}'),
    ]


def test_a_column_that_a_chunk_lacks_is_missing() -> None:
    rows = Schema({"x": "number", "c": "category"}).parse(a_chunk(x=[1]))
    assert rows.cells.tolist() == [[1.0, None]]


def test_unseen_and_lacking_columns_are_refused() -> None:
    schema = Schema({"x": "number"})
    with pytest.raises(InputError, match=r"column 'y' that the model does not know.*--ignore y"):
        schema.check(a_chunk(x=["1"], y=["2"]))
    with pytest.raises(InputError, match=r"no column 'x': it has 'z'"):
        Schema({"x": "number", "z": "number"}).check(a_chunk(z=["1"]))
    Schema({"x": "number", "z": "ignore"}).check(a_chunk(x=["1"]))


@pytest.mark.parametrize(
    ("read", "cell", "reason"),
    [
        (numbers, "12_000", "'12_000' is not a number"),
        (numbers, "1e999", "not a finite number"),
        (numbers, 10**400, "is not a number"),
        (numbers, True, "True is not a number"),
        (numbers, [1], "is not a number"),
        (numbers, np.inf, "inf is not a finite number"),
        (labels, "x" * 1001, "a category of 1,001 characters"),
        (labels, "a\0b", "is not UTF-8 text"),
        (labels, "\udcff", "is not UTF-8 text"),
        (labels, {"a": 1}, "a nested value"),
        (labels, np.inf, "not a finite number"),
        (booleans, "maybe", "'maybe' is neither true nor false"),
        (booleans, 2, "2 is neither true nor false"),
        (booleans, [1], "neither true nor false"),
        (timestamps, "noon", "'noon' is not an ISO 8601 time"),
        (timestamps, 1.7e15, "not a time in seconds or milliseconds since 1970"),
        (timestamps, [], "not an ISO 8601 time"),
    ],
)
def test_what_cannot_be_read_says_why(read: object, cell: object, reason: str) -> None:
    for column in ([cell], ["", cell, ""], [cell, cell]):
        typed = read(column)  # type: ignore[operator]
        place = column.index(cell)
        assert reason in typed.faults[place]
        assert len(typed.faults) == column.count(cell)


def test_mixed_json_cells_are_read_by_the_kind() -> None:
    assert numbers([1, "2", None, " 3 ", "NaN"]).cells.tolist()[:2] == [1, 2]
    assert labels(["a", 1, 1.0, 2.5, True, None]).cells.tolist() == ["a", "1", "1", "2.5", "true", None]
    assert booleans([True, 0, "1", "No", None]).cells.tolist() == [True, False, True, False, None]
    assert timestamps([0, "60", "1970-01-01"]).cells.tolist() == [0, 60, 0]


def test_arrays_are_read_by_the_kind() -> None:
    assert numbers(np.array([True, False])).cells.tolist() == [1, 0]
    assert labels(np.array([1.0, np.nan])).cells.tolist() == ["1", None]
    assert booleans(np.array([True, False])).cells.tolist() == [True, False]
    assert numbers(np.array([1.0, -np.inf])).faults == {1: "-inf is not a finite number"}
    typed = timestamps(np.array(["1970-01-01T00:01", "NaT"], dtype="datetime64[ns]"))
    assert typed.cells[0] == 60
    assert np.isnan(typed.cells[1])


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_comes_through_text_to_the_bit(value: float) -> None:
    assert numbers([repr(value), ""]).cells[0] == value


@given(st.datetimes())
@example(datetime.max)
@example(datetime.min)
def test_a_time_comes_through_iso_text(moment: object) -> None:
    typed = timestamps([moment.isoformat()])  # type: ignore[attr-defined]
    assert not typed.faults
    assert typed.cells[0] == pytest.approx(
        np.datetime64(moment).astype("datetime64[us]").astype(np.int64) / 1e6, abs=1e-4
    )


names = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"),
    min_size=1,
    max_size=8,
)


@given(st.dictionaries(names, st.sampled_from(KINDS), min_size=1))
def test_a_schema_comes_through_toml(tmp_path_factory: pytest.TempPathFactory, kinds: dict[str, str]) -> None:
    schema = Schema(kinds)  # type: ignore[arg-type]
    path = tmp_path_factory.mktemp("schema") / "schema.toml"
    path.write_text(schema.to_toml(), encoding="utf-8")
    again = Schema.from_toml(path)
    assert list(again.kinds.items()) == list(schema.kinds.items())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"columns = [", "is not TOML"),
        (b"\xff\xfe", "is not TOML"),
        (b"x = " + b"[" * 10_000, "is not TOML"),
        (b"x = " + b"{a = " * 10_000, "is not TOML"),
        (b"", r"must have one table, \[columns\]"),
        (b"[columns]\n", r"must have one table, \[columns\]"),
        (b"[cols]\nx = 'number'\n", r"must have one table, \[columns\]"),
        (b"[columns]\nx = 'integer'\n", "gives column 'x' the kind 'integer': choose from number, category"),
        (b"[columns]\nx = 3\n", "gives column 'x' the kind 3"),
        (b"[columns]\nx = ['number']\n", "gives column 'x' the kind"),
        (b"[columns]\n'' = 'number'\n", "gives column 1 no name"),
    ],
)
def test_a_schema_file_that_will_not_do_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "schema.toml"
    path.write_bytes(content)
    with pytest.raises(InputError, match=said):
        Schema.from_toml(path)


def test_a_schema_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        Schema.from_toml(tmp_path / "none.toml")


EPOCHS = [1735689600, 1735689600000, 99_999_999_999]


@pytest.mark.parametrize(
    "column",
    [EPOCHS, list(map(float, EPOCHS)), list(map(str, EPOCHS)), np.array(EPOCHS), np.array(EPOCHS, dtype=float)],
)
def test_epochs_are_read_in_seconds_and_in_milliseconds(column: Column) -> None:
    assert timestamps(column).cells.tolist() == [1735689600, 1735689600, 99_999_999_999]


def test_fractions_of_seconds_are_kept() -> None:
    assert timestamps(["2025-01-01 00:00:00.250", "1735689600250"]).cells.tolist() == [1735689600.25] * 2
