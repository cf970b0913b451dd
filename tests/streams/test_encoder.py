"""TableEncoder: rows of a table to bits and back."""

import json
import math
import pickle
from datetime import UTC, datetime
from itertools import pairwise
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
from genreplay.streams.codes import TAILS, cut_points

WHEN = datetime(2024, 3, 5, 13, 10, tzinfo=UTC)  # a Tuesday
MIXED = [
    [21.5, "red", True, WHEN],
    [35.0, "blue", False, None],
    [None, "red", None, datetime(2024, 3, 9, 23, 59, tzinfo=UTC)],
    [48.25, None, True, datetime(2024, 3, 10, tzinfo=UTC)],
]

finite = st.floats(allow_nan=False, allow_infinity=False)
number_columns = st.lists(finite, min_size=1, max_size=60) | st.lists(
    st.integers(-5, 5).map(float), min_size=1, max_size=60
)
texts = st.sampled_from(["red", " blue ", "1", "", "?", "TRUE", "2024-05-01 12:30"])
cells = st.none() | st.booleans() | finite | texts | st.datetimes()
tables = st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(cells, min_size=n, max_size=n), min_size=1, max_size=30))


def encode(encoder: TableEncoder, value: object) -> list[int]:
    return [int(bit) for bit in encoder.transform([[value]])[0]]


def same(a: object, b: object) -> bool:
    return a == b or (a != a and b != b)


@pytest.mark.parametrize(
    "encoder",
    [TableEncoder(), TableEncoder(numbers="onehot", categories="hashed", warm_up=3)],
    ids=["defaults", "onehot and hashed"],
)
def test_the_checks_of_scikit_learn_pass(encoder: TableEncoder) -> None:
    results = check_estimator(encoder, on_skip=None)
    assert {r["check_name"] for r in results if r["status"] != "passed"} <= {"check_array_api_input"}  # needs torch
    assert not any(r["expected_to_fail"] for r in results)


# numbers


def test_a_thermometer_has_a_bit_for_each_cut_and_one_at_each_end() -> None:
    encoder = TableEncoder(n_bins=2).fit(np.arange(100.0).reshape(-1, 1))
    names = ["x0>=0", "x0>0.5", "x0>2.5", "x0>49.5", "x0>96.5", "x0>98.5", "x0>99", "x0=?"]
    assert encoder.get_feature_names_out().tolist() == names
    assert encode(encoder, -0.5) == [0, 0, 0, 0, 0, 0, 0, 0]
    assert encode(encoder, 0) == [1, 0, 0, 0, 0, 0, 0, 0]
    assert encode(encoder, 2) == [1, 1, 0, 0, 0, 0, 0, 0]
    assert encode(encoder, 60) == [1, 1, 1, 1, 0, 0, 0, 0]
    assert encode(encoder, 99) == [1, 1, 1, 1, 1, 1, 0, 0]
    assert encode(encoder, 99.5) == [1, 1, 1, 1, 1, 1, 1, 0]
    assert encode(encoder, None) == [0, 0, 0, 0, 0, 0, 0, 1]


def test_a_onehot_code_has_a_bit_for_each_interval() -> None:
    encoder = TableEncoder(numbers="onehot", n_bins=2).fit(np.arange(100.0).reshape(-1, 1))
    inside = ["x0 in [0, 0.5]", "x0 in (0.5, 2.5]", "x0 in (2.5, 49.5]", "x0 in (49.5, 96.5]", "x0 in (96.5, 98.5]"]
    assert encoder.get_feature_names_out().tolist() == ["x0<0", *inside, "x0 in (98.5, 99]", "x0>99", "x0=?"]
    bits = encoder.transform(np.array([[-1.0], [0.0], [49.5], [50.0], [99.0], [100.0], [np.nan]]))
    assert bits.argmax(axis=1).tolist() == [0, 1, 3, 4, 6, 7, 8]
    assert (bits.sum(axis=1) == 1).all()


def test_two_different_values_need_one_bit_beside_the_tails() -> None:
    encoder = TableEncoder().fit([[3], [3], [7]])
    assert encoder.get_feature_names_out().tolist() == ["x0>=3", "x0>5", "x0>7", "x0=?"]


def test_whole_numbers_come_back_as_whole_numbers() -> None:
    column = np.random.default_rng(0).integers(0, 1000, size=(300, 1)).astype(float)
    encoder = TableEncoder().fit(column)
    decoded = encoder.inverse_transform(encoder.transform(column))
    assert decoded.dtype == np.float64
    assert set(decoded.ravel()) <= set(column.ravel())


