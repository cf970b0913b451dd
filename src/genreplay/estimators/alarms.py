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
from genreplay.estimators.blocks import ROWS_PER_BLOCK, slices
from genreplay.estimators.calibration import Float64
from genreplay.estimators.deviations import Deviations, Running
from genreplay.estimators.judge import cell_surprise
from genreplay.estimators.judging import DetectorBytes, JudgingMixin

Columns = npt.NDArray[np.int64]
_MOST_REASONS = 3
"""columns that are named for a row of a table"""


class JudgedRows(NamedTuple):
    """What the rows of a series were."""

    anomaly: Float64
    """as ``learn_scored`` returns it"""
    alarm: npt.NDArray[np.bool_]
    """whether the row raises one"""
    column: Columns
    """index of the column that deviates most; -1 in the warm-up, and where there are only times"""


class ExplainedRows(NamedTuple):
    """What rows were before they were learned."""

    anomaly: Float64
    """as ``learn_scored`` returns it: NaN in the warm-up"""
    p_value: Float64
    """how often a usual row would be as surprising, by itself: also in a series; NaN in the warm-up"""
    alarm: npt.NDArray[np.bool_]
    reasons: Columns
    """indices of the columns that surprise most, the most surprising first, (n_rows, n_reasons); -1 where there is no
    further one. A series has one"""


class Continuation:
    """Judges rows as the next ones of a detector's series, chunk after chunk, and learns nothing.

    However the rows are cut into chunks, the result is the same. It holds as long as the detector itself learns no
    further rows: see ``OnlineRBMDetector.continuation``.
    """

    def __init__(self, detector: AlarmsMixin, running: Running) -> None:
        self._detector, self._running = detector, running

    def judged(self, X: object) -> JudgedRows:
        """Say of each further row how anomalous it is, whether that is an alarm, and why."""
        detector = self._detector
        codes, numbers = detector._codes_and_numbers(X)
        parts = []
        for block in slices(len(codes), ROWS_PER_BLOCK):
            rows = codes[block]
            found, self._running = detector._follow(self._running, rows, detector._cells_of(rows), numbers[block])
            parts.append(found)
        return JudgedRows(*map(np.concatenate, zip(*parts, strict=True)))


