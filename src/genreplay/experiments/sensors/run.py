"""One method on one series of sensors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from genreplay.datasets import sensors as machine
from genreplay.datasets.sensors import FIRST_DAYS, KINDS, SensorSeries
from genreplay.experiments.anomaly import rivals
from genreplay.experiments.faults.run import ranking
from genreplay.experiments.run import Figures, Report
from genreplay.experiments.sensors import figures, methods
from genreplay.experiments.sensors.methods import Judged

ONLINE = ("RBM", "histograms by hour", "table RBM", "HalfSpaceTrees", "LODA")
METHODS = (*ONLINE, "regression")


@dataclass(frozen=True)
class SensorsRun:
    """One method on a series."""

    kind: ClassVar[str] = "sensors"
    version: ClassVar[int] = 2
    """raise it, too, when a default of ``series_detector`` or ``OnlineRBMDetector`` or the generated series changes"""
    timed: ClassVar[bool] = True
    """tracing memory would take most of the time of a run"""

    method: str = "RBM"
    """RBM, histograms by hour, table RBM, HalfSpaceTrees, LODA or regression"""
    n_rows: int = 40_000
    """rows of the series"""
    n_each: int = 6
    """faults of each kind"""
    minutes: float = 5.0
    """between two rows"""
    noise: float = 0.1
    """standard deviation of a sensor's own noise, for each of that of what it shares with others"""

    @property
    def title(self) -> str:
        return f"sensors {self.method}"

    @property
    def obstacle(self) -> str | None:
        """Why it cannot be run here, in one sentence."""
        return rivals.obstacle(self.method)

    def execute(self, seed: int, report: Report) -> Figures:
        series = load(self.n_rows, seed, self.n_each, self.minutes, self.noise)
        judged = self._judge(series, seed, report)
        n_first = round(FIRST_DAYS * 1_440 / self.minutes)
        found: Figures = {
            **ranking(judged.anomaly[n_first:], series.kinds[n_first:], KINDS),
            "n_counted": len(series.rows) - n_first,
            "n_faults": {kind: int((series.kinds == kind).sum()) for kind in KINDS},
            "n_events": len(series.events),
        }
        if judged.sensor is not None:
            found |= figures.named(series, judged)
        if judged.alarm is not None:
            found |= figures.alarms(series.events, judged.alarm, self.minutes, n_first)
            if self.method == "RBM" and seed == 0:
                found["week"] = figures.week(series, judged, self.minutes)
        return found

    def _judge(self, series: SensorSeries, seed: int, report: Report) -> Judged:
        if self.method == "RBM":
            return methods.by_series_detector(series.rows, seed, report)
        if self.method == "table RBM":
            return methods.by_table_detector(series.rows, seed, report)
        if self.method == "histograms by hour":
            return methods.by_histograms(series.rows)
        if self.method == "regression":
            return methods.by_regression(series.rows)
        return methods.by_river(self.method, series.rows, seed, report)


@lru_cache(maxsize=1)
def load(n_rows: int, seed: int, n_each: int, minutes: float, noise: float) -> SensorSeries:
    """Draw a series once for all runs of a worker process that follow one another."""
    return machine.sensors(n_rows, seed, n_each, minutes, noise)


def runs(quick: bool = False) -> list[SensorsRun]:
    """Every method."""
    return [SensorsRun(method, n_rows=6_048, n_each=1) if quick else SensorsRun(method) for method in METHODS]
