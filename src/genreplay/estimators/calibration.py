"""How surprising a free energy is, judged by the model's own dreams: calibration without stored data.

A free energy F(v) says how unlikely a row is, but not how unlikely rows usually are. The model's dreams say that: the
share of dreams with a higher free energy is a p-value, and no observation has to be kept for it. A model that is still
learning has dreams a little more or less regular than its rows, and so two numbers are tracked beside them: how
surprising, by its dreams, one in ten of the new rows is, and one in fifty. The surprise is stretched to fit these two.
Rows that are far more surprising count as anomalies and do not change these two numbers.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core.ingredient import Json
from genreplay.core.kernels import Array
from genreplay.core.rbm import RBM, free_energy

Float64 = npt.NDArray[np.float64]

NEAR, FAR = 1 / 10, 1 / 50
"""shares of the new rows whose surprise is tracked"""
_STEEPER, _FLATTER = 3.0, 0.5
"""limits of the stretch beyond NEAR, as multiples of that before it: many anomalies must not set it alone"""
_TAIL = 0.05
"""share of the dreams beyond which the tail of their free energies is taken as exponential"""
_STRANGE, _MOST_STRANGE = math.log(1000), 0.1
"""surprise beyond which a row counts as an anomaly; and the largest share of a batch that may count so: if there are
more, the calibration is wrong, not the rows"""
_MEMORY = 50
"""batches that the tracked numbers remember: only a few, because the model changes"""


class Calibration(NamedTuple):
    """A model, the free energies of its dreams, and what was tracked of the new rows."""

    rbm: RBM
    """the model in float64: after rounding, equal rows have equal free energies, in whatever block they are computed"""
    energies: Float64
    """free energies of its dreams, ascending"""
    near: float = -math.log(NEAR)
    """-log of the dream p-value that a share NEAR of the new rows falls below"""
    far: float = -math.log(FAR)
    """the same for FAR"""
    n_batches: int = 0
    """batches of new rows that both were learned from"""

    @property
    def nbytes(self) -> int:
        return self.rbm.nbytes + self.energies.nbytes

    @property
    def mean(self) -> float:
        """The mean free energy of the dreams."""
        return float(self.energies.mean())


def of_chains(rbm: RBM, chains: Array, before: Calibration | None = None) -> Calibration:
    """The model as it is now and the free energies of its dreams; what was tracked ``before`` is kept."""
    exact = RBM(*(part.astype(np.float64) for part in rbm))
    energies = np.sort(_energy(exact, chains))
    return Calibration(exact, energies) if before is None else before._replace(rbm=exact, energies=energies)


def of_energies(energies: Float64) -> Calibration:
    """Dreams of which only the free energies are known."""
    return Calibration(RBM(np.empty((0, 0)), np.empty(0), np.empty(0)), np.sort(energies))


def energy(calibration: Calibration, rows: Array) -> Float64:
    """F(v) of rows of bits."""
    return _energy(calibration.rbm, rows)


def _energy(exact: RBM, rows: Array) -> Float64:
    return free_energy(exact, rows).round(9)


def dream_surprise(calibration: Calibration, energy: Float64) -> Float64:
    """-log of the share of dreams with a higher free energy; equal ones count half; beyond most, an exponential tail.

    >>> dreams = of_energies(np.arange(100.0))
    >>> np.exp(-dream_surprise(dreams, np.array([-1.0, 49.0, 1000.0]))).round(3).tolist()
    [0.995, 0.505, 0.0]
    """
    energies = calibration.energies
    n = len(energies)
    n_tail = max(1, round(_TAIL * n))
    edge = energies[-n_tail]
    mean_excess = max(float(energies[-n_tail:].mean() - edge), 1e-6)
    below = np.searchsorted(energies, energy, side="left") + np.searchsorted(energies, energy, side="right")
    inside = math.log(n + 1) - np.log(n + 0.5 - below / 2)
    beyond = math.log(n + 1) - math.log(n_tail + 0.5) + (energy - edge) / mean_excess
    return np.where(energy > edge, beyond, inside)


def surprise(calibration: Calibration, energy: Float64) -> Float64:
    """-log p, where p is the calibrated p-value: the surprise by dreams, stretched to fit the new rows.

    >>> doubled = of_energies(np.arange(100.0))._replace(near=-2 * np.log(NEAR), far=-2 * np.log(FAR))
    >>> np.exp(-surprise(doubled, np.array([87.5]))).round(2)  # 12 of 100 dreams are above it; the square root of that
    array([0.35])
    """
    by_dreams = dream_surprise(calibration, energy)
    stretch = -math.log(NEAR) / calibration.near
    further = math.log(NEAR / FAR) / max(calibration.far - calibration.near, 1e-3)
    further = min(max(further, _FLATTER * stretch), _STEEPER * stretch)
    beyond = by_dreams - calibration.near
    return np.where(beyond < 0, stretch * by_dreams, -math.log(NEAR) + further * beyond)


def energy_at(calibration: Calibration, p_value: float) -> float:
    """The highest free energy whose p-value is above this: the threshold for alarms at that rate.

    >>> round(energy_at(of_energies(np.arange(100.0)), 0.5), 6)
    49.0
    """
    wanted = -math.log(p_value)
    low, high = calibration.energies[0] - 1.0, calibration.energies[-1] + 1.0
    while surprise(calibration, np.array([high]))[0] < wanted:
        high += high - low
    for _ in range(60):  # bisection, to the last digit
        middle = (low + high) / 2
        if surprise(calibration, np.array([middle]))[0] < wanted:
            low = middle
        else:
            high = middle
    return float(low)


def track(calibration: Calibration, energy: Float64) -> Calibration:
    """Learn from the free energies of a batch of new rows, seen before the model learns them.

    Robbins-Monro steps towards two quantiles. If surprise by dreams has an exponential distribution of any
    scale, the Newton step towards the quantile q of a share is q (share found - share) / (share log(1 / share)): the
    steps are taken on the logarithm of q. They are twice as long as usual, to forget the
    first batches, which came before the model had learned anything.
    """
    order = np.argsort(energy)
    n_strange = int(np.count_nonzero(surprise(calibration, energy) > _STRANGE))
    usual = order[: len(order) - min(n_strange, int(_MOST_STRANGE * len(order)))]
    by_dreams = dream_surprise(calibration, energy[usual])
    rate = max(2 / (calibration.n_batches + 4), 1 / _MEMORY)

    def moved(quantile: float, share: float) -> float:
        step = (float(np.mean(by_dreams > quantile)) - share) / (share * -math.log(share))
        return max(quantile * math.exp(min(rate * step, 1.0)), 0.1)

    near = moved(calibration.near, NEAR)
    far = max(moved(calibration.far, FAR), near)
    return calibration._replace(near=near, far=far, n_batches=calibration.n_batches + 1)


def to_json(calibration: Calibration) -> dict[str, Json]:
    """What a file needs beside the chains."""
    return {"near": calibration.near, "far": calibration.far, "n_batches": calibration.n_batches}
