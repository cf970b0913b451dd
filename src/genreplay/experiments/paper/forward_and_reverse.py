"""The log-likelihood of test rows with what a reader needs to judge it: error, bracket, spread over classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core import LogPartition, State, partition
from genreplay.core.rbm import RBM, free_energy


class Likelihood(NamedTuple):
    """Mean log-probability of test rows in nats."""

    nats: float
    """log Z by AIS"""
    ais_error: float
    """its standard error"""
    ais_ess: float
    """effective sample size of the AIS weights, out of 100"""
    reverse_nats: float | None
    """log Z by reverse AIS"""
    reverse_error: float | None
    gap: float | None
    """nats - reverse_nats: by how much the two sides disagree"""
    class_nats: list[float] | None
    """mean for each class, where there are classes"""
    class_std: float | None
    """standard deviation of these means: the error bars of Figs. 4 and 5"""
    ais_seconds: float


def evaluate(
    rbm: RBM,
    base_bias: npt.NDArray[np.float64],
    test: npt.NDArray[np.uint8],
    labels: npt.NDArray[np.integer] | None,
    n_temperatures: int,
    rng: np.random.Generator,
    reverse: bool = True,
    progress: Callable[[float], object] = lambda share: None,
) -> Likelihood:
    """Score test rows by AIS with 100 chains, and by reverse AIS too unless told otherwise."""
    total, done = (2 * (n_temperatures - 1) + 1_000 if reverse else n_temperatures - 1), 0

    def count(n_sweeps: int) -> None:
        nonlocal done
        done += n_sweeps
        progress(min(1.0, done / total))

    betas = partition.schedule(n_temperatures)
    back: LogPartition | None = None
    if reverse:
        forward, back = partition.bracket(rbm, rng, betas, base_bias=base_bias, progress=count)
    else:
        forward = partition.ais(rbm, rng, betas, base_bias=base_bias, progress=count)
    blocks = np.array_split(test, len(test) // 1_000 + 1)
    log_p = -np.concatenate([free_energy(rbm, block.astype(rbm.W.dtype)) for block in blocks]) - forward.log_z
    by_class = None if labels is None else [float(log_p[labels == label].mean()) for label in np.unique(labels)]
    nats = float(log_p.mean())
    gap = None if back is None else back.log_z - forward.log_z
    return Likelihood(
        nats=nats,
        ais_error=forward.std_error,
        ais_ess=forward.ess,
        reverse_nats=None if gap is None else nats - gap,
        reverse_error=None if back is None else back.std_error,
        gap=gap,
        class_nats=by_class,
        class_std=None if by_class is None else float(np.std(by_class)),
        ais_seconds=forward.seconds + (0.0 if back is None else back.seconds),
    )


def evaluate_state(
    state: State,
    test: npt.NDArray[np.uint8],
    labels: npt.NDArray[np.integer] | None,
    n_temperatures: int,
    seed: int,
    reverse: bool = True,
    progress: Callable[[float], object] = lambda share: None,
) -> Likelihood:
    """Score test rows by what a learner has learned; its random numbers are not used."""
    base_bias = partition.base_rate_biases(state.ones, state.n_learned)
    rng = np.random.default_rng([seed, state.t])
    return evaluate(state.model, base_bias, test, labels, n_temperatures, rng, reverse, progress)
