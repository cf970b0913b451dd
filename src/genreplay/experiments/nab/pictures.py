"""A series of NAB as a picture: values and anomaly in blocks of rows, windows and alarms.

It is for looking at and small enough to be stored beside the scores: all 58 pictures take 130 kB.
"""

from __future__ import annotations

import numpy as np

from genreplay.core.kernels.arrays import Float64
from genreplay.datasets.nab import Series
from genreplay.estimators.deviations import Followed
from genreplay.experiments.nab.scorer import counted_windows
from genreplay.experiments.run import Figures

N_BLOCKS = 150
LEVELS = 200
"""steps from the lowest to the highest value of a series: finer than a small picture shows"""


def picture(series: Series, judged: Followed) -> Figures:
    """Return the blocks of a series and what was found in it; ``judged`` has the rows behind the warm-up.

    Of each block it has the lowest and the highest value, in levels, and the highest anomaly, 0 if that is negative or
    there is none yet. Places are shares of the length of the series: where windows begin and end, and whether there is
    an alarm in them, and where alarms are. As in the score, the probationary period has no windows and no alarms.

    >>> from genreplay.datasets import nab
    >>> times = np.datetime64("2014-04-01T00:00:00") + 3600 * np.arange(10)
    >>> series = nab.make("made up/spike.csv", times, np.array([2.0, 2, 2, 3, 2, 2, 12, 2, 2, 2]), windows=[(5, 6)])
    >>> alarm = np.array([3, 6]) == np.arange(2, 10)[:, np.newaxis]
    >>> seen = picture(series, Followed(np.arange(8.0), alarm.any(axis=1), np.zeros(8, dtype=np.int64)))
    >>> seen["high"], seen["windows"], seen["false_alarms"]
    ([0, 0, 0, 20, 0, 0, 200, 0, 0, 0], [[0.5, 0.7, True]], [0.3])
    """
    n_rows = len(series.values)
    n_blocks = min(N_BLOCKS, n_rows)
    starts = -(-np.arange(n_blocks) * n_rows // n_blocks)
    anomaly, alarm = np.zeros(n_rows), np.zeros(n_rows, dtype=np.bool_)
    n_first = n_rows - len(judged.alarm)
    anomaly[n_first:], alarm[n_first:] = judged.anomaly, judged.alarm
    alarm[: series.probation] = False
    return {
        "starts": str(series.times.min()),
        "ends": str(series.times.max()),
        "n_rows": n_rows,
        "lowest": _short(series.values.min()),
        "highest": _short(series.values.max()),
        "low": _levels(np.minimum.reduceat(series.values, starts), series),
        "high": _levels(np.maximum.reduceat(series.values, starts), series),
        "anomaly": [round(max(float(each), 0.0), 1) for each in np.maximum.reduceat(anomaly, starts)],
        "probation": round(series.probation / n_rows, 4),
        "windows": [
            [round(first / n_rows, 4), round((last + 1) / n_rows, 4), bool(alarm[first : last + 1].any())]
            for first, last in counted_windows(series)
        ],
        "alarms_in_windows": _places(alarm & series.is_in_window),
        "false_alarms": _places(alarm & ~series.is_in_window),
    }


def _levels(values: Float64, series: Series) -> list[int]:
    lowest = series.values.min()
    extent = series.values.max() - lowest
    return [round(float(LEVELS * (each - lowest) / extent)) if extent else 0 for each in values]


def _places(flags: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> list[float]:
    return [round(float(row / len(flags)), 4) for row in np.flatnonzero(flags)]


def _short(value: float) -> float:
    return float(f"{value:.4g}")
