"""log Z by annealing both ways between a mixture fitted to the model's own samples and the model.

AIS from independent units can miss modes of the model. Reverse AIS from the ends of the forward chains then misses the
same ones, and both agree on a wrong answer. Here

1. long Gibbs chains start from rows, from persistent chains or from dreams, and do not depend on any annealing;
2. a mixture of independent units is fitted to them, with a part for each mode that they found, and a broad one;
3. scouts are annealed over a tenth of the temperatures; the mixture is fitted again to the chains and to where the
   scouts ended, and its shares follow the scouts' weights. All annealing is anchored: each part knows the hidden units
   of its mode, too, so that chains can stay near it all the way (``anchored``);
4. chains are annealed from the mixture to the model (forward), and from samples of the model to the mixture (backward).
   Where the chains of step 1 have states in a region, the backward ones start from these, otherwise from ends of the
   forward ones; each region as often as its share of the forward weights says;
5. Bennett's acceptance ratio joins the two sets of weights. It needs them to overlap; how much they do is part of the
   answer;
6. some more backward chains start from the chains of step 1 wherever these are. Where they stay in regions in which
   their weights are far above all forward ones, annealing has hardly led there, and log Z is unknown.

References
----------
C. Bennett: Efficient estimation of free energy differences from Monte Carlo data. J. Comput. Phys. 22, 1976.
R. Grosse, Z. Ghahramani, R. Adams: Sandwiching the marginal likelihood using bidirectional Monte Carlo. 2015.
R. Neal: Annealed importance sampling. Stat. Comput. 11, 2001.
"""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt

from genreplay.core.anchored import anneal_anchored
from genreplay.core.annealing import Progress, settle
from genreplay.core.kernels import Array
from genreplay.core.mixture import Mixture, fit_means
from genreplay.core.partition import N_BURN_IN, LogPartition, bound_by
from genreplay.core.rbm import RBM

Float64 = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

N_PARTS = 16
"""parts of the mixture, beside the broad one"""
N_MORE = 200
"""Gibbs steps before the backward pass"""
N_CHECKS = 20
"""backward chains of step 6, for each 100 of the others"""
_ENOUGH = 3
"""of these chains that must say so: a single one may have been put into the wrong region"""
TIMES_AS_LONG = 3
"""a third of the temperatures of AIS do as well on models that learned, and each takes longer"""
_APART = 5.0
"""nats; no more may lie between the weights of both directions in a region, or between what each says of log Z"""
_SCOUTS = 0.1
"""temperatures of the scouts, as a share of all"""
_BROAD = 0.15
"""least share of the broad part"""
_KNOWN = 0.5
"""how much of the shares follows the scouts' weights; the rest is the same for all parts"""


