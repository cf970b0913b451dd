"""What the detector makes of the groups for combinations of numbers."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import roc_auc_score

from genreplay import OnlineRBMDetector, TableEncoder
from tests.streams.test_combinations import correlated


def test_a_detector_with_combinations_finds_rows_whose_cells_are_usual_one_by_one() -> None:
    usual, broken = correlated(4000), correlated(200, seed=1)
    broken[:, 1] = np.random.default_rng(2).permutation(broken[:, 1])
    rows, truth = np.concatenate([correlated(800, seed=3), broken]), np.repeat([0, 1], [800, 200])
    auc = {}
    for combinations in (False, True):
        encoder = TableEncoder(combinations=combinations)
        detector = OnlineRBMDetector(encoder, random_state=0).partial_fit(usual)
        auc[combinations] = roc_auc_score(truth, detector.surprise(rows))
    assert auc[True] > 0.9
    assert auc[True] > auc[False] + 0.03


def test_a_broken_correlation_is_explained_by_the_columns_in_it() -> None:
    detector = OnlineRBMDetector(TableEncoder(), random_state=0)
    detector.partial_fit(correlated(4000))
    nats = detector.explain([[0.0, 0.1, 0.2], [1.5, -1.5, 0.0]])
    assert nats.shape == (2, 3)
    assert nats[1, :2].min() > nats[0].max()
    assert nats[1, 2] < nats[1, :2].min()


def test_dreams_and_filled_cells_come_without_the_combinations() -> None:
    rows = correlated(3000)
    encoder = TableEncoder()
    detector = OnlineRBMDetector(encoder, random_state=0).partial_fit(rows)
    assert detector.sample(20).shape == (20, 3)
    hidden = rows[-200:].copy()
    hidden[:, 1] = np.nan
    filled = detector.impute(hidden)[:, 1].astype(float)
    error = np.abs(filled - rows[-200:, 1])
    assert np.median(error) < 0.5 * np.median(np.abs(rows[-200:, 1])), "nearly equal columns fill each other"
