"""log Z, the logarithm of the partition function: exact by enumeration, or estimated by annealed importance sampling.

Annealed importance sampling (AIS) underestimates log Z on average, so the likelihood looks too good. Reverse AIS starts
from samples of the model and overestimates log Z on average. If the two agree, the estimate is reliable. If they do
not, report both.

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
"""called with the number of Gibbs sweeps since the last call"""

MAX_UNITS = 25
"""largest size of the smaller layer that ``exact`` accepts: 2^25 states"""
N_BURN_IN = 1_000
"""Gibbs steps before reverse AIS"""
_NUMBERS_PER_BLOCK = 2**17
_SWEEPS_PER_CALL = 100


class LogPartition(NamedTuple):
    """An estimate of log Z, with its error and its cost.

    >>> exact(RBM(W=np.zeros((3, 2)), a=np.zeros(2), b=np.zeros(3)))._replace(seconds=0.0)
    LogPartition(log_z=3.46..., std_error=0.0, ess=inf, method='exact', n_sweeps=4, seconds=0.0)
    """

    log_z: float
    """natural logarithm of the partition function"""
    std_error: float
    """standard error of log_z by the delta method; 0 if exact; unreliable if ``ess`` is near 1"""
    ess: float
    """effective sample size of the importance weights, at most n_chains; infinite if exact"""
    method: str
    """exact, ais or reverse-ais"""
    n_sweeps: int
    """cost: total Gibbs sweeps of all chains, or number of states enumerated"""
    seconds: float
    """cost: wall time"""


def schedule(n_temperatures: int = 14_500) -> Float64:
    """Return the inverse temperatures of Salakhutdinov & Murray, from 0 to 1.

    Of every 29 temperatures, 1 lies in [0, 0.5), 8 lie in [0.5, 0.9) and 20 lie in [0.9, 1].

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
    """Return the visible biases of the model of independent units from which AIS starts.

    They are the log-odds of the smoothed means of the training rows. The program of Salakhutdinov & Murray adds 5 % of
    the rows as ones. Here 5 % are added as zeros too, so that the bias of a unit that is always on stays finite.

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
    W, large_bias, small_bias = (part.astype(np.float64) for part in rbm)  # the hidden states are enumerated
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
    """Annealed importance sampling from independent units to the model: on average, a lower bound of log Z.

    ``betas`` rise from 0 to 1 (default: ``schedule()``). ``base_bias`` holds the visible biases at beta = 0 (default:
    zeros).

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
    n_burn_in: int = N_BURN_IN,
    start: Array | None = None,
) -> LogPartition:
    """AIS run backwards, from samples of the model to independent units: on average, an upper bound of log Z.

    The samples are the last states of chains of ``n_burn_in`` Gibbs steps. These start from the rows ``start``, one row
    per chain. By default they start from the last states of a forward pass over the same temperatures, resampled by
    their weights. The bound is only as good as these samples: if the chains miss a mode of the model, the estimate can
    be too low.

    >>> rng = np.random.default_rng(0)
    >>> rbm = RBM(W=rng.standard_normal((6, 8)), a=np.zeros(8), b=np.zeros(6))
    >>> estimate = reverse_ais(rbm, rng, betas=schedule(290))
    >>> abs(estimate.log_z - exact(rbm).log_z) < 4 * estimate.std_error + 0.1
    True
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
    n_burn_in: int = N_BURN_IN,
) -> tuple[LogPartition, LogPartition]:
    """Run AIS forwards, then backwards from the last states of the forward pass.

    This costs about two thirds of separate calls of ``ais`` and ``reverse_ais``.

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
    """Run the forward pass. Return its estimate, the last states and their log weights."""
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
    """Run the backward pass, from the chains ``v`` after ``n_burn_in`` more Gibbs steps."""
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
    """Move the chains ``v`` along ``betas``, up or down, in place. Return their log weights.

    At beta the unnormalised log-probability is (1 - beta) base'v + beta a'v + sum_j softplus(beta (b_j + W_j v)). This
    is the marginal of an RBM with parameters beta Theta and an additional visible bias. In each step beta changes
    first, with the state fixed, and the change of this quantity is added to the log weight. Then a Gibbs step at the
    new beta changes the state.
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
    """Return the log of the mean weight, its standard error by the delta method, and the effective sample size."""
    largest = log_weights.max()
    weights = np.exp(log_weights - largest)
    mean = weights.mean()
    spread = weights.std(ddof=1) if len(weights) > 1 else np.inf
    ess = weights.sum() ** 2 / (weights**2).sum()
    return float(largest + np.log(mean)), float(spread / mean / np.sqrt(len(weights))), float(ess)


def _log_z_base(rbm: RBM, base_bias: Array) -> float:
    """Return log Z at beta = 0, where each hidden unit is on with probability 1/2."""
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
