"""Transitions of an environment as rows of codes, and back: observation and action, and what follows from them.

What follows is coded relative to what is given. Numbers of the next observation become differences to those of the
observation. For labels, the difference, the reward and whether the episode ended are one label together, an ending:
environments have few of them, and the model knows the probability of each given observation and action exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from genreplay.core.kernels.arrays import MOST_CODES, Codes, Float64
from genreplay.streams.columns import Objects
from genreplay.streams.series_coder import SeriesCoder
from genreplay.streams.table import Table

Integers = npt.NDArray[np.int64]

MOST_ENDINGS = 64
"""different endings that have a code of their own"""
_MOST_LABELS = MOST_CODES - 2
"""of one column: two further codes say "unseen" and "missing" """
_LARGEST_DIGIT = 5
"""into which the prime factors of a large number of labels are joined"""
_CONTINUOUS = 32
"""different rewards of the warm-up from which on rewards are numbers"""


class Transitions(NamedTuple):
    """Arrays with a row for each transition; observations and actions are flat, and labels start at 0."""

    obs: Float64
    action: Float64
    next_obs: Float64
    reward: Float64
    done: Float64

    @classmethod
    def empty(cls, n: int, n_obs: int, n_action: int) -> Transitions:
        """Room for n of them."""
        return cls(np.zeros((n, n_obs)), np.zeros((n, n_action)), np.zeros((n, n_obs)), np.zeros(n), np.zeros(n))

    def at(self, places: Integers) -> Transitions:
        """Some of them."""
        return Transitions(*(array[places] for array in self))

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self)


class Part:
    """The columns of a space: numbers for a box, labels for anything that is discrete.

    >>> Part(spaces.Discrete(500), "the observation space").radices  # digits, for so many labels
    [4, 5, 5, 5]
    >>> Part(spaces.Box(-1, 1, (3,)), "the observation space").n_values
    3
    """

    def __init__(self, space: spaces.Space[object], what: str) -> None:
        self.is_box = isinstance(space, spaces.Box)
        self.dtype = space.dtype
        if isinstance(space, spaces.Box):
            self.shape, self.start, self.sizes = space.shape, 0, np.zeros(0, dtype=np.int64)
            self.low, self.high = (np.ravel(end).astype(np.float64) for end in (space.low, space.high))
        elif isinstance(space, spaces.Discrete):
            self.shape, self.start, self.sizes = (1,), int(space.start), np.array([int(space.n)])
        elif isinstance(space, spaces.MultiDiscrete):
            self.shape, self.start, self.sizes = space.shape, 0, np.ravel(space.nvec).astype(np.int64)
        elif isinstance(space, spaces.MultiBinary):
            self.shape, self.start = space.shape, 0
            self.sizes = np.full(int(np.prod(space.shape)), 2, dtype=np.int64)
        else:
            raise ValueError(
                f"GenerativeReplayBuffer needs {what} to be Box, Discrete, MultiDiscrete or MultiBinary. Got {space} "
                "instead: flatten it with gymnasium.wrappers.FlattenObservation, for example."
            )
        self.n_values = int(np.prod(self.shape))
        self.digits = [digits_of(int(size)) for size in self.sizes]
        self.radices = [radix for digits in self.digits for radix in digits]
        self.n_columns = self.n_values if self.is_box else len(self.radices)

    def columns(self, values: Float64) -> Float64:
        """Numbers as they are, labels as digits."""
        if self.is_box:
            return values
        found = []
        for column, digits in zip(values.T.astype(np.int64), self.digits, strict=True):
            for radix in digits:
                column, digit = np.divmod(column, radix)
                found.append(digit)
        return np.stack(found, axis=1).astype(np.float64)

    def values(self, columns: Float64) -> Float64:
        """The values that columns stand for; labels that digits can write but the space does not have are clipped."""
        if self.is_box:
            return np.clip(columns, self.low, self.high)
        found, place = [], 0
        for size, digits in zip(self.sizes, self.digits, strict=True):
            value, unit = np.zeros(len(columns)), 1
            for radix in digits:
                value, unit, place = value + unit * columns[:, place], unit * radix, place + 1
            found.append(np.minimum(value, size - 1))
        return np.stack(found, axis=1)


def digits_of(n: int) -> list[int]:
    """The radices of the digits that write n labels, lowest first: one if they fit into a column.

    Many labels are often several small ones together, as in a grid of cells. So the radices are the prime factors of
    their number, where these are small, joined up to 5.

    >>> digits_of(16), digits_of(500), digits_of(997)
    ([16], [4, 5, 5, 5], [16, 16, 16])
    """
    if n <= _MOST_LABELS:
        return [n]
    factors, left = [], n
    for prime in range(2, _MOST_LABELS):
        while left % prime == 0:
            factors.append(prime)
            left //= prime
    if left > 1:
        return [16] * int(np.ceil(np.log(n) / np.log(16)))
    radices = [1]
    for factor in factors:
        if radices[-1] * factor <= _LARGEST_DIGIT:
            radices[-1] *= factor
        else:
            radices.append(factor)
    return [radix for radix in radices if radix > 1]


class TransitionCoder:
    """Rows of codes of transitions: columns of the observation, of the action, and of what follows.

    The codes are made from the first transitions. Endings that come later get the next free code.
    """

    def __init__(self, obs: Part, action: Part, first: Transitions, n_bins: int) -> None:
        self.obs, self.action = obs, action
        self.endings: list[tuple[float, ...]] = []
        self._places: dict[tuple[float, ...], int] = {}
        self.has_numbers_as_rewards = len(np.unique(first.reward)) > _CONTINUOUS
        self.n_given = obs.n_columns + action.n_columns
        numbers = ([True] * obs.n_values if obs.is_box else []) + [True] * self.has_numbers_as_rewards
        is_number = [*[obs.is_box] * obs.n_columns, *[action.is_box] * action.n_columns, *numbers, False]
        sizes = [*obs.radices] if not obs.is_box else [0] * obs.n_columns
        sizes += [*action.radices] if not action.is_box else [0] * action.n_columns
        sizes += [0] * len(numbers) + [MOST_ENDINGS]
        self._sizes = sizes
        kinds = {i: "number" if flag else "category" for i, flag in enumerate(is_number)}
        self.encoder = SeriesCoder(combinations=False, n_bins=n_bins, max_categories=_MOST_LABELS, kinds=kinds)  # type: ignore[arg-type]
        self.encoder.fit(self._all_labels(first))
        self._labels = ~np.array(is_number)

    def _all_labels(self, some: Transitions) -> Objects:
        """A table with the numbers of transitions, and every label of the other columns: each has a code."""
        rows = self._rows(some)
        n = max(len(rows), *self._sizes)
        table = np.empty((n, rows.shape[1]), dtype=object)
        for column, size in enumerate(self._sizes):
            table[:, column] = np.resize(rows[:, column], n) if size == 0 else [str(i % size) for i in range(n)]
        return table

    @property
    def missing(self) -> Codes:
        """The codes that say "missing", of all columns that follow."""
        return self.encoder.missing_codes_[self.n_given :].astype(np.uint8)

    def _ending_of(self, key: tuple[float, ...]) -> int:
        """The code of an ending. If there is none left, that of the nearest one that ended the episode or did not."""
        place = self._places.get(key)
        if place is None:
            if len(self.endings) < MOST_ENDINGS:
                place = self._places[key] = len(self.endings)
                self.endings.append(key)
            else:
                alike = [i for i, each in enumerate(self.endings) if each[-1] == key[-1]] or range(MOST_ENDINGS)
                place = min(alike, key=lambda i: sum(abs(a - b) for a, b in zip(self.endings[i], key, strict=True)))
        return place

    def _rows(self, some: Transitions) -> Float64:
        difference = some.next_obs - some.obs
        reward = np.zeros_like(some.reward) if self.has_numbers_as_rewards else some.reward
        keys = np.column_stack([difference[:, : 0 if self.obs.is_box else None], reward, some.done])
        endings = [self._ending_of(tuple(key)) for key in keys.tolist()]
        follows = [difference] if self.obs.is_box else []
        follows += [some.reward[:, np.newaxis]] if self.has_numbers_as_rewards else []
        given = self.obs.columns(some.obs), self.action.columns(some.action)
        return np.column_stack([*given, *follows, endings])

    def codes(self, some: Transitions) -> Codes:
        """The rows of codes of transitions."""
        return self.encoder.codes(Table(self._table(some)))

    def _table(self, some: Transitions) -> Objects:
        rows = self._rows(some)
        table = rows.astype(object)
        table[:, self._labels] = rows[:, self._labels].astype(np.int64).astype(str)
        return table

    def transitions(self, codes: Codes, rng: np.random.Generator) -> Transitions:
        """Transitions that codes stand for, with numbers drawn from their intervals."""
        rows = self.encoder.draw(codes, rng).astype(np.float64)
        n_obs = self.obs.n_columns
        obs, action = self.obs.values(rows[:, :n_obs]), self.action.values(rows[:, n_obs : self.n_given])
        endings = np.array(self.endings)[rows[:, -1].astype(np.int64)]
        difference = rows[:, self.n_given : self.n_given + n_obs] if self.obs.is_box else endings[:, :-2]
        reward = rows[:, -2] if self.has_numbers_as_rewards else endings[:, -2]
        return Transitions(obs, action, obs + difference, reward, endings[:, -1])

    def possible(self, codes: Codes) -> npt.NDArray[np.bool_]:
        """Which endings can follow each row: those that have come, and lead to an observation that the space has."""
        known = np.ones((len(codes), len(self.endings)), dtype=bool)
        if not self.obs.is_box:
            obs = self.obs.values(codes[:, : self.obs.n_columns].astype(np.float64))
            after = obs[:, np.newaxis] + np.array(self.endings)[:, :-2]
            known = ((after >= 0) & (after < self.obs.sizes)).all(axis=2)
        return known
