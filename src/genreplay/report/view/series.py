"""A judged time series as one self-contained HTML page, collected in one pass and constant memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.estimators.plain_detector import Detector
from genreplay.formatting import figure, fine_percent, listed, number, thousands
from genreplay.report.view import curves
from genreplay.report.view.curves import Curve, Shown
from genreplay.report.view.page import Alarm, Judged, Kept, StreamView
from genreplay.report.view.reasons import Reason, Usual
from genreplay.report.view.timeline import MAX_SLICES, Extent, ExtentOf, Slice, Timeline
from genreplay.report.view.verdict import series_verdict
from genreplay.streams.chunks import shown
from genreplay.streams.columns import is_missing

MAX_CURVES = 24
"""columns that are drawn; of a wider series those with the most alarms"""
N_REASONS = 3
"""columns that are named for an alarm, at most"""
SURPRISING = 3.0
"""nats beyond the usual from which on a column is named beside the one that deviates most"""
FAR = 0.5
"""share of the threshold below which a row is far from an alarm"""
STUCK = 4
"""rows with the same number that are worth a word"""
ALONE = "usual by itself, but not at this time or with the rest of the row, or not so often in a row"


class SeriesCard(NamedTuple):
    """An alarm as the page shows it."""

    rank: int
    row: int
    when: str
    anomaly: str
    kept: list[Kept]
    reasons: list[Reason]


class Repeats:
    """How many rows in a row each number has had the same value.

    >>> repeats = Repeats(1)
    >>> [repeats.follow(np.array([part]).T).ravel().tolist() for part in ([5.0, 7.0, 7.0], [7.0, 7.0, 8.0])]
    [[1, 1, 2], [3, 4, 1]]
    """

    def __init__(self, n_numbers: int) -> None:
        self._last, self._n_same = np.full(n_numbers, np.nan), np.zeros(n_numbers, dtype=np.int64)

    def follow(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Take further rows, and return how often in a row each value has come until then."""
        places = np.arange(len(values))[:, np.newaxis]
        is_new = values != np.concatenate([self._last[np.newaxis], values[:-1]])
        changed = np.maximum.accumulate(np.where(is_new, places, -1))
        n_same = places - changed + np.where(changed >= 0, 1, self._n_same)
        self._last, self._n_same = values[-1], n_same[-1]
        return n_same


