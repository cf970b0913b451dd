"""How surprising a free energy is, judged by the model's own dreams: calibration without stored data.

A free energy F(v) says how unlikely a row is, but not how unlikely rows usually are. The model's dreams say that: the
share of dreams with a free energy at least as high is a p-value, and no observation has to be kept for it. A model that
is still learning has dreams a little more or less regular than its rows. So one number is tracked beside them, the
dream p-value that one in eight of the new rows falls below; the p-values are raised to the power that makes it 1/8.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core.checkpoint import Json
from genreplay.core.kernels import Array, sigmoid
from genreplay.core.rbm import RBM, bernoulli, free_energy, gibbs

Float64 = npt.NDArray[np.float64]

LEVEL = 1 / 8
"""share of the new rows whose dream p-value is tracked: above the share of anomalies in most streams"""
_TAIL = 0.05
"""share of the dreams beyond which the tail of their free energies is taken as exponential"""
_MEMORY = 50
"""batches after which the tracked number has half forgotten: a few, for the model changes"""


class Calibration(NamedTuple):
    """The dreams of a model, their free energies, and what was tracked of the new rows."""

    chains: Array
    """persistent Gibbs chains, rows of 0 and 1; states of the model, not data"""
    energies: Float64
    """their free energies, ascending"""
    tracked: float
    """minus the logarithm of the dream p-value that a share ``LEVEL`` of the new rows falls below"""
    n_batches: int
    """batches of new rows that it was learned from"""

    @property
    def nbytes(self) -> int:
        return self.chains.nbytes + self.energies.nbytes

    @property
    def mean(self) -> float:
        """The mean free energy of the dreams."""
        return float(self.energies.mean())


def start(rbm: RBM, n_dreams: int, rng: np.random.Generator) -> Calibration:
    """Chains that start at independent units with the model's biases."""
    chains = bernoulli(np.broadcast_to(sigmoid(rbm.a), (n_dreams, rbm.n_visible)).copy(), rng)
    return Calibration(chains, np.sort(free_energy(rbm, chains)), -math.log(LEVEL), 0)


def dream_on(calibration: Calibration, rbm: RBM, n_gibbs: int, rng: np.random.Generator) -> Calibration:
    """Move the chains after the model has moved."""
    chains = gibbs(rbm, calibration.chains, n_gibbs, rng)
    return calibration._replace(chains=chains, energies=np.sort(free_energy(rbm, chains)))


def log_dream_p_values(calibration: Calibration, energy: Float64) -> Float64:
    """The logarithm of the share of dreams with a free energy at least as high; an exponential tail beyond most.

    >>> dreams = Calibration(np.empty((0, 0)), energies=np.arange(100.0), tracked=2.0, n_batches=0)
    >>> np.exp(log_dream_p_values(dreams, np.array([-1.0, 50.0, 1000.0]))).round(3).tolist()
    [1.0, 0.505, 0.0]
    """
    energies = calibration.energies
    n = len(energies)
    n_tail = max(1, round(_TAIL * n))
    edge = energies[-n_tail]
    mean_excess = max(float(energies[-n_tail:].mean() - edge), 1e-6)
    at_least = 1 + n - np.searchsorted(energies, energy, side="left")
    inside = np.log(at_least) - math.log(n + 1)
    beyond = math.log(n_tail + 1) - math.log(n + 1) - (energy - edge) / mean_excess
    return np.where(energy > edge, beyond, inside)


def log_p_values(calibration: Calibration, energy: Float64) -> Float64:
    """The logarithm of calibrated p-values: those of the dreams, to the power that fits the new rows.

    >>> dreams = Calibration(np.empty((0, 0)), energies=np.arange(100.0), tracked=-2 * np.log(LEVEL), n_batches=9)
    >>> np.exp(log_p_values(dreams, np.array([87.5]))).round(2)  # above it are 12 of 100 dreams; the root of that
    array([0.36])
    """
    return log_dream_p_values(calibration, energy) * _power(calibration)


def energy_at(calibration: Calibration, p_value: float) -> float:
    """The free energy whose calibrated p-value this is: the threshold for alarms at that rate.

    >>> dreams = Calibration(np.empty((0, 0)), energies=np.arange(100.0), tracked=-np.log(LEVEL), n_batches=0)
    >>> energy_at(dreams, 0.5), round(float(np.exp(log_p_values(dreams, np.array([energy_at(dreams, 0.001)])))[0]), 4)
    (51.0, 0.001)
    """
    wanted = math.log(p_value) / _power(calibration)
    energies = calibration.energies
    n = len(energies)
    n_tail = max(1, round(_TAIL * n))
    edge = energies[-n_tail]
    at_edge = math.log(n_tail + 1) - math.log(n + 1)
    if wanted < at_edge:
        return float(edge + (at_edge - wanted) * max(float(energies[-n_tail:].mean() - edge), 1e-6))
    rank = 1 + n - math.exp(wanted) * (n + 1)  # how many dreams lie below
    return float(energies[min(max(math.ceil(rank), 0), n - 1)])


def track(calibration: Calibration, energy: Float64) -> Calibration:
    """Learn from the free energies of a batch of new rows, seen before the model learns them.

    A step of Robbins and Monro's towards the quantile: if the p-values fit, their logarithm has an exponential
    distribution, whose density at the quantile is ``LEVEL``; so the first steps are Newton's.
    """
    above = float(np.mean(-log_dream_p_values(calibration, energy) > calibration.tracked))
    rate = max(1 / (calibration.n_batches + 2), 1 / _MEMORY)
    tracked = max(calibration.tracked + rate * (above - LEVEL) / LEVEL, 0.1)
    return calibration._replace(tracked=tracked, n_batches=calibration.n_batches + 1)


def to_json(calibration: Calibration) -> dict[str, Json]:
    """What a file needs beside the chains."""
    return {"tracked": calibration.tracked, "n_batches": calibration.n_batches}


def from_file(rbm: RBM, chains: Array, state: dict[str, Json]) -> Calibration:
    """The calibration that ``chains`` and ``to_json`` were taken from."""
    return Calibration(chains, np.sort(free_energy(rbm, chains)), float(state["tracked"]), int(state["n_batches"]))  # type: ignore[arg-type]


def _power(calibration: Calibration) -> float:
    return -math.log(LEVEL) / calibration.tracked
