"""log Z, the logarithm of the partition function: exact by enumeration, or estimated by annealed importance sampling.

Annealed importance sampling (AIS) underestimates log Z on average, so the likelihood looks too good. Reverse AIS starts
from samples of the model and overestimates log Z on average. Where the samples of the one come from the other, both can
miss the same modes of the model and agree on a wrong answer: ``two_way`` is the estimate that this package reports.

One bound always holds: log Z is at least the logarithm of the sum of exp(-F) over any set of distinct states. Every
estimate that knows some states is compared with it.

References
----------
R. Salakhutdinov, I. Murray: On the quantitative analysis of deep belief networks. ICML 2008.
R. Grosse, Z. Ghahramani, R. Adams: Sandwiching the marginal likelihood using bidirectional Monte Carlo. 2015.
"""

from __future__ import annotations

import time
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core.annealing import Progress, anneal, settle
from genreplay.core.kernels import Array, sum_softplus
from genreplay.core.mixture import Mixture
from genreplay.core.rbm import RBM, free_energy

Float64 = npt.NDArray[np.float64]

MAX_UNITS = 25
"""largest size of the smaller layer that ``exact`` accepts: 2^25 states"""
N_BURN_IN = 1_000
"""Gibbs steps before reverse AIS"""
_NUMBERS_PER_BLOCK = 2**17
_ERRORS = 3.0
"""standard errors on each side of an estimate that its interval covers"""
_ROUNDING = 0.01
"""nats by which a bound in float32 may exceed log Z"""
_LEAST_ESS = 2.0
"""an estimate that rests on fewer chains is unknown"""


class LogPartition(NamedTuple):
    """An estimate of log Z, with its error and its cost.

    >>> exact(RBM(W=np.zeros((3, 2)), a=np.zeros(2), b=np.zeros(3)))._replace(seconds=0.0)
    LogPartition(log_z=3.46..., std_error=0.0, ess=inf, method='exact', n_sweeps=4, seconds=0.0, ...)
    """

    log_z: float
    """natural logarithm of the partition function"""
    std_error: float
    """standard error of log_z, by the delta method or by how independent estimates differ; 0 if exact; unreliable if
    ``ess`` is near 1"""
    ess: float
    """effective number of chains that the estimate rests on; infinite if exact"""
    method: str
    """exact, two-way, ais or reverse-ais"""
    n_sweeps: int
    """cost: total Gibbs sweeps of all chains, or number of states enumerated"""
    seconds: float
    """cost: wall time"""
    at_least: float = -np.inf
    """the bound by states that are known: log of the sum of exp(-F) over distinct ones"""
    unreached: float = 0.0
    """nats by which log Z may be higher, because chains stay where annealing hardly leads"""

    @property
    def interval(self) -> tuple[float, float]:
        """Where log Z lies, within three standard errors and not below the bound."""
        low, high = self.log_z - _ERRORS * self.std_error, self.log_z + _ERRORS * self.std_error
        return max(low, self.at_least - _ROUNDING), high

    @property
    def stands(self) -> bool:
        """Whether the estimate can be reported as a number."""
        return not self.doubt

    @property
    def doubt(self) -> str:
        """Why log Z is unknown: what the estimate contradicts; empty if it stands.

        >>> LogPartition(1.0, 0.1, 50.0, "ais", 100, 0.1, at_least=20.0).doubt
        'the estimate is 1.0 +- 0.1, but known rows alone give at least 20.0'
        """
        if self.interval[1] < self.at_least - _ROUNDING:
            return (
                f"the estimate is {self.log_z:.1f} +- {self.std_error:.1f}, but known rows alone give at least "
                f"{self.at_least:.1f}"
            )
        if self.unreached:
            return (
                f"chains stay where annealing hardly leads, and log Z may be up to {self.unreached:.0f} nats higher; "
                "more temperatures may help"
            )
        if self.ess < _LEAST_ESS:
            return f"the weights of only {self.ess:.1f} chains overlap"
        return ""

    def knowing(self, bound: float) -> LogPartition:
        """The same estimate, beside a bound by further states."""
        return self._replace(at_least=max(self.at_least, bound))


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


