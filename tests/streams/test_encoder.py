"""TableEncoder: its manners, its input, its warm-up and its state. What its codes say is in test_codes.py."""

import json
import math
import pickle
import re
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import check_estimator

from genreplay.streams import TableEncoder
from genreplay.streams.chunks import short
from genreplay.streams.features import read_table

WHEN = datetime(2024, 3, 5, 13, 10, tzinfo=UTC)  # a Tuesday
MIXED = [
    [21.5, "red", True, WHEN],
    [35.0, "blue", False, None],
    [None, "red", None, datetime(2024, 3, 9, 23, 59, tzinfo=UTC)],
    [48.25, None, True, datetime(2024, 3, 10, tzinfo=UTC)],
]

finite = st.floats(allow_nan=False, allow_infinity=False)
texts = st.sampled_from(["red", " blue ", "1", "", "?", "TRUE", "2024-05-01 12:30"])
cells = st.none() | st.booleans() | finite | texts | st.datetimes()
tables = st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(cells, min_size=n, max_size=n), min_size=1, max_size=30))


def same(a: object, b: object) -> bool:
    return a == b or (a != a and b != b)


@pytest.mark.parametrize(
    "encoder",
    [TableEncoder(), TableEncoder(combinations=False, n_bins=1, max_categories=1, time_bins=1, warm_up=3)],
    ids=["defaults", "small"],
)
def test_the_checks_of_scikit_learn_pass(encoder: TableEncoder) -> None:
    results = check_estimator(encoder, on_skip=None)
    assert {r["check_name"] for r in results if r["status"] != "passed"} <= {"check_array_api_input"}  # needs torch
    assert not any(r["expected_to_fail"] for r in results)


# kinds and input


def test_kinds_are_those_that_the_cells_show() -> None:
    rows = [[1, "1", True, WHEN, "a", None, 1], [2.5, "2", False, None, 3, None, True]]
    kinds = ["number", "number", "boolean", "timestamp", "category", "category", "category"]
    assert TableEncoder().fit(rows).kinds_ == kinds


def test_given_kinds_go_before_what_the_cells_show() -> None:
    encoder = TableEncoder(kinds={0: "number", 1: "category"}).fit([["1.5", 0], ["", 1], ["2.5", 1]])
    assert encoder.kinds_ == ["number", "category"]
    assert encoder.codes([["", 1]]).tolist() == [[encoder.missing_codes_[0], 0]]


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        ({"x": "numbers"}, "Got 'numbers' for 'x'"),
        ({"z": "number"}, "has 'z', but the columns are x"),
        ({1: "number"}, "has 1"),
    ],
)
def test_wrong_kinds_are_named(kinds: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        TableEncoder(kinds=kinds).fit(pd.DataFrame({"x": [1, 2]}))


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("number", math.inf, r"Column 'x', row 1 of this chunk: inf is not a finite number\. .* infinity"),
        ("number", "abc", "row 1 of this chunk: 'abc' is not a number"),
        ("number", True, "row 1 of this chunk: True is not a number"),
        ("number", WHEN, "row 1 of this chunk: datetime.*is not a number"),
        ("category", "a" * 1001, "row 1 of this chunk: a category of 1,001 characters"),
        ("boolean", 2, "row 1 of this chunk: 2 is neither true nor false"),
        ("timestamp", "yesterday", "row 1 of this chunk: 'yesterday' is not an ISO 8601 time"),
    ],
)
def test_a_cell_that_cannot_be_read_is_named_and_changes_nothing(kind: Any, value: object, words: str) -> None:
    good = pd.DataFrame({"x": [None]}, dtype=object)
    bad = pd.DataFrame({"x": [None, value]}, dtype=object)
    encoder = TableEncoder(kinds={"x": kind}).partial_fit(good)
    before = encoder.state()
    with pytest.raises(ValueError, match=words):
        encoder.partial_fit(bad)
    assert encoder.state() == before
    with pytest.raises(ValueError, match=words):
        encoder.freeze().transform(bad)


