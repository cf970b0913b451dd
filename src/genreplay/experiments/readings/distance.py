"""How far a reading is from the paper: its figures and its order of methods, over everything together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple

from genreplay.experiments.paper import cd_steps
from genreplay.experiments.paper.online import PAPER_METHODS
from genreplay.experiments.paper.table2 import PAPER

Nats = Mapping[str, Mapping[str, float | None]]
"""by data set and method; None where log Z is unknown"""

UNIT = math.log(1.1)
"""an error of 10 % counts as much as a wrong order"""
WORST = math.log(2)
"""a figure that is off by a factor of 2, or unknown, is as wrong as one can be"""


class Text(NamedTuple):
    """What the text says of MNIST with 500 hidden units, beside Table 2; what was not run does not count."""

    in_sorted_order: Mapping[str, float | None] | None = None
    """nats by method; in the paper, OCD_GR is above both others (Fig. 4a)"""
    with_more_steps: Mapping[int, float | None] = MappingProxyType({})
    """nats of OCD_GR by n_CD"""


class Distance(NamedTuple):
    """Of figures in nats to those of the paper."""

    error: float
    """mean of |log(ours / paper)|, of each figure at most log 2"""
    noise: float
    """root of the mean of its square: the noise that the paper's figures must have if this is its reading"""
    n_wrong: int
    """pairs of methods on a set that are in the other order than in the paper"""
    n_pairs: int

    @property
    def pairs(self) -> str:
        """How many pairs are in the paper's order, in words."""
        return f"{self.n_pairs - self.n_wrong} of {self.n_pairs} pairs"

    @property
    def off(self) -> float:
        """The error as a share: 0.1 where figures are 10 % off."""
        return math.expm1(self.error)

    @property
    def total(self) -> float:
        """The error in units of 10 %, plus the share of pairs in the wrong order."""
        return self.error / UNIT + self.n_wrong / self.n_pairs


def distance(found: Nats, text: Text = Text()) -> Distance:  # noqa: B008 (a tuple does not change)
    """The distance over what was run.

    >>> distance({"dna": PAPER["dna"]}).total
    0.0
    >>> turned = {"OCD_GR": -114.84, "ER-IM": -111.81, "ER-ML": -103.14}  # the figures of DNA in the other order
    >>> far = distance({"dna": turned})
    >>> far.n_wrong, far.n_pairs, round(far.error, 3)
    (3, 3, 0.072)
    """
    errors = [_error(nats, PAPER[name][method]) for name, figures in found.items() for method, nats in figures.items()]
    errors += [_error(nats, cd_steps.PAPER[n_cd]) for n_cd, nats in text.with_more_steps.items()]
    ordered = [
        _same_order(found[name], PAPER[name], *pair) for name in found for pair in combinations(PAPER_METHODS, 2)
    ]
    if (in_sorted := text.in_sorted_order) is not None:
        first, *others = PAPER_METHODS
        ordered += [_same_order(in_sorted, {first: 1, other: 0}, first, other) for other in others]
    noise = math.sqrt(sum(error**2 for error in errors) / len(errors))
    return Distance(sum(errors) / len(errors), noise, ordered.count(False), len(ordered))


def _error(nats: float | None, paper: float) -> float:
    if nats is None or nats >= 0:
        return WORST
    return min(abs(math.log(nats / paper)), WORST)


def _same_order(ours: Mapping[str, float | None], paper: Mapping[str, float], first: str, second: str) -> bool:
    a, b = ours[first], ours[second]
    return a is not None and b is not None and (a > b) == (paper[first] > paper[second])