class SeriesView(StreamView):
    """Collects what the page of a series shows: slices of rows with their extents, counts, and the worst alarms.

    The rows are judged as the next ones of the detector's series, which is not changed.

    Parameters
    ----------
    detector : Detector or OnlineRBMDetector
        A detector with alarms.
    names : sequence of str
        Names of the columns, in the order of the cells.
    time : str or None
        The column that says when a row came.
    kept, top, seed
        As in ``StreamView``.

    Examples
    --------
    >>> import numpy as np
    >>> from genreplay import series_detector
    >>> rows = np.random.default_rng(0).uniform(size=(2000, 2))
    >>> view = SeriesView(series_detector(random_state=0).partial_fit(rows), ["x", "y"])
    >>> rows[700:710, 1] = 9
    >>> view.add(range(1, 1001), rows[:1000])
    >>> view.n_rows, view.n_alarms
    (1000, 1)
    """

    template = "view_series.html"

    def __init__(
        self,
        detector: Detector,
        names: Sequence[str],
        time: str | None = None,
        kept: Sequence[str] = (),
        top: int = 50,
        seed: int = 0,
    ) -> None:
        super().__init__(detector, names, kept, top, seed)
        self._following = detector.continuation()
        assert detector.alarms is not None
        self._policy = detector.alarms
        self._when = None if time is None else list(names).index(time)
        self._when_name = "" if time is None else shown(time)
        self._numbers = [place for place, kind in enumerate(self._kinds) if kind == "number"]
        self._repeats = Repeats(len(self._numbers))
        self._timeline = Timeline(_slices_for(1 + len(self._numbers)))

    def _judge(self, cells: npt.NDArray[Any]) -> Judged:
        """Rows tell what is usual if they are far from an alarm: what goes on after one may still be the same event."""
        anomaly, is_alarm, column = self._following.judged(cells)
        is_reason = column[:, np.newaxis] == self._numbers
        n_same = np.where(is_reason, self._repeats.follow(self._values(cells)), 1).max(axis=1, initial=1)
        return Judged(anomaly, is_alarm, anomaly < FAR * self._policy.threshold, column, n_same)

    def _values(self, cells: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        return cells[:, self._numbers].astype(np.float64)

    def _extent(self, cells: npt.NDArray[Any], judged: Judged) -> ExtentOf:
        values = self._values(cells)
        is_reason = judged.is_alarm[:, np.newaxis] & (np.asarray(judged.column)[:, np.newaxis] == self._numbers)

        def extent(start: int, stop: int) -> Extent:
            part = values[start:stop]
            return Extent(np.fmin.reduce(part), np.fmax.reduce(part), is_reason[start:stop].sum(axis=0))

        return extent

    def _content(self, alarms: Sequence[Alarm], slices: Sequence[Slice]) -> dict[str, object]:
        policy = self._policy
        by_time = sorted(alarms, key=lambda alarm: alarm.row)
        shown_alarms = [self._shown(rank, alarm) for rank, alarm in enumerate(by_time, 1)]
        drawn = self._curves(slices, shown_alarms)
        anomalies = curves.draw_anomaly(slices, policy.threshold, shown_alarms) if slices else None
        ticks = [tick.text for picture in (anomalies, *drawn[:MAX_CURVES]) if picture for tick in picture.ticks]
        return {
            "threshold": f"{policy.threshold:g}",
            "far": f"{FAR * policy.threshold:g}",
            "quiet": fine_percent(policy.quiet) if policy.quiet else "",
            "most_quiet_rows": policy.most_quiet_rows,
            "scales": listed(policy.scales),
            "verdict": series_verdict(self.n_rows, self.n_alarms, policy.threshold, self._most_surprising),
            "timeline": anomalies,
            "n_characters": max(map(len, ticks), default=0),
            "curves": drawn[:MAX_CURVES],
            "n_curves_left_out": len(drawn[MAX_CURVES:]),
            "cards": self._series_cards(by_time),
        }

    def _shown(self, rank: int, alarm: Alarm) -> Shown:
        title = f"{alarm.when or f'Row {thousands(alarm.row)}'}: anomaly {number(alarm.score)}"
        if alarm.column is None or alarm.column not in self._numbers:
            return Shown(rank, alarm.row, alarm.score, title, None, math.nan)
        cell = alarm.cells[alarm.column]
        value = math.nan if is_missing(cell) else float(cell)
        return Shown(rank, alarm.row, alarm.score, title, self._numbers.index(alarm.column), value)

    def _curves(self, slices: Sequence[Slice], alarms: Sequence[Shown]) -> list[Curve]:
        """A curve for each column of numbers that has a value; of many, those with the most alarms first."""
        names = [shown(self._names[place]) for place in self._numbers] if slices else []
        drawn = [curves.draw_curve(name, column, slices, alarms) for column, name in enumerate(names)]
        found = [curve for curve in drawn if curve is not None]
        return sorted(found, key=lambda curve: -curve.n_alarms) if len(found) > MAX_CURVES else found

    def _series_cards(self, alarms: Sequence[Alarm]) -> list[SeriesCard]:
        if not alarms:
            return []
        nats, usual = self._explained(alarms), self._usual()
        return [
            SeriesCard(
                rank, alarm.row, alarm.when, number(alarm.score), alarm.kept, self._reasons(alarm, surprise, usual)
            )
            for rank, (alarm, surprise) in enumerate(zip(alarms, nats, strict=True), 1)
        ]

    def _reasons(self, alarm: Alarm, nats: npt.NDArray[np.float64], usual: Sequence[Usual]) -> list[Reason]:
        """The column that deviates most, and others that are very surprising in this row."""
        others = [place for place in np.argsort(-nats, kind="stable").tolist() if nats[place] >= SURPRISING]
        places = [alarm.column, *(place for place in others if place != alarm.column)][:N_REASONS]
        found = []
        for place in places:
            is_stuck = place == alarm.column and alarm.n_same >= STUCK
            alone = f"usual by itself, but the same in the last {thousands(alarm.n_same)} rows" if is_stuck else ALONE
            reason = usual[place].reason(shown(self._names[place]), alarm.cells[place], alone)
            expected = self._expected(alarm.cells, place)
            found.append(
                reason._replace(words=f"{reason.words}; about {expected} is expected here") if expected else reason
            )
        return found

    def _expected(self, cells: npt.NDArray[Any], place: int) -> str:
        """What the model expects of a number, given its time and the rest of its row; nothing if it has no idea."""
        if self._kinds[place] != "number":
            return ""
        row = cells[np.newaxis].astype(object)
        row[0, place] = None
        cell = self._detector.impute(row, columns=[place], random_state=0)[0, place]
        return "" if is_missing(cell) else figure(float(cell), 3)


def _slices_for(n_pictures: int) -> int:
    """Slices of each picture: a curve needs more than bars do, but many pictures shall not make the page large.

    >>> _slices_for(2), _slices_for(13), _slices_for(100)
    (480, 306, 240)
    """
    return max(MAX_SLICES, min(2 * MAX_SLICES, 4_000 // n_pictures // 2 * 2))
