"""One row at a time, without the checks and arrays of a table: a part of the detector, for speed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import is_
from typing import NamedTuple, Self

import numpy as np

from genreplay.core.grouped import TableRBM
from genreplay.core.kernels.arrays import Codes
from genreplay.estimators.alarms import AlarmsMixin
from genreplay.estimators.calibration import Float64
from genreplay.estimators.renewal import Renewal
from genreplay.streams.table import Table


class LastRow(NamedTuple):
    """The row that was asked for last: a row is often scored and then learned, and need not be coded twice."""

    cells: tuple[object, ...]
    codes: Codes
    """one row of them"""
    numbers: Sequence[float] | Float64
    """the cells of the number columns"""
    surprise: Float64
    """of its cells"""
    nats: float
    """of the row"""

    @property
    def row_of_numbers(self) -> Float64:
        """The numbers as an array of one row."""
        return np.array([self.numbers], dtype=np.float64)

    def is_equal(self, cells: tuple[object, ...]) -> bool:
        """Whether these are the same cells; True is equal to 1, but is no number."""
        if len(self.cells) == len(cells) and all(map(is_, self.cells, cells)):
            return True
        return self.cells == cells and list(map(type, self.cells)) == list(map(type, cells))


class OneRowMixin(AlarmsMixin):
    """``surprise_one``, ``anomaly_one`` and ``learn_one`` of ``Detector``."""

    alarm_: bool = False
    """whether the row that ``learn_one`` learned last raised an alarm"""
    contamination: float
    _settings: TableRBM
    _renewal: Renewal
    _follow_changes: Callable[[], None]
    _update_if_full: Callable[[], bool]
    _last: LastRow | None = None
    """None after an update, since the model and the codes are others"""

    def surprise_one(self, row: Sequence[object]) -> float:
        """Return how surprising one row of cells is: ``surprise`` without the checks of a table, for speed.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMDetector
        >>> rows = np.random.default_rng(0).normal(size=(1000, 3))
        >>> detector = OnlineRBMDetector(random_state=0).fit(rows)
        >>> bool(np.isclose(detector.surprise_one(rows[0]), detector.surprise(rows[:1])[0]))
        True
        """
        return self._coded(row).nats

    def anomaly_one(self, row: Sequence[object]) -> float:
        """Return the anomaly of one row of cells as the next one of the series: ``judged`` for a single row, for speed.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import series_detector
        >>> values = np.random.default_rng(0).uniform(size=(1000, 1))
        >>> detector = series_detector(random_state=0).partial_fit(values)
        >>> bool(np.isclose(detector.anomaly_one([9.0]), detector.judged([[9.0]]).anomaly[0]))
        True
        """
        self._required_policy("anomaly_one")
        last = self._coded(row)
        assert self._running is not None
        found, _ = self._follow(self._running, last.codes, last.surprise, last.row_of_numbers)
        return float(found.anomaly[0])

    def learn_one(self, row: Sequence[object]) -> Self:
        """Learn one row of cells, after the warm-up: ``partial_fit`` without the checks of a table, for speed.

        Whether it raised an alarm is in ``alarm_``. Changed parameters are checked when a batch is full.
        """
        self._require_rows()
        n = self._settings.batch_size
        if self._waiting.n + 1 >= n:
            self._follow_changes()
            self._update_if_full()
        last = self._coded(row)
        anomaly = self._anomaly(last.codes, last.surprise, last.row_of_numbers)
        if anomaly is None:
            self.alarm_ = math.exp(-last.nats) <= self.contamination
        else:
            self.alarm_ = bool(anomaly[0] >= self._required_policy("learn_one").threshold)
        self._waiting.add(last.codes, last.surprise)
        self._means.add_later(last.codes, last.numbers)
        if self._renewal.rows is not None:
            cells = np.empty((1, len(row)), dtype=object)
            cells[0] = row
            self._renewal = self._renewal.with_rows(Table(cells), self.encoder_)
        if self._waiting.n >= n:
            self._update_if_full()
        return self

    def _coded(self, row: Sequence[object]) -> LastRow:
        cells, last = tuple(row.tolist() if isinstance(row, np.ndarray) else row), self._last
        if last is not None and last.is_equal(cells):
            return last
        judge = self._judge()
        codes, numbers = self.encoder_.codes_and_numbers_one(row)
        surprise, nats = judge.one(codes)
        self._last = last = LastRow(cells, codes[np.newaxis], numbers, surprise, nats)
        return last
