"""The code of a number: intervals of equal width over the usual range, and ever wider ones beyond it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from genreplay.core.ingredient import Json
from genreplay.streams.cells import Kind
from genreplay.streams.columns import Float64

Codes = npt.NDArray[np.uint8]
Integers = npt.NDArray[np.int64]

USUAL = (0.01, 0.99)
"""shares of the values between which the range of a number is usual"""
FAR = (1.0, 8.0, 64.0, 512.0)
"""distances from the usual range, in ranges, at which what lies beyond is cut"""
REACH = 60.0
"""scales from the median up to which a series is coded"""
_MAD = 1.4826
"""standard deviation of a normal distribution with a median absolute deviation of 1"""
_QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)
LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True, eq=False)
class NumberCode:
    """Code j says that the value lies in interval j, (cuts[j - 1], cuts[j]]; the last code says "missing".

    The usual range goes from the 1st to the 99th percentile of the values seen, both included. It is cut into intervals
    of equal width, so that how often a code comes says how likely its values are. Where there are no more than
    ``n_bins + 1`` different values, each of them has its own interval instead. Beyond the range there are intervals up
    to ``FAR`` ranges away and an open one on either side, so that a value far off differs from one just outside.
    """

    kind: ClassVar[Kind] = "number"
    cuts: Float64
    quantiles: Float64
    """for each interval the quartiles of the values seen there, from the smallest to the largest; or its middle"""
    usual: tuple[int, int]
    """first and last code of the usual range"""
    separate: bool
    """whether each interval of the usual range stands for a single value"""
    whole: bool
    """whether all values seen are whole numbers"""

    @classmethod
    def learn(cls, values: Float64, n_bins: int) -> NumberCode:
        """Cut the range of the known values.

        >>> code = NumberCode.learn(np.arange(101.0), n_bins=4)
        >>> code.cuts[code.usual[0] - 1 : code.usual[1] + 1].tolist()
        [1.0, 25.5, 50.0, 74.5, 99.0]
        >>> code.far.tolist()
        [5, 4, 3, 2, 1, 0, 0, 0, 0, 1, 2, 3, 4, 5, 0]

        A column without a known value has one interval for all values, and none of them is usual:

        >>> NumberCode.learn(np.array([np.nan]), n_bins=4).far.tolist()
        [1, 0]
        """
        known = np.sort(values[~np.isnan(values)])
        if len(known) == 0:
            return cls(known, np.full((1, len(_QUARTILES)), np.nan), (1, 0), separate=False, whole=False)
        distinct = np.unique(known)
        separate = len(distinct) <= n_bins + 1
        range_cuts = _separating(distinct) if separate else _equal_widths(known, n_bins)
        low, high = range_cuts[0], range_cuts[-1]
        with np.errstate(over="ignore"):
            span = float(high - low) or max(abs(float(low)), 1.0)
            below = np.clip(low - span * np.array(FAR[::-1]), -LARGEST, LARGEST)
            above = np.clip(high + span * np.array(FAR), -LARGEST, LARGEST)
            ends = [max(low - 2 * span * FAR[-1], -LARGEST), min(high + 2 * span * FAR[-1], LARGEST)]
        below, above = np.unique(below[below < math.nextafter(low, -math.inf)]), np.unique(above[above > high])
        cuts = np.concatenate([below, range_cuts, above])
        usual = len(below) + 1, len(below) + len(range_cuts) - 1
        return cls._of(known, cuts, usual, separate, ends)

    @classmethod
    def learn_scaled(cls, values: Float64, n_bins: int) -> NumberCode:
        r"""Cut the numbers of a series finely near their median, and ever more coarsely away from it.

        With the median m and the robust scale s of the known values, the cuts are at equal steps of
        $\mathrm{asinh}((x - m) / s)$, from -60 to 60 scales: steps of equal width near the median, and of equal
        ratio far from it. So a value that leaves the range of the first rows, as those of a series do, still has a code
        that says how far it is. Beyond 60 scales there is an open interval on either side.

        >>> code = NumberCode.learn_scaled(np.arange(101.0), n_bins=6)
        >>> code.cuts.round().tolist()
        [-2174.0, -400.0, -38.0, 50.0, 138.0, 500.0, 2274.0]
        >>> code.far.tolist()
        [1, 0, 0, 0, 0, 0, 0, 1, 0]
        """
        known = np.sort(values[~np.isnan(values)])
        if len(known) == 0:
            return cls.learn(known, n_bins)
        unit = 2.0**10 if np.abs(known[[0, -1]]).max() > 1e300 else 1.0  # so that no difference overflows
        median, scale = _median_and_scale(known / unit)
        steps = np.sinh(np.linspace(-math.asinh(REACH), math.asinh(REACH), n_bins + 1))
        with np.errstate(over="ignore"):
            cuts = np.unique(np.clip((median + scale * steps) * unit, -LARGEST, LARGEST))
            ends = np.clip((median + np.array([-2.0, 2.0]) * REACH * scale) * unit, -LARGEST, LARGEST).tolist()
        return cls._of(known, cuts, (1, len(cuts) - 1), False, ends)

    @classmethod
    def _of(
        cls, known: Float64, cuts: Float64, usual: tuple[int, int], separate: bool, ends: list[float]
    ) -> NumberCode:
        """The code with these cuts of known values in order; ``ends`` stand for the open intervals."""
        whole = bool((known == np.rint(known)).all() and np.abs(known[[0, -1]]).max() < 2**53)
        found = cls(cuts, np.empty((0, 0)), usual, separate, whole)
        middles = np.concatenate([ends[:1], cuts[:-1] / 2 + cuts[1:] / 2, ends[1:]])
        if whole:
            codes = np.arange(len(middles))
            beyond = np.where(codes < usual[0], np.floor(middles), np.ceil(middles))
            middles = np.where(found.far[:-1] > 0, beyond, np.rint(middles))
        parts = np.split(known, np.searchsorted(known, found.edges[:-1], side="right"))
        quantiles = [
            np.quantile(part, _QUARTILES, method="inverted_cdf") if len(part) else np.full(len(_QUARTILES), middle)
            for part, middle in zip(parts, middles, strict=True)
        ]
        return cls(cuts, np.array(quantiles), usual, separate, whole)

    def merged(self, other: NumberCode) -> NumberCode:
        """A code with the cuts of both, whose usual range goes from the lower to the higher end of both.

        >>> near, far = (NumberCode.learn(np.arange(101.0) + shift, n_bins=2) for shift in (0, 1000))
        >>> both = near.merged(far)
        >>> both.edges[both.usual[0] - 1 : both.usual[1] + 1].round().tolist()
        [1.0, 50.0, 99.0, 197.0, 217.0, 883.0, 903.0, 1001.0, 1050.0, 1099.0]
        """
        if len(self.cuts) == 0 or len(other.cuts) == 0:
            return self if len(self.cuts) else other
        ends = [(each.cuts[each.usual[0] - 1], each.cuts[each.usual[1]]) for each in (self, other)]
        low, high = min(end[0] for end in ends), max(end[1] for end in ends)
        cuts = np.unique(np.concatenate([self.cuts, other.cuts]))
        first, last = int(np.searchsorted(cuts, low)) + 1, int(np.searchsorted(cuts, high))
        middles = np.concatenate([cuts[:1], cuts[:-1] / 2 + cuts[1:] / 2, cuts[-1:]])
        quantiles = np.repeat(middles[:, np.newaxis], len(_QUARTILES), axis=1)
        merged = NumberCode(cuts, quantiles, (first, max(last, first)), False, self.whole and other.whole)
        for each in (other, self):  # where both know an interval, that of the one that is called holds
            places = np.searchsorted(merged.edges, each.quantiles[:, len(_QUARTILES) // 2])
            low, high = np.append(-LARGEST, merged.edges)[places], np.minimum(merged.edges[places], LARGEST)
            quantiles[places] = np.clip(each.quantiles, low[:, np.newaxis], high[:, np.newaxis])
        return merged

    @cached_property
    def edges(self) -> Float64:
        """The cuts for a search: the j-th interval is (edges[j - 1], edges[j]], and NaN sorts after the last.

        The lower end of the usual range belongs to the range, so its edge is one float below the cut.
        """
        edges = np.append(self.cuts, np.inf)
        if len(self.cuts):
            edges[self.usual[0] - 1] = math.nextafter(edges[self.usual[0] - 1], -math.inf)
        return edges

    @property
    def sizes(self) -> list[int]:
        return [len(self.cuts) + 2]

    @property
    def missing(self) -> list[int]:
        return [len(self.cuts) + 1]

    @property
    def unseen(self) -> list[int]:
        return [-1]

    @cached_property
    def far(self) -> Integers:
        """For each code, how many intervals it lies beyond the usual range."""
        codes, (first, last) = np.arange(len(self.cuts) + 1), self.usual
        return np.append(np.maximum(0, np.maximum(first - codes, codes - last)), 0)

    @property
    def without_values(self) -> NumberCode:
        """The same code in fewer bytes, for numbers that are never decoded."""
        return replace(self, quantiles=np.empty((len(self.cuts) + 1, 0)))

    @cached_property
    def value_of_code(self) -> Float64:
        return np.append(self.quantiles[:, len(_QUARTILES) // 2], np.nan)

    def decode(self, codes: Codes, rng: np.random.Generator | None = None) -> Float64:
        """The values that codes stand for: medians, or, with a generator, values drawn between the quartiles."""
        if rng is None:
            return self.value_of_code[codes[:, 0]]
        known = np.vstack([self.quantiles, np.full(len(_QUARTILES), np.nan)])[codes[:, 0]]
        place = rng.random(len(codes)) * (len(_QUARTILES) - 1)
        part = place.astype(np.int64)
        rows = np.arange(len(codes))
        low, high, share = known[rows, part], known[rows, part + 1], place - part
        drawn = np.clip(low * (1 - share) + high * share, low, high)
        return np.rint(drawn) if self.whole else drawn

    def names(self, column: str) -> list[str]:
        """What each code says.

        >>> NumberCode.learn(np.array([1.0, 2.0]), n_bins=8).names("x")[4:9]
        ['x in (0, 1)', 'x in [1, 1.5]', 'x in (1.5, 2]', 'x in (2, 3]', 'x in (3, 10]']
        """
        cuts = [f"{cut:g}" for cut in self.cuts]
        if len(set(cuts)) < len(np.unique(self.cuts)):
            cuts = [repr(float(cut)) for cut in self.cuts]
        if not cuts:
            return [f"{column}=any", f"{column}=?"]
        names = [f"<={cuts[0]}", *(f" in ({a}, {b}]" for a, b in pairwise(cuts)), f">{cuts[-1]}", "=?"]
        first = self.usual[0]
        names[first - 1] = f" in {names[first - 1][4:-1]})" if first > 1 else f"<{cuts[0]}"
        names[first] = f" in [{names[first][5:]}" if cuts[first - 1] != cuts[first] else f"={cuts[first]}"
        return [f"{column}{name}" for name in names]

    def state(self) -> dict[str, Json]:
        """All of it, for JSON."""
        return {
            "cuts": self.cuts.tolist(),
            "quantiles": [[None if value != value else value for value in row] for row in self.quantiles.tolist()],
            "usual": list(self.usual),
            "separate": self.separate,
            "whole": self.whole,
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> NumberCode:
        """The code whose ``state`` this is."""
        cuts, quantiles = (np.array(state[name], dtype=np.float64) for name in ("cuts", "quantiles"))
        first, last = state["usual"]
        return cls(cuts, quantiles, (int(first), int(last)), bool(state["separate"]), bool(state["whole"]))


def _separating(distinct: Float64) -> Float64:
    """Cuts midway between neighbouring values, and the smallest and the largest value.

    >>> _separating(np.array([1.0, 2.0, 4.0])).tolist(), _separating(np.array([7.0])).tolist()
    ([1.0, 1.5, 3.0, 4.0], [7.0, 7.0])
    """
    lower, upper = distinct[:-1], distinct[1:]
    middle = lower / 2 + upper / 2
    between = np.where(middle < upper, middle, lower)  # between two neighbouring floats there is no middle
    return np.array([distinct[0], *between, distinct[-1]])


def _equal_widths(known: Float64, n_bins: int) -> Float64:
    """Equal steps from the 1st to the 99th percentile, or, where these are equal, over all values."""
    unit = 2.0**10 if np.abs(known[[0, -1]]).max() > 1e300 else 1.0  # so that no difference overflows
    low, high = np.quantile(known / unit, USUAL)
    if low == high:
        low, high = known[0] / unit, known[-1] / unit
    return np.unique(np.linspace(low, high, n_bins + 1)) * unit


def _median_and_scale(known: Float64) -> tuple[float, float]:
    """The median, and the spread around it: the median absolute deviation, or the mean one if most values are equal.

    A column with a single value has a hundredth of it for a scale, as if it had been measured to some percent.

    >>> _median_and_scale(np.array([1.0, 2.0, 3.0])), _median_and_scale(np.array([5.0, 5.0, 5.0, 9.0]))
    ((2.0, 1.4826), (5.0, 1.0))
    >>> _median_and_scale(np.array([7.0, 7.0])), _median_and_scale(np.array([0.0]))
    ((7.0, 0.07), (0.0, 0.01))
    """
    median = float(np.median(known))
    distances = np.abs(known - median)
    scale = _MAD * float(np.median(distances)) or float(distances.mean()) or 0.01 * (abs(median) or 1.0)
    return median, max(scale, 100 * math.ulp(median))  # so that no two cuts are the same float