@pytest.mark.parametrize("cell", [10**400, 1e300, "1e300", 2**63, "9" * 400, 253402300801], ids=short)
def test_a_number_that_is_no_time_is_refused_in_a_column_of_times(cell: object) -> None:
    times = [["2024-01-01T00:00"], ["2024-01-02T12:00"]] * 3
    encoder = TableEncoder(warm_up=5, kinds={0: "timestamp"}).fit(times)
    with pytest.raises(ValueError, match=r"row 0 of this chunk: .* is not a"):
        encoder.transform([[cell]])
    with pytest.raises(ValueError, match=r"row 6 of this chunk: .* is not a"):
        TableEncoder(warm_up=5, kinds={0: "timestamp"}).fit([*times, [cell]])


@pytest.mark.parametrize("cell", [10**400, -(10**400)], ids=short)
def test_a_whole_number_that_no_float_can_hold_is_named(cell: int) -> None:
    encoder = TableEncoder(warm_up=5).fit([[1.0], [2.0], [3.0]] * 2)
    for method in (encoder.transform, encoder.fit, TableEncoder(warm_up=5).partial_fit):
        with pytest.raises(ValueError, match=r"Column 'x0', row 1 of this chunk: -?10+ is not a number that a float"):
            method([[1.0], [cell]])


def test_infinity_is_refused_in_plain_arrays_too() -> None:
    column = np.array([[1.0], [-np.inf]])
    with pytest.raises(ValueError, match=r"'x0', row 1 of this chunk: -inf is not a finite number\. .* infinity"):
        TableEncoder().fit(column)
    with pytest.raises(ValueError, match="infinity"):
        TableEncoder().fit([[1.0]]).transform(column)


def test_a_cell_that_is_no_cell_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Column 'x0', row 1 of this chunk: a nested value, \{'a': 1\}"):
        TableEncoder().fit([[1.0], [{"a": 1}]])


@pytest.mark.parametrize(("name", "most"), [("n_bins", 243), ("max_categories", 253), ("time_bins", 254)])
def test_no_group_has_more_codes_than_a_byte_can_tell(name: str, most: int) -> None:
    def table(n: int) -> list[list[object]]:
        return [[float(i), f"label {i}", WHEN] for i in range(n)]

    assert TableEncoder(**{name: most}).fit(table(most + 1)).group_sizes_.max() == 255
    with pytest.raises(
        ValueError, match=rf"'{name}' parameter of TableEncoder must be .* \[1, {most}\]\. Got {most + 1}"
    ):
        TableEncoder(**{name: most + 1}).fit(table(1))
    waiting = TableEncoder().partial_fit(table(most + 2)).set_params(**{name: most + 1})
    with pytest.raises(ValueError, match=r"can have 255 codes\. Got 256"):
        waiting.freeze()


def test_a_refused_fit_leaves_the_encoder_as_it_was() -> None:
    encoder = TableEncoder().fit([[1.0], [2.0]])
    before = encoder.state()
    with pytest.raises(ValueError, match="infinity"):
        encoder.fit([[1.0, math.inf]])
    assert encoder.state() == before
    assert encoder.n_features_in_ == 1


def frames() -> tuple[pd.DataFrame, pl.DataFrame]:
    when = pd.Series([WHEN, None, WHEN])
    pandas = pd.DataFrame(
        {
            "age": pd.array([1, None, 3], dtype="Int64"),
            "weight": [1.5, np.nan, 2.5],
            "member": pd.array([True, None, False], dtype="boolean"),
            "sure": [True, False, True],
            "colour": pd.Categorical(["red", None, "blue"]),
            "grade": pd.Categorical([1, 2, 1]),
            "text": ["a", None, "b"],
            "when": when,
            "local": when.dt.tz_convert("Asia/Tokyo"),
        }
    )
    polars = pl.DataFrame(
        {
            "age": [1, None, 3],
            "weight": [1.5, None, 2.5],
            "member": [True, None, False],
            "sure": [True, False, True],
            "colour": pl.Series(["red", None, "blue"], dtype=pl.Categorical),
            "grade": pl.Series(["1", "2", "1"], dtype=pl.Enum(["1", "2"])),
            "text": ["a", None, "b"],
            "when": [WHEN, None, WHEN],
            "local": pl.Series([WHEN, None, WHEN]).dt.convert_time_zone("Asia/Tokyo"),
        }
    )
    return pandas, polars


