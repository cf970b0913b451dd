"""Anomaly detection on fourteen streams, which the paper does not have: each row is scored, and then learned.

The rows of a set come in a random order, drawn from the seed and so the same for every method. The first rows are
learned but not counted. Online methods see a row once: the RBM with the defaults of ``OnlineRBMDetector``, the same for
all sets; River's HalfSpaceTrees behind a MinMaxScaler, as its documentation has it; River's LODA behind a
StandardScaler (without one, on the first 6,000 rows of ADBench's sets and with one seed, its mean AUC was 0.80 in place
of 0.84; smtp made the difference, and the other sets none). Two are fitted offline, as ceilings, on rows that they
score afterwards: scikit-learn's IsolationForest on all of them, and LocalOutlierFactor, whose time grows with the
square of the rows, on a random sample. All have the defaults of their libraries; nobody sees a label.

For the RBM there is besides: how many of the usual rows raise an alarm at a nominal 1 % and 5 %, when the threshold
comes from the model's dreams, and when it is a quantile of stored scores.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core.checkpoint import Json
from genreplay.datasets import anomaly as tables
from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.paper.run import Figures, Report

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

ONLINE = ("RBM", "HalfSpaceTrees", "LODA")
OFFLINE = ("IsolationForest", "LocalOutlierFactor")
NOMINAL = (0.01, 0.05)
"""shares of the usual rows that may raise an alarm"""
_CHUNK = 1_000


@dataclass(frozen=True)
class AnomalyRun:
    """One method on one stream."""

    kind: ClassVar[str] = "anomaly"
    timed: ClassVar[bool] = True
    """its seconds are compared, so the runner does not slow it down by tracing its memory"""

    dataset: str = "cardio"
    """name of a set of genreplay.datasets.anomaly"""
    method: str = "RBM"
    """RBM, HalfSpaceTrees, LODA, IsolationForest or LocalOutlierFactor"""
    n_head: int = 500
    """first rows, which are learned and not counted; at most a quarter of the stream"""
    held_out: float = 0.3
    """share of the stream, its end, whose usual rows are judged by the model as it stands before them"""
    n_stored: int = 2_000
    """newest scores that the stored quantiles are taken of"""
    max_sample: int = 10_000
    """rows that LocalOutlierFactor is fitted on, at most"""
    max_rows: int | None = None
    """stream only so many rows; None for all"""
    params: tuple[tuple[str, Json], ...] = ()
    """of the RBM; ``runs`` names its defaults, so that a result of other defaults is not taken for one of these"""

    @property
    def title(self) -> str:
        return f"{self.dataset} {self.method}"

    @property
    def obstacle(self) -> str | None:
        """Why it cannot be run here, in one sentence."""
        needs_river = self.method in ("HalfSpaceTrees", "LODA") or self.dataset == tables.RIVER_SHUTTLE
        return tables.NEEDS_RIVER if needs_river and not has_river() else None

    def execute(self, seed: int, report: Report) -> Figures:
        from sklearn.metrics import average_precision_score, roc_auc_score

        _, rows, is_anomaly = load(self.dataset)
        n_total = len(rows)
        order = np.random.default_rng(seed).permutation(n_total)[: self.max_rows]
        rows, is_anomaly = rows[order], is_anomaly[order]
        n_head = min(self.n_head, len(rows) // 4)
        if self.method == "RBM":
            found = self._rbm(rows, ~is_anomaly, n_head, seed, report)
        elif self.method in ONLINE:
            found = _river(self.method, rows, seed, report)
        else:
            found = _offline(self.method, rows, seed, self.max_sample)
        counted, truth = found.scores[n_head:], is_anomaly[n_head:]
        both_kinds = 0 < truth.sum() < len(truth)  # a short stream may have no anomaly to be found
        return {
            "auc": float(roc_auc_score(truth, counted)) if both_kinds else None,
            "average_precision": float(average_precision_score(truth, counted)) if both_kinds else None,
            "seconds": found.seconds,
            "held_bytes": found.held_bytes,
            "n_rows": len(rows),
            "n_total": n_total,
            "n_counted": len(counted),
            "n_anomalies": int(truth.sum()),
            **found.more,
        }

    def _rbm(self, rows: Floats, is_usual: Flags, n_head: int, seed: int, report: Report) -> Found:
        settings: dict[str, Any] = {**OnlineRBMDetector().get_params(), **dict(self.params), "random_state": seed}
        settings["warm_up"] = min(settings["warm_up"], max(n_head, 1))  # what is counted must have been scored
        OnlineRBMDetector(**settings).learn_scored(rows[:_CHUNK])  # so that compiling the loops is not timed
        detector = OnlineRBMDetector(**settings)
        n_before = len(rows) - round(self.held_out * len(rows))
        scores, seconds = _in_chunks(detector.learn_scored, rows, report, 0, n_before)
        alarms = _false_alarms(
            detector, scores[~np.isnan(scores)][-self.n_stored :], rows[n_before:], is_usual[n_before:]
        )
        last_scores, last_seconds = _in_chunks(detector.learn_scored, rows, report, n_before, len(rows))
        scores = np.nan_to_num(np.concatenate([scores, last_scores]), nan=0.0)
        return Found(scores, seconds + last_seconds, detector.nbytes.total, alarms)


class Found(NamedTuple):
    """What a method said of the rows, and what it took."""

    scores: Floats
    """high = anomalous"""
    seconds: float
    """of processor time, which others on the machine disturb less than the clock's"""
    held_bytes: int
    """at the end; of offline methods, the rows that they are fitted on"""
    more: Figures


