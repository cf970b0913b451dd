"""Models from a file, used from Python; called in a child."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from genreplay import OnlineRBM, OnlineRBMDetector

N_ROWS = 13
"""of the input: more than a batch of the models, and more than the rest of a warm-up"""


def rows(n: int, seed: int, shift: float = 0.0) -> np.ndarray[Any, Any]:
    """Rows of all kinds of column, as the command line hands them to a model."""
    rng, cells = np.random.default_rng(seed), np.empty((n, 5), dtype=object)
    cells[:, 0] = 1.4e9 + 1800.0 * np.arange(n)
    cells[:, 1], cells[:, 2] = rng.normal(50 + shift, 5, n), rng.integers(0, 40, n).astype(float)
    cells[:, 3], cells[:, 4] = rng.choice(["a", "b", "c"], n), rng.random(n) < 0.5
    cells[0, 1], cells[1, 3] = math.nan, None
    return cells


def judge_learner(path: str) -> None:
    """Load and use an ``OnlineRBM``; in a child."""
    model = OnlineRBM.load(path)
    bits = (np.random.default_rng(1).random((25, model.n_features_in_)) < 0.3).astype(float)
    print_scores(model.score_samples(bits))
    model.sample(3)
    print_scores(model.partial_fit(bits).score_samples(bits))


def judge_detector(path: str) -> None:
    """Load and use an ``OnlineRBMDetector``; in a child."""
    model, cells = OnlineRBMDetector.load(path), rows(N_ROWS, 3)
    known = cells if not model.is_ready_ else np.asarray(model.partial_fit(cells).surprise(cells))
    print_scores(model.flush().surprise(cells))
    assert len(known) == N_ROWS


def print_scores(scores: np.ndarray[Any, Any]) -> None:
    print("scores", *scores.tolist(), sep="\n")