def test_pandas_and_polars_columns_keep_their_kinds_and_agree() -> None:
    pandas, polars = frames()
    encoder = TableEncoder().fit(pandas)
    kinds = ["number"] * 2 + ["boolean"] * 2 + ["category"] * 3 + ["timestamp"] * 2
    assert encoder.kinds_ == kinds
    assert encoder.column_names_ == list(pandas.columns)
    codes = encoder.codes(pandas)
    assert np.array_equal(codes, encoder.codes(polars))
    assert encoder.state() == TableEncoder().fit(polars).state()
    rows = np.stack([pandas[name].astype(object) for name in pandas], axis=1)
    with pytest.warns(UserWarning, match="valid feature names"):
        assert np.array_equal(codes, encoder.codes(rows))
    unnamed = TableEncoder().fit(rows)
    for column in (0, 1, 2, 3, 4, 6, 7, 8):  # the labels of column 5 are numbers where nothing declares them
        groups = encoder.column_of_group_ == column
        assert np.array_equal(codes[:, groups], unnamed.codes(rows)[:, unnamed.column_of_group_ == column])


def test_output_can_be_a_data_frame() -> None:
    pandas, _ = frames()
    encoder = TableEncoder().fit(pandas).set_output(transform="pandas")
    assert encoder.transform(pandas).columns.tolist() == encoder.get_feature_names_out().tolist()


def test_groups_know_their_columns_and_bits_their_groups() -> None:
    encoder = TableEncoder().fit(MIXED)
    names = encoder.get_feature_names_out(["age", "colour", "member", "when"])
    assert encoder.column_of_group_.tolist() == [0, 1, 2, 3, 3]
    assert encoder.group_sizes_.tolist() == [14, 4, 3, 25, 8]
    missing = names[np.cumsum(encoder.group_sizes_) - encoder.group_sizes_ + encoder.missing_codes_]
    assert missing.tolist() == ["age=?", "colour=?", "member=?", "when time=?", "when day=?"]
    assert encoder.unseen_codes_.tolist() == [-1, 2, -1, -1, -1]
    columns = np.array(["age", "colour", "member", "when"])[encoder.column_of_bit_]
    assert all(map(str.startswith, names, columns))
    assert len(names) == len(encoder.far_of_code_) == encoder.group_sizes_.sum()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8, "bool"])
def test_bits_have_the_asked_number_type(dtype: Any) -> None:
    assert TableEncoder(dtype=dtype).fit(MIXED).transform(MIXED).dtype == dtype


@given(tables, st.data())
@settings(max_examples=50)
def test_a_row_has_the_same_codes_alone(rows: list[list[object]], data: st.DataObject) -> None:
    encoder = TableEncoder()
    try:
        codes = encoder.fit(rows).codes(rows)
    except ValueError:  # one text among many numbers
        return
    assert np.array_equal(np.stack([encoder.codes_one(row) for row in rows]), codes)
    row = [data.draw(cells) for _ in rows[0]]
    try:
        expected = encoder.codes([row])[0]
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            encoder.codes_one(row)
        return
    assert np.array_equal(encoder.codes_one(row), expected)


@pytest.mark.parametrize("row", [[1.5, 2.5, 1e300], [1, np.float32(2), "3"], [None, 1.0, math.nan], ["", "NA", -1e308]])
def test_one_row_of_numbers_is_read_as_a_table_is(row: list[object]) -> None:
    encoder = TableEncoder().fit(np.random.default_rng(0).normal(size=(200, 3)))
    assert len(encoder.group_sizes_) == 6
    assert np.array_equal(encoder.codes_one(row), encoder.codes([row])[0])
    with pytest.raises(ValueError, match="'x1', row 0 of this chunk: inf is not a finite number"):
        encoder.codes_one([row[0], math.inf, row[2]])
    with pytest.raises(ValueError, match=r"has 3 cells\. Got 2"):
        encoder.codes_one(row[:2])


