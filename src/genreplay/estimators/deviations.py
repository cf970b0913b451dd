r"""Alarms in a series: rows whose surprise, over some lengths of time, is far above what it usually is.

A single surprising row is no alarm in a series whose rows often surprise, and a failure may show in no single row but
in many that are each a little strange. So the surprise $s_t$ of a cell is followed by its means over the last few
rows, one for each scale w,

$$x_t^w = \frac{1}{w} \sum_{i=0}^{w-1} s_{t-i},$$

each compared with its own running mean and standard deviation before this row. The anomaly of the cell is the sum of
these deviations, and that of a row is that of its most deviating cell:

$$z_t = \sum_w \frac{x_t^w - \mu_t^w}{\sigma_t^w + 0.3}.$$

The 0.3 nats keep a series that hardly ever surprises from raising an alarm at the least change. After an alarm there is
none for a while: what goes on is still the same event.
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
from genreplay.estimators.calibration import MEMORY, Float64

_FLOOR = 0.3
"""nats, added to the standard deviation"""
_N_FIRST = 20
"""rows that a standard deviation is taken from at least; before, nothing deviates"""


class Followed(NamedTuple):
    """What some rows were."""

    anomaly: Float64
    """of each row; one after an alarm, too soon for another, stays just below the threshold"""
    alarm: npt.NDArray[np.bool_]
    """whether the row raises one"""
    column: npt.NDArray[np.int64]
    """the one that deviates most; -1 if there is none"""


@dataclass(frozen=True, eq=False)
class Running:
    """What is kept of a series: its arrays are never changed in place."""

    n: int
    """rows followed"""
    n_quiet: int
    """rows still to come in which there is no alarm"""
    mean: Float64
    """of the mean over each scale, of each column: shape (n_scales, n_columns)"""
    variance: Float64
    recent: Float64
    """surprise of the last rows, oldest first: as many as the longest scale needs beside a new one"""

    @property
    def nbytes(self) -> int:
        return self.mean.nbytes + self.variance.nbytes + self.recent.nbytes

    def to_json(self) -> dict[str, Json]:
        """All of it, for a file."""
        arrays: dict[str, Json] = {name: getattr(self, name).tolist() for name in ("mean", "variance", "recent")}
        return {"n": self.n, "n_quiet": self.n_quiet, "n_columns": self.mean.shape[1], **arrays}

    @classmethod
    def from_json(cls, held: Mapping[str, Any]) -> Running:
        """What ``to_json`` wrote."""
        n_columns = held["n_columns"]
        arrays = [np.array(held[name], dtype=np.float64) for name in ("mean", "variance", "recent")]
        return cls(held["n"], held["n_quiet"], *(array.reshape(len(array), n_columns) for array in arrays))


@dataclass(frozen=True, repr=False)
class Deviations(Ingredient):
    """When a series raises an alarm: a frozen value.

    With the defaults, some 10 of 20,000 rows of a series in which nothing happens raise an alarm.

    >>> policy = Deviations(threshold=9)
    >>> surprise = np.random.default_rng(0).exponential(size=(1000, 2))
    >>> surprise[800:810, 1] += 5
    >>> found, running = policy.followed(policy.start(n_columns=2), surprise)
    >>> np.flatnonzero(found.alarm), found.column[found.alarm]
    (array([802]), array([1]))
    """

    scales: tuple[int, ...] = (1, 4, 16)
    """numbers of rows over which the surprise is averaged"""
    threshold: float = 8.0
    """anomaly, the sum of the deviations over all scales, from which on there is an alarm"""
    quiet: float = 0.05
    """rows after an alarm without another, as a share of the rows that the running means are taken over: those so far,
    and at most 5,000. A share, because a longer series has longer events; a limit, because a stream may never end"""

    def __post_init__(self) -> None:
        scales = tuple(self.scales) if isinstance(self.scales, tuple | list) else ()
        rule = "a tuple of one or more different positive ints"
        require(self, "scales", rule, bool(scales) and all(map(is_positive_int, scales)))
        require(self, "scales", rule, len(set(scales)) == len(scales))
        require(self, "threshold", "a positive number", is_number(self.threshold, above=0))
        require(self, "quiet", "a number from 0 to 1", is_number(self.quiet) and 0 <= self.quiet <= 1)
        object.__setattr__(self, "scales", tuple(map(int, scales)))  # a file has a list

    def start(self, n_columns: int) -> Running:
        """Nothing is known of any row."""
        none = np.zeros((len(self.scales), n_columns))
        return Running(0, 0, none, none, np.zeros((max(self.scales) - 1, n_columns)))

    def warmed_up(self, surprise: Float64) -> Running:
        """What the first rows of a stream leave; they raise no alarm."""
        return self.replace(quiet=0.0).followed(self.start(surprise.shape[1]), surprise)[1]

    def followed(self, running: Running, surprise: Float64) -> tuple[Followed, Running]:
        """Judge further rows by the surprise of their cells, (n_rows, n_columns), each before it is added.

        However the rows are cut into calls, the result is the same to the bit.
        """
        (n_rows, n_columns), n, n_quiet = surprise.shape, running.n, running.n_quiet
        known = np.concatenate([running.recent, surprise])
        means = self._means(known, n_rows, n).reshape(n_rows, running.mean.size)
        by_scale, mean, variance = running_deviations(
            means, running.mean.ravel(), running.variance.ravel(), n, MEMORY, _N_FIRST, _FLOOR
        )
        deviations = np.zeros((n_rows, n_columns))
        for k in range(len(self.scales)):
            deviations += by_scale[:, k * n_columns : (k + 1) * n_columns]
        mean, variance = mean.reshape(running.mean.shape), variance.reshape(running.mean.shape)
        column = deviations.argmax(axis=1) if n_columns else np.full(n_rows, -1)
        anomaly = deviations.max(axis=1) if n_columns else np.zeros(n_rows)
        alarm = np.zeros(n_rows, dtype=np.bool_)
        start = n_quiet
        for i in np.flatnonzero(anomaly >= self.threshold).tolist():
            if i >= start:
                alarm[i] = True
                start = i + 1 + int(self.quiet * min(n + i + 1, MEMORY))
        anomaly = np.where(alarm, anomaly, np.minimum(anomaly, math.nextafter(self.threshold, -math.inf)))
        after = Running(n + n_rows, max(start - n_rows, 0), mean, variance, known[n_rows:])
        return Followed(anomaly, alarm, column), after

    def _means(self, known: Float64, n_rows: int, n: int) -> Float64:
        """Means over each scale, (n_rows, n_scales, n_columns), of rows that come after n others.

        Each is added up for itself, in the order of its rows, so that no rounding error depends on the rows before.
        """
        means = np.zeros((n_rows, len(self.scales), known.shape[1]))
        for k, scale in enumerate(self.scales):
            first = len(known) - n_rows - scale + 1
            for j in range(scale):
                means[:, k] += known[first + j : first + j + n_rows]
            means[:, k] /= np.minimum(np.arange(n + 1, n + n_rows + 1), scale)[:, np.newaxis]
        return means
