"""Many planted models, each with three estimates of its log Z."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from genreplay.core import RBM, partition
from genreplay.core.two_way import two_way
from genreplay.experiments.log_z.planted import planted, rows_of
from genreplay.experiments.run import Figures, Report


@dataclass(frozen=True)
class PlantedRun:
    """Models with planted modes, estimated with 100 chains."""

    kind: ClassVar[str] = "log-z"
    version: ClassVar[int] = 4

    n_models: int = 200
    n_temperatures: int = 580
    """of AIS; annealing both ways takes fewer and longer ones"""
    n_rows: int = 200
    """drawn from the model: the base rates of AIS, and the starts of the other estimate"""

    @property
    def title(self) -> str:
        return f"log Z of {self.n_models} planted models"

    def execute(self, seed: int, report: Report) -> Figures:
        models: list[Figures] = []
        for number in range(self.n_models):
            report(number / self.n_models, f"model {number + 1} of {self.n_models}")
            rng = np.random.default_rng([seed, number])
            rbm = planted(rng)
            models.append({"shape": list(rbm.W.shape), **self._estimates(rbm, rng)})
        return {"models": models}

    def _estimates(self, rbm: RBM, rng: np.random.Generator) -> Figures:
        """Each estimate minus the truth, with its standard error."""
        truth, rows = partition.exact(rbm).log_z, rows_of(rbm, self.n_rows, rng)
        betas = partition.schedule(self.n_temperatures)
        ours = two_way(rbm, rows, rng, self.n_temperatures)
        base_bias = partition.base_rate_biases(rows.sum(axis=0), len(rows))
        forward, reverse = partition.bracket(rbm, rng, betas, base_bias=base_bias)
        low, high = ours.interval
        return {
            "two_way": [ours.log_z - truth, ours.std_error],
            "ais": [forward.log_z - truth, forward.std_error],
            "reverse_ais": [reverse.log_z - truth, reverse.std_error],
            "interval": [low - truth, high - truth],
            "doubt": ours.doubt,
            "bound": ours.at_least - truth,
            "ess": ours.ess,
            "seconds": ours.seconds,
            "pair_seconds": forward.seconds + reverse.seconds,
        }
