"""log Z, the partition function: exact by enumeration, or bracketed by annealed importance sampling (AIS).

AIS underestimates log Z on average, and so flatters the model; reverse AIS, started from samples of the model, does the
opposite. Where the two agree, the truth is known; where they do not, both belong in the table.

References
----------
R. Salakhutdinov, I. Murray: On the quantitative analysis of deep belief networks. ICML 2008.
R. Grosse, Z. Ghahramani, R. Adams: Sandwiching the marginal likelihood using bidirectional Monte Carlo. 2015.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core.kernels import Array, Workspace, anneal, sample, sigmoid, sum_softplus, to_hidden, to_visible
from genreplay.core.rbm import RBM, bernoulli, gibbs

Float64 = npt.NDArray[np.float64]
Progress = Callable[[int], object]
"""called with the number of Gibbs sweeps just made"""

MAX_UNITS = 25
"""the largest smaller layer that ``exact`` enumerates: 2^25 states"""
_NUMBERS_PER_BLOCK = 2**17
_SWEEPS_PER_CALL = 100


class LogPartition(NamedTuple):
    """An estimate of log Z, never without its error and its price."""

    log_z: float
    """natural logarithm of the partition function"""
    std_error: float
    """standard error of log_z by the delta method; 0 when exact; means little when ``ess`` is near 1"""
    ess: float
    """effective sample size of the importance weights, at most n_chains; infinite when exact"""
    method: str
    """exact, ais or reverse-ais"""
    n_sweeps: int
    """price: Gibbs sweeps over all chains together, or states enumerated"""
    seconds: float
    """price: wall time"""


def schedule(n_temperatures: int = 14_500) -> Float64:
    """Inverse temperatures of Salakhutdinov & Murray: of each 29, 1 in [0, 0.5), 8 in [0.5, 0.9), 20 in [0.9, 1].

    >>> betas = schedule()
    >>> len(betas), betas[[0, 500, 4500, -1]].tolist()
    (14500, [0.0, 0.5, 0.9, 1.0])
    """
    if n_temperatures < 29:
        raise ValueError(f"The 'n_temperatures' parameter of schedule must be at least 29. Got {n_temperatures}.")
    n_first, n_second = n_temperatures // 29, 8 * n_temperatures // 29
    return np.concatenate(
        [
            np.linspace(0.0, 0.5, n_first, endpoint=False),
            np.linspace(0.5, 0.9, n_second, endpoint=False),
            np.linspace(0.9, 1.0, n_temperatures - n_first - n_second),
        ]
    )


def base_rate_biases(ones: Float64, n_rows: int, smoothing: float = 0.05) -> Float64:
    """Log-odds of the smoothed means of the training rows: the model of independent units from which AIS starts.

    Salakhutdinov & Murray's program smooths by 5 % of the rows, towards one alone; here towards zero as well, so that
    units that are always on stay finite.

    >>> base_rate_biases(np.array([0.0, 20.0, 100.0]), n_rows=100).round(2).tolist()
    [-3.04, -1.22, 3.04]
    """
    means = (ones + smoothing * n_rows) / ((1 + 2 * smoothing) * n_rows) if n_rows else np.full_like(ones, 0.5)
    return np.log(means) - np.log1p(-means)


def exact(rbm: RBM) -> LogPartition:
    """Sum over all states of the smaller layer, in blocks and in float64.

    >>> flat = RBM(W=np.zeros((3, 2)), a=np.zeros(2), b=np.zeros(3))
    >>> bool(np.isclose(exact(flat).log_z, 5 * np.log(2)))
    True
    """
    began = time.perf_counter()
    W, large_bias, small_bias = (part.astype(np.float64) for part in rbm)  # hidden layer summed over
    if rbm.n_visible < rbm.n_hidden:
        W, large_bias, small_bias = W.T, small_bias, large_bias
    n_units = len(small_bias)
    if n_units > MAX_UNITS:
        raise ValueError(
            f"Exact enumeration takes a layer of at most {MAX_UNITS} units, but the smaller one has {n_units}: use AIS."
        )
    # The states of the first few units form a block; each state of the others shifts the whole block.
    n_block = min(n_units, (_NUMBERS_PER_BLOCK // len(large_bias)).bit_length())
    inner, outer = _states(n_block), n_units - n_block
    inner_input = inner @ W[:n_block] + large_bias
    inner_bias = inner @ small_bias[:n_block]
    log_z = -np.inf
    for state in range(2**outer):
        bits = (state >> np.arange(outer)) & 1
        log_terms = inner_bias + sum_softplus(inner_input + bits @ W[n_block:]) + bits @ small_bias[n_block:]
        log_z = float(np.logaddexp(log_z, np.logaddexp.reduce(log_terms)))
    return LogPartition(log_z, 0.0, np.inf, "exact", 2**n_units, time.perf_counter() - began)


def ais(
    rbm: RBM,
    rng: np.random.Generator,
    betas: Float64 | None = None,
    n_chains: int = 100,
    base_bias: Array | None = None,
    progress: Progress | None = None,
) -> LogPartition:
    """Annealed importance sampling from independent units to the model: a lower bound of log Z on average.

    ``betas`` rise from 0 to 1 (default: ``schedule()``); ``base_bias`` are the visible biases of the model at 0
    (default: zeros).

    >>> rng = np.random.default_rng(0)
    >>> rbm = RBM(W=rng.standard_normal((6, 8)), a=np.zeros(8), b=np.zeros(6))
    >>> estimate = ais(rbm, rng, betas=schedule(290))
    >>> abs(estimate.log_z - exact(rbm).log_z) < 4 * estimate.std_error
    True
    """
    return _ais(rbm, rng, _ascending(betas), n_chains, _base(rbm, base_bias), progress)[0]


def reverse_ais(
    rbm: RBM,
    rng: np.random.Generator,
    betas: Float64 | None = None,
    n_chains: int = 100,
    base_bias: Array | None = None,
    progress: Progress | None = None,
    n_burn_in: int = 1_000,
    start: Array | None = None,
) -> LogPartition:
    """AIS run backwards, from samples of the model to independent units: an upper bound of log Z on average.

    The samples are the ends of chains of ``n_burn_in`` Gibbs steps, started from the rows ``start`` (one a chain) or,
    by default, from annealed states: the ends of a forward pass over the same temperatures, drawn anew by their
    weights. The bound is as good as these samples: chains that have not reached the model's typical states bound only
    what they have seen.
    """
    if start is None:
        forward, reverse = bracket(rbm, rng, betas, n_chains, base_bias, progress, n_burn_in)
        return reverse._replace(n_sweeps=reverse.n_sweeps + forward.n_sweeps, seconds=reverse.seconds + forward.seconds)
    v = np.array(start, dtype=rbm.W.dtype)
    return _reverse_ais(rbm, rng, _ascending(betas), v, _base(rbm, base_bias), progress, n_burn_in)


def bracket(
    rbm: RBM,
    rng: np.random.Generator,
    betas: Float64 | None = None,
    n_chains: int = 100,
    base_bias: Array | None = None,
    progress: Progress | None = None,
    n_burn_in: int = 1_000,
) -> tuple[LogPartition, LogPartition]:
    """AIS forwards and backwards, the way back started where the way forwards ended: two thirds of the price.

    >>> rng = np.random.default_rng(0)
    >>> rbm = RBM(W=rng.standard_normal((6, 8)), a=np.zeros(8), b=np.zeros(6))
    >>> forward, reverse = bracket(rbm, rng, betas=schedule(290))
    >>> abs(reverse.log_z - forward.log_z) < 0.5
    True
    """
    betas, base_bias = _ascending(betas), _base(rbm, base_bias)
    forward, v, log_weights = _ais(rbm, rng, betas, n_chains, base_bias, progress)
    weights = np.exp(log_weights - log_weights.max())
    v = v[rng.choice(n_chains, size=n_chains, p=weights / weights.sum())]
    return forward, _reverse_ais(rbm, rng, betas, v, base_bias, progress, n_burn_in)


def _ais(
    rbm: RBM, rng: np.random.Generator, betas: Float64, n_chains: int, base_bias: Array, progress: Progress | None
) -> tuple[LogPartition, Array, Float64]:
    """The forward pass: its estimate, the states at its end and their log weights."""
    began = time.perf_counter()
    v = bernoulli(np.tile(sigmoid(base_bias), (n_chains, 1)), rng)
    log_weights = _anneal(rbm, v, betas, base_bias, rng, progress)
    log_ratio, std_error, ess = _average(log_weights)
    log_z = _log_z_base(rbm, base_bias) + log_ratio
    n_sweeps = n_chains * (len(betas) - 1)
    return LogPartition(log_z, std_error, ess, "ais", n_sweeps, time.perf_counter() - began), v, log_weights


def _reverse_ais(
    rbm: RBM,
    rng: np.random.Generator,
    betas: Float64,
    v: Array,
    base_bias: Array,
    progress: Progress | None,
    n_burn_in: int,
) -> LogPartition:
    """The way back, from the chains ``v`` after some more Gibbs steps."""
    began = time.perf_counter()
    for done in range(0, n_burn_in, _SWEEPS_PER_CALL):
        n_steps = min(_SWEEPS_PER_CALL, n_burn_in - done)
        v = gibbs(rbm, v, n_steps, rng)
        if progress is not None:
            progress(n_steps)
    log_weights = _anneal(rbm, v, betas[::-1], base_bias, rng, progress)
    log_ratio, std_error, ess = _average(log_weights)
    log_z = _log_z_base(rbm, base_bias) - log_ratio
    n_sweeps = len(v) * (n_burn_in + len(betas) - 1)
    return LogPartition(log_z, std_error, ess, "reverse-ais", n_sweeps, time.perf_counter() - began)


def _anneal(
    rbm: RBM, v: Array, betas: Float64, base_bias: Array, rng: np.random.Generator, progress: Progress | None
) -> Float64:
    """Take the chains ``v``, in place, along ``betas``, up or down, and return their log weights.

    At beta the unnormalised log-probability is (1 - beta) base'v + beta a'v + sum_j softplus(beta (b_j + W_j v)), which
    is the marginal of an RBM with parameters beta Theta and some more visible bias. Each weight collects the change of
    this quantity when beta moves on while the state stays; then a Gibbs step at the new beta moves the state.
    """
    log_weights, work = np.zeros(len(v)), Workspace()
    bias_gap = rbm.a - base_bias
    x_h, p_h, h = work.array("hidden", (3, len(v), rbm.n_hidden), v.dtype)
    x_v, p_v = work.array("visible", (2, *v.shape), v.dtype)
    for k, (beta, following) in enumerate(pairwise(betas), start=1):
        log_weights += (following - beta) * (v @ bias_gap).astype(np.float64)
        log_weights += anneal(to_hidden(v, rbm.W, rbm.b, out=x_h), beta, following, rng, p_h, h)
        to_visible(h, rbm.W, bias_gap, out=x_v)
        x_v *= float(following)
        x_v += base_bias
        sample(x_v, rng, p=p_v, out=v)
        if progress is not None and (k % _SWEEPS_PER_CALL == 0 or k == len(betas) - 1):
            progress((k - 1) % _SWEEPS_PER_CALL + 1)
    return log_weights


def _average(log_weights: Float64) -> tuple[float, float, float]:
    """Logarithm of the mean weight, its standard error by the delta method, and the effective sample size."""
    largest = log_weights.max()
    weights = np.exp(log_weights - largest)
    mean = weights.mean()
    spread = weights.std(ddof=1) if len(weights) > 1 else np.inf
    ess = weights.sum() ** 2 / (weights**2).sum()
    return float(largest + np.log(mean)), float(spread / mean / np.sqrt(len(weights))), float(ess)


def _log_z_base(rbm: RBM, base_bias: Array) -> float:
    """The log Z at beta = 0: the hidden units are free coins."""
    return float(sum_softplus(base_bias.astype(np.float64))) + rbm.n_hidden * float(np.log(2.0))


def _ascending(betas: Float64 | None) -> Float64:
    betas = schedule() if betas is None else np.asarray(betas, dtype=np.float64)
    rising = betas.ndim == 1 and len(betas) >= 2 and betas[0] == 0 and betas[-1] == 1 and (np.diff(betas) >= 0).all()
    if not rising:
        raise ValueError("The 'betas' parameter of AIS must be a 1D array that rises from 0 to 1.")
    return betas


def _base(rbm: RBM, base_bias: Array | None) -> Array:
    if base_bias is None:
        return np.zeros_like(rbm.a)
    base_bias = np.asarray(base_bias)
    if base_bias.shape != rbm.a.shape:
        raise ValueError(f"The 'base_bias' parameter of AIS must have shape {rbm.a.shape}. Got {base_bias.shape}.")
    return base_bias.astype(rbm.a.dtype)


def _states(n_units: int) -> Float64:
    """All 2^n rows of n bits."""
    return ((np.arange(2**n_units)[:, None] >> np.arange(n_units)) & 1).astype(np.float64)
