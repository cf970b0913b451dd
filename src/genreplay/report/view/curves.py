"""A time series as pictures: its anomaly, and a curve for each column of numbers, over the same slices of rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from genreplay.formatting import figure, number, power_of_ten, thousands
from genreplay.report.view.timeline import Label, Mark, Slice, Tick, bars, place, rows_of, time_labels

_ROOM = 1.08
"""height of a picture of the anomaly, for a highest bar of 1"""
_MARGIN = 0.06
"""of a curve, above and below, as a share of its height"""
_STEPS, _FEW_STEPS = 5.5, 3.5
"""between the lowest and the highest number of an axis, at most: of the anomaly, and of a curve, which is lower"""


class Anomalies(NamedTuple):
    """The anomaly along the series, in a frame that is ``n`` wide and 100 high; the page stretches it."""

    n: int
    quiet: str
    """path: the highest anomaly of each slice, up to the threshold"""
    loud: str
    """path: what lies beyond the threshold"""
    threshold: float
    ticks: list[Tick]
    labels: list[Label]
    marks: list[Mark]
    """the alarms that are shown"""
    titles: list[str]
    """what each slice says when it is pointed at"""


class Curve(NamedTuple):
    """A column of numbers along the series, in the same frame."""

    name: str
    band: str
    """path: the range from the lowest to the highest value of each slice"""
    alarms: str
    """path: a line across each slice with alarms for which the column is the reason"""
    n_alarms: int
    ticks: list[Tick]
    marks: list[Mark]
    titles: list[str]


class Shown(NamedTuple):
    """An alarm that has a card."""

    rank: int
    row: int
    anomaly: float
    title: str
    column: int | None
    """the one that is the reason, among those of numbers"""
    value: float
    """of that column"""


def draw_anomaly(slices: Sequence[Slice], threshold: float, alarms: Sequence[Shown] = ()) -> Anomalies:
    """Draw the highest anomaly of each slice; below 0, where rows are less surprising than usual, there is no bar.

    >>> one, two = Slice(1, 2, 2, 0, -0.7, 2, "", ""), Slice(3, 4, 2, 1, 9.3, 3, "10:30", "10:40")
    >>> drawing = draw_anomaly([one, two], threshold=8.0)
    >>> drawing.titles[1], drawing.n, [tick.text for tick in drawing.ticks]
    ('Rows 3 to 4, from 10:30: anomaly up to 9.3 (row 3), 1 alarm', 2, ['0', '2', '4', '6', '8', '10'])
    """
    top = _ROOM * max([1.25 * threshold, *(each.score for each in slices)])

    def height(anomaly: float) -> float:
        return 100 * (1 - max(anomaly, 0.0) / top)

    peaks, limit = [height(each.score) for each in slices], height(threshold)
    return Anomalies(
        len(slices),
        bars([max(peak, limit) for peak in peaks], 100),
        bars(peaks, limit),
        limit,
        [Tick(height(value), tick_text(value)) for value in nice_values(0, top)],
        time_labels(slices),
        [Mark(place(slices, each.row) + 0.5, height(each.anomaly), each.rank, each.title) for each in alarms],
        [_title(each) for each in slices],
    )


def draw_curve(name: str, column: int, slices: Sequence[Slice], alarms: Sequence[Shown] = ()) -> Curve | None:
    """Draw a column of numbers, given its place among them; None if it has no value.

    >>> import numpy as np
    >>> from genreplay.report.view.timeline import Extent
    >>> extent = Extent(np.array([2.0]), np.array([5.0]), np.array([1]))
    >>> curve = draw_curve("load", 0, [Slice(1, 9, 9, 1, 8.3, 4, "", "", extent)])
    >>> curve.titles, [tick.text for tick in curve.ticks]
    (['Rows 1 to 9: load 2 to 5, 1 alarm'], ['2', '3', '4', '5'])
    """
    extents = [each.extent for each in slices if each.extent is not None]
    ranges = [(float(extent.low[column]), float(extent.high[column])) for extent in extents]
    known = [each for each in ranges if not math.isnan(each[0])]
    if not known:
        return None
    n_alarms = [int(extent.n_alarms[column]) for extent in extents]
    bottom, top = min(low for low, _ in known), max(high for _, high in known)
    half = top / 2 - bottom / 2  # the whole span may be too large for a float
    room = _MARGIN * half if math.isfinite(4 * half) else 0.0

    def height(value: float) -> float:
        share = (value / 2 - bottom / 2) / half if half > 0 else 0.5
        return 100 * (1 - _MARGIN - (1 - 2 * _MARGIN) * share)

    def title(each: Slice, lowest: float, highest: float, n: int) -> str:
        values = "missing" if math.isnan(lowest) else " to ".join(dict.fromkeys((figure(lowest), figure(highest))))
        return f"{rows_of(each)}: {name} {values}{_alarms(n)}"

    return Curve(
        name,
        _band([None if math.isnan(low) else (height(low), height(high)) for low, high in ranges]),
        "".join(f"M{i + 0.5:g} 0V100" for i, n in enumerate(n_alarms) if n),
        sum(n_alarms),
        [Tick(height(value), tick_text(value)) for value in nice_values(bottom - room, top + room, _FEW_STEPS)],
        [
            Mark(place(slices, each.row) + 0.5, height(each.value), each.rank, each.title)
            for each in alarms
            if each.column == column and not math.isnan(each.value)
        ],
        [title(each, *ends, n) for each, ends, n in zip(slices, ranges, n_alarms, strict=True)],
    )


def _band(ranges: Sequence[tuple[float, float] | None]) -> str:
    """A path around the ranges of neighbouring slices, from centre to centre; a slice without values leaves a gap.

    >>> _band([(90.0, 10.0), (80.0, 20.0), None, (50.0, 40.0)])
    'M0.5 10L1.5 20L1.5 80L0.5 90zM3.5 40L3.5 50z'
    """
    path, run = "", list[tuple[int, tuple[float, float]]]()
    for i, ends in enumerate([*ranges, None]):
        if ends is not None:
            run.append((i, ends))
        elif run:
            points = [(i, high) for i, (_, high) in run] + [(i, low) for i, (low, _) in reversed(run)]
            path += "M" + "L".join(f"{i + 0.5:g} {y:.4g}" for i, y in points) + "z"
            run = []
    return path


def nice_values(low: float, high: float, most: float = _STEPS) -> list[float]:
    """Round numbers between two others: 1, 2 or 5 times a power of ten apart, with at most so many steps.

    >>> nice_values(0, 10.8), nice_values(-0.31, 0.44), nice_values(7, 7)
    ([0.0, 2.0, 4.0, 6.0, 8.0, 10.0], [-0.2, 0.0, 0.2, 0.4], [7])
    """
    if not 1e-300 < high - low < math.inf:
        return list(dict.fromkeys((low, high)))
    power = math.floor(math.log10((high - low) / most))
    fits = (factor * 10.0 ** (power + k) for k in (0, 1) for factor in (1, 2, 5))
    step = next(step for step in fits if (high - low) / step <= most)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(i * step, 12 - power) if power < 12 else i * step for i in range(first, last + 1)]


def tick_text(value: float) -> str:
    """A round number in few characters.

    >>> tick_text(1013.5), tick_text(999998.0), tick_text(5e-6), tick_text(0.0)
    ('1,013.5', '999,998', '5 ... 10⁻⁶', '0')
    """
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        return f"{value:,.10g}".replace("-", "\N{MINUS SIGN}")
    mantissa, exponent = f"{value:.6e}".split("e")
    sign = "\N{MINUS SIGN}" if value < 0 else ""
    return f"{sign}{abs(float(mantissa)):g} \N{MULTIPLICATION SIGN} {power_of_ten(int(exponent))}"


def _title(each: Slice) -> str:
    if each.n_rows == 1:
        return f"{rows_of(each)}: anomaly {number(each.score)}{', an alarm' if each.n_alarms else ''}"
    alarms = _alarms(each.n_alarms) or ", no alarm"
    return f"{rows_of(each)}: anomaly up to {number(each.score)} (row {thousands(each.worst)}){alarms}"


def _alarms(n: int) -> str:
    return f", {thousands(n)} alarm{'s' if n > 1 else ''}" if n else ""
