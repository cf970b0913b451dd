"""The command line and Python read the same cells alike: the same kinds, the same typed cells, the same bits."""

from __future__ import annotations

import csv
import json
import math
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genreplay import OnlineRBMDetector, TableRBM
from genreplay.streams import TableEncoder, columns
from genreplay.streams.cells import Kind
from genreplay.streams.chunks import Chunk
from genreplay.streams.readers import open_rows
from genreplay.streams.schema import Schema, TypedRows

Bits = npt.NDArray[np.float32]
TEXTS = ["NA", "?", "yes", " red ", "1_000", "n/a", "", " 3 ", "TRUE", "2024-05-01 12:30", "1e3", "inf", "no", "0"]
VALUES = [None, math.nan, True, 3, 3.0, False, 2.5, 0]
KINDS: list[Kind] = ["number", "category", "boolean", "timestamp"]
HOMES = {"number": "7", "category": "blue", "boolean": "false", "timestamp": "2024-05-02 08:00"}
"""a cell that every column of the kind takes"""


def a_csv(cells: list[str]) -> Chunk:
    text = StringIO()
    csv.writer(text).writerows([["x", "row"], *([cell, "a"] for cell in cells)])  # a second cell: no line is blank
    return chunk_of(text.getvalue(), "csv")


def an_ndjson(cells: list[Any]) -> Chunk:
    return chunk_of("".join(json.dumps({"x": cell}) + "\n" for cell in cells), "ndjson")


def chunk_of(text: str, form: Any) -> Chunk:
    chunk = list(open_rows(BytesIO(text.encode()), form))[-1]
    return chunk._replace(columns={"x": chunk.columns["x"]})


def command_line(chunk: Chunk, kind: Kind | None = None) -> tuple[Kind, TypedRows]:
    schema = Schema.infer([chunk], Schema({"x": kind}) if kind else None)
    return schema.kinds["x"], schema.parse(chunk)  # type: ignore[return-value]


def same(a: Any, b: Any) -> bool:
    return type(a) is type(b) and (a == b or (a != a and b != b))


def assert_alike(cells: list[Any], chunk: Chunk, kind: Kind | None = None) -> None:
    """Compare what the command line makes of a chunk with what Python makes of its cells in all their containers."""
    inferred, rows = command_line(chunk, kind)
    kept = [row - 1 for row in rows.rows]
    bad = sorted(set(range(len(cells))) - set(kept))
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    assert kind is not None or columns.kind_of(column) == inferred
    typed = columns.READERS[inferred](column)
    assert sorted(typed.faults) == bad
    assert all(map(same, typed.cells[kept].tolist(), rows.cells[:, 0].tolist()))
    given = {0: kind} if kind else None
    if bad:
        with pytest.raises((ValueError, TypeError), match=f"Column 'x0', row {bad[0]} of this chunk: "):
            TableEncoder(kinds=given).fit(column.reshape(-1, 1))
    if not kept:
        return
    by_schema = TableEncoder(kinds={0: inferred}).fit(rows.cells)
    expected = by_schema.codes(rows.cells)
    good = column[kept].reshape(-1, 1)
    forms: list[Any] = [good, good.tolist(), pd.DataFrame(good).set_axis(["x0"], axis=1)]
    if {type(cell) for cell in good.ravel()} <= {str, type(None)}:
        forms.append(pl.DataFrame({"x0": good.ravel().tolist()}))
    for form in forms:
        encoder = TableEncoder(kinds={0: inferred}).fit(form)
        assert encoder.state()["codes"] == by_schema.state()["codes"]
        assert np.array_equal(encoder.codes(form), expected)
        if not bad:
            free = TableEncoder(kinds=given).fit(form)
            assert free.kinds_ == [inferred]
            assert np.array_equal(free.codes(form), expected)
    one_by_one = np.stack([by_schema.codes_one([cell]) for cell in good.ravel()])
    assert np.array_equal(one_by_one, expected)


@pytest.mark.parametrize("kind", [None, *KINDS])
@pytest.mark.parametrize("text", TEXTS)
def test_a_text_in_a_csv_file_is_what_it_is_in_python(text: str, kind: Kind | None) -> None:
    for cells in ([text], [text, HOMES.get(kind or "", "blue")], [*["5"] * 30, text], [text, *["true"] * 5]):
        assert_alike(cells, a_csv(cells), kind)


@pytest.mark.parametrize("kind", [None, *KINDS])
@pytest.mark.parametrize("value", [*TEXTS, *VALUES], ids=repr)
def test_a_value_in_json_is_what_it_is_in_python(value: object, kind: Kind | None) -> None:
    for cells in ([value], [value, HOMES.get(kind or "", "blue")], [*[5] * 30, value], [value, *[True] * 5]):
        assert_alike(cells, an_ndjson(cells), kind)


