"""Rows judged by how far the surprise of their cells departs from what it was lately: a part of the detector.

With ``alarms``, the detector follows a series. Rows are then judged one after the other, by ``Deviations``, and each of
them teaches alike: what has changed for good shall become usual.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core.kernels.arrays import Codes
from genreplay.estimators.calibration import Float64
from genreplay.estimators.deviations import Deviations, Running
from genreplay.estimators.judge import cell_surprise
from genreplay.estimators.judging import DetectorBytes, JudgingMixin

Columns = npt.NDArray[np.int64]


class JudgedRows(NamedTuple):
    """What the rows of a series were."""

    anomaly: Float64
    """as ``learn_scored`` returns it"""
    alarm: npt.NDArray[np.bool_]
    """whether the row raises one"""
    column: Columns
    """index of the column that deviates most; -1 in the warm-up, and where there are only times"""


class AlarmsMixin(JudgingMixin):
    """``learn_judged`` of ``OnlineRBMDetector``, and what its parameter ``alarms`` does."""

    alarms: Deviations | None
    learn_scored: Callable[[object], Float64]
    _policy: Deviations | None
    """``alarms``, as it was when it was last found valid"""
    _running: Running | None = None
    """what the policy follows; None without one, and before anything is learned"""
    _blamed: list[Columns] | None = None
    """columns to blame for rows, while somebody asks"""

    def learn_judged(self, X: object) -> JudgedRows:
        """Learn the rows of a series, and say of each how anomalous it was, whether that is an alarm, and why.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import series_detector
        >>> values = np.random.default_rng(0).uniform(size=(2000, 2))
        >>> values[1500:1510, 1] = 9
        >>> rows = series_detector(random_state=0).learn_judged(values)
        >>> np.flatnonzero(rows.alarm), rows.column[rows.alarm]
        (array([1500]), array([1]))
        """
        if self.alarms is None:
            raise ValueError(
                f"learn_judged needs the 'alarms' parameter of {type(self).__name__}: set it to Deviations()."
            )
        blamed: list[Columns] = []
        self._blamed = blamed
        try:
            anomaly = self.learn_scored(X)
        finally:
            self._blamed = None
        first = np.full(len(anomaly) - sum(len(part) for part in blamed), -1)
        return JudgedRows(anomaly, anomaly >= self.alarms.threshold, np.concatenate([first, *blamed]))

    @property
    def nbytes(self) -> DetectorBytes:
        """Bytes held, in parts; ``nbytes.total`` is their sum. It does not grow with the stream."""
        held = super().nbytes
        return held if self._running is None else held._replace(judge=held.judge + self._running.nbytes)

    def _follow_policy(self) -> None:
        """The threshold and the quiet time may change between two calls, but not what is followed."""
        wanted, held = self.alarms, self._policy
        if self.judge_ is not None and (wanted and wanted.scales) != (held and held.scales):
            raise ValueError(
                f"{type(self).__name__} cannot change the scales of its alarms, nor whether it has alarms, after the "
                "warm-up: set them back, or call fit to start anew."
            )
        self._policy = wanted

    def _begin_alarms(self, rows: Codes, numbers: Float64) -> None:
        """Follow the rows of the warm-up, which the model has learned."""
        if self._policy is not None:
            cells = cell_surprise(self._judge().state, rows)
            self._running = self._policy.warmed_up(self._surprise(rows, cells), numbers)

    def _anomaly(self, rows: Codes, cells: Float64, numbers: Float64) -> Float64 | None:
        """Follow further rows, given the surprise of their cells, and return their anomaly; None without a policy."""
        if self._policy is None:
            return None
        assert self._running is not None
        found, self._running = self._policy.followed(self._running, self._surprise(rows, cells), numbers)
        if self._blamed is not None:
            judged = np.flatnonzero(self._judge().judged)
            columns = self.encoder_.column_of_group_[[*judged, *self.encoder_.number_groups_]]
            self._blamed.append(columns[found.column] if len(judged) else found.column)
        return found.anomaly

    def _surprise(self, rows: Codes, cells: Float64) -> Float64:
        """The surprise of the cells that are judged; that of a number has that of its residual added."""
        judge, residuals = self._judge(), self.encoder_.residual_groups_
        if len(residuals):
            cells = cells.copy()
            cells[:, self.encoder_.number_groups_] += judge.rarity[judge.state.offsets[residuals] + rows[:, residuals]]
        return cells[:, judge.judged]

    def _teaching(self, nats: Float64) -> Float64:
        """How much each row teaches: its p-value, or, in a series, the same for all."""
        return np.exp(-nats) if self._policy is None else np.ones(len(nats))
