"""Combinations of a table's numbers, coded as further columns: principal components, or residuals.

A row may be unusual although each of its cells is usual: where two columns are correlated, a high value beside a low
one is strange. A component of small variance shows that. Combinations are computed from the warm-up and then fixed.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import sub, truediv
from typing import Any

import numpy as np

from genreplay.core.ingredient import Json
from genreplay.streams.columns import Float64
from genreplay.streams.number_code import Codes, NumberCode

MOST_COMPONENTS = 64
"""components of a wide table, those of the largest variance"""
_SMALLEST = 1e-3
"""standard deviation, in shares of the largest, from which a component is more than rounding"""
FARTHEST = 1500.0
"""asinh of the largest ratio of two floats, rounded up"""
_STEP = 2.0**-24
"""to which components are rounded; their largest standard deviation is about 1"""

Code = Callable[[Float64, int], NumberCode]
"""makes a code of so many intervals for some values"""


@dataclass(frozen=True, eq=False)
class Combinations:
    """Linear combinations of numbers in robust scales.

    Each number is measured from its median in robust standard deviations, and far values are drawn in by asinh, so that
    single outliers of the warm-up do not set the combinations.
    """

    centre: Float64
    scale: Float64
    mean: Float64
    deviation: Float64
    """of the numbers after asinh"""
    loadings: Float64
    """(numbers, combinations)"""
    codes: tuple[NumberCode, ...]

    @classmethod
    def learn(
        cls,
        values: Float64,
        n_bins: int,
        loadings_of: Callable[[Float64], Float64] | None = None,
        code: Code = NumberCode.learn,
    ) -> Combinations | None:
        """Combinations of the warm-up's numbers, (rows, numbers); None where there is nothing to combine.

        ``loadings_of`` finds them from standardised numbers, of which those that do not vary are 0: ``components``, or
        ``residuals``.

        >>> rng = np.random.default_rng(0)
        >>> x = rng.normal(size=(500, 1))
        >>> found = Combinations.learn(np.hstack([x, x + 0.01 * rng.normal(size=(500, 1))]), n_bins=8)
        >>> usual, strange = np.abs(found.apply(np.array([[2.0, 2.0], [2.0, -2.0]]))[:, 1])
        >>> bool(strange > 50 * usual)
        True
        """
        varied = np.array([len(np.unique(column[~np.isnan(column)])) > 1 for column in values.T])
        if varied.sum() < 2 or len(values) < 3:
            return None
        known = np.where(varied, values, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            low, centre, high = np.nanpercentile(known, [25, 50, 75], axis=0)
            spread, plain = (high - low) / 1.349, np.nanstd(known, axis=0)
        scale = np.where(spread > 1e-9 * np.maximum(plain, 1e-300), spread, np.where(plain > 0, plain, 1.0))
        finite = np.isfinite(centre) & np.isfinite(scale)
        centre, scale = np.where(finite, centre, 0.0), np.where(finite, scale, 1.0)
        z = _drawn_in(np.where(finite, known, 0.0), centre, scale)
        mean, deviation = z.mean(axis=0), z.std(axis=0)
        deviation = np.where(deviation > 1e-9, deviation, np.inf)  # a number that does not vary takes no part
        if np.isinf(deviation).all():
            return None
        loadings = (loadings_of or components)((z - mean) / deviation)
        found = cls(centre, scale, mean, deviation, loadings, ())
        return replace(found, codes=tuple(code(each, n_bins).without_values for each in found.apply(values).T))

    @cached_property
    def weights(self) -> Float64:
        """Loadings of the numbers after asinh, for combinations in steps; the last row is added to their products."""
        weights = self.loadings / self.deviation[:, np.newaxis] / _STEP
        return np.vstack([weights, -self.mean @ weights])

    @cached_property
    def edges(self) -> list[Float64]:
        """The edges of each combination's code, in steps."""
        return [code.edges / _STEP for code in self.codes]

    @cached_property
    def _of_one_row(self) -> tuple[list[float], list[float], list[list[float]]]:
        return self.centre.tolist(), self.scale.tolist(), [edges.tolist() for edges in self.edges]

    def apply(self, values: Float64) -> Float64:
        """The combinations in rows of numbers; a missing number is put at its median.

        They are rounded. The last digits of a product can differ with the number of rows, and a value that lies on a
        cut would then change its code.
        """
        weights = self.weights
        return np.asarray(np.rint(_drawn_in(values, self.centre, self.scale) @ weights[:-1] + weights[-1]) * _STEP)

    def encode(self, values: Float64, out: Codes) -> None:
        """Write the code of each combination."""
        for i, (code, component) in enumerate(zip(self.codes, self.apply(values).T, strict=True)):
            out[:, i] = np.searchsorted(code.edges, component)

    def encode_one(self, values: Sequence[float]) -> list[int]:
        """The code of each combination for the numbers of one row, NaN where missing."""
        centres, scales, edges = self._of_one_row
        z = list(map(math.asinh, map(truediv, map(sub, values, centres), scales)))
        if not math.isfinite(sum(z)):
            z = [0.0 if each != each else min(max(each, -FARTHEST), FARTHEST) for each in z]
        z.append(1.0)
        return list(map(bisect_left, edges, np.rint(np.array(z).dot(self.weights)).tolist()))

    def state(self) -> dict[str, Json]:
        """All of it, for JSON; infinite deviations are None there."""
        return {
            "centre": self.centre.tolist(),
            "scale": self.scale.tolist(),
            "mean": self.mean.tolist(),
            "deviation": [None if np.isinf(each) else float(each) for each in self.deviation],
            "loadings": self.loadings.tolist(),
            "codes": [code.state() for code in self.codes],
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Combinations:
        """The combinations whose ``state`` this is."""
        deviation = np.array([np.inf if each is None else each for each in state["deviation"]])
        centre, scale, mean, loadings = (np.array(state[name]) for name in ("centre", "scale", "mean", "loadings"))
        codes = tuple(NumberCode.from_state(code) for code in state["codes"])
        return cls(centre, scale, mean, deviation, loadings, codes)


def components(z: Float64) -> Float64:
    """Loadings of the principal components of standardised numbers, but of the smallest."""
    _, sizes, directions = np.linalg.svd(z, full_matrices=False)
    loadings = directions[sizes > _SMALLEST * sizes[0]][:MOST_COMPONENTS].T
    signs = np.where(loadings[np.abs(loadings).argmax(axis=0), np.arange(loadings.shape[1])] < 0, -1.0, 1.0)
    return np.asarray(loadings * signs)


def residuals(z: Float64) -> Float64:
    r"""Loadings of what the others do not tell of each standardised number: one combination for each number.

    With the precision matrix :math:`P`, the inverse of the covariance, the residual of number j given all others in a
    linear regression is :math:`(P z)_j / P_{jj}`, with the variance :math:`1 / P_{jj}`. Here it has the variance 1. A
    ridge of the square of numbers to rows keeps the inverse sound where there are few rows.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 1))
    >>> z = np.hstack([x, x + 0.01 * rng.normal(size=(500, 1)), rng.normal(size=(500, 1))])
    >>> (np.array([[1.0, 1.0, 0.0], [1.0, -1.0, 0.0]]) @ residuals(z)).round().astype(int).tolist()
    [[0, 0, 0], [158, -158, -3]]
    """
    n_rows, n_numbers = z.shape
    varied = z.any(axis=0)
    loadings = np.zeros((n_numbers, n_numbers))
    precision = np.linalg.inv(np.cov(z[:, varied].T) + (n_numbers / n_rows) ** 2 * np.eye(int(varied.sum())))
    loadings[np.ix_(varied, varied)] = precision / np.sqrt(np.diag(precision))
    return loadings


def _drawn_in(values: Float64, centre: Float64, scale: Float64) -> Float64:
    """Numbers in robust scales after asinh, 0 where missing."""
    with np.errstate(over="ignore"):
        scaled = (values - centre) / scale
    return np.nan_to_num(np.arcsinh(scaled), nan=0.0, posinf=FARTHEST, neginf=-FARTHEST)
