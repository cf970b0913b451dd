"""The log-likelihood of test rows, with what a reader needs to judge it: its error, its doubt, its classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core import LogPartition, partition
from genreplay.core.annealing import Progress
from genreplay.core.rbm import RBM, free_energy
from genreplay.core.two_way import n_sweeps, two_way
from genreplay.datasets.base import Bits, Labels
from genreplay.estimators import OnlineRBM

AGAIN = 5
"""times as many temperatures where log Z is unknown"""


class Likelihood(NamedTuple):
    """Mean log-probability of test rows in nats, log Z being annealed both ways."""

    nats: float
    """worth nothing where there is a doubt"""
    error: float
    """standard error of log Z"""
    overlap: float
    """how many of the 100 chains log Z rests on"""
    doubt: str
    """why log Z is unknown; empty if it stands"""
    class_nats: list[float] | None
    """mean for each class, where there are classes"""
    class_std: float | None
    """standard deviation of these means: the error bars of Figs. 4 and 5"""
    log_z_seconds: float


def evaluate(
    model: OnlineRBM,
    test: Bits,
    labels: Labels | None,
    n_temperatures: int,
    seed: int,
    progress: Callable[[float], object] = lambda share: None,
) -> Likelihood:
    """Score test rows by what a model has learned; its random numbers are not used."""

    def anneal(n_temperatures: int, count: Progress) -> LogPartition:
        return model.log_partition("two-way", rows=test, temperatures=n_temperatures, random_state=seed, progress=count)

    return _evaluate(model.state_.model, test, labels, n_temperatures, anneal, progress)


def evaluate_rbm(
    rbm: RBM,
    test: Bits,
    labels: Labels | None,
    n_temperatures: int,
    rng: np.random.Generator,
    progress: Callable[[float], object] = lambda share: None,
) -> Likelihood:
    """Score test rows by the parameters of a model that was not learned online."""

    def anneal(n_temperatures: int, count: Progress) -> LogPartition:
        return two_way(rbm, test.astype(rbm.W.dtype), rng, n_temperatures, progress=count)

    return _evaluate(rbm, test, labels, n_temperatures, anneal, progress)


def with_care(
    anneal: Callable[[int], LogPartition], rbm: RBM, rows: npt.NDArray[np.uint8], n_temperatures: int
) -> LogPartition:
    """Log Z, once more with five times as many temperatures where it is unknown, and held against the bound by rows."""
    bound = partition.bound_by(rbm, rows.astype(rbm.W.dtype))
    found = anneal(n_temperatures).knowing(bound)
    return found if found.stands else anneal(AGAIN * n_temperatures).knowing(bound)


def _evaluate(
    rbm: RBM,
    test: Bits,
    labels: Labels | None,
    n_temperatures: int,
    anneal: Callable[[int, Progress], LogPartition],
    progress: Callable[[float], object],
) -> Likelihood:
    total, done = n_sweeps(n_temperatures), 0

    def count(n_more: int) -> None:
        nonlocal done
        done += n_more
        progress(min(1.0, done / total))

    log_z = with_care(lambda n: anneal(n, count), rbm, test, n_temperatures)
    blocks = np.array_split(test, len(test) // 1_000 + 1)
    log_p = -np.concatenate([free_energy(rbm, block.astype(rbm.W.dtype)) for block in blocks]) - log_z.log_z
    by_class = None if labels is None else [float(log_p[labels == label].mean()) for label in np.unique(labels)]
    return Likelihood(
        nats=float(log_p.mean()),
        error=log_z.std_error,
        overlap=log_z.ess,
        doubt=log_z.doubt,
        class_nats=by_class,
        class_std=None if by_class is None else float(np.std(by_class)),
        log_z_seconds=log_z.seconds,
    )
