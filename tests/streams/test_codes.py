"""What the codes of each kind of column say, and the cells that they stand for."""

import math
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genreplay.streams import TableEncoder
from genreplay.streams.codes import TimestampCode
from genreplay.streams.number_code import FAR, NumberCode

WHEN = datetime(2024, 3, 5, 13, 10, tzinfo=UTC)  # a Tuesday

finite = st.floats(allow_nan=False, allow_infinity=False)
number_columns = st.lists(finite, min_size=1, max_size=60) | st.lists(
    st.integers(-5, 5).map(float), min_size=1, max_size=60
)


def code_of(encoder: TableEncoder, value: object) -> int:
    return int(encoder.codes([[value]])[0, 0])


# numbers


def test_the_usual_range_has_equal_widths_and_what_lies_beyond_ever_wider_ones() -> None:
    encoder = TableEncoder(n_bins=2).fit(np.arange(101.0).reshape(-1, 1))
    names = encoder.get_feature_names_out().tolist()
    assert names[3:10] == [
        "x0 in (-783, -97]",
        "x0 in (-97, 1)",
        "x0 in [1, 50]",
        "x0 in (50, 99]",
        "x0 in (99, 197]",
        "x0 in (197, 883]",
        "x0 in (883, 6371]",
    ]
    assert (names[0], names[-2:]) == ("x0<=-50175", ["x0>50275", "x0=?"])
    values = [-1e9, 0.5, 1, 50, 50.1, 99, 99.5, 1e9, None]
    assert encoder.codes([[value] for value in values]).ravel().tolist() == [0, 4, 5, 5, 6, 6, 7, 11, 12]
    assert encoder.far_of_code_.tolist() == [5, 4, 3, 2, 1, 0, 0, 1, 2, 3, 4, 5, 0]


def test_few_different_values_have_an_interval_each_inside_the_usual_range() -> None:
    encoder = TableEncoder().fit([[3], [3], [7], [8]])
    names = encoder.get_feature_names_out().tolist()
    assert names[5:8] == ["x0 in [3, 5]", "x0 in (5, 7.5]", "x0 in (7.5, 8]"]
    codes = encoder.codes([[3], [7], [8]])
    assert codes.ravel().tolist() == [5, 6, 7]
    assert not encoder.outside(codes).any()
    assert encoder.draw(codes, np.random.default_rng(0)).ravel().tolist() == [3, 7, 8]


def test_a_constant_is_usual_and_everything_beside_it_is_not() -> None:
    encoder = TableEncoder().fit([[7.0], [7.0]])
    codes = encoder.codes([[7.0], [6.999], [7.001], [1e308], [None]])
    assert encoder.get_feature_names_out()[codes[0, 0]] == "x0=7"
    assert encoder.outside(codes).ravel().tolist() == [False, True, True, True, False]
    assert encoder.far_of_code_[codes[:4, 0]].tolist() == [0, 1, 1, 5]


def test_a_column_of_numbers_without_a_known_value_has_one_code_for_all_values() -> None:
    encoder = TableEncoder(kinds={0: "number"}).fit([[None, 1.0], [np.nan, 2.0]])
    codes = encoder.codes([[5.0, 1.0], [None, 1.0]])
    assert codes[:, 0].tolist() == [0, 1]
    assert encoder.outside(codes)[:, 0].tolist() == [True, False]
    assert np.isnan(encoder.values_of_codes(0)).all()
    assert np.isnan(encoder.draw(codes, np.random.default_rng(0))[:, 0]).all()


def test_names_tell_apart_cuts_that_differ_late() -> None:
    names = TableEncoder().fit([[1.0], [1.00000001], [1.00000002]]).get_feature_names_out()
    assert len(set(names)) == len(names)


def test_a_value_far_beyond_the_range_differs_from_one_just_beyond_it() -> None:
    code = NumberCode.learn(np.random.default_rng(0).uniform(size=1000), n_bins=8)
    values = np.array([0.5, *(0.99 + 0.98 * (1.5 * distance) for distance in (0.4, *FAR))])
    for side in (values, 1 - values):
        assert code.far[np.searchsorted(code.edges, side)].tolist() == [0, 1, 2, 3, 4, 5]


def test_rare_values_have_rare_codes() -> None:
    rows = np.random.default_rng(0).normal(size=(5000, 1))
    encoder = TableEncoder().fit(rows)
    shares = encoder.transform(rows).mean(axis=0)[encoder.far_of_code_ == 0][:-1]
    assert shares.min() < 0.05 < 0.2 < shares.max()
    assert encoder.outside(encoder.codes(rows)).mean() == pytest.approx(0.02, abs=0.001)


