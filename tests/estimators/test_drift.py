from __future__ import annotations

import numpy as np

from genreplay.estimators import drift as drifts
from genreplay.estimators.drift import PageTest


def batches(n: int, mean: float, rng: np.random.Generator) -> np.ndarray:
    """Mean surprises of batches of 100 rows; of rows that fit it is 1."""
    return mean * rng.exponential(size=(n, 100)).mean(axis=1)


def follow(test: PageTest, surprises: np.ndarray) -> PageTest:
    for surprise in surprises:
        test = drifts.follow(test, float(surprise))
    return test


def test_rows_that_fit_are_rarely_called_a_drift() -> None:
    rng = np.random.default_rng(0)
    n_drifts = sum(follow(PageTest(), batches(1000, 1.0, rng)).n_drifts for _ in range(10))
    assert n_drifts <= 2  # in a million rows


def test_rows_half_as_surprising_again_are_a_drift_within_fifteen_batches() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        settled = follow(PageTest(), batches(100, 1.0, rng))
        assert follow(settled, batches(15, 1.5, rng)).n_drifts == settled.n_drifts + 1


def test_the_signal_goes_up_to_one_and_falls_back() -> None:
    rng = np.random.default_rng(2)
    test = follow(PageTest(), batches(100, 1.0, rng))
    assert test.signal < 0.7
    higher = follow(test, np.array([1.4, 1.4]))
    assert test.signal < higher.signal <= 1
    assert follow(higher, batches(60, 1.0, rng)).signal < higher.signal
