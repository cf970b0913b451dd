"""The page on alarm rates: false alarms on fresh usual rows, and with anomalies in the stream."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from genreplay.experiments.anomaly import AnomalyRun
from genreplay.experiments.calibration import MADE_UP, NOMINAL, CalibrationRun
from genreplay.experiments.results import Results
from genreplay.formatting import fine_percent, percent
from genreplay.report import alarms
from genreplay.report.alarms import CALIBRATIONS, FACTOR, Alarms, within

_NAMED = 6
"""tables that are named, at most"""


class Row(NamedTuple):
    """Rates on one table, in the mean over seeds."""

    title: str
    n_learned: int
    """usual rows before those that were judged"""
    n_judged: int
    """fresh usual rows, over all orders and seeds"""
    rates: tuple[float, ...]
    """one for each nominal rate"""

    def is_right(self, at: int) -> bool:
        """Whether a rate, by its index, is within ``FACTOR`` of the nominal one."""
        return within(self.rates[at], NOMINAL[at])


class Content(NamedTuple):
    """Everything that the page shows."""

    sentences: list[str]
    usual: list[Row]
    """where only usual rows were learned"""
    alarms: list[Alarms]
    """where anomalies were in the stream"""
    pictures: dict[str, Markup]
    """of these, by nominal rate"""
    nominal: tuple[float, ...]
    thresholds: tuple[str, ...]
    """where they come from"""
    factor: float
    learned: float
    """share of a stream that is learned before its usual rows are judged"""
    n_stored: int
    """scores whose quantiles are thresholds"""


def content(results: Results) -> Content | None:
    """Make the content of the page; None where nothing was run."""
    usual, found = table(results), alarms.alarms(results)
    if not usual and not found:
        return None
    first = results.runs("anomaly")[0]
    assert isinstance(first, AnomalyRun)
    return Content(
        sentences=sentences(results),
        usual=usual,
        alarms=found,
        pictures=alarms.pictures(found),
        nominal=NOMINAL,
        thresholds=tuple(CALIBRATIONS),
        factor=FACTOR,
        learned=1 - first.held_out,
        n_stored=first.n_stored,
    )


def table(results: Results) -> list[Row]:
    """A row for each table that was run, the made-up stream last."""
    found = []
    for run in results.runs("calibration"):
        records = results.of(run)
        if records and isinstance(run, CalibrationRun):
            figures = [record["figures"] for record in records]
            rates = np.mean([each["alarms"] for each in figures], axis=0).tolist()
            n_judged = sum(each["n_judged"] for each in figures)
            found.append(Row(run.dataset, figures[0]["n_learned"], n_judged, tuple(rates)))
    return found


def sentences(results: Results) -> list[str]:
    """What the rates say; nothing where none was run."""
    return [*_say_usual(table(results)), *alarms.sentences(alarms.alarms(results))]


def _say_usual(found: list[Row]) -> list[str]:
    rows, long = [row for row in found if row.title != MADE_UP], [row for row in found if row.title == MADE_UP]
    said = []
    if rows:
        right = [[row.is_right(at) for at in range(len(NOMINAL))] for row in rows]
        wrong = [row.title for row, each in zip(rows, right, strict=True) if not all(each)]
        counts = " and ".join(
            f"{n} at {percent(rate)}" for n, rate in zip(np.sum(right, axis=0).tolist(), NOMINAL, strict=True)
        )
        named = f" (not on {', '.join(wrong)})" if 0 < len(wrong) <= _NAMED else ""
        said.append(
            f"False alarms of a detector that has learned usual rows: on fresh usual rows of the same table, within a "
            f"factor of {FACTOR:g} of the nominal rate on {counts} of {len(rows)} sets, on {len(rows) - len(wrong)} at "
            f"both{named}."
        )
    said += [
        f"After {row.n_learned:,} made-up rows: "
        + " and ".join(
            f"{fine_percent(rate)} at {percent(nominal)}" for rate, nominal in zip(row.rates, NOMINAL, strict=True)
        )
        + "."
        for row in long
    ]
    return said
