"""Detectors of River, which learn online, and of scikit-learn, which are fitted offline."""

from __future__ import annotations

import time
import warnings
from importlib.metadata import version

import numpy as np

from genreplay.experiments.anomaly.scores import Floats, Found, in_chunks
from genreplay.experiments.run import Report

OF_RIVER = ("HalfSpaceTrees", "LODA")


def score_online(method: str, rows: Floats, seed: int, report: Report) -> Found:
    """A detector of River, one dict after the other."""
    from river import anomaly, compose, preprocessing

    model = (
        compose.Pipeline(preprocessing.StandardScaler(), anomaly.LODA(seed=seed))
        if method == "LODA"
        else compose.Pipeline(preprocessing.MinMaxScaler(), anomaly.HalfSpaceTrees(seed=seed))
    )
    columns = [f"c{column}" for column in range(rows.shape[1])]

    def score_and_learn(chunk: Floats) -> Floats:
        scores = []
        for cells in chunk.tolist():
            row = dict(zip(columns, cells, strict=True))
            scores.append(model.score_one(row))
            model.learn_one(row)
        return np.array(scores)

    scores, seconds = in_chunks(score_and_learn, rows, report, 0, len(rows))
    return Found(scores, seconds, int(model._raw_memory_usage), {"library": f"River {version('river')}"})


def score_offline(method: str, rows: Floats, seed: int, max_sample: int) -> Found:
    """A detector of scikit-learn, fitted on rows that it then scores."""
    from sklearn.ensemble import IsolationForest
    from sklearn.neighbors import LocalOutlierFactor

    sample = rows
    model = IsolationForest(random_state=seed)
    if method == "LocalOutlierFactor":
        sample = np.random.default_rng(seed).permutation(rows)[:max_sample]
        model = LocalOutlierFactor(novelty=True)
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", message="Duplicate values"
        )  # many sets have them, and the scores are still usable
        scores = -model.fit(sample).score_samples(rows)
    seconds = time.process_time() - began
    return Found(scores, seconds, sample.nbytes, {"n_fitted": len(sample)})


def obstacle(method: str) -> str | None:
    """Why the method cannot be run here, in one sentence; None if it can."""
    if method not in OF_RIVER:
        return None
    try:
        from river.anomaly import LODA  # noqa: F401
    except ImportError:
        return "River is not installed, or has no LODA yet: pip install --upgrade 'genreplay[river]'"
    return None
