"""A detector for a time series: ``OnlineRBMDetector`` with other settings."""

from __future__ import annotations

from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.estimators.deviations import Deviations
from genreplay.estimators.plain_detector import SERIES_RBM
from genreplay.estimators.seeds import RandomState
from genreplay.streams.series import SeriesEncoder


def series_detector(
    *, warm_up: int | None = None, alarms: Deviations | None = None, random_state: RandomState = None
) -> OnlineRBMDetector:
    """Return a detector for rows that have a time and some numbers, in the order of their times.

    The numbers, and categories if there are any, are judged given the time of day and the day of the week. A row is
    anomalous if they have been more surprising than usual, in this row or over the last few: see ``Deviations``.

    Parameters
    ----------
    warm_up : int or None, default=None
        First rows, which fix the codes; None for 300.
    alarms : Deviations or None, default=None
        When there is an alarm; None for ``Deviations()``.
    random_state : int, RandomState instance or None, default=None
        Seed of everything random.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from genreplay import series_detector
    >>> times = np.datetime64("2014-04-01T00:00") + 5 * np.arange(2000)
    >>> load = 50 + 20 * np.sin(np.arange(2000) * 2 * np.pi / 288) + np.random.default_rng(0).normal(size=2000)
    >>> load[1700:1710] = 95
    >>> rows = series_detector(random_state=0).learn_judged(pd.DataFrame({"time": times, "load": load}))
    >>> int(np.nanargmax(rows.anomaly)), rows.alarm[1700]
    (1700, np.True_)
    """
    return OnlineRBMDetector(
        SeriesEncoder(),
        SERIES_RBM,
        warm_up=warm_up,
        alarms=Deviations() if alarms is None else alarms,
        random_state=random_state,
    )