def test_values_beyond_everything_seen_come_back_as_the_extremes() -> None:
    encoder = TableEncoder().fit([[1.0], [2.0], [4.0]])
    assert encoder.inverse_transform(encoder.transform([[-9.0], [9.0]])).ravel().tolist() == [1.0, 4.0]


def test_a_thermometer_with_gaps_is_read_by_its_number_of_ones() -> None:
    encoder = TableEncoder().fit([[1.0], [2.0], [3.0], [4.0]])
    assert encoder.inverse_transform([[0, 1, 0, 0, 1, 0]]).item() == 2.0
    assert encoder.inverse_transform([[0.9, 0.4, 0.8, 0.6, 0.1, 0.7]]).item() == 3.0


@pytest.mark.parametrize("numbers", ["thermometer", "onehot"])
def test_a_column_of_numbers_without_a_known_value_has_the_unknown_bit_only(numbers: Any) -> None:
    encoder = TableEncoder(numbers=numbers, kinds={0: "number"}).fit([[None, 1.0], [np.nan, 2.0]])
    assert encoder.column_of_bit_.tolist().count(0) == 1
    assert encoder.transform([[5.0, 1.0], [None, 1.0]])[:, 0].tolist() == [1, 1]
    assert math.isnan(encoder.inverse_transform(encoder.transform([[5.0, 1.0]]))[0, 0])


def test_names_tell_apart_cuts_that_differ_late() -> None:
    encoder = TableEncoder().fit([[1.0], [1.00000001], [1.00000002]])
    assert len(set(encoder.get_feature_names_out())) == 5


@given(number_columns, st.integers(1, 10))
def test_cut_points_leave_no_interval_empty(values: list[float], n_bins: int) -> None:
    column = np.sort(values)
    cuts = cut_points(column, n_bins)
    edges = np.array([-np.inf, *cuts, np.inf])
    assert len(cuts) <= n_bins - 1 + 2 * len(TAILS)
    assert (np.diff(edges) > 0).all()
    assert all(((column > a) & (column <= b)).any() for a, b in pairwise(edges))


@given(number_columns, st.lists(finite, min_size=1, max_size=20), st.sampled_from(["thermometer", "onehot"]))
def test_a_decoded_number_lies_in_the_same_interval(values: list[float], more: list[float], numbers: Any) -> None:
    encoder = TableEncoder(numbers=numbers, n_bins=4).fit([[v] for v in values])
    rows = np.array(values + more).reshape(-1, 1)
    bits = encoder.transform(rows)
    decoded = encoder.inverse_transform(bits)
    inside = (rows >= min(values)) & (rows <= max(values))
    assert np.array_equal(encoder.transform(decoded)[inside[:, 0]], bits[inside[:, 0]])
    assert np.array_equal(decoded[~inside], np.where(rows < min(values), min(values), max(values))[~inside])


@given(number_columns, st.lists(finite, min_size=1, max_size=20))
def test_a_thermometer_has_no_gaps_and_rises_with_the_value(values: list[float], more: list[float]) -> None:
    encoder = TableEncoder(n_bins=4).fit([[v] for v in values])
    bits = encoder.transform(np.sort(more).reshape(-1, 1))[:, :-1]
    assert (np.diff(bits, axis=1) <= 0).all()
    assert (np.diff(bits, axis=0) >= 0).all()


# categories


def test_the_most_frequent_labels_have_bits_and_ties_go_to_the_first_seen() -> None:
    encoder = TableEncoder(max_categories=2).fit([["c"], ["a"], ["b"], ["b"], [None]])
    assert encoder.get_feature_names_out().tolist() == ["x0=b", "x0=c", "x0=?"]
    assert encode(encoder, "a") == encode(encoder, None) == [0, 0, 1]


def test_a_question_mark_is_a_missing_cell_and_has_no_bit_of_its_own() -> None:
    assert TableEncoder().fit([["?"], ["a"]]).get_feature_names_out().tolist() == ["x0=a", "x0=?"]


def test_hashed_labels_fall_into_the_same_bucket_everywhere() -> None:
    encoder = TableEncoder(categories="hashed", max_categories=4).fit([["red"], ["red"], ["blue"]])
    assert encode(encoder, "red") == [0, 0, 0, 1, 0]  # CRC-32 of the text, modulo 4
    assert encode(encoder, "never seen")[-1] == 0
    assert encode(encoder, None) == [0, 0, 0, 0, 1]
    assert encoder.inverse_transform(encoder.transform([["red"], [None]])).ravel().tolist() == ["red", None]


