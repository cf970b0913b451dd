"""Weights of annealing up and down, joined to an estimate of log Z; and independent estimates, joined to one.

References
----------
C. Bennett: Efficient estimation of free energy differences from Monte Carlo data. J. Comput. Phys. 22, 1976.
B. Efron: The jackknife, the bootstrap and other resampling plans. SIAM, 1982.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Float64 = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

_ENOUGH = 3
"""chains that must say that a region is hardly reached: a single one may have been put into the wrong region"""
_APART = 5.0
"""nats; no more may lie between the weights of both directions in a region, or between what each says of log Z"""
_LEAST_ESS = 1e-9
"""where the two directions do not overlap at all"""


class Estimate(NamedTuple):
    """What annealing both ways says of log Z."""

    log_z: float
    std_error: float
    ess: float
    """effective number of chains that it rests on"""
    unreached: float
    """nats by which log Z may be higher; 0 where nothing speaks for it"""


def bennett(forward: Float64, backward: Float64) -> tuple[float, float, float]:
    """Join logarithms of weights of both directions: return log (Z_1 / Z_0), its standard error, and the overlap.

    Forward weights average to Z_1 / Z_0, and so do the reciprocals of the backward ones, whose negative logarithms
    are ``backward`` here. Bennett's estimate c makes the means of S(forward - c) and of S(c - backward) equal, S being
    the logistic function. This mean is at most 1/2, where the weights all agree, and near 0 where no chain of one
    direction has a weight that occurs in the other: it is returned, doubled, as the overlap. Where it is 0, the error
    is infinite.

    >>> log_ratio, std_error, overlap = bennett(np.full(10, 3.0), np.full(10, 3.0))
    >>> bool(np.isclose(log_ratio, 3)), round(float(overlap), 6)
    (True, 1.0)
    """
    both = np.concatenate([forward, backward])
    low, high = float(both.min()), float(both.max())
    for _ in range(60):
        middle = (low + high) / 2
        if _logistic(forward - middle).mean() > _logistic(middle - backward).mean():
            low = middle
        else:
            high = middle
    variance = 0.0
    for accepted in (_logistic(forward - low), _logistic(low - backward)):
        mean = accepted.mean()
        variance += (accepted / mean).var(ddof=1) / len(accepted) if mean > 0 else np.inf
    return low, float(np.sqrt(variance)), float(2 * _logistic(forward - low).mean())


def together(estimates: Sequence[Estimate]) -> Estimate:
    """The mean of independent estimates of Z.

    Each of them may miss regions that matter, and cannot know it. What is missed makes Z smaller, so the mean of Z, not
    of log Z, is what they say together. Its error is the larger one of two: how much the estimates differ, by the
    jackknife, and what they state themselves. A region counts as hardly reached where half of them say so.

    >>> agree = together([Estimate(3.0, 0.2, 50.0, 0.0)] * 4)
    >>> round(agree.log_z, 6), round(agree.std_error, 6), round(agree.ess, 6)
    (3.0, 0.1, 200.0)
    >>> differ = together([Estimate(log_z, 0.2, 50.0, 0.0) for log_z in (1.0, 3.0, 3.0, 3.0)])
    >>> round(differ.log_z, 2), round(differ.std_error, 2)
    (2.76, 0.25)
    """
    log_z, std_error, ess, above = (np.array(each) for each in zip(*estimates, strict=True))
    n, mean = len(estimates), log_mean_exp(log_z)
    without = np.array([log_mean_exp(np.delete(log_z, each)) for each in range(n)])
    differ = np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    parts = np.exp(log_z - mean) / n
    stated = np.sqrt((np.multiply(parts, std_error, out=np.zeros(n), where=parts > 0) ** 2).sum())
    may_be = np.where(above > 0, log_z + above - mean, 0.0)
    unreached = float(np.sort(may_be)[n // 2])
    return Estimate(
        mean,
        float(max(differ, stated)),
        float(1 / (parts**2 / np.maximum(ess, _LEAST_ESS)).sum()),
        unreached if unreached > _APART else 0.0,
    )


def unreached(forward: Float64, backward: Float64, ends: Places, starts: Places, log_ratio: float) -> float:
    """By how much the regions where the two directions disagree may raise the estimate; 0 where they do not.

    Within a region, the forward weights average to its share of Z_1 / Z_0, divided by the share of the forward chains
    that end in it; and so do the reciprocals of the backward weights. So no knowledge is needed of how the region
    compares with others. Where no forward chain ends, nothing is known of its share, and it is not judged.
    """
    apart = [
        region
        for region in np.intersect1d(ends, starts)
        if backward[starts == region].min() - forward[ends == region].max() > _APART
    ]
    high = backward[np.isin(starts, apart)]
    if len(high) < _ENOUGH:
        return 0.0
    share = np.isin(ends, apart).mean()
    above = float(-log_mean_exp(-high) + np.log(share) - log_ratio)
    return above if above > _APART else 0.0


def log_mean_exp(x: Float64) -> float:
    """Log of the mean of exp(x).

    >>> round(log_mean_exp(np.log([1.0, 2.0, 3.0])), 6) == round(float(np.log(2)), 6)
    True
    """
    return float(np.logaddexp.reduce(x) - np.log(len(x)))


def _logistic(x: Float64) -> Float64:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * x)))
