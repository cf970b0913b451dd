"""How one column becomes codes: a small class for each kind of column. That of numbers is in ``number_code.py``.

A column has one group of codes, a time two. Exactly one code of a group holds. The last code of a group says "missing".
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from genreplay.core.ingredient import Json
from genreplay.streams import cells
from genreplay.streams.cells import Kind
from genreplay.streams.columns import Float64, Objects
from genreplay.streams.number_code import Codes, Integers, NumberCode

Bits = npt.NDArray[np.floating]
Bools = npt.NDArray[np.bool_]
DAY = 86_400
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True, eq=False)
class BooleanCode:
    """False, true, missing."""

    kind: ClassVar[Kind] = "boolean"
    sizes: ClassVar[list[int]] = [3]
    missing: ClassVar[list[int]] = [2]
    unseen: ClassVar[list[int]] = [-1]
    far: ClassVar[Integers] = np.zeros(3, dtype=np.int64)
    edges: ClassVar[Float64] = np.array([0.5, np.inf])
    """of False = 0 and True = 1; NaN, a missing cell, sorts after them"""

    def encode_one(self, cell: object) -> list[int]:
        value = cell if type(cell) is bool else cells.boolean(cell)
        return [2 if value is None else int(value)]

    def decode(self, codes: Codes, rng: np.random.Generator | None = None) -> Objects:
        return np.array([False, True, None], dtype=object)[codes[:, 0]]

    def names(self, column: str) -> list[str]:
        return [f"{column}={name}" for name in ("false", "true", "?")]

    def state(self) -> dict[str, Json]:
        return {}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> BooleanCode:
        return cls()


@dataclass(frozen=True, eq=False)
class CategoryCode:
    """One code for each label, then "unseen" for any other label, then "missing".

    >>> CategoryCode(("red", "blue")).names("colour")
    ['colour=red', 'colour=blue', 'colour=unseen', 'colour=?']
    """

    kind: ClassVar[Kind] = "category"
    labels: tuple[str, ...]

    @classmethod
    def learn(cls, column: list[str | None], max_categories: int) -> CategoryCode:
        """Give a code to the most frequent labels; of equally frequent labels, the first seen comes first.

        >>> CategoryCode.learn(["red", "blue", None, "blue"], max_categories=32).labels
        ('blue', 'red')
        """
        counts = Counter(label for label in column if label is not None)
        return cls(tuple(label for label, _ in counts.most_common(max_categories)))

    @cached_property
    def _places(self) -> dict[str | None, int]:
        return {**{label: place for place, label in enumerate(self.labels)}, None: len(self.labels) + 1}

    @property
    def sizes(self) -> list[int]:
        return [len(self.labels) + 2]

    @property
    def missing(self) -> list[int]:
        return [len(self.labels) + 1]

    @property
    def unseen(self) -> list[int]:
        return [len(self.labels)]

    @property
    def far(self) -> Integers:
        return np.array([*repeat(0, len(self.labels)), 1, 0])

    def encode(self, column: Objects, out: Codes) -> None:
        """Write the codes of labels, None where missing."""
        out[:, 0] = list(map(self._places.get, column.tolist(), repeat(len(self.labels))))

    def encode_one(self, cell: object) -> list[int]:
        place = self._places.get(cell) if type(cell) is str else None
        return [self._places.get(cells.label(cell), len(self.labels)) if place is None else place]

    def decode(self, codes: Codes, rng: np.random.Generator | None = None) -> Objects:
        return np.array([*self.labels, None, None], dtype=object)[codes[:, 0]]

    def names(self, column: str) -> list[str]:
        shown = [repr(label) if label in ("unseen", "?") else label for label in self.labels]
        return [f"{column}={label}" for label in [*shown, "unseen", "?"]]

    def state(self) -> dict[str, Json]:
        return {"labels": list(self.labels)}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> CategoryCode:
        return cls(tuple(state["labels"]))


def seconds_of(time: str | None) -> float:
    """Seconds since 1970 of a decoded time, in the week from Monday, 5 January 1970; NaN where it is missing.

    >>> seconds_of("Tue 13:30") == 5 * DAY + 13.5 * 3600, seconds_of("00:30") == 4 * DAY + 1800, seconds_of(None)
    (True, True, nan)
    """
    if time is None:
        return math.nan
    *day, clock = time.split()
    hours, minutes = map(int, clock.split(":"))
    return (4 + (WEEKDAYS.index(day[0]) if day else 0)) * DAY + 3600 * hours + 60 * minutes


@dataclass(frozen=True, eq=False)
class TimestampCode:
    """Two groups: the time of day, in sectors of equal length from 00:00, and the day of the week, both in UTC.

    Without days, there is only the first one.

    >>> TimestampCode(n_sectors=2).names("t")
    ['t in 00:00-12:00', 't in 12:00-00:00', 't time=?', 't=Mon', 't=Tue', 't=Wed', 't=Thu', 't=Fri', 't=Sat', 't=Sun',
    't day=?']
    """

    kind: ClassVar[Kind] = "timestamp"
    n_sectors: int
    usual: tuple[int, int] = (0, 0)
    """the most frequent sector and day, which stand for a missing one beside a known one"""
    has_days: bool = True

    @classmethod
    def learn(cls, seconds: Float64, n_sectors: int, has_days: bool = True) -> TimestampCode:
        """The code of times of which these have been seen."""
        codes = np.empty((len(seconds), 2), dtype=np.uint8)
        cls(n_sectors).encode(seconds, codes)
        known = codes[~np.isnan(seconds)]
        if len(known) == 0:
            return cls(n_sectors, has_days=has_days)
        sector, day = (int(np.bincount(group).argmax()) for group in known.T)
        return cls(n_sectors, (sector, day), has_days)

    @property
    def sizes(self) -> list[int]:
        return [size + 1 for size in self.missing]

    @property
    def missing(self) -> list[int]:
        return [self.n_sectors, len(WEEKDAYS)] if self.has_days else [self.n_sectors]

    @property
    def unseen(self) -> list[int]:
        return [-1] * len(self.missing)

    @property
    def far(self) -> Integers:
        return np.zeros(sum(self.sizes), dtype=np.int64)

    def encode(self, seconds: Float64, out: Codes) -> None:
        """Write the codes of times, NaN where missing."""
        missing = np.isnan(seconds)
        day, second = np.divmod(np.where(missing, 0, seconds), DAY)
        out[:, 0] = (second * (self.n_sectors / DAY)).astype(np.int64) % self.n_sectors
        if self.has_days:
            out[:, 1] = (day + 3) % 7  # the first of 1970 was a Thursday
        out[missing] = self.missing

    def encode_one(self, cell: object) -> list[int]:
        seconds = cells.timestamp(cell)
        if seconds != seconds:
            return self.missing
        day, second = divmod(seconds, DAY)
        return [int(second * (self.n_sectors / DAY)) % self.n_sectors, int(day + 3) % 7][: len(self.missing)]

    def decode(self, codes: Codes, rng: np.random.Generator | None = None) -> Objects:
        """Day and middle of the sector, such as "Tue 13:30", or "13:30" without days; None where all is missing."""
        missing = codes == self.missing
        known = np.where(missing, self.usual[: codes.shape[1]], codes)
        clocks = np.array([self._clock(sector + 0.5) for sector in range(self.n_sectors)], dtype=object)
        times: Objects = clocks[known[:, 0]]
        if self.has_days:
            times = np.array(WEEKDAYS, dtype=object)[known[:, 1]] + " " + times
        times[missing.all(axis=1)] = None
        return times

    def names(self, column: str) -> list[str]:
        sectors = [f"{column} in {self._clock(j)}-{self._clock(j + 1)}" for j in range(self.n_sectors)]
        days = [*(f"{column}={day}" for day in WEEKDAYS), f"{column} day=?"] if self.has_days else []
        return [*sectors, f"{column} time=?", *days]

    def _clock(self, sector: float) -> str:
        minutes = round(sector * 1440 / self.n_sectors) % 1440
        return f"{minutes // 60:02}:{minutes % 60:02}"

    def state(self) -> dict[str, Json]:
        return {"n_sectors": self.n_sectors, "usual": list(self.usual), "has_days": self.has_days}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> TimestampCode:
        sector, day = state["usual"]
        return cls(int(state["n_sectors"]), (int(sector), int(day)), bool(state.get("has_days", True)))


AnyCode = NumberCode | BooleanCode | CategoryCode | TimestampCode
CLASSES: dict[str, type[AnyCode]] = {c.kind: c for c in (NumberCode, BooleanCode, CategoryCode, TimestampCode)}
