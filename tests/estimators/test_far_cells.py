"""What must not be missed, whatever the table: cells far away and labels never seen; and few false alarms."""

from __future__ import annotations

import numpy as np
import pytest

from genreplay import OnlineRBMDetector


@pytest.mark.parametrize("n_columns", [1, 2, 4, 8, 16, pytest.param(32, marks=pytest.mark.slow)])
def test_one_cell_far_away_is_an_alarm_among_any_number_of_columns(n_columns: int) -> None:
    rng = np.random.default_rng(0)
    detector = OnlineRBMDetector(random_state=0).partial_fit(rng.normal(size=(10_000, n_columns)))
    assert np.mean(detector.predict(rng.normal(size=(10_000, n_columns))) == -1) <= 0.02
    usual_range = 2 * 2.33  # of a normal variable, from the 1st to the 99th percentile
    for n_ranges in (10, 100, 1e4, 1e9):
        rows = rng.normal(size=(500, n_columns))
        rows[np.arange(500), rng.integers(n_columns, size=500)] = n_ranges * usual_range * rng.choice([-1, 1], size=500)
        assert np.mean(detector.predict(rows) == -1) >= 0.99


def test_a_label_never_seen_is_an_alarm() -> None:
    rng = np.random.default_rng(0)

    def table(n: int) -> np.ndarray:
        rows = np.empty((n, 6), dtype=object)
        rows[:, 0] = rng.choice(["a", "b", "c"], size=n)
        rows[:, 1] = rng.choice(["u", "v", "w", "x", "y", "z"], p=[0.4, 0.3, 0.1, 0.1, 0.05, 0.05], size=n)
        rows[:, 2:] = rng.normal(size=(n, 4))
        return rows

    detector = OnlineRBMDetector(random_state=0).partial_fit(table(10_000))
    assert np.mean(detector.predict(table(10_000)) == -1) <= 0.02
    for column in (0, 1):
        rows = table(1_000)
        rows[:, column] = "never seen"
        assert np.mean(detector.predict(rows) == -1) >= 0.95
