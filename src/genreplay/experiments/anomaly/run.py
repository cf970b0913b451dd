"""One detector on one stream."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from genreplay.datasets import anomaly as tables
from genreplay.experiments.anomaly import histograms, rbm, rivals
from genreplay.experiments.anomaly.variants import VARIANTS
from genreplay.experiments.run import Figures, Report

ONLINE = ("RBM", "histograms", "HalfSpaceTrees", "LODA")
OFFLINE = ("IsolationForest", "LocalOutlierFactor")
MAX_ROWS = 50_000
"""rows of a stream, at most: River's LODA learns some 1,500 rows a second"""
QUICK_ROWS = 2_000
"""rows of a stream in the quick form, at most"""
VARIANT_ROWS = 5_000
"""rows of a stream on which settings are compared, at most"""
MOST_COLUMNS = 100
"""columns of these streams, at most: internetads, with 1,555, takes as long as all others together"""


@dataclass(frozen=True)
class AnomalyRun:
    """One method on one stream."""

    kind: ClassVar[str] = "anomaly"
    version: ClassVar[int] = 2
    """raise it, too, when a default of ``OnlineRBMDetector`` changes"""
    timed: ClassVar[bool] = True
    """its seconds are compared, so the runner does not slow it down by tracing its memory"""

    dataset: str = "cardio"
    """name of a set of genreplay.datasets.anomaly"""
    method: str = "RBM"
    """RBM, histograms, HalfSpaceTrees, LODA, IsolationForest or LocalOutlierFactor"""
    n_head: int = 500
    """first rows, which are learned and not counted; at most a quarter of the stream"""
    held_out: float = 0.3
    """share of the stream at its end; its usual rows are judged by the model as it is before them"""
    n_stored: int = 2_000
    """newest scores that the stored quantiles are taken from"""
    max_sample: int = 10_000
    """rows that LocalOutlierFactor is fitted on, at most"""
    max_rows: int | None = None
    """stream only so many rows; None for all"""
    variant: str = ""
    """settings of the RBM that differ from the defaults, as in ``VARIANTS``"""

    @property
    def title(self) -> str:
        return " ".join(filter(None, (self.dataset, self.method, self.variant)))

    @property
    def obstacle(self) -> str | None:
        """Why it cannot be run here, in one sentence."""
        return rivals.obstacle(self.method)

    @property
    def max_seeds(self) -> int | None:
        """One order is enough to compare settings over many sets."""
        return 1 if self.variant else None

    def execute(self, seed: int, report: Report) -> Figures:
        from sklearn.metrics import average_precision_score, roc_auc_score

        _, rows, is_anomaly = load(self.dataset)
        n_total = len(rows)
        order = np.random.default_rng(seed).permutation(n_total)[: self.max_rows]
        rows, is_anomaly = rows[order], is_anomaly[order]
        n_head = min(self.n_head, len(rows) // 4)
        if self.method == "RBM":
            found = rbm.score(rows, ~is_anomaly, n_head, self.held_out, self.n_stored, seed, report, self.variant)
        elif self.method == "histograms":
            found = histograms.score(rows, n_head, report)
        elif self.method in ONLINE:
            found = rivals.score_online(self.method, rows, seed, report)
        else:
            found = rivals.score_offline(self.method, rows, seed, self.max_sample)
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


@lru_cache(maxsize=1)
def load(dataset: str) -> tables.Labelled:
    """Load a set once for all runs of a worker process that follow one another."""
    return tables.load(dataset)


def runs(quick: bool = False) -> list[AnomalyRun]:
    """Every set and method."""
    return [
        AnomalyRun(dataset, method, max_rows=QUICK_ROWS if quick else MAX_ROWS)
        for dataset in tables.names()
        for method in (*ONLINE, *OFFLINE)
    ]


def variant_runs(quick: bool = False) -> list[AnomalyRun]:
    """The RBM with its defaults and with other settings, and IsolationForest, on the first rows of every set.

    Of a set that has no more rows, these are the runs of ``runs``.
    """
    settings = [("RBM", ""), *(("RBM", variant) for variant in VARIANTS), ("IsolationForest", "")]
    return [
        AnomalyRun(dataset, method, max_rows=max_rows, variant=variant)
        for dataset, known in tables.KNOWN.items()
        if known.n_columns <= MOST_COLUMNS
        for max_rows in (QUICK_ROWS if quick else VARIANT_ROWS if known.n_rows > VARIANT_ROWS else MAX_ROWS,)
        for method, variant in settings
    ]