def bound_by(rbm: RBM, states: Array) -> float:
    """Return the lower bound of log Z by states of 0 and 1: log of the sum of exp(-F) over the distinct ones.

    >>> flat = RBM(W=np.zeros((3, 2)), a=np.zeros(2), b=np.zeros(3))
    >>> states = np.array([[0.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> bool(np.isclose(bound_by(flat, states), exact(flat).log_z))  # all four states
    True
    """
    v = np.asarray(states, dtype=rbm.W.dtype)
    v = v[distinct(np.packbits(v.astype(bool), axis=1))]
    blocks = np.array_split(v, len(v) // 1_000 + 1)
    return float(np.logaddexp.reduce([np.logaddexp.reduce(-free_energy(rbm, block)) for block in blocks]))


def distinct(packed: npt.NDArray[np.uint8]) -> npt.NDArray[np.intp]:
    """Return the places of distinct rows of packed bits.

    >>> sorted(distinct(np.packbits([[0, 1, 1], [1, 0, 0], [0, 1, 1]], axis=1)).tolist())
    [0, 1]
    """
    return np.unique(packed, axis=0, return_index=True)[1]


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
    return _ais(rbm, rng, ascending(betas), n_chains, _base(rbm, base_bias), progress)[0]


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
    return _reverse_ais(rbm, rng, ascending(betas), v, _base(rbm, base_bias), progress, n_burn_in)


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
    betas, base = ascending(betas), _base(rbm, base_bias)
    forward, v, log_weights = _ais(rbm, rng, betas, n_chains, base, progress)
    weights = np.exp(log_weights - log_weights.max())
    v = v[rng.choice(n_chains, size=n_chains, p=weights / weights.sum())]
    return forward, _reverse_ais(rbm, rng, betas, v, base, progress, n_burn_in)


def _ais(
    rbm: RBM, rng: np.random.Generator, betas: Float64, n_chains: int, base: Mixture, progress: Progress | None
) -> tuple[LogPartition, Array, Float64]:
    """Run the forward pass. Return its estimate, the last states and their log weights."""
    began = time.perf_counter()
    v = base.draw(n_chains, rng)
    log_weights = anneal(rbm, v, base, betas, rng, progress)
    log_ratio, std_error, ess = _average(log_weights)
    n_sweeps = n_chains * (len(betas) - 1)
    seconds = time.perf_counter() - began
    return LogPartition(log_z_base(rbm) + log_ratio, std_error, ess, "ais", n_sweeps, seconds), v, log_weights


def _reverse_ais(
    rbm: RBM,
    rng: np.random.Generator,
    betas: Float64,
    v: Array,
    base: Mixture,
    progress: Progress | None,
    n_burn_in: int,
) -> LogPartition:
    """Run the backward pass, from the chains ``v`` after ``n_burn_in`` more Gibbs steps."""
    began = time.perf_counter()
    v = settle(rbm, v, n_burn_in, rng, progress)
    log_weights = anneal(rbm, v, base, betas[::-1], rng, progress)
    log_ratio, std_error, ess = _average(log_weights)
    n_sweeps = len(v) * (n_burn_in + len(betas) - 1)
    seconds = time.perf_counter() - began
    return LogPartition(log_z_base(rbm) - log_ratio, std_error, ess, "reverse-ais", n_sweeps, seconds)


def _average(log_weights: Float64) -> tuple[float, float, float]:
    """Return the log of the mean weight, its standard error by the delta method, and the effective sample size."""
    largest = log_weights.max()
    weights = np.exp(log_weights - largest)
    mean = weights.mean()
    spread = weights.std(ddof=1) if len(weights) > 1 else np.inf
    ess = weights.sum() ** 2 / (weights**2).sum()
    return float(largest + np.log(mean)), float(spread / mean / np.sqrt(len(weights))), float(ess)


def log_z_base(rbm: RBM) -> float:
    """Return log Z at beta = 0: the mixture is normalised, and each hidden unit has two states.

    >>> round(log_z_base(RBM(W=np.ones((3, 2)), a=np.zeros(2), b=np.zeros(3))), 3)  # 3 log 2
    2.079
    """
    return rbm.n_hidden * float(np.log(2.0))


def ascending(betas: Float64 | None) -> Float64:
    """Return inverse temperatures that rise from 0 to 1, by default those of ``schedule``.

    >>> len(ascending(None)), ascending(np.array([0, 0.5, 1])).tolist()
    (14500, [0.0, 0.5, 1.0])
    """
    betas = schedule() if betas is None else np.asarray(betas, dtype=np.float64)
    rising = betas.ndim == 1 and len(betas) >= 2 and betas[0] == 0 and betas[-1] == 1 and (np.diff(betas) >= 0).all()
    if not rising:
        raise ValueError("The 'betas' parameter of AIS must be a 1D array that rises from 0 to 1.")
    return betas


def _base(rbm: RBM, base_bias: Array | None) -> Mixture:
    """A mixture of one part."""
    base_bias = np.zeros_like(rbm.a) if base_bias is None else np.asarray(base_bias)
    if base_bias.shape != rbm.a.shape:
        raise ValueError(f"The 'base_bias' parameter of AIS must have shape {rbm.a.shape}. Got {base_bias.shape}.")
    return Mixture.of_biases(base_bias[None].astype(rbm.a.dtype), np.ones(1))


def _states(n_units: int) -> Float64:
    """All 2^n rows of n bits."""
    return ((np.arange(2**n_units)[:, None] >> np.arange(n_units)) & 1).astype(np.float64)