def two_way(
    rbm: RBM,
    rows: Array,
    rng: np.random.Generator,
    n_temperatures: int = 14_500,
    n_chains: int = 100,
    progress: Progress | None = None,
) -> LogPartition:
    """Estimate log Z from annealing both ways.

    ``rows`` are states from which the chains of step 1 start: rows, persistent chains, dreams; the more of the model's
    modes they are near, the better. ``n_temperatures`` are those of the pair of AIS and reverse AIS that takes at least
    as long: here they are a third as many, evenly spaced.

    >>> from genreplay.core.partition import exact
    >>> rng = np.random.default_rng(0)
    >>> rbm = RBM(W=rng.standard_normal((6, 8)), a=np.zeros(8), b=np.zeros(6))
    >>> estimate = two_way(rbm, rng.integers(0, 2, size=(100, 8)), rng, n_temperatures=290)
    >>> low, high = estimate.interval
    >>> low < exact(rbm).log_z < high
    True
    """
    began = time.perf_counter()
    betas = _even(n_temperatures)
    rows = np.asarray(rows, dtype=rbm.W.dtype)
    starts = rows[rng.choice(len(rows), size=n_chains, replace=len(rows) < n_chains)]
    settled = settle(rbm, starts, N_BURN_IN, rng, progress)

    means = _means(np.concatenate([settled, starts]), rng)
    shares = np.full(len(means), (1 - 2 * _BROAD) / (len(means) - 1))
    shares[0] = 2 * _BROAD
    few = _even(_n_scouting(n_temperatures))
    scouts = Mixture.of_means(means, shares, rbm.W.dtype)
    v, log_weights = _forward(rbm, scouts, few, n_chains, rng, progress)
    weights = _normalised(log_weights)
    ends = v[rng.choice(n_chains, size=n_chains, p=weights)]
    means = _means(np.concatenate([settled, v, ends]), rng)
    nearest = Mixture.of_means(means, np.full(len(means), 1 / len(means))).nearest(v)
    shares = _KNOWN * np.bincount(nearest, weights, len(means)) + (1 - _KNOWN) / len(means)
    shares[0] = max(shares[0], _BROAD)

    mixture = Mixture.of_means(means, shares / shares.sum(), rbm.W.dtype)
    v, forward = _forward(rbm, mixture, betas, n_chains, rng, progress)
    checks = settled[rng.choice(n_chains, size=-(-N_CHECKS * n_chains // 100), replace=False)]
    back = np.concatenate([_by_region(mixture, settled, v, _normalised(forward), rng), checks])
    back = settle(rbm, back, N_MORE, rng, progress)
    regions = mixture.nearest(v), mixture.nearest(back[n_chains:])
    backward = -anneal_anchored(rbm, back, mixture, betas[::-1], rng, progress)
    log_ratio, std_error, overlap = bennett(forward, backward[:n_chains])
    return LogPartition(
        log_ratio,
        std_error,
        overlap * n_chains,
        "two-way",
        n_chains * n_sweeps(n_temperatures),
        time.perf_counter() - began,
        bound_by(rbm, np.concatenate([rows, settled, v])),
        _unreached(forward, backward[n_chains:], *regions, log_ratio),
    )


def n_sweeps(n_temperatures: int) -> int:
    """Gibbs sweeps that each chain makes.

    >>> n_sweeps(14_500)  # AIS and reverse AIS over as many temperatures make 29,998 shorter ones
    11346
    """
    scouting, annealing = len(_even(_n_scouting(n_temperatures))), len(_even(n_temperatures))
    return N_BURN_IN + scouting - 1 + N_MORE + 2 * (annealing - 1)


def _n_scouting(n_temperatures: int) -> int:
    return max(200, int(_SCOUTS * n_temperatures))


def _even(n_temperatures: int) -> Float64:
    """Inverse temperatures in place of so many of AIS."""
    return np.linspace(0.0, 1.0, max(n_temperatures // TIMES_AS_LONG, 2))


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


def _unreached(forward: Float64, backward: Float64, ends: Places, starts: Places, log_ratio: float) -> float:
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
    above = float(-_log_mean_exp(-high) + np.log(share) - log_ratio)
    return above if above > _APART else 0.0


def _log_mean_exp(x: Float64) -> float:
    return float(np.logaddexp.reduce(x) - np.log(len(x)))


def _means(states: Array, rng: np.random.Generator) -> Float64:
    """The means of the parts: first the broad one, then those that were fitted."""
    rows: Float64 = states.astype(np.float64)
    broad = 0.9 * rows.mean(axis=0) + 0.05
    return np.vstack([broad, fit_means(rows, N_PARTS, rng)])


def _forward(
    rbm: RBM, mixture: Mixture, betas: Float64, n_chains: int, rng: np.random.Generator, progress: Progress | None
) -> tuple[Array, Float64]:
    v = mixture.draw(n_chains, rng)
    return v, anneal_anchored(rbm, v, mixture, betas, rng, progress)


def _by_region(mixture: Mixture, settled: Array, ends: Array, weights: Float64, rng: np.random.Generator) -> Array:
    """Samples of the model: regions by their weight in the forward pass, states from the settled chains if they can."""
    of_ends, of_settled = mixture.nearest(ends), mixture.nearest(settled)
    chosen = []
    for region in of_ends[rng.choice(len(ends), size=len(ends), p=weights)]:
        if (here := np.flatnonzero(of_settled == region)).size:
            chosen.append(settled[rng.choice(here)])
        else:
            here = np.flatnonzero(of_ends == region)
            chosen.append(ends[rng.choice(here, p=weights[here] / weights[here].sum())])
    return np.array(chosen)


def _normalised(log_weights: Float64) -> Float64:
    weights = np.exp(log_weights - log_weights.max())
    return np.asarray(weights / weights.sum())


def _logistic(x: Float64) -> Float64:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * x)))
