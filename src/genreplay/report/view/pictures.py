"""Small pictures of columns: how the rows of a stream are spread over a column's values, beside the model's dreams."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from genreplay.formatting import figure
from genreplay.streams.cells import Kind
from genreplay.streams.chunks import shown
from genreplay.streams.codes import DAY, WEEKDAYS
from genreplay.streams.columns import is_missing

Cells = npt.NDArray[Any]
Float64 = npt.NDArray[np.float64]
N_WIDTHS = 20
"""intervals of a number whose cut points are not known"""
MAX_BARS = 24
N_LABELS = 6
"""labels that have a bar of their own, at most"""
MAX_NEW_LABELS = 100
"""labels that no dream has and that are counted one by one; further ones are counted together"""
FEW = 0.01
"""share of the rows and dreams that may lie beyond the outermost numbers below a histogram"""
RANGE = (0.01, 0.99)
"""quantiles of the dreams between which equal widths are cut"""


class Bar(NamedTuple):
    """An interval or a label: the share of the rows and that of the dreams."""

    label: str
    rows: float
    dreams: float


class Mark(NamedTuple):
    """A number below a histogram."""

    x: float
    """from the left, in percent of the width"""
    text: str


class Picture(NamedTuple):
    """A column as it is drawn."""

    name: str
    what: str
    """its kind, or which part of a time is shown"""
    bars: list[Bar]
    is_histogram: bool
    """bars side by side in their order; otherwise a line for each label"""
    missing: Bar
    marks: Sequence[Mark] = ()

    @property
    def difference(self) -> float:
        """Total variation: the share of the rows that would have to move for the two to agree."""
        return sum(abs(bar.rows - bar.dreams) for bar in (*self.bars, self.missing)) / 2

    @property
    def highest(self) -> float:
        """The largest share of a bar, or 1 if all are empty."""
        return max((max(bar.rows, bar.dreams) for bar in self.bars), default=0.0) or 1.0

    @property
    def outline(self) -> str:
        """The dreams as an SVG path over a histogram one unit wide for each bar and 100 high."""
        tops = [100 * (1 - bar.dreams / self.highest) for bar in self.bars]
        return f"M0 {tops[0]:.4g}" + "".join(f"V{top:.4g}H{i}" for i, top in enumerate(tops, 1))

    @property
    def skyline(self) -> str:
        """The rows as an SVG path of bars, with a gap between two."""
        tops = [100 * (1 - bar.rows / self.highest) for bar in self.bars]
        return "".join(f"M{i + 0.08:.4g} 100V{top:.4g}h.84V100z" for i, top in enumerate(tops) if top < 100)


class Counts(Protocol):
    """Counts the cells of a column, in constant memory."""

    def add(self, cells: Cells) -> None:
        """Count cells of the stream."""

    def pictures(self, name: str) -> list[Picture]:
        """Draw what was counted."""


class Numbers:
    """Counts by interval. The intervals are those of the model's cut points, or else of equal width.

    >>> counts = Numbers(np.array([1.0, 2.0, 2.0, 3.0]), cuts=[1.0, 1.5, 2.5, 3.0])
    >>> counts.add(np.array([2.0, 2.1, 9.0, np.nan]))
    >>> [picture] = counts.pictures("x")
    >>> [(bar.label, bar.rows, bar.dreams) for bar in picture.bars][1:]
    [('1.5 to 2.5', 0.5, 0.5), ('2.5 to 3', 0.0, 0.25), ('above 3', 0.25, 0.0)]
    >>> picture.difference
    0.5
    """

    def __init__(self, dreams: Cells, cuts: Sequence[float] | None) -> None:
        values = dreams.astype(np.float64)
        self._edges = _equal_widths(values[~np.isnan(values)]) if cuts is None else _thinned(cuts)
        self._dreams = self._count(values)
        self._rows = np.zeros_like(self._dreams)

    def _count(self, values: Float64) -> npt.NDArray[np.int64]:
        """Cells in each interval, and missing ones at the end."""
        edges = self._edges.copy()
        edges[:1] = np.nextafter(edges[:1], -math.inf)  # the lowest cut itself lies above it
        missing = np.isnan(values)
        places = np.where(missing, len(edges) + 1, np.searchsorted(edges, values))
        return np.bincount(places, minlength=len(edges) + 2)

    def add(self, cells: Cells) -> None:
        self._rows += self._count(cells.astype(np.float64))

    def pictures(self, name: str) -> list[Picture]:
        rows, dreams = _share(self._rows), _share(self._dreams)
        edges = [figure(edge, 3) for edge in self._edges]
        bars = []
        if edges:
            labels = [f"below {edges[0]}", *(f"{a} to {b}" for a, b in pairwise(edges)), f"above {edges[-1]}"]
            bars = [Bar(*each) for each in zip(labels, rows[:-1], dreams[:-1], strict=True)]
        filled = [i for i, bar in enumerate(bars) if bar.rows or bar.dreams]
        first, last = (filled[0], filled[-1]) if filled else (0, -1)
        bars = bars[first : last + 1]
        marks = [Mark(100 * (i + 1) / len(bars), edges[first + i]) for i in _marked(bars)]
        return [Picture(name, "number", bars, True, Bar("missing", rows[-1], dreams[-1]), marks)]


class Labels:
    """Counts by label.

    >>> counts = Labels("category", np.array(["red", "red", "blue", None], dtype=object))
    >>> counts.add(np.array(["red", "pink"], dtype=object))
    >>> [(bar.label, bar.rows, bar.dreams) for bar in counts.pictures("colour")[0].bars]
    [('red', 0.5, 0.5), ('pink', 0.5, 0.0), ('blue', 0.0, 0.25)]
    """

    def __init__(self, kind: Kind, dreams: Cells) -> None:
        self._kind = kind
        self._dreams: Counter[str | None] = Counter(map(_text, dreams.tolist()))
        self._rows: Counter[str | None] = Counter()
        self._n_others = 0

    def add(self, cells: Cells) -> None:
        for cell, n in Counter(cells.tolist()).items():
            label = _text(cell)
            is_counted = label is None or label in self._dreams or label in self._rows
            if is_counted or len(self._rows) < len(self._dreams) + MAX_NEW_LABELS:
                self._rows[label] += n
            else:
                self._n_others += n

    def pictures(self, name: str) -> list[Picture]:
        n_rows, n_dreams = max(self._rows.total() + self._n_others, 1), max(self._dreams.total(), 1)
        bars = [
            Bar(shown(label), self._rows[label] / n_rows, self._dreams[label] / n_dreams)
            for label in dict.fromkeys((*self._dreams, *self._rows))
            if label is not None
        ]
        bars.sort(key=lambda bar: -max(bar.rows, bar.dreams))
        others = bars[N_LABELS:] if len(bars) > N_LABELS + 1 else []
        if others or self._n_others:
            rows = sum(bar.rows for bar in others) + self._n_others / n_rows
            more = "more than " if self._n_others else ""
            label = f"{more}{len(others):,} other labels" if others else "other labels"
            bars = [*bars[: len(bars) - len(others)], Bar(label, rows, sum(bar.dreams for bar in others))]
        missing = Bar("missing", self._rows[None] / n_rows, self._dreams[None] / n_dreams)
        return [Picture(name, self._kind, bars, False, missing)]


class Times:
    """Counts by time of day and by day of the week, in UTC. Dreams are texts such as "Tue 13:30".

    Where the model does not tell days apart, dreams are texts such as "13:30", and there is no picture of the days.

    >>> counts = Times(np.array(["Mon 01:30", "Tue 04:30"], dtype=object), n_sectors=8)
    >>> counts.add(np.array([1704067200.0]))
    >>> [(picture.what, picture.difference) for picture in counts.pictures("t")]
    [('time of day, UTC', 0.5), ('day of the week, UTC', 0.5)]
    """

    def __init__(self, dreams: Cells, n_sectors: int) -> None:
        self._n_sectors = n_sectors if n_sectors <= MAX_BARS else MAX_BARS
        places = [_day_and_second(text) for text in dreams.tolist()]
        days, seconds = np.array(places, dtype=np.float64).reshape(-1, 2).T
        self._has_days = bool(np.isnan(seconds).all() or not np.isnan(days).all())
        self._dreams = self._count(days, seconds)
        self._rows = self._count(np.empty(0), np.empty(0))

    def _count(self, days: Float64, seconds: Float64) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Cells in each sector of the day, and those of each weekday; missing ones at the end of both."""
        sectors = np.where(np.isnan(seconds), self._n_sectors, seconds * self._n_sectors // DAY).astype(np.int64)
        weekdays = np.where(np.isnan(days), len(WEEKDAYS), days).astype(np.int64)
        return np.bincount(sectors, minlength=self._n_sectors + 1), np.bincount(weekdays, minlength=len(WEEKDAYS) + 1)

    def add(self, cells: Cells) -> None:
        days, seconds = np.divmod(cells.astype(np.float64), DAY)
        sectors, weekdays = self._count((days + 3) % 7, seconds)  # the first of 1970 was a Thursday
        self._rows = self._rows[0] + sectors, self._rows[1] + weekdays

    def pictures(self, name: str) -> list[Picture]:
        n = self._n_sectors
        clocks = [f"{1440 * i // n // 60:02}:{1440 * i // n % 60:02}" for i in range(n + 1)]
        by_sector, by_day = (
            [Bar(*each) for each in zip(labels, _share(rows), _share(dreams), strict=True)]
            for labels, rows, dreams in zip(
                ([*(f"{a} to {b}" for a, b in pairwise(clocks)), "missing"], [*WEEKDAYS, "missing"]),
                self._rows,
                self._dreams,
                strict=True,
            )
        )
        hours = [Mark(25.0 * i, f"{6 * i:02}:00") for i in range(5)]
        days = [Mark(100 * (i + 0.5) / len(WEEKDAYS), day) for i, day in enumerate(WEEKDAYS)]
        pictures = [
            Picture(name, "time of day, UTC", by_sector[:-1], True, by_sector[-1], hours),
            Picture(name, "day of the week, UTC", by_day[:-1], True, by_day[-1], days),
        ]
        return pictures if self._has_days else pictures[:1]


def counts_of(kind: Kind, dreams: Cells, code: Mapping[str, Any]) -> Counts:
    """Counts for a column of this kind; ``code`` is what its encoder says of its code, of which nothing is required."""
    if kind == "number":
        cuts = code.get("cuts")
        return Numbers(dreams, cuts if isinstance(cuts, list) and cuts else None)
    if kind == "timestamp":
        return Times(dreams, code.get("n_sectors") or MAX_BARS)
    return Labels(kind, dreams)


def _share(counts: npt.NDArray[np.int64]) -> list[float]:
    shares: list[float] = (counts / max(int(counts.sum()), 1)).tolist()
    return shares


def _text(cell: object) -> str | None:
    """A label or a truth value as text, None where missing."""
    if is_missing(cell):
        return None
    return str(cell).lower() if isinstance(cell, bool | np.bool_) else str(cell)


def _thinned(cuts: Sequence[float]) -> Float64:
    """At most as many different cut points as there are bars to draw; the outermost are among them."""
    distinct = np.unique(np.array(cuts, dtype=np.float64))
    places = np.linspace(0, len(distinct) - 1, min(len(distinct), MAX_BARS - 1)).round().astype(np.int64)
    thinned: Float64 = distinct[places]
    return thinned


def _equal_widths(values: Float64) -> Float64:
    if len(values) == 0:
        return np.empty(0)
    low, high = np.quantile(values, RANGE, method="inverted_cdf")
    shares = np.linspace(0, 1, N_WIDTHS + 1)
    return (1 - shares) * low + shares * high if low < high else np.array([low])  # a difference might overflow


def _marked(bars: Sequence[Bar]) -> list[int]:
    """After which bars the number between it and the next is written: around most rows and dreams, and midway.

    >>> _marked([Bar("", share, share) for share in (0.001, 0.3, 0.3, 0.3, 0.098, 0.001)])
    [0, 2, 4]
    """
    if len(bars) < 2:
        return []
    below = np.cumsum([bar.rows + bar.dreams for bar in bars]) / 2
    first = int(np.searchsorted(below, FEW)) - 1
    last = int(np.searchsorted(below, below[-1] - FEW))
    first, last = max(first, 0), min(last, len(bars) - 2)
    return sorted({first, (first + last) // 2, last})


def _day_and_second(text: object) -> tuple[float, float]:
    """Weekday and second of the day of a dreamed time; NaN where there is none.

    >>> _day_and_second("Tue 13:30"), _day_and_second("13:30"), _day_and_second(None)
    ((1, 48600), (nan, 48600), (nan, nan))
    """
    try:
        *day, clock = str(text).split()
        hour, minute = clock.split(":")
        return WEEKDAYS.index(day[0]) if day else math.nan, 3600 * int(hour) + 60 * int(minute)
    except ValueError:
        return math.nan, math.nan