def small_detector(encoder: TableEncoder | None = None) -> OnlineRBMDetector:
    return OnlineRBMDetector(encoder, TableRBM(4, batch_size=10), warm_up=50, random_state=0)


REFUSED = "refused"
TIME = datetime(2024, 5, 1, 12, 30, tzinfo=UTC).timestamp()
THE_RULES: list[tuple[object, list[object]]] = [
    ("NA", [math.nan, None, None, math.nan]),
    ("?", [math.nan, None, None, math.nan]),
    (" Null ", [math.nan, None, None, math.nan]),
    ("", [math.nan, None, None, math.nan]),
    (None, [math.nan, None, None, math.nan]),
    (math.nan, [math.nan, None, None, math.nan]),
    (3, [3.0, "3", REFUSED, 3.0]),
    (3.0, [3.0, "3", REFUSED, 3.0]),
    (" 3 ", [3.0, "3", REFUSED, 3.0]),
    ("1e3", [1000.0, "1e3", REFUSED, 1000.0]),
    ("1_000", [REFUSED, "1_000", REFUSED, REFUSED]),
    (" red ", [REFUSED, "red", REFUSED, REFUSED]),
    (True, [REFUSED, "true", True, REFUSED]),
    ("TRUE", [REFUSED, "TRUE", True, REFUSED]),
    ("yes", [REFUSED, "yes", True, REFUSED]),
    ("No", [REFUSED, "No", False, REFUSED]),
    ("1", [1.0, "1", True, 1.0]),
    (0, [0.0, "0", False, 0.0]),
    ("2024-05-01 12:30", [REFUSED, "2024-05-01 12:30", REFUSED, TIME]),
    (math.inf, [REFUSED, REFUSED, REFUSED, REFUSED]),
    ("inf", [REFUSED, "inf", REFUSED, REFUSED]),
]
"""the table of ``genreplay.streams.columns``"""


@pytest.mark.parametrize(("cell", "values"), THE_RULES, ids=repr)
def test_the_rules_are_those_of_the_table(cell: object, values: list[object]) -> None:
    for kind, value in zip(KINDS, values, strict=True):
        typed = columns.READERS[kind]([cell])
        assert bool(typed.faults) == (value is REFUSED)
        assert value is REFUSED or same(typed.cells.tolist()[0], value)


@pytest.mark.parametrize("kind", [None, *KINDS])
def test_all_cells_in_one_column_are_alike(kind: Kind | None) -> None:
    assert_alike(TEXTS, a_csv(TEXTS), kind)
    assert_alike([*TEXTS, *VALUES], an_ndjson([*TEXTS, *VALUES]), kind)


texts = st.sampled_from([*TEXTS, "1", "2.5", "true", "false", "blue", "2024-05-02T08:00Z"]) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\r\n"), max_size=6
)
text_columns = (
    st.lists(texts, min_size=1, max_size=40)
    | st.lists(st.floats().map(repr) | texts.filter(lambda text: len(text) < 3), min_size=1, max_size=40)
    | st.tuples(st.lists(st.integers(-9, 9).map(str), min_size=30, max_size=40), st.lists(texts, max_size=2)).map(
        lambda parts: [*parts[0], *parts[1]]
    )
    | st.lists(st.datetimes().map(str) | st.just(""), min_size=1, max_size=40)
)


@settings(deadline=None)
@given(text_columns, st.none() | st.sampled_from(KINDS))
def test_any_column_of_text_is_alike(cells: list[str], kind: Kind | None) -> None:
    assert_alike(cells, a_csv(cells), kind)


json_cells = st.none() | st.booleans() | st.floats() | st.integers() | texts


@settings(deadline=None)
@given(st.lists(json_cells, min_size=1, max_size=40), st.none() | st.sampled_from(KINDS))
def test_any_column_of_json_is_alike(cells: list[object], kind: Kind | None) -> None:
    assert_alike(cells, an_ndjson(cells), kind)


# whole tables


def people(n: int = 80) -> list[list[str]]:
    rng = np.random.default_rng(0)
    return [
        [
            str(rng.choice(["21", " 35 ", "48.5", "NA", "1e2"])),
            str(rng.choice([" red ", "red", "blue", "?", "1_000"])),
            str(rng.choice(["yes", "no", ""])),
            str(rng.choice(["TRUE", "false", "n/a"])),
            str(rng.choice(["2024-05-01 12:30", "2024-05-02T08:00:00+02:00", "null"])),
        ]
        for _ in range(n)
    ]