@settings(max_examples=60, deadline=None)
@given(number_columns, st.lists(finite, min_size=1, max_size=20), st.integers(1, 10))
def test_every_number_lies_in_exactly_one_interval(seen: list[float], later: list[float], n_bins: int) -> None:
    code = NumberCode.learn(np.array(seen), n_bins)
    lower, upper = np.append(-np.inf, code.edges[:-1]), code.edges
    assert (lower[1:] <= upper[:-1]).all()
    values = np.array([*seen, *later])[:, np.newaxis]
    inside = (values > lower) & (values <= upper)
    np.testing.assert_array_equal(inside.sum(axis=1), 1)
    np.testing.assert_array_equal(inside.argmax(axis=1), np.searchsorted(code.edges, values[:, 0]))
    assert np.isfinite(code.quantiles).all()
    assert len(code.cuts) <= n_bins + 2 + 2 * len(FAR)


@settings(max_examples=60, deadline=None)
@given(number_columns, st.integers(1, 10), st.integers(0, 99))
def test_numbers_come_back_to_the_same_code(seen: list[float], n_bins: int, seed: int) -> None:
    encoder = TableEncoder(n_bins=n_bins, combinations=False).fit([[value] for value in seen])
    codes = encoder.codes([[value] for value in seen])
    decoded, drawn = encoder.decode(codes), encoder.draw(codes, np.random.default_rng(seed))
    assert np.array_equal(encoder.codes(decoded), codes)
    assert np.array_equal(encoder.codes(drawn), codes)
    assert set(decoded.ravel()) <= set(seen)
    if all(value.is_integer() and abs(value) < 2**53 for value in seen):
        assert (drawn == np.rint(drawn)).all()


def test_drawn_numbers_fill_their_interval_and_whole_ones_stay_whole() -> None:
    rng = np.random.default_rng(0)
    column = rng.uniform(0, 100, size=(2000, 1))
    for rows in (column, np.floor(column)):
        encoder = TableEncoder(n_bins=4).fit(rows)
        codes = np.repeat(encoder.codes([[60.0]]), 500, axis=0)
        drawn = encoder.draw(codes, rng)
        assert (encoder.codes(drawn) == codes).all()
        assert np.ptp(drawn) > 20
        assert (drawn == np.floor(drawn)).all() == (rows is not column)
        assert (encoder.decode(codes) == encoder.values_of_codes(0)[codes[0, 0]]).all()


def test_far_codes_of_whole_numbers_stand_for_whole_numbers_beyond_the_range() -> None:
    encoder = TableEncoder().fit([[0.0], [1.0]])
    far, values = encoder.far_of_code_ > 0, encoder.values_of_codes(0)
    assert (values[far] == np.rint(values[far])).all()
    assert ((values[far] < 0) | (values[far] > 1)).all()
    assert (np.diff(values[:-1]) > 0).all()


def test_only_numbers_have_values() -> None:
    with pytest.raises(ValueError, match="Column 'x0' is a category"):
        TableEncoder().fit([["red"]]).values_of_codes(0)


# categories


def test_the_most_frequent_labels_have_codes_and_ties_go_to_the_first_seen() -> None:
    encoder = TableEncoder(max_categories=2).fit([["c"], ["a"], ["b"], ["b"], [None]])
    assert encoder.get_feature_names_out().tolist() == ["x0=b", "x0=c", "x0=unseen", "x0=?"]
    assert [code_of(encoder, cell) for cell in ("b", " c ", "a", "z", None, "NA")] == [0, 1, 2, 2, 3, 3]


def test_an_unseen_label_is_outside_and_a_missing_cell_is_not() -> None:
    encoder = TableEncoder().fit([["red"], ["blue"]])
    codes = encoder.codes([["red"], ["pink"], [None]])
    assert (codes.ravel() == [0, encoder.unseen_codes_[0], encoder.missing_codes_[0]]).all()
    assert encoder.outside(codes).ravel().tolist() == [False, True, False]
    assert encoder.far_of_code_.tolist() == [0, 0, 1, 0]
    assert encoder.decode(codes).ravel().tolist() == ["red", None, None]


def test_a_label_called_unseen_is_told_from_the_code_of_unseen_labels() -> None:
    assert TableEncoder().fit([["unseen"], ["a"]]).get_feature_names_out().tolist()[0] == "x0='unseen'"


def test_a_column_without_a_label_has_two_codes() -> None:
    encoder = TableEncoder().fit([[None], ["?"]])
    assert [code_of(encoder, cell) for cell in ("a", None)] == [0, 1]


def test_numbers_in_a_column_of_categories_are_labels_however_they_are_written() -> None:
    encoder = TableEncoder(kinds={0: "category"}).fit(np.array([[3], [3], [4]]))
    for three in (3, 3.0, "3", np.float32(3)):
        assert code_of(encoder, three) == 0
    assert encoder.codes(np.array([[3.0], [np.nan]])).tolist() == [[0], [3]]


# booleans and times


def test_a_boolean_is_false_true_or_missing() -> None:
    encoder = TableEncoder().fit([[True], [False], [None]])
    assert encoder.kinds_ == ["boolean"]
    assert [code_of(encoder, cell) for cell in (False, True, None, 1, 0.0, "yes")] == [0, 1, 2, 1, 0, 1]
    assert encoder.decode(np.array([[0], [1], [2]])).ravel().tolist() == [False, True, None]


