"""False alarms on fresh usual rows, by a detector that has learned usual rows: a part of the section on anomalies."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from genreplay.experiments.calibration import MADE_UP, NOMINAL, CalibrationRun
from genreplay.experiments.results import Results
from genreplay.formatting import fine_percent, percent

FACTOR = 1.5
"""a false-alarm rate is right when it is within this factor of the nominal one"""
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


def within(rate: float, nominal: float) -> bool:
    """Whether a rate is within ``FACTOR`` of the nominal one.

    >>> within(0.015, 0.01), within(0.006, 0.01)
    (True, False)
    """
    return bool(1 / FACTOR <= rate / nominal <= FACTOR * (1 + 1e-9))


def calibration(results: Results) -> list[Row]:
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
    """What the rows say; nothing where none was run."""
    found = calibration(results)
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
