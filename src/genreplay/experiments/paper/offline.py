"""An RBM trained offline with CD-1: many epochs over all rows, stopped early on the validation rows.

This is what the last column of Table 2 quotes from the literature, trained here so that size, data and evaluation are
the same as for the online models.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from genreplay import datasets
from genreplay.core import partition
from genreplay.core.contrastive import cd_gradient, momentum_step
from genreplay.core.kernels import Workspace
from genreplay.core.rbm import RBM, free_energy, init, zeros_like
from genreplay.experiments.paper.likelihood import evaluate_rbm
from genreplay.experiments.paper.online import independent_bernoullis, load
from genreplay.experiments.run import Figures, Report


@dataclass(frozen=True)
class OfflineRun:
    """Settings of the offline model; the paper's symbols are in brackets."""

    kind: ClassVar[str] = "offline"
    version: ClassVar[int] = 4
    replaces: ClassVar[tuple[int, ...]] = (3, 2)

    dataset: str = "mnist"
    """name of a data set of Table 1"""
    binarisation: str = "threshold"
    """of MNIST's grey values: above one half, or "stochastic" """
    n_hidden: int = 500
    """hidden units (n_h)"""
    n_cd: int = 1
    """Gibbs steps of the negative phase (n_CD)"""
    batch_size: int = 100
    """rows of a step"""
    learning_rate: float = 0.05
    """alpha"""
    momentum: float = 0.9
    """rho, 0.5 in the first 5 epochs"""
    weight_decay: float = 0.0002
    """xi"""
    max_steps: int = 30_000
    """steps of CD at most"""
    first_check: int = 100
    """steps before the first check on the validation rows"""
    check_growth: float = 1.25
    """each check comes after this many times the steps of the one before: small sets reach their best early"""
    patience: int = 5
    """checks without improvement after which to stop"""
    check_temperatures: int = 725
    """of AIS for such a check"""
    n_valid: int = 10_000
    """training rows held out where there is no validation split (MNIST, RCV1's surrogate), a fifth at most"""
    n_temperatures: int = 14_500
    """of log Z at the end, annealed both ways; five times as many where it is unknown with these"""
    max_rows: int | None = None
    """use only so many training, validation and test rows; None for all"""

    @property
    def title(self) -> str:
        return f"{self.dataset} offline CD-{self.n_cd}"

    def execute(self, seed: int, report: Report) -> Figures:
        data = datasets.order(load(self.dataset, self.binarisation), "random", seed)
        train, valid = data.train, data.valid
        if len(valid) == 0:
            n_held_out = min(self.n_valid, len(train) // 5)
            train, valid = train[:-n_held_out], train[-n_held_out:]
        train, valid, test = train[: self.max_rows], valid[: self.max_rows], data.test[: self.max_rows]
        labels = None if data.test_labels is None else data.test_labels[: self.max_rows]
        rng = np.random.default_rng(seed)
        began = time.perf_counter()
        rbm, best_step, n_steps = self._train(train.astype(np.float32), valid.astype(np.float32), rng, report)
        learn_seconds = time.perf_counter() - began
        final = evaluate_rbm(
            rbm,
            test,
            labels,
            self.n_temperatures,
            rng,
            progress=lambda share: report(0.7 + 0.3 * share, "log Z"),
        )
        return {
            **final._asdict(),
            "best_step": best_step,
            "n_steps": n_steps,
            "best_epochs": best_step * self.batch_size / len(train),
            "independent_nats": independent_bernoullis(train, test),
            "n_rows": len(train),
            "n_test": len(test),
            "learn_seconds": learn_seconds,
            "data_state": data.state,
        }

    def _train(
        self, train: np.ndarray, valid: np.ndarray, rng: np.random.Generator, report: Report
    ) -> tuple[RBM, int, int]:
        """CD steps over shuffled rows until the validation nats have not risen for a while; the best model counts."""
        rbm = init(train.shape[1], self.n_hidden, rng)
        velocity, work = zeros_like(rbm), Workspace()
        base_bias = partition.base_rate_biases(train.sum(axis=0, dtype=np.float64), len(train))
        betas = partition.schedule(self.check_temperatures)
        best, best_nats, best_step, n_worse = rbm, -np.inf, 0, 0
        next_check = float(self.first_check)
        n_low = 5 * (len(train) // self.batch_size)
        rows, step = rng.permutation(len(train)), 0
        for step in range(1, self.max_steps + 1):
            if len(rows) < self.batch_size:
                rows = rng.permutation(len(train))
            batch, rows = train[rows[: self.batch_size]], rows[self.batch_size :]
            gradient = cd_gradient(rbm, batch, self.n_cd, rng, work=work)
            momentum = 0.5 if step <= n_low else self.momentum
            momentum_step(rbm, velocity, gradient, self.learning_rate, momentum, self.weight_decay)
            if step == round(next_check):
                next_check *= self.check_growth
                log_z = partition.ais(rbm, rng, betas, base_bias=base_bias).log_z
                nats = float(-free_energy(rbm, valid).mean() - log_z)
                n_worse += 1
                if nats > best_nats:
                    best, best_nats, best_step, n_worse = rbm.copy(), nats, step, 0
                report(0.7 * step / self.max_steps, f"validation {nats:.1f} at step {step}")
                if n_worse == self.patience:
                    break
        return best, best_step, step
