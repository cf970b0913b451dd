"""How anomalous the rows of a series of sensors are to each method, and what it says of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from genreplay.datasets.faults import hours_and_weekdays
from genreplay.datasets.sensors import COLUMNS, SENSORS, Flags, Floats, Objects
from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.estimators.deviations import Deviations
from genreplay.estimators.series import series_detector
from genreplay.experiments.anomaly import rivals
from genreplay.experiments.anomaly.scores import in_chunks
from genreplay.experiments.nab.surprise import counted
from genreplay.experiments.run import Report
from genreplay.streams.series import SeriesEncoder


class Judged(NamedTuple):
    """What a method says of each row; nothing is anomalous in its warm-up."""

    anomaly: Floats
    """high = anomalous"""
    alarm: Flags | None = None
    """None for a method without alarms"""
    sensor: Objects | None = None
    """name of the one that deviates most; None for a method that names none"""


def by_series_detector(rows: Objects, seed: int, report: Report) -> Judged:
    """By the detector of a series."""
    detector, alarms, columns = series_detector(random_state=seed), [], []

    def learn(chunk: Objects) -> Floats:
        judged = detector.learn_judged(chunk)
        alarms.append(judged.alarm)
        columns.append(judged.column)
        return judged.anomaly

    anomaly, _ = in_chunks(learn, rows, report, 0, len(rows))
    sensor = np.array([*COLUMNS, ""], dtype=object)[np.concatenate(columns)]  # -1 where there is none
    return Judged(np.nan_to_num(anomaly), np.concatenate(alarms), sensor)


def by_histograms(rows: Objects) -> Judged:
    """By how often the code of each sensor came at this time of day, with the alarms of the detector of a series."""
    encoder = SeriesEncoder()
    n_first = encoder.warm_up
    codes, sizes = encoder.fit(rows[:n_first]).codes(rows), encoder.group_sizes_
    of_sensors = np.flatnonzero(encoder.column_of_group_ > 0)
    found = [counted(codes[:, 0], codes[:, g], (sizes[0], sizes[g]), n_first, by_hour=True) for g in of_sensors]
    policy, numbers = Deviations(), rows[:, 1:].astype(np.float64)
    running = policy.warmed_up(np.concatenate([each.first for each in found], axis=1), numbers[:n_first])
    later = np.concatenate([each.later for each in found], axis=1)
    followed, _ = policy.followed(running, later, numbers[n_first:])
    sensor = np.array([*SENSORS, *SENSORS], dtype=object)[followed.column]  # by their values, or standing still
    return Judged(
        np.concatenate([np.zeros(n_first), followed.anomaly]),
        np.concatenate([np.zeros(n_first, dtype=bool), followed.alarm]),
        np.concatenate([np.full(n_first, "", dtype=object), sensor]),
    )


def by_table_detector(rows: Objects, seed: int, report: Report) -> Judged:
    """By the detector of tables: -log of the p-values."""
    detector = OnlineRBMDetector(random_state=seed)
    surprise, _ = in_chunks(detector.learn_scored, rows, report, 0, len(rows))
    return Judged(np.nan_to_num(surprise))


def by_river(method: str, rows: Objects, seed: int, report: Report) -> Judged:
    """By a detector of River."""
    return Judged(rivals.score_online(method, to_numbers(rows), seed, report).scores)


def by_regression(rows: Objects) -> Judged:
    """By the largest residual of a sensor, in its standard deviations, given the others and the hour."""
    numbers = to_numbers(rows)
    values, context = numbers[:, : len(SENSORS)], np.column_stack([numbers[:, len(SENSORS) :], np.ones(len(rows))])
    deviations = []
    for i, value in enumerate(values.T):
        known = np.column_stack([context, np.delete(values, i, axis=1)])
        residual = value - known @ np.linalg.lstsq(known, value, rcond=None)[0]
        deviations.append(np.abs(residual) / residual.std())
    return Judged(np.max(deviations, axis=0), None, np.array(SENSORS, dtype=object)[np.argmax(deviations, axis=0)])


def to_numbers(rows: Objects) -> Floats:
    """The six values, sine and cosine of the time of day, and the day of the week.

    >>> from genreplay.datasets.sensors import sensors
    >>> to_numbers(sensors(2_000, n_each=0).rows)[0].tolist()
    [14.7, 32.2, 7.07, 52.8, 41.5, 22.6, 0.0, 1.0, 0.0]
    """
    hours, weekdays = hours_and_weekdays(rows[:, 0])
    angle = 2 * np.pi * hours / 24
    return np.column_stack([rows[:, 1:].astype(np.float64), np.sin(angle), np.cos(angle), weekdays])
