"""Codes that keep how likely a value is: intervals of equal width, and principal components as further columns."""

from __future__ import annotations

import json

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from genreplay import OnlineRBM, OnlineRBMDetector, TableEncoder
from genreplay.streams.codes import FAR, NumberCode
from genreplay.streams.combinations import MOST_COMPONENTS, Combinations

Float64 = npt.NDArray[np.float64]


def correlated(n_rows: int, seed: int = 0) -> Float64:
    """Three columns: two that are nearly equal, and one of its own."""
    rng = np.random.default_rng(seed)
    x, other = rng.normal(size=(2, n_rows))
    return np.stack([x, x + 0.05 * rng.normal(size=n_rows), other], axis=1)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=60), st.lists(st.floats(-1e308, 1e308), min_size=1))
def test_every_number_lies_in_exactly_one_interval(seen: list[float], later: list[float]) -> None:
    code = NumberCode.of_widths(np.array(seen), n_bins=4)
    values = np.array([*seen, *later])[:, np.newaxis]
    inside = (values > code.lower) & (values <= code.upper)
    np.testing.assert_array_equal(inside.sum(axis=1), 1)
    decoded = code.decode(np.hstack([inside, np.zeros((len(values), 1))]).astype(float))
    assert np.isfinite(decoded).all()


def test_a_value_far_beyond_the_range_differs_from_one_just_beyond_it() -> None:
    code = NumberCode.of_widths(np.random.default_rng(0).uniform(size=1000), n_bins=8)
    span = 0.98
    values = np.array([0.5, *(0.99 + span * (1.5 * distance) for distance in (0.4, *FAR))])[:, np.newaxis]
    intervals = ((values > code.lower) & (values <= code.upper)).argmax(axis=1)
    assert len(set(intervals)) == len(values)


def test_intervals_have_equal_widths_so_that_rare_values_have_rare_bits() -> None:
    rows = np.random.default_rng(0).normal(size=(5000, 1))
    shares = TableEncoder(numbers="widths").fit(rows).transform(rows).mean(axis=0)
    quantiles = TableEncoder(numbers="onehot").fit(rows).transform(rows).mean(axis=0)
    inner = shares[5:13]  # below them: four far ones and the lowest percent
    assert inner.min() < 0.05 < 0.2 < inner.max()
    assert np.isclose(quantiles.max(), 1 / 8, atol=0.03)


def test_components_see_a_broken_correlation_that_no_cell_shows() -> None:
    rows = correlated(2000)
    found = Combinations.learn(rows, n_bins=8)
    assert found is not None
    smallest = found.apply(rows)[:, -1]
    broken = found.apply(np.array([[1.0, -1.0, 0.0]]))[0, -1]
    assert abs(broken) > 20 * smallest.std()


def test_a_detector_with_combinations_finds_rows_whose_cells_are_usual_one_by_one() -> None:
    usual, broken = correlated(4000), correlated(200, seed=1)
    broken[:, 1] = np.random.default_rng(2).permutation(broken[:, 1])
    rows, truth = np.concatenate([correlated(800, seed=3), broken]), np.repeat([0, 1], [800, 200])
    auc = {}
    for combinations in (False, True):
        encoder = TableEncoder(numbers="widths", combinations=combinations)
        detector = OnlineRBMDetector(encoder, random_state=0).partial_fit(usual)
        auc[combinations] = roc_auc_score(truth, detector.surprise(rows))
    assert auc[True] > 0.85 > 0.75 > auc[False]


def test_what_a_combination_adds_to_the_surprise_goes_to_the_columns_in_it() -> None:
    detector = OnlineRBMDetector(TableEncoder(numbers="widths", combinations=True), random_state=0)
    detector.partial_fit(correlated(4000))
    nats = detector.explain([[0.0, 0.1, 0.2], [1.5, -1.5, 0.0]])
    assert nats.shape == (2, 3)
    assert nats[1, :2].min() > nats[0].max() > 0
    assert nats[1, 2] < nats[1, :2].min()


def test_dreams_and_filled_cells_come_without_the_combinations() -> None:
    rows = correlated(3000)
    encoder = TableEncoder(numbers="widths", combinations=True)
    detector = OnlineRBMDetector(encoder, OnlineRBM(16, recipe="modern"), random_state=0).partial_fit(rows)
    assert detector.sample(20).shape == (20, 3)
    hidden = rows[-200:].copy()
    hidden[:, 1] = np.nan
    filled = detector.impute(hidden)[:, 1].astype(float)
    error = np.abs(filled - rows[-200:, 1])
    assert np.median(error) < 0.5 * np.median(np.abs(rows[-200:, 1])), "nearly equal columns fill each other"


def test_an_encoder_with_combinations_comes_back_from_its_state_to_the_bit() -> None:
    rows = np.hstack([correlated(600), np.full((600, 1), 7.0)])
    rows[::7, 2] = np.nan
    encoder = TableEncoder(numbers="widths", combinations=True).fit(rows)
    again = TableEncoder.from_state(json.loads(json.dumps(encoder.state(), allow_nan=False)))
    np.testing.assert_array_equal(again.transform(rows), encoder.transform(rows))
    assert len(encoder.get_feature_names_out()) == encoder.transform(rows).shape[1]
    assert encoder.get_feature_names_out()[-1].startswith("combination")
    assert encoder.inverse_transform(encoder.transform(rows)).shape == rows.shape


@pytest.mark.parametrize(
    "rows",
    [np.zeros((50, 1)), np.zeros((50, 3)), np.full((50, 2), np.nan), np.eye(2), np.arange(50.0)[:, np.newaxis]],
    ids=["one constant", "constants", "nothing known", "two rows", "one number"],
)
def test_where_there_is_nothing_to_combine_there_are_no_combinations(rows: Float64) -> None:
    assert Combinations.learn(rows, n_bins=8) is None
    encoder = TableEncoder(numbers="widths", combinations=True).fit(rows)
    assert encoder.column_of_bit_.max() == rows.shape[1] - 1


def test_a_wide_table_has_a_bounded_number_of_combinations() -> None:
    rows = np.random.default_rng(0).normal(size=(300, 150))
    found = Combinations.learn(rows, n_bins=8)
    assert found is not None
    assert len(found.codes) == MOST_COMPONENTS
