"""What the commands print about a row: of a table how rare it is, of a series how much it deviates and where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.estimators.alarms import JudgedRows
from genreplay.estimators.calibration import Float64
from genreplay.estimators.plain_detector import Detector

TABLE = ("row", "anomaly", "p_value", "alarm")
"""what is printed about a row"""
SERIES = ("row", "anomaly", "alarm", "column")
"""what is printed about a row of a series"""
DIGITS = 4
"""of an anomaly, behind the point"""

Found = Float64 | JudgedRows
"""what a model found out about rows: the nats of those of a table, or what those of a series were"""


class Verdict(NamedTuple):
    """What is printed about a row, after its number."""

    cells: tuple[object, ...]
    alarm: bool | None
    """None in the warm-up"""
    column: int | None = None
    """index of the column that deviates most, in a series"""


def headings(is_series: bool) -> tuple[str, ...]:
    """Names of what is printed about a row."""
    return SERIES if is_series else TABLE


def learning(model: Detector) -> Callable[[object], Found]:
    """What learns rows and says what they were before."""
    return model.learn_scored if model.alarms is None else model.learn_judged


def scoring(model: Detector) -> Callable[[object], Found]:
    """What judges the rows of an input, chunk by chunk, and learns nothing; those of a series as its next ones."""
    return model.surprise if model.alarms is None else model.continuation().judged


def anomaly_of(found: Found) -> Float64:
    """How anomalous rows are, NaN in the warm-up."""
    return found.anomaly if isinstance(found, JudgedRows) else found


def verdicts(model: Detector, found: Found, names: Sequence[str]) -> list[Verdict]:
    """What is printed about rows, given the names of the model's columns."""
    return _of_series(model, found, names) if isinstance(found, JudgedRows) else _of_table(model, found)


def _of_table(model: Detector, nats: Float64) -> list[Verdict]:
    """Anomaly, p-value and alarm of each row; NaN, NaN and None for a row of the warm-up."""
    p_values = np.exp(-nats)
    alarms = (p_values <= model.contamination).tolist()
    rows = zip(nats.round(DIGITS).tolist(), p_values.tolist(), alarms, strict=True)
    known = [(nat, float(f"{p:.4g}"), alarm if p == p else None) for nat, p, alarm in rows]
    return [Verdict(cells, cells[2]) for cells in known]


def _of_series(model: Detector, found: JudgedRows, names: Sequence[str]) -> list[Verdict]:
    """Anomaly, alarm and the name of the column of each row; NaN and None for a row of the warm-up."""
    assert model.alarms is not None
    rounded = _rounded(found.anomaly, found.alarm, model.alarms.threshold).tolist()
    lines = []
    for anomaly, is_alarm, place in zip(rounded, found.alarm.tolist(), found.column.tolist(), strict=True):
        alarm, column = is_alarm if anomaly == anomaly else None, place if place >= 0 else None
        lines.append(Verdict((anomaly, alarm, None if column is None else names[column]), alarm, column))
    return lines


def _rounded(anomaly: Float64, alarm: npt.NDArray[np.bool_], threshold: float) -> Float64:
    """Rounded, but never across the threshold: who compares the printed number with it finds the same alarms.

    >>> _rounded(np.array([1.23456, 7.99999, 8.00001]), np.array([False, False, True]), 8.0)
    array([1.2346, 7.9999, 8.    ])
    """
    step, rounded = 10.0**-DIGITS, anomaly.round(DIGITS)
    rounded = np.where(~alarm & (rounded >= threshold), rounded - step, rounded)
    rounded = np.where(alarm & (rounded < threshold), rounded + step, rounded)
    return rounded.round(DIGITS)
