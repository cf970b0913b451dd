"""What is measured of a judged series: alarms and reasons, by event, and a week to look at."""

from __future__ import annotations

import numpy as np

from genreplay.datasets.faults import USUAL
from genreplay.datasets.sensors import KINDS, SENSORS, Event, Flags, Floats, Ints, SensorSeries
from genreplay.experiments.run import Figures
from genreplay.experiments.sensors.methods import Judged

NAMED_FROM = 4.0
"""anomaly from which on a faulty row counts in ``named_by_row``: half of what raises an alarm by default"""
DELAY_HOURS = 1
"""an alarm so soon after a fault still belongs to it"""
_POINTS_PER_HOUR = 4
"""of the week that is drawn"""


def alarms(events: list[Event], alarm: Flags, minutes: float, n_first: int) -> Figures:
    """The share of the faults of each kind with an alarm, and the other alarms in a week.

    >>> events, alarm = [Event("spike", "oil", 20, 2), Event("stuck", "oil", 50, 30)], np.zeros(2_016, dtype=bool)
    >>> alarm[[22, 49, 100]] = True
    >>> alarms(events, alarm, minutes=5, n_first=0)
    {'found': {'all': 0.5, 'spike': 1.0, 'stuck': 0.0}, 'false_alarms_per_week': 2.0}
    """
    delay = round(60 * DELAY_HOURS / minutes)
    is_false, found = alarm.copy(), []
    is_false[:n_first] = False
    for event in events:
        rows = slice(event.first, event.first + event.n_rows + delay)
        found.append(bool(alarm[rows].any()))
        is_false[rows] = False
    weeks = (len(alarm) - n_first) * minutes / (7 * 1_440)
    return {"found": by_kind(events, found), "false_alarms_per_week": float(is_false.sum() / weeks)}


def named(series: SensorSeries, judged: Judged) -> Figures:
    """How often the sensor that is named is the one at fault.

    ``named`` is the share of the faults, by the most anomalous row of each. With alarms, ``named_by_row`` is the share
    of the faulty rows whose anomaly is at least ``NAMED_FROM``; None if there is no such row.
    """
    assert judged.sensor is not None
    most = [event.first + int(judged.anomaly[event.rows].argmax()) for event in series.events]
    right = [bool(judged.sensor[row] == event.sensor) for row, event in zip(most, series.events, strict=True)]
    found: Figures = {"named": by_kind(series.events, right)}
    if judged.alarm is None:
        return found
    rows = (series.kinds != USUAL) & (judged.anomaly >= NAMED_FROM)
    by_row = (judged.sensor == series.faulty_sensors)[rows]
    return {**found, "named_by_row": float(by_row.mean()) if len(by_row) else None}


def by_kind(events: list[Event], flags: list[bool]) -> dict[str, float]:
    """Shares of all events and of those of each kind."""
    kinds = np.array([event.kind for event in events], dtype=object)
    chosen = {"all": np.full(len(kinds), True), **{kind: kinds == kind for kind in KINDS}}
    return {name: float(np.array(flags)[which].mean()) for name, which in chosen.items() if which.any()}


def week(series: SensorSeries, judged: Judged, minutes: float) -> Figures:
    """The week with most kinds of faults, in quarters of an hour, for a picture.

    Of the values in a quarter of an hour the one that is farthest from the median of the week stands for all; of the
    anomalies, the highest.
    """
    assert judged.alarm is not None
    n_rows = round(7 * 1_440 / minutes)
    n_blocks = 7 * 24 * _POINTS_PER_HOUR
    starts = range(n_rows, len(series.rows) - n_rows + 1, n_rows)
    first = max(starts, key=lambda start: len(set(series.kinds[start : start + n_rows])))
    here = slice(first, first + n_rows)
    place = np.arange(n_rows) * n_blocks // n_rows
    hours = minutes / 60
    return {
        "starts": str(series.rows[first, 0]),
        "points_per_hour": _POINTS_PER_HOUR,
        "values": {
            name: _farthest(series.rows[here, 1 + i].astype(np.float64), place) for i, name in enumerate(SENSORS)
        },
        "anomaly": [round(float(judged.anomaly[here][place == block].max()), 2) for block in range(n_blocks)],
        "alarms": [round(float(row * hours), 2) for row in np.flatnonzero(judged.alarm[here])],
        "events": [
            [event.kind, event.sensor, *_hours_in_week(event, first, hours)]
            for event in series.events
            if first - event.n_rows < event.first < first + n_rows
        ],
    }


def _hours_in_week(event: Event, first: int, hours: float) -> tuple[float, float]:
    """When a fault begins and ends, in hours from the first row of the week."""
    start = event.first - first
    return round(max(start * hours, 0.0), 2), round(min((start + event.n_rows) * hours, 168.0), 2)


def _farthest(values: Floats, place: Ints) -> list[float]:
    gaps = np.abs(values - np.median(values))
    blocks = [np.flatnonzero(place == block) for block in range(int(place[-1]) + 1)]
    return [float(values[block[gaps[block].argmax()]]) for block in blocks]
