"""Alarms that fresh usual rows of one table raise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from genreplay.datasets import anomaly as tables
from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.experiments.anomaly import NOMINAL
from genreplay.experiments.anomaly.scores import Floats, in_chunks
from genreplay.experiments.run import Figures, Report

MADE_UP = "made-up"
"""name of the stream that is no table"""
N_COLUMNS = 6
"""numbers in each of its rows"""
LONG = 1_000_000
"""rows of it that are learned"""
WIDE = 100
"""columns from which a table comes in one order only"""


@dataclass(frozen=True)
class CalibrationRun:
    """The detector, with its defaults, on the usual rows of one table."""

    kind: ClassVar[str] = "calibration"
    version: ClassVar[int] = 1
    """raise it, too, when a default of ``OnlineRBMDetector`` changes"""

    dataset: str = "mammography"
    """one of the tables, or "made-up" """
    max_rows: int = 10_000
    """usual rows that come in one order, at most"""
    n_head: int = 500
    """rows of the warm-up, at most a quarter of the stream"""
    n_judged: int = 2_000
    """last rows of the stream, at most a fifth of it, and the rows to be judged in all orders together"""

    @property
    def title(self) -> str:
        return f"calibration {self.dataset}"

    def execute(self, seed: int, report: Report) -> Figures:
        n_total = self.max_rows if self.dataset == MADE_UP else min(len(usual(self.dataset)), self.max_rows)
        n_last = min(self.n_judged, n_total // 5)
        rng = np.random.default_rng(seed)
        n_orders = 1 if self._columns > WIDE else -(-self.n_judged // n_last)
        p_values = np.concatenate([self._judged(n_last, rng, report) for _ in range(n_orders)])
        return {
            "nominal": list(NOMINAL),
            "alarms": [float((p_values <= rate).mean()) for rate in NOMINAL],
            "n_judged": len(p_values),
            "n_orders": n_orders,
            "n_learned": n_total - n_last,
        }

    @property
    def _columns(self) -> int:
        return N_COLUMNS if self.dataset == MADE_UP else usual(self.dataset).shape[1]

    def _judged(self, n_last: int, rng: np.random.Generator, report: Report) -> Floats:
        """The p-values of the last rows, which were not learned."""
        if self.dataset == MADE_UP:
            rows = rng.normal(size=(self.max_rows, N_COLUMNS)) @ rng.normal(size=(N_COLUMNS, N_COLUMNS))
        else:
            rows = rng.permutation(usual(self.dataset))[: self.max_rows]
        n_head = min(self.n_head, len(rows) // 4)
        detector = OnlineRBMDetector(warm_up=n_head, random_state=int(rng.integers(2**31)))
        in_chunks(detector.learn_scored, rows, report, 0, len(rows) - n_last)
        return detector.p_values(rows[-n_last:])


@lru_cache(maxsize=1)
def usual(dataset: str) -> Floats:
    """The usual rows of a table, loaded once for all runs of a worker process that follow one another."""
    _, rows, is_anomaly = tables.load(dataset)
    return rows[~is_anomaly]


def runs(quick: bool = False) -> list[CalibrationRun]:
    """Every table, and the made-up stream."""
    if quick:
        return [CalibrationRun(name, max_rows=1_000, n_judged=200) for name in (*tables.names(), MADE_UP)]
    judged_of_long = 20_000
    return [
        *(CalibrationRun(name) for name in tables.names()),
        CalibrationRun(MADE_UP, max_rows=LONG + judged_of_long, n_judged=judged_of_long),
    ]