def test_the_day_has_sectors_of_equal_length_from_midnight() -> None:
    encoder = TableEncoder(time_bins=5, kinds={0: "timestamp"}).fit([[0.0]])
    hours = np.array([[0.0], [4.79], [4.8], [23.99], [24.0], [np.nan]])
    assert encoder.codes(hours * 3600).tolist() == [[0, 3], [0, 3], [1, 3], [4, 3], [0, 4], [5, 7]]
    assert encoder.get_feature_names_out()[:2].tolist() == ["x0 in 00:00-04:48", "x0 in 04:48-09:36"]


def test_a_time_comes_back_as_day_and_middle_of_its_sector() -> None:
    encoder = TableEncoder(time_bins=24).fit([[WHEN]])
    assert encoder.kinds_ == ["timestamp"]
    before_1970 = datetime(1969, 12, 31, 23, 59, tzinfo=UTC)
    codes = encoder.codes([[WHEN], [None], [before_1970]])
    assert encoder.decode(codes).ravel().tolist() == ["Tue 13:30", None, "Wed 23:30"]
    assert encoder.draw(codes, np.random.default_rng(0)).ravel().tolist() == ["Tue 13:30", None, "Wed 23:30"]


def test_a_time_of_which_one_half_is_missing_gets_the_most_frequent_other_half() -> None:
    encoder = TableEncoder(time_bins=24).fit([[WHEN], [WHEN], [datetime(2024, 3, 9, tzinfo=UTC)]])
    assert encoder.decode(np.array([[24, 5], [2, 7], [24, 7]])).ravel().tolist() == ["Sat 13:30", "Tue 02:30", None]
    assert TimestampCode.learn(np.array([np.nan]), 24).usual == (0, 0)


def test_a_time_is_understood_in_all_its_forms() -> None:
    encoder = TableEncoder(kinds={0: "timestamp"}).fit([[WHEN]])
    naive = WHEN.replace(tzinfo=None)
    for form in (WHEN, naive, naive.isoformat(), WHEN.timestamp(), np.datetime64(naive), pd.Timestamp(WHEN)):
        assert encoder.codes([[form]]).tolist() == [encoder.codes_one([form]).tolist()] == [[13, 1]]
    for missing in (np.datetime64("NaT"), pd.NaT, None, math.nan, ""):
        assert encoder.codes([[missing]]).tolist() == [encoder.codes_one([missing]).tolist()] == [[24, 7]]


# bits


def test_one_bit_is_on_in_each_group() -> None:
    rows = [[1.5, "red", True, WHEN, 2], [None, None, None, None, 3], [9e9, "pink", False, "2024-05-01 12:30", 7]]
    encoder = TableEncoder().fit(rows[:2])
    bits = encoder.transform(rows)
    firsts = np.cumsum(encoder.group_sizes_) - encoder.group_sizes_
    assert (np.add.reduceat(bits, firsts, axis=1) == 1).all()
    assert np.array_equal(bits.nonzero()[1].reshape(3, -1), encoder.codes(rows) + firsts)
    assert encoder.inverse_transform(bits).tolist()[0] == [1.5, "red", True, "Tue 13:30", 2]


def test_the_likeliest_code_of_each_group_is_decoded() -> None:
    encoder = TableEncoder().fit([["a", True], ["b", False]])
    bits = [[0.2, 0.3, 0.1, 0.1, 0.5, 0.2, 0.1], [0.2, 0.3, 0.1, 0.6, 0.1, 0.2, 0.1], [0, 0, 0.1, 0, 0, 0, 0.1]]
    assert encoder.inverse_transform(bits).tolist() == [["b", False], [None, True], [None, None]]


def test_any_codes_can_be_decoded() -> None:
    encoder = TableEncoder().fit(
        [[1.5, "red", True, WHEN, 2.5], [2.5, None, False, None, 4.5], [2.0, "blue", None, WHEN, 0]]
    )
    rng = np.random.default_rng(0)
    codes = rng.integers(0, encoder.group_sizes_, size=(500, len(encoder.group_sizes_)))
    for rows in (
        encoder.decode(codes),
        encoder.draw(codes, rng),
        encoder.decode(codes[:, encoder.column_of_group_ >= 0]),
    ):
        assert set(map(type, rows[:, 0])) == {float}
        assert set(rows[:, 1]) == {"red", "blue", None}
        assert set(rows[:, 2]) == {True, False, None}
        assert rows.shape == (500, 5)


def test_codes_of_a_wrong_width_are_refused() -> None:
    encoder = TableEncoder().fit(np.random.default_rng(0).normal(size=(20, 2)))
    with pytest.raises(ValueError, match=r"have 2 or 4 groups\. Got shape \(1, 3\)"):
        encoder.decode(np.zeros((1, 3), dtype=np.uint8))
