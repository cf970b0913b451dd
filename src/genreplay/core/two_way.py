"""log Z by annealing both ways between mixtures fitted to the model's own samples and the model.

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
   their weights are far above all forward ones, annealing has hardly led there, and log Z is unknown;
7. a whole region may still be met by none of these chains, and nothing in an estimate shows that. So there are four,
   which have nothing in common but the model and the rows, and the error is that by which they differ.

References
----------
R. Grosse, Z. Ghahramani, R. Adams: Sandwiching the marginal likelihood using bidirectional Monte Carlo. 2015.
R. Neal: Annealed importance sampling. Stat. Comput. 11, 2001.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from genreplay.core.anchored import anneal_anchored
from genreplay.core.annealing import Progress, settle
from genreplay.core.joined import Estimate, bennett, together, unreached
from genreplay.core.kernels import Array
from genreplay.core.mixture import Mixture, fit_means
from genreplay.core.partition import N_BURN_IN, LogPartition, bound_by
from genreplay.core.rbm import RBM

Float64 = npt.NDArray[np.float64]

N_ESTIMATES = 4
PER_CENT = 40
"""chains of each estimate, for each 100 of AIS"""
TIMES_AS_LONG = 3
"""a third of the temperatures of AIS do as well on models that learned, and each takes longer"""
N_SEEN, BETWEEN = 8, 25
"""states of each long chain to which the mixture is fitted, and Gibbs steps between them"""
N_PARTS = 16
"""parts of the mixture, beside the broad one"""
N_MORE = 200
"""Gibbs steps before the backward pass"""
N_CHECKS = 20
"""backward chains of step 6, for each 100 of the others"""
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
    modes they are near, the better. ``n_temperatures`` and ``n_chains`` are those of a pair of AIS and reverse AIS that
    takes about as long: each of the estimates has a part of them.

    >>> from genreplay.core.partition import exact
    >>> rng = np.random.default_rng(0)
    >>> rbm = RBM(W=rng.standard_normal((6, 8)), a=np.zeros(8), b=np.zeros(6))
    >>> estimate = two_way(rbm, rng.integers(0, 2, size=(100, 8)), rng, n_temperatures=290)
    >>> low, high = estimate.interval
    >>> low < exact(rbm).log_z < high
    True
    """
    began = time.perf_counter()
    rows, n_each = np.asarray(rows, dtype=rbm.W.dtype), max(2, -(-n_chains * PER_CENT // 100))
    few, betas = _even(_n_scouting(n_temperatures)), _even(n_temperatures)
    starts = [rows[rng.choice(len(rows), n_each, replace=len(rows) < n_each)] for _ in range(N_ESTIMATES)]
    chains = settle(rbm, np.concatenate(starts), n_settle(n_temperatures) - N_SEEN * BETWEEN, rng, progress)
    seen = []
    for _ in range(N_SEEN):
        chains = settle(rbm, chains, BETWEEN, rng, progress)
        seen.append(np.split(chains, N_ESTIMATES))
    settled, met = seen[-1], [np.concatenate(each) for each in zip(*seen, strict=True)]

    scouts = [_first_mixture(*each, rng) for each in zip(met, starts, strict=True)]
    ends, weights = _forward(rbm, scouts, few, n_each, rng, progress)
    mixtures = [_second_mixture(*each, rng) for each in zip(met, ends, weights, strict=True)]
    ends, forward = _forward(rbm, mixtures, betas, n_each, rng, progress)

    n_checks = -(-n_each * N_CHECKS // 100)
    samples = [_by_region(*each, rng) for each in zip(mixtures, settled, ends, forward, strict=True)]
    checks = [each[rng.choice(n_each, n_checks, replace=False)] for each in settled]
    back = np.concatenate([part for pair in zip(samples, checks, strict=True) for part in pair])
    back = settle(rbm, back, N_MORE, rng, progress)
    last = [each[n_each:].copy() for each in np.split(back, N_ESTIMATES)]
    backward = np.split(-anneal_anchored(rbm, back, mixtures, betas[::-1], rng, progress), N_ESTIMATES)

    known = np.concatenate([rows, *settled, *ends])
    found = [_estimate(*each) for each in zip(mixtures, ends, forward, last, backward, strict=True)]
    log_z, std_error, ess, above = together(found)
    return LogPartition(
        log_z,
        std_error,
        ess,
        "two-way",
        N_ESTIMATES * n_each * n_sweeps(n_temperatures),
        time.perf_counter() - began,
        bound_by(rbm, known),
        above,
    )


def n_sweeps(n_temperatures: int) -> int:
    """Gibbs sweeps that each chain makes.

    >>> n_sweeps(14_500)  # AIS and reverse AIS over as many temperatures make 29,998 shorter ones
    15179
    """
    scouting, annealing = len(_even(_n_scouting(n_temperatures))), len(_even(n_temperatures))
    return n_settle(n_temperatures) + scouting - 1 + N_MORE + 2 * (annealing - 1)


def n_settle(n_temperatures: int) -> int:
    """Gibbs steps of the long chains: as many as chains make while they are annealed, at least."""
    return max(N_BURN_IN, len(_even(n_temperatures)))


def _n_scouting(n_temperatures: int) -> int:
    return max(200, int(_SCOUTS * n_temperatures))


def _even(n_temperatures: int) -> Float64:
    """Inverse temperatures in place of so many of AIS."""
    return np.linspace(0.0, 1.0, max(n_temperatures // TIMES_AS_LONG, 2))


def _estimate(mixture: Mixture, ends: Array, forward: Float64, last: Array, backward: Float64) -> Estimate:
    """One of the independent estimates; ``last`` are the starts of the backward chains that only check."""
    log_z, std_error, overlap = bennett(forward, backward[: len(ends)])
    regions = mixture.nearest(ends), mixture.nearest(last)
    above = unreached(forward, backward[len(ends) :], *regions, log_z)
    return Estimate(log_z, std_error, overlap * len(ends), above)


def _means(states: Array, rng: np.random.Generator) -> Float64:
    """The means of the parts: first the broad one, then those that were fitted."""
    rows: Float64 = states.astype(np.float64)
    broad = 0.9 * rows.mean(axis=0) + 0.05
    return np.vstack([broad, fit_means(rows, N_PARTS, rng)])


def _first_mixture(settled: Array, starts: Array, rng: np.random.Generator) -> Mixture:
    """The scouts' mixture: nothing is known of the shares."""
    means = _means(np.concatenate([settled, starts]), rng)
    shares = np.full(len(means), (1 - 2 * _BROAD) / (len(means) - 1))
    shares[0] = 2 * _BROAD
    return Mixture.of_means(means, shares, settled.dtype)


def _second_mixture(settled: Array, ends: Array, log_weights: Float64, rng: np.random.Generator) -> Mixture:
    """Fitted to where the scouts ended, too; half of the shares follows their weights."""
    weights = _normalised(log_weights)
    heavy = ends[rng.choice(len(ends), size=len(ends), p=weights)]
    means = _means(np.concatenate([settled, ends, heavy]), rng)
    nearest = Mixture.of_means(means, np.full(len(means), 1 / len(means))).nearest(ends)
    shares = _KNOWN * np.bincount(nearest, weights, len(means)) + (1 - _KNOWN) / len(means)
    shares[0] = max(shares[0], _BROAD)
    return Mixture.of_means(means, shares / shares.sum(), settled.dtype)


def _forward(
    rbm: RBM,
    mixtures: Sequence[Mixture],
    betas: Float64,
    n_each: int,
    rng: np.random.Generator,
    progress: Progress | None,
) -> tuple[list[Array], list[Float64]]:
    """Where chains end that are annealed from each mixture, and their log weights."""
    v = np.concatenate([mixture.draw(n_each, rng) for mixture in mixtures])
    log_weights = anneal_anchored(rbm, v, mixtures, betas, rng, progress)
    return np.split(v, N_ESTIMATES), np.split(log_weights, N_ESTIMATES)


def _by_region(mixture: Mixture, settled: Array, ends: Array, forward: Float64, rng: np.random.Generator) -> Array:
    """Samples of the model: regions by their weight in the forward pass, states from the settled chains if they can."""
    weights, of_ends, of_settled = _normalised(forward), mixture.nearest(ends), mixture.nearest(settled)
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