def test_the_likeliest_label_is_decoded_unless_none_or_several_are() -> None:
    encoder = TableEncoder().fit([["a"], ["b"], ["c"]])
    bits = [[0.2, 0.3, 0.1, 0.1], [0.2, 0.3, 0.1, 0.6], [0, 0, 0, 0], [1, 1, 0, 0], [0, 1, 0, 1]]
    assert encoder.inverse_transform(bits).ravel().tolist() == ["b", None, None, None, "b"]


def test_numbers_in_a_column_of_categories_are_labels_however_they_are_written() -> None:
    encoder = TableEncoder(kinds={0: "category"}).fit(np.array([[3], [3], [4]]))
    for three in (3, 3.0, "3", np.float32(3)):
        assert encode(encoder, three) == [1, 0, 0]
    assert encoder.transform(np.array([[3.0], [np.nan]])).tolist() == [[1, 0, 0], [0, 0, 1]]


# booleans and times


def test_a_boolean_is_one_bit() -> None:
    encoder = TableEncoder().fit([[True], [False], [None]])
    assert encoder.kinds_ == ["boolean"]
    assert [encode(encoder, v) for v in (True, False, None, 1, 0.0)] == [[1, 0], [0, 0], [0, 1], [1, 0], [0, 0]]
    assert encoder.inverse_transform([[1, 0], [0, 0], [0, 1], [0.6, 0.9]]).ravel().tolist() == [True, False, None, True]


def test_neighbouring_times_of_day_differ_in_one_bit_across_midnight_too() -> None:
    encoder = TableEncoder(time_bins=8, kinds={0: "timestamp"}).fit([[0.0]])
    hours = encoder.transform(np.arange(0, 24, 3).reshape(-1, 1) * 3600.0)[:, :4]
    assert len({tuple(bits) for bits in hours}) == 8
    assert (np.abs(hours - np.roll(hours, 1, axis=0)).sum(axis=1) == 1).all()


def test_a_time_comes_back_as_day_and_middle_of_its_sector() -> None:
    encoder = TableEncoder(time_bins=24).fit([[WHEN]])
    assert encoder.kinds_ == ["timestamp"]
    before_1970 = datetime(1969, 12, 31, 23, 59, tzinfo=UTC)
    decoded = encoder.inverse_transform(encoder.transform([[WHEN], [None], [before_1970]]))
    assert decoded.ravel().tolist() == ["Tue 13:30", None, "Wed 23:30"]


def test_a_time_is_understood_in_all_its_forms() -> None:
    encoder = TableEncoder(kinds={0: "timestamp"}).fit([[WHEN]])
    naive = WHEN.replace(tzinfo=None)
    forms = [WHEN, naive, naive.isoformat(), WHEN.timestamp(), np.datetime64(naive), pd.Timestamp(WHEN)]
    assert len({tuple(encode(encoder, form)) for form in forms}) == 1
    assert encode(encoder, np.datetime64("NaT"))[-1] == encode(encoder, pd.NaT)[-1] == 1


# kinds and input


def test_kinds_are_those_that_the_cells_show() -> None:
    rows = [[1, "1", True, WHEN, "a", None, 1], [2.5, "2", False, None, 3, None, True]]
    kinds = ["number", "number", "boolean", "timestamp", "category", "category", "category"]
    assert TableEncoder().fit(rows).kinds_ == kinds


def test_given_kinds_go_before_what_the_cells_show() -> None:
    encoder = TableEncoder(kinds={0: "number", 1: "category"}).fit([["1.5", 0], ["", 1], ["2.5", 1]])
    assert encoder.kinds_ == ["number", "category"]
    assert encoder.transform([["", 1]]).astype(int).tolist() == [[0, 0, 0, 1, 1, 0, 0]]


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


def test_infinity_is_refused_in_plain_arrays_too() -> None:
    column = np.array([[1.0], [-np.inf]])
    with pytest.raises(ValueError, match=r"'x0', row 1 of this chunk: -inf is not a finite number\. .* infinity"):
        TableEncoder().fit(column)
    with pytest.raises(ValueError, match="infinity"):
        TableEncoder().fit([[1.0]]).transform(column)


def test_a_cell_that_is_no_cell_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Column 'x0', row 1 of this chunk: a nested value, \{'a': 1\}"):
        TableEncoder().fit([[1.0], [{"a": 1}]])


