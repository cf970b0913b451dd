"""Measure speed on a shared machine: contestants take turns, and their times are compared.

Seconds from two runs mean little when others use the machine too; the ratio of two medians from alternating turns, in
one process, means more. Its spread is that of the same ratio turn by turn.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from genreplay.core import kernels


class Effort(NamedTuple):
    """How much to measure: all of it, or just enough to see that it works."""

    seed: int = 0
    quick: bool = False

    def pick(self, full: int, quick: int) -> int:
        """One of two sizes.

        >>> Effort(quick=True).pick(full=15, quick=2)
        2
        """
        return quick if self.quick else full


class Contestant(NamedTuple):
    """Something to time."""

    call: Callable[[], object]
    n_steps: int = 1
    """steps that one call makes; times are given for one step"""
    n_threads: int = 1

    def repeated(self, n: int) -> Contestant:
        """The same, ``n`` times per call: each step finds the caches as the last one left them, as in real use."""
        return Contestant(lambda: [self.call() for _ in range(n)], n * self.n_steps, self.n_threads)


class Ratio(NamedTuple):
    """A ratio of medians, and the quartiles of that ratio turn by turn."""

    value: float
    low: float
    high: float


class Turns(NamedTuple):
    """The seconds of all contestants in all turns."""

    names: list[str]
    seconds: npt.NDArray[np.float64]
    """a line for each turn, a column for each contestant"""

    def of(self, name: str) -> npt.NDArray[np.float64]:
        """The seconds of one contestant."""
        return self.seconds[:, self.names.index(name)]

    def median(self, name: str) -> float:
        """Median seconds of one contestant."""
        return float(np.median(self.of(name)))

    def ratio(self, name: str, unit: str) -> Ratio:
        """The time of one contestant as a multiple of another's.

        >>> turns = Turns(["one", "two"], np.array([[1.0, 2.0], [3.0, 6.0]]))
        >>> turns.ratio("two", unit="one")
        Ratio(value=2.0, low=2.0, high=2.0)
        """
        low, high = np.quantile(self.of(name) / self.of(unit), [0.25, 0.75])
        return Ratio(self.median(name) / self.median(unit), float(low), float(high))


def interleave(contestants: Mapping[str, Contestant], n_turns: int = 15) -> Turns:
    """Let the contestants take turns, after a warm-up; each with its own number of threads."""
    pools = ThreadpoolController()
    seconds = np.empty((n_turns, len(contestants)))
    n_before = 1
    for turn in range(-1, n_turns):
        for column, (call, n_steps, n_threads) in enumerate(contestants.values()):
            with threads(n_threads, pools):
                if n_threads != n_before:
                    call()  # not timed: sleeping threads wake up, and threads no longer needed go to sleep
                    n_before = n_threads
                began = time.perf_counter()
                call()
                seconds[turn, column] = (time.perf_counter() - began) / n_steps  # the last turn replaces the warm-up
    return Turns(list(contestants), seconds)


@contextmanager
def threads(n: int, pools: ThreadpoolController | None = None) -> Iterator[None]:
    """Fix the number of threads of BLAS, of our compiled loops and of PyTorch while the block runs.

    Pass ``pools`` to avoid a search for libraries, which takes as long as a CD step.

    >>> with threads(1):
    ...     {pool["num_threads"] for pool in ThreadpoolController().info()}
    {1}
    """
    torch = sys.modules.get("torch")
    n_before = torch and torch.get_num_threads()
    with (pools or ThreadpoolController()).limit(limits=n), kernels.threads(n):
        try:
            if torch:
                torch.set_num_threads(n)
            yield
        finally:
            if torch:
                torch.set_num_threads(n_before)


def exponent(sizes: npt.ArrayLike, seconds: npt.ArrayLike) -> float:
    """The power with which time grows: the slope of a straight line, by least squares, through the logarithms.

    >>> round(exponent([1, 2, 4], [3, 12, 48]), 6)
    2.0
    """
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