def test_a_table_that_was_read_before_is_not_checked_again() -> None:
    encoder = TableEncoder().fit(MIXED)
    assert np.array_equal(encoder.codes(read_table(MIXED)), encoder.codes(MIXED))


def test_a_long_table_has_the_bits_of_its_rows() -> None:
    rows = np.random.default_rng(0).normal(size=(2501, 5))
    encoder = TableEncoder().fit(rows)
    parts = [encoder.codes(rows[start : start + 100]) for start in range(0, 2501, 100)]
    assert np.array_equal(encoder.codes(rows), np.concatenate(parts))


def test_bits_of_a_wrong_width_are_refused() -> None:
    with pytest.raises(ValueError, match=r"have 13 bits\. Got 3"):
        TableEncoder().fit([[1.0], [2.0]]).inverse_transform([[1, 0, 0]])


# the warm-up


def test_codes_come_from_exactly_the_first_rows_and_then_stand() -> None:
    stream = np.random.default_rng(0).normal(size=(100, 3))
    encoder = TableEncoder(warm_up=40)
    for chunk in np.split(stream, [7, 33, 60]):
        encoder.partial_fit(chunk)
    assert encoder.frozen_
    assert encoder.n_waiting_ == 0
    assert encoder.state()["codes"] == TableEncoder().fit(stream[:40]).state()["codes"]


def test_before_the_codes_stand_nothing_can_be_encoded() -> None:
    encoder = TableEncoder(warm_up=5)
    with pytest.raises(NotFittedError, match="0 of warm_up=5 rows"):
        encoder.transform([[1.0]])
    with pytest.raises(NotFittedError, match="no rows"):
        encoder.freeze()
    encoder.partial_fit([[1.0], [2.0]])
    methods = (encoder.transform, encoder.codes, encoder.codes_one, encoder.inverse_transform, encoder.decode)
    for method in (*methods, encoder.relearn, encoder.outside, encoder.values_of_codes):
        with pytest.raises(NotFittedError, match="2 of warm_up=5 rows"):
            method([[1.0]])
    assert encoder.freeze().transform([[1.0]]).shape == (1, 13)


def test_settings_changed_after_the_freeze_change_no_bit() -> None:
    encoder = TableEncoder().fit(MIXED)
    before = encoder.transform(MIXED)
    encoder.set_params(combinations=False, n_bins=2, time_bins=4, max_categories=1)
    assert np.array_equal(encoder.transform(MIXED), before)


def test_fit_starts_anew() -> None:
    encoder = TableEncoder().fit(MIXED).fit(pd.DataFrame({"x": [1.0, 2.0]}))
    assert encoder.column_names_ == ["x"]
    encoder.fit([[1.0, 2.0]])
    assert encoder.column_names_ == ["x0", "x1"]
    assert not hasattr(encoder, "feature_names_in_")


@given(tables, st.data())
@settings(max_examples=50)
def test_however_a_stream_is_cut_the_codes_are_the_same(rows: list[list[object]], data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(1, len(rows)), max_size=4)))
    warm_up = data.draw(st.integers(1, len(rows)))
    parts = [rows[a:b] for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True) if a < b]
    cut = TableEncoder(warm_up=warm_up)
    try:
        whole = TableEncoder(warm_up=warm_up).partial_fit(rows)
    except ValueError:  # one text among many numbers
        with pytest.raises(ValueError, match="is not a number"):
            [cut.partial_fit(part) for part in parts]
        return
    for part in parts:
        cut.partial_fit(part)
    assert cut.state() == whole.state()
    try:
        bits = whole.transform(rows)
    except ValueError:  # a text where the warm-up had numbers only
        return
    assert np.array_equal(cut.transform(rows), bits)