def test_an_odd_number_of_sectors_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'time_bins' parameter of TableEncoder must be even\. Got 7"):
        TableEncoder(time_bins=7).fit([[1.0]])


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
    bits = encoder.transform(pandas)
    assert np.array_equal(bits, encoder.transform(polars))
    assert encoder.state() == TableEncoder().fit(polars).state()
    rows = np.stack([pandas[name].astype(object) for name in pandas], axis=1)
    with pytest.warns(UserWarning, match="valid feature names"):
        assert np.array_equal(bits, encoder.transform(rows))
    unnamed = TableEncoder().fit(rows)
    assert np.array_equal(bits[:, encoder.column_of_bit_ != 5], unnamed.transform(rows)[:, unnamed.column_of_bit_ != 5])


def test_output_can_be_a_data_frame() -> None:
    pandas, _ = frames()
    encoder = TableEncoder().fit(pandas).set_output(transform="pandas")
    assert encoder.transform(pandas).columns.tolist() == encoder.get_feature_names_out().tolist()


def test_bits_know_their_columns() -> None:
    encoder = TableEncoder().fit(MIXED)
    names = encoder.get_feature_names_out(["age", "colour", "member", "when"])
    columns = [encoder.column_of_bit_[i] for i, name in enumerate(names) if name.endswith("=?")]
    assert columns == [0, 1, 2, 3]
    assert names[encoder.unknown_bits_].tolist() == ["age=?", "colour=?", "member=?", "when=?"]
    assert all(
        name.startswith(["age", "colour", "member", "when"][c])
        for name, c in zip(names, encoder.column_of_bit_, strict=True)
    )


def test_only_missing_cells_are_open_in_a_partial_code() -> None:
    encoder = TableEncoder().fit(MIXED)
    rows = [[None, "pink", False, None], [21.5, None, None, WHEN]]
    whole, partly = encoder.transform(rows), encoder.transform_partly(rows)
    missing = np.array([[True, False, False, True], [False, True, True, False]])[:, encoder.column_of_bit_]
    assert np.array_equal(np.isnan(partly), missing)
    assert np.array_equal(partly[~missing], whole[~missing])
    assert np.isnan(TableEncoder(dtype=np.int8).fit(MIXED).transform_partly(rows)).any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8, "bool"])
def test_bits_have_the_asked_number_type(dtype: Any) -> None:
    assert TableEncoder(dtype=dtype).fit(MIXED).transform(MIXED).dtype == dtype


def test_one_row_has_the_same_bits_alone() -> None:
    encoder = TableEncoder().fit(MIXED)
    assert np.array_equal(np.stack([encoder.transform_one(row) for row in MIXED]), encoder.transform(MIXED))


def test_a_long_table_has_the_bits_of_its_rows() -> None:
    rows = np.random.default_rng(0).normal(size=(2500, 2))
    encoder = TableEncoder().fit(rows)
    parts = [encoder.transform(rows[start : start + 100]) for start in range(0, 2500, 100)]
    assert np.array_equal(encoder.transform(rows), np.concatenate(parts))


def test_bits_of_a_wrong_width_are_refused() -> None:
    with pytest.raises(ValueError, match=r"have 4 bits\. Got 3"):
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
    for method in (encoder.transform, encoder.transform_partly, encoder.transform_one, encoder.inverse_transform):
        with pytest.raises(NotFittedError, match="2 of warm_up=5 rows"):
            method([[1.0]])
    assert encoder.freeze().transform([[1.0]]).shape == (1, 4)


def test_settings_changed_after_the_freeze_change_no_bit() -> None:
    encoder = TableEncoder().fit(MIXED)
    before = encoder.transform(MIXED)
    encoder.set_params(numbers="onehot", n_bins=2, time_bins=4, categories="hashed", max_categories=1)
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


@given(tables, st.integers(1, 40), st.sampled_from(["thermometer", "onehot"]), st.sampled_from(["learned", "hashed"]))
@settings(max_examples=50)
def test_a_state_gives_back_the_encoder_to_the_bit(
    rows: list[list[object]], warm_up: int, numbers: Any, categories: Any
) -> None:
    encoder = TableEncoder(numbers=numbers, categories=categories, warm_up=warm_up)
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


def test_any_bits_can_be_decoded() -> None:
    encoder = TableEncoder().fit(MIXED)
    rng = np.random.default_rng(0)
    for bits in (
        rng.integers(2, size=(200, len(encoder.column_of_bit_))),
        rng.random((200, len(encoder.column_of_bit_))),
    ):
        rows = encoder.inverse_transform(bits)
        assert set(map(type, rows[:, 0])) == {float}
        assert set(rows[:, 1]) <= {"red", "blue", None}
        assert set(rows[:, 2]) <= {True, False, None}
