"""How surprising each row of a series is to a model that learns it: the RBM of the detector, or histograms."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core.kernels.arrays import Codes, Float64
from genreplay.datasets.nab import Series
from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.estimators.plain_detector import SERIES_RBM
from genreplay.estimators.series import series_detector
from genreplay.streams.series import SeriesEncoder

_PRIOR = 0.5
"""added to the count of each code; Krichevsky and Trofimov's"""
_SHRINK = 20.0
"""rows that the share over all hours counts beside those of one hour"""


class Surprise(NamedTuple):
    """-log P(value | what the model has learned) in nats, one column."""

    first: Float64
    """of the rows of the warm-up, which the model has learned"""
    later: Float64
    """of each other row before it was learned"""


class _Recorder(OnlineRBMDetector):
    """A detector that keeps the surprise of the cells that it judges. It learns the same whatever its alarms are."""

    first: Float64
    later: list[Float64]

    def _begin_alarms(self, rows: Codes, numbers: Float64) -> None:
        super()._begin_alarms(rows, numbers)
        self.first, self.later = self._surprise(rows, self._cells_of(rows)), []

    def _anomaly(self, rows: Codes, cells: Float64, numbers: Float64) -> Float64 | None:
        self.later.append(self._surprise(rows, cells))
        return super()._anomaly(rows, cells, numbers)


def by_rbm(series: Series, learning_rate: float, seed: int) -> Surprise:
    """By the RBM of ``series_detector``, given the time."""
    detector = series_detector(random_state=seed).set_params(rbm__learning_rate=learning_rate)
    recorder = _Recorder(**detector.get_params(deep=False))
    recorder.partial_fit(rows_of(series))
    return Surprise(recorder.first, np.concatenate(recorder.later))


def by_histograms(series: Series, by_hour: bool) -> Surprise:
    """By how often each code of the value has come, in all rows or in those of the same sector of the day.

    The codes and the batches are those of ``series_detector``. In a sector, the share of a code over all rows counts
    like 20 further rows, because there are few rows of a sector at first.
    """
    encoder = SeriesEncoder()
    n_first = encoder.warm_up
    codes, sizes = encoder.fit(rows_of(series)[:n_first]).codes(rows_of(series)), encoder.group_sizes_
    return counted(codes[:, 0], codes[:, -1], (int(sizes[0]), int(sizes[-1])), n_first, by_hour)


def counted(hours: Codes, values: Codes, sizes: tuple[int, int], n_first: int, by_hour: bool) -> Surprise:
    """By how often each code of a number has come; ``sizes`` counts the codes of the hours and of the values."""
    counts = np.zeros(sizes)
    found = []
    batches = [(0, n_first)]
    batches += [(i, i + SERIES_RBM.batch_size) for i in range(n_first, len(values), SERIES_RBM.batch_size)]
    for start, stop in batches:
        hour, value = hours[start:stop], values[start:stop]
        if start:
            found.append(_surprise(counts, hour, value, by_hour))
        np.add.at(counts, (hour, value), 1)
        if not start:
            found.append(_surprise(counts, hour, value, by_hour))  # learned before, as by the RBM
    return Surprise(found[0][:, np.newaxis], np.concatenate([np.empty(0), *found[1:]])[:, np.newaxis])


def rows_of(series: Series) -> npt.NDArray[np.object_]:
    """The rows as a detector gets them: a time and a value."""
    rows = np.empty((len(series.times), 2), dtype=object)
    rows[:, 0], rows[:, 1] = series.times.tolist(), series.values
    return rows


def _surprise(counts: Float64, hours: Codes, values: Codes, by_hour: bool) -> Float64:
    overall = counts.sum(axis=0) + _PRIOR
    shares = (overall / overall.sum())[values]
    if by_hour:
        shares = (counts[hours, values] + _SHRINK * shares) / (counts.sum(axis=1)[hours] + _SHRINK)
    return np.asarray(-np.log(shares))
