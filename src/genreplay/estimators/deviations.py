r"""Alarms in a series: rows whose surprise, over some lengths of time, is far above what it usually is.

A single surprising row is no alarm in a series whose rows often surprise, and a failure may show in no single row but
in many that are each a little strange. So the surprise $s_t$ of a cell is followed by its means over the last few
rows, one for each scale w,

$$x_t^w = \frac{1}{w} \sum_{i=0}^{w-1} s_{t-i},$$

each compared with its own running mean and standard deviation before this row. The anomaly of the cell is the sum of
these deviations, and that of a row is that of its most deviating cell, less log(n) where there are n of them, because
of many cells one often deviates:

$$z_t = \sum_w \frac{x_t^w - \mu_t^w}{\sigma_t^w + 0.3}.$$

The 0.3 nats keep a series that hardly ever surprises from raising an alarm at the least change. The values of a number
that is stuck surprise nobody, so how long it has not changed is followed, too: see ``Standstill``. After an alarm, the
columns that deviated raise none for a while: what goes on is still the same event. Another column may raise one as soon
as the longest scale has passed, if it deviates more than they do. A number that stands still raises one alarm.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core.ingredient import Ingredient, Json, is_number, is_positive_int, require
from genreplay.core.kernels.running import deviations as running_deviations
from genreplay.core.kernels.running import window_means
from genreplay.estimators.calibration import MEMORY, Float64
from genreplay.estimators.standstill import Standstill

_FLOOR = 0.3
"""nats, added to the standard deviation"""
_IN_QUIET = 0.99
"""anomaly of a row that would raise an alarm in the quiet time after another, as a share of the threshold"""
_N_FIRST = 20
"""rows that a standard deviation is taken from at least; before, nothing deviates"""

_MOST_SCALES, _LONGEST_SCALE = 100, 100_000
"""the rows of the longest scale are kept, and each scale takes time"""


class Followed(NamedTuple):
    """What some rows were."""

    anomaly: Float64
    """of each row; one after an alarm, too soon for another, stays 1 % below the threshold"""
    alarm: npt.NDArray[np.bool_]
    """whether the row raises one"""
    column: npt.NDArray[np.int64]
    """the one that deviates most, those of numbers that stand still behind the others; -1 if there is none"""


@dataclass(frozen=True, eq=False)
class Running:
    """What is kept of a series: its arrays are never changed in place."""

    n: int
    """rows followed"""
    quiet: npt.NDArray[np.int64]
    """for each column, rows still to come in which it raises no alarm"""
    told: npt.NDArray[np.bool_]
    """for each number, whether it stands still and an alarm has said so"""
    mean: Float64
    """of the mean over each scale, of each column: shape (n_scales, n_columns)"""
    variance: Float64
    recent: Float64
    """surprise of the last rows, oldest first: as many as the longest scale needs beside a new one"""
    still: Standstill

    @property
    def nbytes(self) -> int:
        return sum(each.nbytes for each in (self.quiet, self.told, self.mean, self.variance, self.recent, self.still))

    def to_json(self) -> dict[str, Json]:
        """All of it, for a file."""
        arrays: dict[str, Json] = {name: getattr(self, name).tolist() for name in ("mean", "variance", "recent")}
        held: dict[str, Json] = {"n": self.n, "quiet": self.quiet.tolist(), "told": self.told.tolist()}
        return {**held, "n_columns": self.mean.shape[1], **arrays, "still": self.still.to_json()}

    @classmethod
    def from_json(cls, held: Mapping[str, Any]) -> Running:
        """What ``to_json`` wrote."""
        n_columns = held["n_columns"]
        arrays = [np.array(held[name], dtype=np.float64) for name in ("mean", "variance", "recent")]
        mean, variance, recent = (array.reshape(len(array), n_columns) for array in arrays)
        quiet, told = np.array(held["quiet"], dtype=np.int64), np.array(held["told"], dtype=np.bool_)
        return cls(held["n"], quiet, told, mean, variance, recent, Standstill.from_json(held["still"]))


@dataclass(frozen=True, repr=False)
class Deviations(Ingredient):
    """When a series raises an alarm: a frozen value.

    >>> policy = Deviations(threshold=9)
    >>> surprise = np.random.default_rng(0).exponential(size=(1000, 2))
    >>> surprise[800:810, 1] += 5
    >>> found, running = policy.followed(policy.start(n_columns=2), surprise)
    >>> np.flatnonzero(found.alarm), found.column[found.alarm]
    (array([804]), array([1]))
    """

    scales: tuple[int, ...] = (1, 8, 32)
    """numbers of rows over which the surprise is averaged"""
    threshold: float = 7.0
    """anomaly, the sum of the deviations over all scales, from which on there is an alarm"""
    quiet: float = 0.05
    """rows after an alarm without another by the same columns, as a share of the rows that the running means are taken
    over: those so far, and at most 5,000. A share, because a longer series has longer events; a limit, because a stream
    may never end"""

    def __post_init__(self) -> None:
        scales = tuple(self.scales) if isinstance(self.scales, tuple | list) else ()
        rule = f"a tuple of one to {_MOST_SCALES} different positive ints, up to {_LONGEST_SCALE:,}"
        require(self, "scales", rule, all(is_positive_int(scale, _LONGEST_SCALE) for scale in scales))
        require(self, "scales", rule, 0 < len(set(scales)) == len(scales) <= _MOST_SCALES)
        require(self, "threshold", "a positive number", is_number(self.threshold, above=0))
        require(self, "quiet", "a number from 0 to 1", is_number(self.quiet) and 0 <= self.quiet <= 1)
        object.__setattr__(self, "scales", tuple(map(int, scales)))  # a file has a list

    @property
    def most_quiet_rows(self) -> int:
        """Rows after an alarm without another by the same column, at most."""
        return int(self.quiet * MEMORY)

    def start(self, n_columns: int, n_numbers: int = 0) -> Running:
        """Nothing is known of any row."""
        none = np.zeros((len(self.scales), n_columns))
        recent = np.zeros((max(self.scales) - 1, n_columns))
        quiet, told = np.zeros(n_columns + n_numbers, dtype=np.int64), np.zeros(n_numbers, dtype=np.bool_)
        return Running(0, quiet, told, none, none, recent, Standstill.start(n_numbers))

    def warmed_up(self, surprise: Float64, numbers: Float64 | None = None) -> Running:
        """What the first rows of a stream leave; they raise no alarm."""
        nothing = self.start(surprise.shape[1], 0 if numbers is None else numbers.shape[1])
        return self.replace(quiet=0.0).followed(nothing, surprise, numbers)[1]

    def followed(self, running: Running, surprise: Float64, numbers: Float64 | None = None) -> tuple[Followed, Running]:
        """Judge further rows by the surprise of their cells, (n_rows, n_columns), each before it is added.

        ``numbers`` are the numbers of the rows, to see whether they stand still; None for none. However the rows are
        cut into calls, the result is the same to the bit.
        """
        (n_rows, n_columns), n = surprise.shape, running.n
        known = np.concatenate([running.recent, surprise])
        means = window_means(known, n_rows, n, self.scales).reshape(n_rows, running.mean.size)
        by_scale, mean, variance = running_deviations(
            means, running.mean.ravel(), running.variance.ravel(), n, MEMORY, _N_FIRST, _FLOOR
        )
        deviations = np.zeros((n_rows, n_columns))
        for k in range(len(self.scales)):
            deviations += by_scale[:, k * n_columns : (k + 1) * n_columns]
        mean, variance = mean.reshape(running.mean.shape), variance.reshape(running.mean.shape)
        nats, still = running.still.followed(np.empty((n_rows, 0)) if numbers is None else numbers)
        anomalies = np.concatenate([deviations, np.where(nats > 0, nats, -math.inf)], axis=1)
        anomalies -= math.log(max(n_columns, 1))
        column = anomalies.argmax(axis=1) if n_columns else np.full(n_rows, -1)
        anomaly = anomalies.max(axis=1) if n_columns else np.zeros(n_rows)
        alarm, until, told, n_told = np.zeros(n_rows, dtype=np.bool_), running.quiet.copy(), running.told.copy(), 0
        for i in np.flatnonzero(anomaly >= self.threshold).tolist():
            told, n_told = told & (nats[n_told:i] > 0).all(axis=0), i  # a number that has changed may be told again
            open_to_all = np.where(np.append(np.zeros(n_columns, dtype=np.bool_), told), -math.inf, anomalies[i])
            first = int(open_to_all.argmax())
            if until[first] > i or open_to_all[first] < self.threshold:
                anomaly[i] = _IN_QUIET * self.threshold
                continue
            alarm[i], anomaly[i], column[i] = True, open_to_all[first], first
            deviating, n_quiet = anomalies[i] >= self.threshold, int(self.quiet * min(n + i + 1, MEMORY))
            until = np.maximum(until, i + 1 + np.where(deviating, n_quiet, min(n_quiet, max(self.scales))))
            told = told | deviating[n_columns:]
        told &= (nats[n_told:] > 0).all(axis=0)
        quiet = np.maximum(until - n_rows, 0)
        after = Running(n + n_rows, quiet, told, mean, variance, known[n_rows:], still)
        return Followed(anomaly, alarm, column), after