def test_a_detector_learns_the_same_from_a_file_and_in_python() -> None:
    rows = people()
    text = StringIO()
    csv.writer(text).writerows([["age", "colour", "paid", "member", "when"], *rows])
    _, chunk = open_rows(BytesIO(text.getvalue().encode()), "csv")
    schema = Schema.infer([chunk])
    expected = ["number", "category", "category", "boolean", "timestamp"]
    assert list(schema.kinds.values()) == expected
    from_file = small_detector(TableEncoder(kinds=schema.kinds_by_place))
    in_python = small_detector()
    typed = schema.parse(chunk)
    assert not typed.bad
    scores = from_file.learn_scored(typed.cells)
    np.testing.assert_array_equal(in_python.learn_scored(rows), scores)
    assert in_python.encoder_.kinds_ == expected
    assert in_python.encoder_.state()["codes"] == from_file.encoder_.state()["codes"]
    np.testing.assert_array_equal(in_python.encoder_.transform(rows), from_file.encoder_.transform(typed.cells))


def test_river_reads_cells_by_the_same_rules() -> None:
    pytest.importorskip("river")
    from genreplay.estimators.river import RBMDetector

    rows = people()
    detector = RBMDetector(small_detector())
    for row in rows:
        detector.learn_one(dict(enumerate(row)))
    encoder = TableEncoder().fit(rows[:50])
    assert detector._started is not None
    assert detector._started.encoder_.kinds_ == encoder.kinds_
    assert detector._started.encoder_.state()["codes"] == encoder.state()["codes"]


def test_river_takes_a_strange_cell_among_numbers_as_missing() -> None:
    pytest.importorskip("river")
    from genreplay.estimators.river import RBMDetector

    detector = RBMDetector(small_detector())
    for i in range(60):
        detector.learn_one({"x": "fast" if i in (7, 55) else str(i), "y": [] if i == 9 else math.inf if i == 8 else i})
    assert detector._started is not None
    assert detector._started.encoder_.kinds_ == ["number", "number"]


@pytest.mark.parametrize("n_first", [1, 20, 49])
def test_a_warm_up_saved_in_the_middle_reads_its_rows_as_it_would_have(n_first: int, tmp_path: Path) -> None:
    mixed = [[*row, i, date(2024, 5, 1 + i % 9), "NA"] for i, row in enumerate(people(60))]
    straight = small_detector().partial_fit(mixed)
    small_detector().partial_fit(mixed[:n_first]).save(tmp_path / "model")
    again = OnlineRBMDetector.load(tmp_path / "model").partial_fit(mixed[n_first:])
    assert again.encoder_.state() == straight.encoder_.state()
    assert again.encoder_.kinds_[5:] == ["number", "timestamp", "category"]
    np.testing.assert_array_equal(again.score_samples(mixed), straight.score_samples(mixed))


# kinds that types declare


def test_declared_categories_and_times_keep_their_kind_when_saved_in_the_warm_up() -> None:
    frame = pd.DataFrame(
        {
            "grade": pd.Categorical(["1", "2", None]),
            "level": pd.Categorical([1, 2, 1]),
            "when": pd.Series([None] * 3, dtype="datetime64[ns]"),
            "age": ["1", "2", "NA"],
        }
    )
    encoder = TableEncoder(warm_up=10).partial_fit(frame)
    again = TableEncoder.from_state(json.loads(json.dumps(encoder.state(), allow_nan=False))).freeze()
    assert again.kinds_ == ["category", "category", "timestamp", "number"]
    assert again.state() == encoder.freeze().state()
    later = frame.assign(when=pd.Timestamp("2024-05-01 12:30"))
    assert again.codes(later)[0, 2] != again.missing_codes_[2]


def test_categories_of_a_parquet_file_are_those_of_its_data_frame(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"grade": pd.Categorical(["1", "2", None]), "level": pd.Categorical([1, 2, 1])})
    frame["when"] = pd.to_datetime(["2024-05-01 12:30", None, "2024-05-02 08:00"])
    frame.to_parquet(tmp_path / "x.parquet")
    frame = pd.read_parquet(tmp_path / "x.parquet")
    _, chunk = open_rows(tmp_path / "x.parquet")
    schema = Schema.infer([chunk])
    encoder = TableEncoder().fit(frame)
    kinds = ["category", "number", "timestamp"]  # pandas writes categories of numbers as numbers
    assert list(schema.kinds.values()) == encoder.kinds_ == kinds
    rows = schema.parse(chunk)
    by_schema = TableEncoder(kinds=schema.kinds_by_place).fit(rows.cells)
    np.testing.assert_array_equal(by_schema.transform(rows.cells), encoder.transform(frame))