def test_a_stream_of_arrays_may_go_on_as_a_stream_of_cells() -> None:
    encoder = TableEncoder(warm_up=4).partial_fit(np.array([[1.0], [2.0]])).partial_fit([[3], [None]])
    assert encoder.state()["codes"] == TableEncoder().fit([[1.0], [2.0], [3.0]]).state()["codes"]


# state


@given(tables, st.integers(1, 40), st.booleans())
@settings(max_examples=50)
def test_a_state_gives_back_the_encoder_to_the_bit(rows: list[list[object]], warm_up: int, combinations: bool) -> None:
    encoder = TableEncoder(combinations=combinations, n_bins=3, warm_up=warm_up)
    try:
        encoder.partial_fit(rows)
    except ValueError:  # one text among many numbers
        return
    again = TableEncoder.from_state(json.loads(json.dumps(encoder.state(), allow_nan=False)))
    assert again.state() == encoder.state()
    assert again.get_params() == encoder.get_params()
    assert again.frozen_ == encoder.frozen_
    try:
        encoder.freeze()
    except ValueError:  # one text among many numbers
        with pytest.raises(ValueError, match="is not a number"):
            again.freeze()
        return
    again.freeze()
    assert again.state() == encoder.state()
    first = rows[:warm_up]
    assert np.array_equal(again.transform(first), encoder.transform(first))
    decoded, expected = (e.inverse_transform(e.transform(first)).ravel().tolist() for e in (again, encoder))
    assert all(map(same, decoded, expected))


def test_a_state_keeps_names_and_kinds() -> None:
    pandas, _ = frames()
    encoder = TableEncoder(kinds={"age": "category", 1: "number"}, dtype=np.float64).fit(pandas)
    again = TableEncoder.from_state(json.loads(json.dumps(encoder.state())))
    assert again.kinds == {"age": "category", 1: "number"}
    assert again.feature_names_in_.tolist() == encoder.feature_names_in_.tolist()
    assert np.array_equal(again.transform(pandas), encoder.transform(pandas))


def test_a_fresh_encoder_has_a_state_too() -> None:
    assert not TableEncoder.from_state(TableEncoder(n_bins=3).state()).frozen_


def test_pickle_and_clone_work() -> None:
    encoder = TableEncoder(kinds={0: "number"}).fit(MIXED)
    assert np.array_equal(pickle.loads(pickle.dumps(encoder)).transform(MIXED), encoder.transform(MIXED))
    assert not clone(encoder).frozen_


@pytest.mark.parametrize("n_columns", [1, 3, 9])
@pytest.mark.parametrize("combinations", [True, False])
def test_rows_of_numbers_have_the_same_codes_one_by_one(n_columns: int, combinations: bool) -> None:
    rng = np.random.default_rng(n_columns)
    rows = rng.normal(size=(400, n_columns)).round(1)
    encoder = TableEncoder(combinations=combinations).fit(rows)
    cuts = rows[:50].copy()
    cuts[:, 0] = np.resize(encoder._layout.codes[0].edges[:-1], 50)  # type: ignore[union-attr]
    far = rng.choice([-1e308, -1e5, -0.0, 0.0, 1e-320, 3.0, 1e5, 1e308, np.nan], size=(300, n_columns))
    every = np.vstack([rows, cuts, np.nextafter(cuts, np.inf), far])
    expected = encoder.codes(every)
    assert np.array_equal(np.stack([encoder.codes_one(row) for row in every]), expected)
    assert np.array_equal(np.stack([encoder.codes_one(row) for row in every.tolist()]), expected)


def test_whole_numbers_of_any_size_have_the_same_codes_one_by_one() -> None:
    rng = np.random.default_rng(0)
    encoder = TableEncoder().fit(rng.integers(100, size=(300, 3)))
    for row in ([5, 7, 9], [0, 7.0, None], [-1, 2**60 + 1, 2**70], [10**300, 0, 1]):
        assert np.array_equal(encoder.codes_one(row), encoder.codes(np.array([row], dtype=object))[0])
    for cell in (10**400, math.inf, -math.inf, True):
        with pytest.raises(ValueError, match="number"):
            encoder.codes_one([1, cell, 2.0])
