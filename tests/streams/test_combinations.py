"""Combinations of the numbers as further groups of codes: principal components, and residuals."""

from __future__ import annotations

import json

import numpy as np
import numpy.typing as npt
import pytest

from genreplay.streams import TableEncoder
from genreplay.streams.combinations import MOST_COMPONENTS, Combinations, residuals
from genreplay.streams.number_code import NumberCode

Float64 = npt.NDArray[np.float64]


def correlated(n_rows: int, seed: int = 0) -> Float64:
    """Three columns: two that are nearly equal, and one of its own."""
    rng = np.random.default_rng(seed)
    x, other = rng.normal(size=(2, n_rows))
    return np.stack([x, x + 0.05 * rng.normal(size=n_rows), other], axis=1)


def test_components_see_a_broken_correlation_that_no_cell_shows() -> None:
    rows = correlated(2000)
    found = Combinations.learn(rows, n_bins=8)
    assert found is not None
    smallest = found.apply(rows)[:, -1]
    broken = found.apply(np.array([[1.0, -1.0, 0.0]]))[0, -1]
    assert abs(broken) > 20 * smallest.std()


def test_an_encoder_with_combinations_comes_back_from_its_state_to_the_bit() -> None:
    rows = np.hstack([correlated(600), np.full((600, 1), 7.0)])
    rows[::7, 2] = np.nan
    encoder = TableEncoder().fit(rows)
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
    encoder = TableEncoder().fit(rows)
    assert encoder.column_of_group_.tolist() == list(range(rows.shape[1]))


def test_groups_of_combinations_come_last_and_have_no_missing_code() -> None:
    encoder = TableEncoder().fit(correlated(600))
    assert encoder.column_of_group_.tolist() == [0, 1, 2, -1, -1, -1]
    assert encoder.missing_codes_[3:].tolist() == encoder.unseen_codes_[3:].tolist() == [-1, -1, -1]
    assert encoder.group_sizes_.tolist() == [19, 19, 19, 18, 18, 18]
    assert len(encoder.get_feature_names_out()) == len(encoder.far_of_code_) == encoder.group_sizes_.sum()


def test_a_row_whose_cells_are_usual_but_not_together_has_a_far_code_in_a_combination() -> None:
    encoder = TableEncoder().fit(correlated(600))
    codes = encoder.codes([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0]])
    assert not encoder.outside(codes).any()
    firsts = np.cumsum(encoder.group_sizes_) - encoder.group_sizes_
    assert encoder.far_of_code_[firsts + codes].max(axis=1).tolist() == [0, 3]


def test_a_missing_number_is_put_at_its_median_in_the_combinations() -> None:
    rows = correlated(601)
    encoder = TableEncoder().fit(rows)
    median = np.median(rows, axis=0)
    with_median, without = encoder.codes([[0.3, 0.3, median[2]], [0.3, 0.3, None]])
    assert with_median[3:].tolist() == without[3:].tolist()


@pytest.mark.parametrize("factor", [1e-300, 1e150, 1e300])
def test_numbers_of_any_size_can_be_combined(factor: float) -> None:
    rows = correlated(400) * factor
    rows[0] = 1e308, -1e308, 1e308
    encoder = TableEncoder().fit(rows)
    json.dumps(encoder.state(), allow_nan=False)
    codes = encoder.codes(rows)
    assert np.array_equal(codes, [encoder.codes_one(row) for row in rows.tolist()])
    assert np.isfinite(encoder.decode(codes)).all()


def test_rows_on_the_ends_of_the_range_have_the_same_codes_in_any_company() -> None:
    rows = np.random.default_rng(0).normal(size=(101, 7))  # the percentiles of 101 rows are values of rows
    encoder = TableEncoder().fit(rows)
    together = encoder.codes(rows)
    assert np.array_equal(together, np.concatenate([encoder.codes(rows[i : i + 1]) for i in range(101)]))
    assert np.array_equal(together, [encoder.codes_one(row) for row in rows.tolist()])


def test_numbers_with_few_values_have_few_components_however_they_are_rounded() -> None:
    rows = np.random.default_rng(0).integers(0, 2, size=(400, 2)).astype(float)
    encoder = TableEncoder().fit(rows)
    assert [code.separate for code in encoder._layout.combinations.codes] == [True, True]
    codes = encoder.codes(rows)
    assert len(np.unique(codes, axis=0)) == 4
    assert np.array_equal(codes, [encoder.codes_one(row) for row in rows])


def test_a_wide_table_has_a_bounded_number_of_combinations() -> None:
    rows = np.random.default_rng(0).normal(size=(300, 150))
    found = Combinations.learn(rows, n_bins=8)
    assert found is not None
    assert len(found.codes) == MOST_COMPONENTS


def test_a_residual_is_that_of_a_linear_regression_on_the_other_numbers() -> None:
    rng = np.random.default_rng(0)
    z = rng.normal(size=(5_000, 4)) @ rng.normal(size=(4, 4))
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    found = z @ residuals(z)
    for number in range(4):
        others = np.delete(z, number, axis=1)
        wanted = z[:, number] - others @ np.linalg.lstsq(others, z[:, number], rcond=None)[0]
        np.testing.assert_allclose(found[:, number], wanted / wanted.std(), atol=1e-3)


def test_residuals_of_few_rows_and_of_numbers_that_do_not_vary_are_finite() -> None:
    rng = np.random.default_rng(0)
    few = rng.normal(size=(10, 30))
    assert np.isfinite(residuals(few)).all()
    assert np.abs(few @ residuals(few)).max() < 10
    values = np.stack([rng.normal(size=100), np.ones(100), rng.normal(size=100)], axis=1)
    found = Combinations.learn(values, 24, residuals, NumberCode.learn_scaled)
    assert found is not None
    assert len(found.codes) == 3
    assert not found.apply(values)[:, 1].any()