PYTHON_CELLS = [
    (np.int64(3), "number", 3.0),
    (np.float32(0.5), "number", 0.5),
    (Decimal("2.5"), "number", 2.5),
    (Decimal("NaN"), "number", math.nan),
    (timedelta(minutes=1), "number", 60.0),
    (np.timedelta64(1, "m"), "number", 60.0),
    (np.timedelta64("NaT"), "number", math.nan),
    (pd.NA, "number", math.nan),
    (pd.NaT, "timestamp", math.nan),
    (np.datetime64("NaT"), "timestamp", math.nan),
    (np.datetime64("1970-01-02"), "timestamp", 86400.0),
    (datetime(1970, 1, 1, 0, 1), "timestamp", 60.0),
    (date(1970, 1, 2), "timestamp", 86400.0),
    (pd.Timestamp("1970-01-01 01:00+01:00"), "timestamp", 0.0),
    (np.datetime64("1970-01-02"), "category", "1970-01-02T00:00:00+00:00"),
    (Decimal(3), "category", "3"),
    (np.bool_(True), "boolean", True),
    (np.bool_(True), "category", "true"),
    (np.str_(" red "), "category", "red"),
    (Decimal(1), "boolean", True),
]


@pytest.mark.parametrize(("cell", "kind", "value"), PYTHON_CELLS, ids=repr)
def test_cells_that_only_python_has_are_understood(cell: object, kind: Kind, value: object) -> None:
    typed = columns.READERS[kind]([cell])
    assert not typed.faults
    assert same(typed.cells.tolist()[0], value)
    column = np.empty((2, 1), dtype=object)
    column[:, 0] = [cell, None]
    bits = TableEncoder(kinds={0: kind}).fit(column).transform(column)
    assert np.array_equal(TableEncoder(kinds={0: kind}).fit([[value], [None]]).transform([[value], [None]]), bits)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "cell", [[1], {"a": 1}, b"x", 1j, np.array([1, 2]), object()], ids=lambda cell: type(cell).__name__
)
def test_what_is_not_a_cell_is_refused_by_every_kind(cell: object, kind: Kind) -> None:
    assert list(columns.READERS[kind]([cell]).faults) == [0]
    assert columns.kind_of([cell]) == "category"


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8, bool])
@pytest.mark.parametrize("kind", KINDS)
def test_an_array_is_read_as_its_cells_are(dtype: Any, kind: Kind) -> None:
    array = np.array([0, 1, 1, 0]).astype(dtype)
    typed, cells = columns.READERS[kind](array), columns.READERS[kind](array.tolist())
    if dtype is bool and kind == "number":  # NumPy's bools count as 0 and 1; true among numbers is refused
        assert typed.cells.tolist() == [0, 1, 1, 0]
        return
    assert typed.faults == cells.faults
    assert all(map(same, typed.cells.tolist(), cells.cells.tolist()))


# refused cells in the warm-up


def test_one_text_among_many_numbers_is_refused_and_named() -> None:
    rows = [[str(i)] for i in range(40)]
    rows[33] = ["old"]
    words = r"Column 'x0', row 33 of this chunk: 'old' is not a number\. The column is a number by its other cells"
    with pytest.raises(ValueError, match=words):
        TableEncoder().fit(rows)
    encoder = TableEncoder(warm_up=40).partial_fit(rows[:30])
    with pytest.raises(ValueError, match="row 3 of this chunk: 'old'"):
        encoder.partial_fit(rows[30:])
    assert encoder.n_waiting_ == 30
    encoder.partial_fit(rows[30:39])
    with pytest.raises(ValueError, match="row 33 of the warm-up: 'old'"):
        encoder.partial_fit(rows[39:])
    with pytest.raises(ValueError, match="row 33 of the warm-up: 'old'"):
        encoder.freeze()
    encoder.set_params(kinds={0: "category"}).partial_fit(rows[39:])
    assert encoder.kinds_ == ["category"]


def test_a_row_refused_right_after_the_warm_up_leaves_the_detector_in_it() -> None:
    rows: list[list[Any]] = [[float(i)] for i in range(60)]
    model = small_detector().partial_fit(rows[:40])
    with pytest.raises(ValueError, match="row 15 of this chunk: 'old' is not a number"):
        model.partial_fit([*rows[40:55], ["old"]])
    assert model.n_waiting_ == 40
    straight = small_detector().partial_fit(rows)
    np.testing.assert_array_equal(model.partial_fit(rows[40:]).score_samples(rows), straight.score_samples(rows))
