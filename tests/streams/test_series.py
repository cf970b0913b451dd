"""The encoder of a time series: what its number code says near the median, far from it, and where nothing varies."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from genreplay.streams import SeriesEncoder, TableEncoder
from genreplay.streams.number_code import LARGEST, REACH, NumberCode

NORMAL = np.random.default_rng(0).normal(loc=50, scale=2, size=2_001)


def series(values: np.ndarray) -> pd.DataFrame:
    times = np.datetime64("2014-04-01T00:00:00") + 300 * np.arange(len(values))
    return pd.DataFrame({"when": times, "value": values})


def test_cuts_are_equal_steps_of_asinh_around_the_median() -> None:
    code = NumberCode.learn_scaled(NORMAL, n_bins=24)
    median = np.median(NORMAL)
    scale = 1.4826 * np.median(np.abs(NORMAL - median))
    steps = np.diff(np.arcsinh((code.cuts - median) / scale))
    np.testing.assert_allclose(steps, 2 * np.arcsinh(REACH) / 24, rtol=1e-9)
    assert code.cuts[12] == pytest.approx(median, rel=1e-12)
    assert code.cuts[-1] == pytest.approx(median + REACH * scale)


def test_a_few_wild_values_do_not_move_the_cuts_much() -> None:
    clean, wild = (NumberCode.learn_scaled(each, 24) for each in (NORMAL, np.append(NORMAL, [1e9] * 20)))
    np.testing.assert_allclose(wild.cuts, clean.cuts, atol=0.05 * (clean.cuts[-1] - clean.cuts[0]))


def test_each_way_farther_from_the_median_has_a_code_of_its_own() -> None:
    code = NumberCode.learn_scaled(NORMAL, n_bins=24)
    far = np.searchsorted(code.edges, 50 + 2 * np.array([0.1, 1, 4, 16, 50, 70, 1e6]))
    assert (np.diff(far)[:-1] > 0).all()
    assert far[-1] == far[-2] == 25  # both beyond the reach
    assert code.far[far].tolist() == [0, 0, 0, 0, 0, 1, 1]


@pytest.mark.parametrize("value", [0.0, 7.0, -3e-300, 1e15, -1e308, 5e-324])
def test_a_constant_column_has_distinct_cuts_around_its_value(value: float) -> None:
    code = NumberCode.learn_scaled(np.full(50, value), n_bins=24)
    assert np.isfinite(code.cuts).all()
    assert (np.diff(code.cuts) > 0).all()
    assert code.far[np.searchsorted(code.edges, value)] == 0


def test_if_most_values_are_equal_the_others_say_how_wide_the_cuts_are() -> None:
    values = np.array([5.0] * 80 + [15.0] * 20)
    code = NumberCode.learn_scaled(values, n_bins=24)
    assert code.cuts[-1] == pytest.approx(5 + REACH * 2)  # the mean distance from the median


def test_a_column_without_values_has_one_code_for_all_of_them() -> None:
    code = NumberCode.learn_scaled(np.full(5, np.nan), n_bins=24)
    assert code.sizes == [2]


@given(
    st.lists(st.floats(-LARGEST, LARGEST, allow_nan=False), min_size=1, max_size=30),
    st.integers(1, 30),
    st.lists(st.floats(-LARGEST, LARGEST), min_size=1, max_size=5),
)
def test_any_numbers_can_be_coded_and_decoded_into_their_interval(
    first: list[float], n_bins: int, later: list[float]
) -> None:
    code = NumberCode.learn_scaled(np.array(first), n_bins)
    assert (code.cuts[1:] > code.cuts[:-1]).all()
    found = np.searchsorted(code.edges, np.array(later))
    assert (found < code.sizes[0] - 1).all()
    again = code.decode(found[:, np.newaxis].astype(np.uint8))
    assert np.isfinite(again).all()
    same = np.searchsorted(code.edges, again)
    assert (np.abs(same - found) <= (1 if code.whole else 0)).all()  # whole numbers are rounded
    assert len(set(code.names("x"))) == code.sizes[0]


def test_scikit_learns_checks_pass() -> None:
    results = check_estimator(SeriesEncoder(), on_skip=None)
    assert {r["check_name"] for r in results if r["status"] != "passed"} <= {"check_array_api_input"}  # needs torch


def test_a_single_number_has_no_residual_and_more_intervals_than_in_a_table() -> None:
    encoder = SeriesEncoder().fit(series(NORMAL))
    assert encoder.kinds_ == ["timestamp", "number"]
    assert encoder.group_sizes_.tolist() == [25, 27]
    assert len(encoder.residual_groups_) == 0
    assert clone(SeriesEncoder(n_bins=9)).get_params() == SeriesEncoder(n_bins=9).get_params()
    assert str(SeriesEncoder()) == "SeriesEncoder()"
    assert str(SeriesEncoder(n_bins=9)) == "SeriesEncoder(n_bins=9)"


def test_each_of_several_numbers_has_a_residual() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    rows = np.stack([x, x + 0.01 * rng.normal(size=400), rng.normal(size=400)], axis=1)
    encoder = SeriesEncoder().fit(rows)
    assert encoder.residual_groups_.tolist() == [3, 4, 5]
    usual, broken = encoder.codes([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0]])[:, 3:].astype(int)
    assert (abs(usual - 13) <= 2).all()
    assert (abs(broken - 13)[:2] > 5).all()
    assert abs(broken - 13)[2] <= 4
    assert len(SeriesEncoder(combinations=False).fit(rows).residual_groups_) == 0


@pytest.mark.parametrize(("days", "sizes"), [(13, [25]), (15, [25, 8])])
def test_days_of_the_week_are_told_apart_after_two_weeks(days: int, sizes: list[int]) -> None:
    times = np.datetime64("2024-01-01T00:00:00") + 3_600 * np.arange(24 * days)
    encoder = SeriesEncoder().fit(pd.DataFrame({"time": times}))
    assert encoder.group_sizes_.tolist() == sizes
    codes = encoder.codes(pd.DataFrame({"time": times[[5, 30]]}))
    again = SeriesEncoder.from_state(json.loads(json.dumps(encoder.state())))
    assert encoder.codes_one(["2024-01-02T06:00:00"]).tolist() == codes[1].tolist()
    assert again.decode(codes)[:, 0].tolist() == (["05:30", "06:30"] if days < 14 else ["Mon 05:30", "Tue 06:30"])
    assert len(encoder.get_feature_names_out()) == sum(sizes)


def test_the_state_of_an_encoder_makes_the_same_encoder() -> None:
    encoder = SeriesEncoder(n_bins=9).fit(series(NORMAL))
    again = SeriesEncoder.from_state(json.loads(json.dumps(encoder.state())))
    np.testing.assert_array_equal(again.codes(series(NORMAL)), encoder.codes(series(NORMAL)))
    assert again.state() == encoder.state()


def test_renewed_codes_have_the_cuts_of_the_series_before_and_after() -> None:
    new, past = (series(NORMAL + shift).astype(object).to_numpy() for shift in (1e6, 0))
    again = SeriesEncoder().fit(past).relearn(new, past)
    assert isinstance(again, SeriesEncoder)
    wanted = np.union1d(*(NumberCode.learn_scaled(NORMAL + shift, 24).cuts for shift in (1e6, 0)))
    cuts = again._layout.codes[1].cuts  # type: ignore[union-attr]
    np.testing.assert_allclose(cuts, wanted, rtol=1e-9)
    assert not again.outside(again.codes(new)).any()
    assert not again.outside(again.codes(past)).any()


def test_a_series_of_a_table_encoder_is_coded_as_before() -> None:
    code = TableEncoder().fit(series(NORMAL))._layout.codes[1]
    np.testing.assert_array_equal(code.cuts, NumberCode.learn(NORMAL, 8).cuts)  # type: ignore[union-attr]
