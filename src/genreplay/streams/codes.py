"""How one column becomes bits: a small class for each kind of column.

The last bit of a column says "unknown": the cell is missing, or its label has no bit.
Decoding takes probabilities as well as bits. The bits of numbers and booleans say ``lower < value <= upper``, so that
the encoder can take all such columns at once; the other kinds encode their column alone.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise, repeat
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from genreplay.core.ingredient import Json
from genreplay.streams.cells import Kind
from genreplay.streams.columns import Float64, Objects

Bits = npt.NDArray[np.floating]
Bools = npt.NDArray[np.bool_]
DAY = 86_400
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


TAILS = (0.01, 0.03)
"""further cut points of a number: shares of the values, from either end"""


USUAL = (0.01, 0.99)
"""shares of the values between which the range of a number is usual"""
FAR = (1.0, 8.0, 64.0, 512.0)
"""distances from the usual range, in ranges, at which what lies beyond is cut"""


def cut_points(values: Float64, n_bins: int) -> Float64:
    """Where to cut the range of some values: ``n_bins`` parts of about equally many, and finer ones at both ends.

    A cut lies midway between two neighbouring values, so that no seen value lies on it. Where there are at most
    ``n_bins + 1`` different values, every neighbouring pair is cut; otherwise those at the quantiles are, and those at
    the shares ``TAILS`` from either end, where unusual values lie.

    >>> cut_points(np.array([1.0, 2.0, 2.0, 4.0]), n_bins=8).tolist()
    [1.5, 3.0]
    >>> cut_points(np.arange(100.0), n_bins=4).tolist()
    [0.5, 2.5, 24.5, 49.5, 74.5, 96.5, 98.5]
    """
    distinct = np.unique(values)
    if len(distinct) <= n_bins + 1:
        lower, upper = distinct[:-1], distinct[1:]
    else:
        shares = [*TAILS, *(np.arange(1, n_bins) / n_bins), *(1 - share for share in TAILS)]
        quantiles = np.quantile(values, shares, method="inverted_cdf")
        places = np.unique(np.searchsorted(distinct, quantiles))
        places = places[places < len(distinct) - 1]
        lower, upper = distinct[places], distinct[places + 1]
    middle = lower / 2 + upper / 2
    return np.where(middle < upper, middle, lower)  # between two neighbouring floats there is no middle


@dataclass(frozen=True, eq=False)
class NumberCode:
    """Thermometer (bit j: the value is above cut j) or one-hot code (bit j: the value lies in interval j).

    The first cut is the smallest value seen, which counts as above it, and the last is the largest: the two outermost
    intervals hold what lies beyond everything seen.
    """

    kind: ClassVar[Kind] = "number"
    cuts: Float64
    medians: Float64
    """for each interval the value that stands for it"""
    onehot: bool

    @classmethod
    def learn(cls, values: Float64, n_bins: int, onehot: bool) -> NumberCode:
        """Cut the range of the known values; a column without one has the unknown bit only.

        >>> code = NumberCode.learn(np.array([1.0, 2.0, 4.0, 4.0, np.nan]), n_bins=8, onehot=False)
        >>> code.names("x")
        ['x>=1', 'x>1.5', 'x>3', 'x>4', 'x=?']
        """
        known = np.sort(values[~np.isnan(values)])
        if len(known) == 0:
            return cls(known, known, onehot)
        inner = cut_points(known, n_bins)
        parts = np.split(known, np.searchsorted(known, inner, side="right"))
        medians = [known[0], *(part[(len(part) - 1) // 2] for part in parts), known[-1]]
        return cls(np.array([known[0], *inner, known[-1]]), np.array(medians), onehot)

    @classmethod
    def of_widths(cls, values: Float64, n_bins: int) -> NumberCode:
        """Cut the usual range of the known values into intervals of equal width, and what lies beyond ever more widely.

        Where a value lies then says how likely it is, which intervals of equally many rows cannot say. Beyond the range
        there are intervals up to ``FAR`` ranges away, so that a value far off differs from one just outside.

        >>> NumberCode.of_widths(np.arange(101.0), n_bins=4).cuts.tolist()[3:10]
        [-97.0, 1.0, 25.5, 50.0, 74.5, 99.0, 197.0]
        """
        known = np.sort(values[~np.isnan(values)])
        if len(known) == 0:
            return cls(known, known, True)
        if len(np.unique(known)) <= n_bins + 1:
            inner = np.array([known[0], *cut_points(known, n_bins), known[-1]])
        else:
            low, high = np.quantile(known, USUAL)
            low, high = (low, high) if low < high else (known[0], known[-1])
            inner = np.linspace(low, high, n_bins + 1)
        span = float(inner[-1] - inner[0]) or max(abs(float(known[0])), 1.0)
        with np.errstate(over="ignore"):
            below = inner[0] - span * np.array(FAR[::-1])
            above = inner[-1] + span * np.array(FAR)
        largest = np.finfo(np.float64).max
        cuts = np.unique(np.clip(np.concatenate([below, inner, above]), -largest, largest))
        parts = np.split(known, np.searchsorted(known, cuts, side="right"))
        ends = np.concatenate([cuts[:1], cuts, cuts[-1:]])
        middles = ends[:-1] / 2 + ends[1:] / 2
        medians = [
            part[(len(part) - 1) // 2] if len(part) else middle for part, middle in zip(parts, middles, strict=True)
        ]
        return cls(cuts, np.array(medians), True)

    @property
    def n_bits(self) -> int:
        return len(self.lower) + 1

    @cached_property
    def _edges(self) -> Float64:
        """The cuts, the lowest moved so that "greater" says "greater or equal" there."""
        return np.array([*(math.nextafter(cut, -math.inf) for cut in self.cuts[:1]), *self.cuts[1:]])

    @cached_property
    def lower(self) -> Float64:
        return np.array([-np.inf, *self._edges]) if self.onehot and len(self.cuts) else self._edges

    @cached_property
    def upper(self) -> Float64:
        if self.onehot and len(self.cuts):
            return np.array([*self._edges, np.inf])
        return np.full(len(self.cuts), np.inf)

    def names(self, column: str) -> list[str]:
        cuts = [f"{cut:g}" for cut in self.cuts]
        if len(set(cuts)) < len(np.unique(self.cuts)):
            cuts = [repr(float(cut)) for cut in self.cuts]
        if not cuts:
            bits = []
        elif self.onehot:
            inside = [f" in ({a}, {b}]" for a, b in pairwise(cuts)]
            bits = [f"<{cuts[0]}", inside[0].replace("(", "["), *inside[1:], f">{cuts[-1]}"]
        else:
            bits = [f">={cuts[0]}", *(f">{cut}" for cut in cuts[1:])]
        return [f"{column}{bit}" for bit in [*bits, "=?"]]

    def decode(self, bits: Bits) -> Float64:
        known, unknown = bits[:, :-1], bits[:, -1]
        if len(self.cuts) == 0:
            return np.full(len(bits), np.nan)
        if self.onehot:
            level, missing = known.argmax(axis=1), unknown > known.max(axis=1)
        else:
            level = np.count_nonzero(known > 0.5, axis=1)
            missing = (level == 0) & (unknown > 0.5)
        return np.where(missing, np.nan, self.medians[level])

    def state(self) -> dict[str, Json]:
        return {"cuts": self.cuts.tolist(), "medians": self.medians.tolist(), "onehot": self.onehot}

    @classmethod
    def from_state(cls, state: dict[str, Json]) -> NumberCode:
        cuts, medians = (np.array(state[name], dtype=np.float64) for name in ("cuts", "medians"))
        return cls(cuts, medians, bool(state["onehot"]))


@dataclass(frozen=True, eq=False)
class BooleanCode:
    """One bit: true."""

    kind: ClassVar[Kind] = "boolean"
    n_bits: ClassVar[int] = 2
    lower: ClassVar[Float64] = np.array([0.5])
    upper: ClassVar[Float64] = np.array([np.inf])

    def names(self, column: str) -> list[str]:
        return [f"{column}=true", f"{column}=?"]

    def decode(self, bits: Bits) -> Objects:
        cells = (bits[:, 0] > 0.5).astype(object)
        cells[(bits[:, 0] <= 0.5) & (bits[:, 1] > 0.5)] = None
        return cells

    def state(self) -> dict[str, Json]:
        return {}

    @classmethod
    def from_state(cls, state: dict[str, Json]) -> BooleanCode:
        return cls()


@dataclass(frozen=True, eq=False)
class CategoryCode:
    """One bit for each label, or, hashed, one for each bucket that labels fall into.

    The hash is CRC-32 of the text: the same in every process, on every machine. A bucket is decoded as the label that
    fell into it most often.
    """

    kind: ClassVar[Kind] = "category"
    labels: tuple[str | None, ...]
    hashed: bool
    _places: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = {} if self.hashed else {label: i for i, label in enumerate(self.labels) if label is not None}
        object.__setattr__(self, "_places", places)

    @classmethod
    def learn(cls, column: list[str | None], max_categories: int, hashed: bool) -> CategoryCode:
        """Give a bit to the most frequent labels; of equally frequent labels, the first seen comes first.

        >>> CategoryCode.learn(["red", "blue", None, "blue"], max_categories=32, hashed=False).labels
        ('blue', 'red')
        """
        by_count = [label for label, _ in Counter(c for c in column if c is not None).most_common()]
        if not hashed:
            return cls(tuple(by_count[:max_categories]), hashed)
        buckets: list[str | None] = [None] * max_categories
        for label in reversed(by_count):
            buckets[_bucket(label, max_categories)] = label
        return cls(tuple(buckets), hashed)

    @property
    def n_bits(self) -> int:
        return len(self.labels) + 1

    def encode(self, cells: Objects, out: Bits) -> Bools:
        """Write the bits of labels, None where missing, and return which are missing."""
        found: list[str | None] = cells.tolist()
        unknown = len(self.labels)
        if self.hashed:
            places = [unknown if c is None else _bucket(c, unknown) for c in found]
        else:
            places = list(map(self._places.get, found, repeat(unknown)))  # type: ignore[arg-type]
        out[np.arange(len(found)), places] = 1
        return np.array([c is None for c in found])

    def names(self, column: str) -> list[str]:
        if self.hashed:
            return [*(f"{column}#{i}" for i in range(len(self.labels))), f"{column}=?"]
        shown = [repr(label) if label == "?" else label for label in self.labels]
        return [f"{column}={label}" for label in [*shown, "?"]]

    def decode(self, bits: Bits) -> Objects:
        if not self.labels:
            return np.full(len(bits), None, dtype=object)
        known, unknown = bits[:, :-1], bits[:, -1]
        best = known.max(axis=1)
        clear = (best > 0) & (best >= unknown) & (np.count_nonzero(known == best[:, np.newaxis], axis=1) == 1)
        cells: Objects = np.array(self.labels, dtype=object)[known.argmax(axis=1)]
        cells[~clear] = None
        return cells

    def state(self) -> dict[str, Json]:
        return {"labels": list(self.labels), "hashed": self.hashed}

    @classmethod
    def from_state(cls, state: dict[str, Json]) -> CategoryCode:
        return cls(tuple(state["labels"]), bool(state["hashed"]))  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class TimestampCode:
    """Time of day on a circle, and the day of the week, both in UTC.

    The day has ``n_sectors`` sectors and half as many bits. Bit j is on from the start of sector j for half a day:
    every sector has its own code, and neighbouring sectors differ in one bit, also across midnight.

    >>> TimestampCode(n_sectors=4).names("t")
    ['t in 00:00-12:00', 't in 06:00-18:00', 't=Mon', 't=Tue', 't=Wed', 't=Thu', 't=Fri', 't=Sat', 't=Sun', 't=?']
    """

    kind: ClassVar[Kind] = "timestamp"
    n_sectors: int

    @property
    def _half(self) -> int:
        return self.n_sectors // 2

    @property
    def n_bits(self) -> int:
        return self._half + len(WEEKDAYS) + 1

    @cached_property
    def _codes(self) -> Bits:
        """One row for each sector: its bits."""
        sectors, bits = np.arange(self.n_sectors)[:, np.newaxis], np.arange(self._half)
        return ((sectors - bits) % self.n_sectors < self._half).astype(np.float32)

    def encode(self, seconds: Float64, out: Bits) -> Bools:
        """Write the bits of times, NaN where missing, and return which are missing."""
        missing = np.isnan(seconds)
        day, second = np.divmod(np.where(missing, 0, seconds), DAY)
        sector = (second * (self.n_sectors / DAY)).astype(np.int64) % self.n_sectors
        out[:, : self._half] = self._codes[sector]
        out[np.arange(len(out)), self._half + ((day + 3) % 7).astype(np.int64)] = 1  # the first of 1970 was a Thursday
        out[missing] = 0
        out[:, -1] = missing
        return missing

    def names(self, column: str) -> list[str]:
        bits = range(self._half)
        halves = [f" in {self._clock(j)}-{self._clock(j + self._half)}" for j in bits]
        return [f"{column}{bit}" for bit in [*halves, *(f"={day}" for day in WEEKDAYS), "=?"]]

    def _clock(self, sector: float) -> str:
        minutes = round(sector * 1440 / self.n_sectors) % 1440
        return f"{minutes // 60:02}:{minutes % 60:02}"

    def decode(self, bits: Bits) -> Objects:
        """Day and middle of the sector, such as "Tue 13:30"; None where no day is on."""
        halves, days, unknown = bits[:, : self._half], bits[:, self._half : -1], bits[:, -1]
        agreement = halves @ self._codes.T + (1 - halves) @ (1 - self._codes.T)
        clocks = np.array([self._clock(sector + 0.5) for sector in range(self.n_sectors)], dtype=object)
        cells: Objects = np.array(WEEKDAYS, dtype=object)[days.argmax(axis=1)] + " " + clocks[agreement.argmax(axis=1)]
        best = days.max(axis=1)
        cells[(best <= 0) | (best < unknown)] = None
        return cells

    def state(self) -> dict[str, Json]:
        return {"n_sectors": self.n_sectors}

    @classmethod
    def from_state(cls, state: dict[str, Json]) -> TimestampCode:
        return cls(int(state["n_sectors"]))  # type: ignore[arg-type]


AnyCode = NumberCode | BooleanCode | CategoryCode | TimestampCode
CLASSES: dict[str, type[AnyCode]] = {c.kind: c for c in (NumberCode, BooleanCode, CategoryCode, TimestampCode)}


def _bucket(label: str, n: int) -> int:
    return zlib.crc32(label.encode("utf-8", "surrogatepass")) % n
