"""A stream of any length as a few hundred slices: the smallest p-value and the share of alarms of each."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.formatting import fine_percent, p_value, power_of_ten, thousands

Float64 = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
MAX_SLICES = 240
"""even, since slices are merged in pairs"""
N_LABELS = 4
"""labels below the picture, with that of the last row"""
MAX_TICKS = 6
_FULL_MINUTE = re.compile(r"\d\d:\d\d:00$")


class Extent(NamedTuple):
    """What some rows of a series have in each of its columns of numbers."""

    low: Float64
    """the lowest value; NaN if there is none"""
    high: Float64
    n_alarms: npt.NDArray[np.int64]
    """alarms for which the column is the reason"""

    def merged(self, other: Extent) -> Extent:
        """What both have together."""
        low, high = np.fmin(self.low, other.low), np.fmax(self.high, other.high)
        return Extent(low, high, self.n_alarms + other.n_alarms)


ExtentOf = Callable[[int, int], Extent]
"""of the rows from the one place up to the other"""


class Slice(NamedTuple):
    """Consecutive rows of the stream."""

    first: int
    """number of its first row in the input"""
    last: int
    n_rows: int
    n_alarms: int
    score: float
    """-log of its smallest p-value, or the highest anomaly in a series"""
    worst: int
    """number of the row that has it"""
    when: str
    """what the input says about the time of the first row, or nothing"""
    until: str
    """the same of the last row"""
    extent: Extent | None = None
    """of a series"""


class Timeline:
    """Collects slices in constant memory: when there are too many, each pair of neighbours becomes one.

    >>> timeline = Timeline()
    >>> nats, is_alarm = np.full(100, 0.5), np.zeros(100, dtype=bool)
    >>> for start in range(0, 1000, 100):
    ...     timeline.add(range(start + 1, start + 101), nats, is_alarm, lambda place: "")
    >>> timeline.width, len(timeline.slices()), timeline.slices()[-1].last
    (8, 125, 1000)
    """

    def __init__(self, max_slices: int = MAX_SLICES) -> None:
        self.width = 1
        """rows of a slice"""
        self._max_slices = max_slices
        self._slices: list[Slice] = []

    def add(
        self,
        rows: Sequence[int],
        score: Float64,
        is_alarm: Bools,
        when: Callable[[int], str],
        extent: ExtentOf | None = None,
    ) -> None:
        """Add rows: their numbers, how surprising they are, which are alarms, and a function from place to time.

        For a series, also a function from two places to the extent of the rows between them.
        """

        def cut(start: int, stop: int) -> Slice:
            worst = start + int(score[start:stop].argmax())
            return Slice(
                rows[start],
                rows[stop - 1],
                stop - start,
                int(is_alarm[start:stop].sum()),
                float(score[worst]),
                rows[worst],
                when(start),
                when(stop - 1),
                extent(start, stop) if extent else None,
            )

        start = 0
        while start < len(score):
            newest = self._slices[-1] if self._slices else None
            if newest is not None and newest.n_rows < self.width:
                stop = min(start + self.width - newest.n_rows, len(score))
                self._slices[-1] = _merged(newest, cut(start, stop))
            elif len(self._slices) == self._max_slices:
                self._slices = [_merged(*self._slices[i : i + 2]) for i in range(0, self._max_slices, 2)]
                self.width *= 2
                continue
            else:
                stop = min(start + self.width, len(score))
                self._slices.append(cut(start, stop))
            start = stop

    def slices(self) -> list[Slice]:
        """The slices so far; all but the last have ``width`` rows."""
        return list(self._slices)


def _merged(one: Slice, other: Slice) -> Slice:
    worse = one if one.score >= other.score else other
    return Slice(
        one.first,
        other.last,
        one.n_rows + other.n_rows,
        one.n_alarms + other.n_alarms,
        worse.score,
        worse.worst,
        one.when,
        other.until,
        one.extent.merged(other.extent) if one.extent and other.extent else None,
    )


class Tick(NamedTuple):
    """A label of a vertical axis."""

    y: float
    """from the top, in percent of the height"""
    text: str


class Label(NamedTuple):
    """A label below the picture."""

    x: float
    """from the left, in percent of the width"""
    row: str
    when: str


class Mark(NamedTuple):
    """One of the worst alarms in the picture."""

    x: float
    y: float
    rank: int
    title: str


class Drawing(NamedTuple):
    """The timeline as shapes in a frame that is ``n`` wide and 100 high; the page stretches it to its own width.

    Only shapes are stretched. All text is HTML beside them, so that it has the same size on a phone.
    """

    n: int
    quiet: str
    """path: the smallest p-values, up to the threshold of alarms"""
    loud: str
    """path: what lies beyond the threshold"""
    threshold: float
    ticks: list[Tick]
    shares: str
    """path: the share of alarms"""
    expected: float
    share_ticks: list[Tick]
    labels: list[Label]
    marks: list[Mark]
    titles: list[str]
    """what each slice says when it is pointed at"""


def draw(slices: Sequence[Slice], contamination: float, worst: Sequence[tuple[int, float]] = ()) -> Drawing:
    """Draw slices; ``worst`` has the row and the nats of the alarms to mark, worst first.

    >>> one, two = Slice(1, 2, 2, 0, 0.7, 2, "", ""), Slice(3, 4, 2, 1, 9.3, 3, "", "")
    >>> drawing = draw([one, two], contamination=0.01, worst=[(3, 9.3)])
    >>> drawing.titles[1], drawing.marks[0].x
    ('Rows 3 to 4: smallest p-value 9.1 ... 10⁻⁵ (row 3), 1 alarm (50 %)', 1.5)
    """
    limit = -math.log10(contamination)
    highest = max((each.score for each in slices), default=0.0) / math.log(10)
    decades = max(math.ceil(highest * 1.05), math.ceil(limit) + 1)
    top_share = _round_up(max([2 * contamination, *(each.n_alarms / each.n_rows for each in slices)]))

    def height(nats: float) -> float:
        return 100 * (1 - nats / math.log(10) / decades)

    threshold = 100 * (1 - limit / decades)
    peaks = [height(each.score) for each in slices]
    shares = [100 * (1 - each.n_alarms / each.n_rows / top_share) for each in slices]
    return Drawing(
        len(slices),
        bars([max(peak, threshold) for peak in peaks], 100),
        bars(peaks, threshold),
        threshold,
        [Tick(100 * (1 - power / decades), _decade(power)) for power in range(0, decades + 1, _step(decades))],
        bars(shares, 100),
        100 * (1 - contamination / top_share),
        [Tick(0, fine_percent(top_share)), Tick(100, "0 %")],
        time_labels(slices),
        [
            Mark(place(slices, row) + 0.5, height(nats), rank, f"Row {thousands(row)}: p-value {p_value(nats)}")
            for rank, (row, nats) in enumerate(worst, 1)
        ],
        [_title(each) for each in slices],
    )


def bars(tops: Sequence[float], bottom: float) -> str:
    """A path of bars, one unit wide each, that touch each other; equal neighbours are one bar."""
    path, start = [], 0
    for i in range(1, len(tops) + 1):
        if i < len(tops) and tops[i] == tops[start]:
            continue
        if tops[start] < bottom:
            path.append(f"M{start} {bottom:.4g}V{tops[start]:.4g}H{i}V{bottom:.4g}z")
        start = i
    return "".join(path)


def time_labels(slices: Sequence[Slice]) -> list[Label]:
    """The first rows of some slices, evenly spread, and the last row of the stream; no seconds where all are 0."""
    n, last = len(slices), slices[-1]
    places = [round(i * n / (N_LABELS - 1)) for i in range(N_LABELS - 1)] if n >= N_LABELS else [0]
    labels = [Label(100 * i / n, thousands(slices[i].first), slices[i].when) for i in places]
    if last.last > slices[0].first:
        labels.append(Label(100, thousands(last.last), last.until))
    if all(_FULL_MINUTE.search(label.when) for label in labels):
        labels = [label._replace(when=label.when[:-3]) for label in labels]
    return labels


def rows_of(each: Slice) -> str:
    """Which rows a slice has, and when the first of them came."""
    rows = f"Row {thousands(each.first)}"
    if each.n_rows > 1:
        rows = f"Rows {thousands(each.first)} to {thousands(each.last)}"
    return f"{rows}, from {each.when}" if each.when else rows


def _title(each: Slice) -> str:
    rows = rows_of(each)
    if each.n_rows == 1:
        return f"{rows}: p-value {p_value(each.score)}{', an alarm' if each.n_alarms else ''}"
    alarms = "no alarm"
    if each.n_alarms:
        share = fine_percent(each.n_alarms / each.n_rows)
        alarms = f"{thousands(each.n_alarms)} alarm{'s' if each.n_alarms > 1 else ''} ({share})"
    return f"{rows}: smallest p-value {p_value(each.score)} (row {thousands(each.worst)}), {alarms}"


def place(slices: Sequence[Slice], row: int) -> int:
    """Which slice has a row."""
    return next(i for i, each in enumerate(slices) if each.first <= row <= each.last)


def _step(decades: int) -> int:
    return math.ceil(decades / MAX_TICKS)


def _decade(power: int) -> str:
    return f"{10.0**-power:.{power}f}" if power <= 3 else power_of_ten(-power)


def _round_up(share: float) -> float:
    """The next share that reads well on an axis.

    >>> _round_up(0.021), _round_up(0.34), _round_up(0.97)
    (0.05, 0.5, 1.0)
    """
    nice = (step * 10.0**power for power in range(-6, 0) for step in (1, 2, 5))
    return next((round(each, 6) for each in nice if each >= share - 1e-12), 1.0)