def _false_alarms(detector: OnlineRBMDetector, stored: Floats, rows: Floats, is_usual: Flags) -> Figures:
    """Alarms among the usual rows: p-values of the dreams; and scores above a quantile of those of the stream.

    The stored scores are those of all rows, anomalies included, as in a stream without labels.
    """
    p_values = detector.p_values(rows[is_usual])
    thresholds = np.quantile(stored, [1 - rate for rate in NOMINAL])
    return {
        "nominal": list(NOMINAL),
        "dream_alarms": [float((p_values <= rate).mean()) for rate in NOMINAL],
        "stored_alarms": [float((p_values < np.exp(-threshold)).mean()) for threshold in thresholds],
        "n_usual": int(is_usual.sum()),
        "n_stored": len(stored),
    }


def _river(method: str, rows: Floats, seed: int, report: Report) -> Found:
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

    scores, seconds = _in_chunks(score_and_learn, rows, report, 0, len(rows))
    return Found(scores, seconds, int(model._raw_memory_usage), {"library": f"River {version('river')}"})


def _offline(method: str, rows: Floats, seed: int, max_sample: int) -> Found:
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
        warnings.filterwarnings("ignore", message="Duplicate values")  # many sets have them: it does what it can
        scores = -model.fit(sample).score_samples(rows)
    seconds = time.process_time() - began
    return Found(scores, seconds, sample.nbytes, {"n_fitted": len(sample)})


def _in_chunks(
    learn: Callable[[Floats], Floats], rows: Floats, report: Report, start: int, stop: int
) -> tuple[Floats, float]:
    """Score and learn the rows from start to stop; also the seconds that it took."""
    scores, seconds = [np.empty(0)], 0.0
    for first in range(start, stop, _CHUNK):
        chunk = rows[first : min(first + _CHUNK, stop)]
        began = time.process_time()
        scores.append(learn(chunk))
        seconds += time.process_time() - began
        report((first + len(chunk)) / len(rows), "scoring and learning")
    return np.concatenate(scores), seconds


def has_river() -> bool:
    """Tell whether River is installed and has what is compared here."""
    try:
        from river.anomaly import LODA  # noqa: F401
        from river.datasets import Shuttle  # noqa: F401
    except ImportError:
        return False
    return True


@lru_cache(maxsize=1)
def load(dataset: str) -> tables.Labelled:
    """Load a set once for all runs of a worker process that follow one another."""
    return tables.load(dataset)


def runs(quick: bool = False) -> list[AnomalyRun]:
    """Every set and method."""
    defaults = OnlineRBMDetector().get_params()
    del defaults["random_state"]  # that is the seed
    return [
        AnomalyRun(
            dataset,
            method,
            max_rows=2_000 if quick else None,
            params=tuple(sorted(defaults.items())) if method == "RBM" else (),
        )
        for dataset in tables.names()
        for method in (*ONLINE, *OFFLINE)
    ]