class AlarmsMixin(JudgingMixin):
    """``learn_judged`` and its like of ``Detector``, and what its parameter ``alarms`` does."""

    alarms: Deviations | None
    learn_scored: Callable[[object], Float64]
    _cells_of: Callable[[Codes], Float64]
    _policy: Deviations | None
    """``alarms``, as it was when it was last found valid"""
    _running: Running | None = None
    """what the policy follows; None without one, and before anything is learned"""
    contamination: float
    _blamed: list[Columns] | None = None
    """columns to blame for rows, while somebody asks"""
    _nats: list[Float64] | None = None
    """how surprising rows were by themselves, while somebody asks"""

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
        policy = self._required_policy("learn_judged")
        blamed: list[Columns] = []
        self._blamed = blamed
        try:
            anomaly = self.learn_scored(X)
        finally:
            self._blamed = None
        first = np.full(len(anomaly) - sum(len(part) for part in blamed), -1)
        return JudgedRows(anomaly, anomaly >= policy.threshold, np.concatenate([first, *blamed]))

    def learn_explained(self, X: object) -> ExplainedRows:
        """Learn rows, and say of each how anomalous it was, whether that is an alarm, and which columns are the reason.

        Each row is explained by the model that scored it, so the result does not depend on how the stream is cut.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMDetector
        >>> rows = np.random.default_rng(0).normal(size=(1000, 3))
        >>> rows[700, 1] = 99
        >>> found = OnlineRBMDetector(random_state=0).learn_explained(rows)
        >>> bool(found.alarm[700]), int(found.reasons[700, 0])
        (True, 1)
        """
        blamed, nats = list[Columns](), list[Float64]()
        self._blamed, self._nats = blamed, nats
        try:
            anomaly = self.learn_scored(X)
        finally:
            self._blamed = self._nats = None
        is_series = self.alarms is not None
        n_reasons = 1 if is_series else min(_MOST_REASONS, self.n_features_in_)
        n_first = len(anomaly) - sum(map(len, nats))
        reasons = np.concatenate([np.full((n_first, n_reasons), -1), *(part.reshape(-1, n_reasons) for part in blamed)])
        p_values = np.concatenate([np.full(n_first, np.nan), *(np.exp(-part) for part in nats)])
        alarm = anomaly >= self.alarms.threshold if self.alarms is not None else p_values <= self.contamination
        return ExplainedRows(anomaly, p_values, alarm, reasons)

    def judged(self, X: object) -> JudgedRows:
        """Judge rows as the next ones of the series, as ``learn_judged`` does, but learn nothing.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import series_detector
        >>> values = np.random.default_rng(0).uniform(size=(2000, 2))
        >>> detector = series_detector(random_state=0).partial_fit(values)
        >>> later = values[:200].copy()
        >>> later[150:160, 1] = 9
        >>> np.flatnonzero(detector.judged(later).alarm), detector.n_rows_seen_
        (array([150]), 2000)
        """
        return self.continuation().judged(X)

    def continuation(self) -> Continuation:
        """Return what judges the next rows of the series chunk by chunk, while the detector stays as it is.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import series_detector
        >>> values = np.random.default_rng(0).uniform(size=(1000, 2))
        >>> detector = series_detector(random_state=0).partial_fit(values)
        >>> following = detector.continuation()
        >>> parts = [following.judged(chunk).anomaly for chunk in np.split(values, 10)]
        >>> bool((np.concatenate(parts) == detector.judged(values).anomaly).all())
        True
        """
        self._required_policy("judged")
        self._judge()
        self._follow_policy()
        assert self._running is not None
        return Continuation(self, self._running)

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
            if self._blamed is not None:
                self._blamed.append(self._reasons(cells))
            return None
        assert self._running is not None
        found, self._running = self._follow(self._running, rows, cells, numbers)
        if self._blamed is not None:
            self._blamed.append(found.column)
        return found.anomaly

    def _reasons(self, cells: Float64) -> Columns:
        """The columns whose cells are more surprising than usual, the most surprising first, and -1 behind them."""
        nats = self._by_column(self._more_than_usual(self._judge(), cells))
        order = np.argsort(-nats, axis=1, kind="stable")[:, :_MOST_REASONS]
        return np.where(np.take_along_axis(nats, order, axis=1) > 0, order, -1)

    def _follow(self, running: Running, rows: Codes, cells: Float64, numbers: Float64) -> tuple[JudgedRows, Running]:
        """Judge rows by the surprise of their cells and by their numbers; also return what is followed after them."""
        assert self._policy is not None
        (anomaly, alarm, column), running = self._policy.followed(running, self._surprise(rows, cells), numbers)
        judged = np.flatnonzero(self._judge().judged)
        columns = self.encoder_.column_of_group_[[*judged, *self.encoder_.number_groups_]]
        return JudgedRows(anomaly, alarm, columns[column] if len(judged) else column), running

    def _surprise(self, rows: Codes, cells: Float64) -> Float64:
        """The surprise of the cells that are judged; that of a number has that of its residual added."""
        judge, residuals = self._judge(), self.encoder_.residual_groups_
        if len(residuals):
            cells = cells.copy()
            cells[:, self.encoder_.number_groups_] += judge.rarity[judge.state.offsets[residuals] + rows[:, residuals]]
        return cells[:, judge.judged]

    def _required_policy(self, caller: str) -> Deviations:
        if self.alarms is None:
            raise ValueError(f"{caller} needs the 'alarms' parameter of {type(self).__name__}: set it to Deviations().")
        return self.alarms

    def _teaching(self, nats: Float64) -> Float64:
        """How much each row teaches: its p-value, or, in a series, the same for all."""
        return np.exp(-nats) if self._policy is None else np.ones(len(nats))
