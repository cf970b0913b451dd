"""Numbers that change with the stream: learning rate, momentum, decay, epochs an update (Algorithm 1, lines 26 and 39).

A plain number stands for itself all along. A schedule is a small class with one method, ``at``.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Literal, NamedTuple

from genreplay.core.ingredient import MOST_PASSES, Ingredient, is_number, is_positive_int, require, require_count


class Clock(NamedTuple):
    """Where in the stream the learner is.

    >>> Clock(t=7).epoch
    1
    """

    t: int = 1
    """number of the update, from 1"""
    epoch: int = 1
    """epoch of this update, from 1"""
    n_epochs_before: int = 0
    """epochs made in all updates before this one"""
    n_new: int = 100
    """rows of the batch, n_B"""
    n_replayed: int = 0
    """rows rehearsed beside them"""
    step: int = 1
    """step of this epoch, from 1; the paper has one step an epoch"""


class Schedule(Ingredient):
    """A base for schedules.

    >>> rate: Schedule = Falling(first=0.8, last=0.1, n_first=1)
    >>> [rate.at(Clock(t=t)) for t in (1, 2, 4, 100)]
    [0.8, 0.4, 0.2, 0.1]
    """

    def at(self, clock: Clock) -> float:
        """The number at this point of the stream."""
        raise NotImplementedError


Number = float | Schedule
"""a setting that stays the same, or follows a schedule"""


def at(number: Number, clock: Clock) -> float:
    """The number at this point of the stream.

    >>> at(0.05, Clock(t=7))
    0.05
    """
    return number.at(clock) if isinstance(number, Schedule) else float(number)


def is_number_or_schedule(value: object, above: float, most: float = sys.float_info.max) -> bool:
    """Whether a setting may stand where a number that changes is asked for."""
    return isinstance(value, Schedule) or is_number(value, above, most)


@dataclass(frozen=True, repr=False)
class Falling(Schedule):
    """The first value for some updates, then falling as 1 / t to the last; it may rise to the first over a warm-up.

    It needs no horizon. The first rows are learned fast, which matters in a short stream. Later, what the newest rows
    teach is mostly noise around what all rows teach. The warm-up keeps the model from overfitting the first batches.

    >>> rate = Falling(first=0.2, last=0.02, n_first=50, n_warm_up=4)
    >>> [rate.at(Clock(t=t)) for t in (1, 2, 4, 50, 100, 100_000)]
    [0.05, 0.1, 0.2, 0.2, 0.1, 0.02]
    """

    first: float
    """value at first"""
    last: float
    """value that it falls to"""
    n_first: int = 100
    """updates for which it keeps the first value"""
    n_warm_up: int = 0
    """updates over which it rises to the first value"""

    def __post_init__(self) -> None:
        for name in ("first", "last"):
            holds = is_number(getattr(self, name), above=0, most=MOST_PASSES)
            require(self, name, f"a positive number, up to {MOST_PASSES:,}", holds)
        require_count(self, "n_first")
        require(self, "n_warm_up", "an int, 0 or more", self.n_warm_up == 0 or is_positive_int(self.n_warm_up))

    def at(self, clock: Clock) -> float:
        warm_up = min(1, clock.t / self.n_warm_up) if self.n_warm_up else 1
        return warm_up * max(self.last, self.first * min(1, self.n_first / clock.t))


@dataclass(frozen=True, repr=False)
class LowAtFirst(Schedule):
    """One value in the first epochs, another in all that follow: the momentum of section 4.

    The paper does not say whether these are the first epochs of the stream or of every update.

    >>> [LowAtFirst(of=of).at(Clock(t=2, epoch=1, n_epochs_before=10)) for of in ("stream", "update")]
    [0.9, 0.5]
    """

    first: float = 0.5
    """value in the first epochs"""
    last: float = 0.9
    """value from then on"""
    n_epochs: int = 5
    """how many epochs are the first"""
    of: Literal["stream", "update"] = "stream"
    """first epochs of the whole stream, or of every update"""

    def __post_init__(self) -> None:
        for name in ("first", "last"):
            require(self, name, f"a number, up to {MOST_PASSES:,}", is_number(getattr(self, name), most=MOST_PASSES))
        require_count(self, "n_epochs")
        require(self, "of", "'stream' or 'update'", self.of in ("stream", "update"))

    def at(self, clock: Clock) -> float:
        before = clock.n_epochs_before if self.of == "stream" else 0
        return self.first if before + clock.epoch <= self.n_epochs else self.last


@dataclass(frozen=True, repr=False)
class NotCarried(Schedule):
    """Momentum that starts anew: zero in the first step of every update. Another reading of the paper.

    Line 39 carries Delta Theta from one step to the next. The paper does not say whether the first step of an update
    goes on with that of the update before.

    >>> rho = NotCarried(0.9)
    >>> [rho.at(Clock(t=2, epoch=epoch)) for epoch in (1, 2, 3)]
    [0.0, 0.9, 0.9]
    """

    momentum: Number
    """rho in all other steps"""

    def __post_init__(self) -> None:
        holds = is_number_or_schedule(self.momentum, above=0, most=MOST_PASSES)
        require(self, "momentum", f"a positive number, up to {MOST_PASSES:,}, or a Schedule", holds)

    def at(self, clock: Clock) -> float:
        return 0.0 if clock.epoch == clock.step == 1 else at(self.momentum, clock)


@dataclass(frozen=True, repr=False)
class EqualTime(Schedule):
    """Epochs an update: fewer beside rehearsed rows, so that an update takes as long as one without, down to a minimum.

    >>> [EqualTime(10, at_least=4).at(Clock(n_new=100, n_replayed=n)) for n in (0, 100, 300)]
    [10.0, 5.0, 4]
    """

    n_epochs: Number
    """epochs of an update that rehearses nothing"""
    at_least: int = 8
    """the minimum"""

    def __post_init__(self) -> None:
        holds = is_number_or_schedule(self.n_epochs, above=0, most=MOST_PASSES)
        require(self, "n_epochs", f"a positive number, up to {MOST_PASSES:,}, or a Schedule", holds)
        require_count(self, "at_least", MOST_PASSES)

    def at(self, clock: Clock) -> float:
        n = at(self.n_epochs, clock)
        return max(n * clock.n_new / (clock.n_new + clock.n_replayed), min(n, self.at_least))
