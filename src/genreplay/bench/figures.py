"""Results of a benchmark: figures with their targets, and curves."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from genreplay.bench.measure import Turns
from genreplay.formatting import three_digits


class Target(NamedTuple):
    """What a figure should be."""

    rule: Literal["at most", "at least"]
    bound: float

    def __str__(self) -> str:
        return f"{self.rule} {three_digits(self.bound)}"


class Figure(NamedTuple):
    """One measured number, a line of the table."""

    name: str
    unit: str
    """what the number counts, such as "of the floor" """
    value: float
    low: float | None = None
    """lower quartile over the turns"""
    high: float | None = None
    """upper quartile"""
    seconds: float | None = None
    """median time of one step, where the number comes from a time"""
    target: Target | None = None

    @property
    def met(self) -> bool | None:
        """Whether the number is as it should be; None without a target.

        >>> Figure("ours", "of the floor", 0.7, target=Target("at most", 0.75)).met
        True
        """
        if self.target is None:
            return None
        rule, bound = self.target
        return self.value <= bound if rule == "at most" else self.value >= bound


class Curve(NamedTuple):
    """Times over a size, to be drawn with both axes logarithmic."""

    name: str
    x_label: str
    y_label: str
    x: list[float]
    lines: dict[str, list[float]]


class Part(NamedTuple):
    """All results of one benchmark."""

    title: str
    about: str
    """shapes and rows, in a sentence or two"""
    figures: list[Figure]
    curves: list[Curve]
    left_out: list[str]
    """what could not be measured, and why"""


def multiples(turns: Turns, unit: str, label: str, targets: dict[str, Target] | None = None) -> list[Figure]:
    """The times of all contestants as multiples of one of them."""
    return [
        Figure(name, label, *turns.ratio(name, unit), turns.median(name), (targets or {}).get(name))
        for name in turns.names
    ]


def speedup(turns: Turns, fast: str, slow: str, target: Target | None = None) -> Figure:
    """How many times as fast our code is as another's."""
    return Figure(f"ours against {slow}", "times as fast", *turns.ratio(slow, unit=fast), target=target)


def rows_per_second(name: str, turns: Turns, target: Target | None = None) -> Figure:
    """How many rows a contestant takes in a second, where a step is a row."""
    low, high = np.quantile(1 / turns.of(name), [0.25, 0.75])
    median = turns.median(name)
    return Figure(name, "rows a second", 1 / median, float(low), float(high), median, target)
