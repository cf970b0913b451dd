"""Log Z of the same model estimated again and again: estimates that state their errors well differ by no more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from genreplay import datasets
from genreplay.core import partition
from genreplay.estimators import OnlineRBM
from genreplay.experiments.paper.online import head, load
from genreplay.experiments.readings.reading import NAMED
from genreplay.experiments.run import Figures, Report


@dataclass(frozen=True)
class RepeatedRun:
    """One model of Table 2, learned by one reading of the paper. Its log Z is not known."""

    kind: ClassVar[str] = "log-z repeated"
    version: ClassVar[int] = 1
    timed: ClassVar[bool] = True
    max_seeds: ClassVar[int] = 1

    dataset: str = "mnist"
    """name of a data set of Table 1"""
    reading: str = "paper"
    """one of those that have a name"""
    method: str = "OCD_GR"
    """OCD_GR, ER-ML or ER-IM"""
    n_hidden: int = 500
    """hidden units"""
    n_estimates: int = 4
    """of the same log Z"""
    n_temperatures: int = 14_500
    """of AIS; annealing both ways takes fewer and longer ones"""
    max_rows: int | None = None
    """learn only so many rows and judge on as many; None for all"""

    @property
    def title(self) -> str:
        return f"log Z of {self.dataset}, reading {self.reading}, {self.method}, {self.n_estimates} times"

    def execute(self, seed: int, report: Report) -> Figures:
        data = head(datasets.order(load(self.dataset, "threshold"), "random", seed), self.max_rows)
        recipe = NAMED[self.reading].recipe(self.method)
        model = OnlineRBM(self.n_hidden, recipe=recipe, random_state=seed).partial_fit(data.train)
        test = data.test.astype(model.state_.model.W.dtype)
        bound, energy = partition.bound_by(model.state_.model, test), float(model.free_energy(data.test).mean())
        estimates = []
        for number in range(self.n_estimates):
            report((1 + number) / (1 + self.n_estimates), f"estimate {number + 1} of {self.n_estimates}")
            found = model.log_partition(
                "two-way", rows=data.test, temperatures=self.n_temperatures, random_state=number
            ).knowing(bound)
            estimates.append({"nats": -energy - found.log_z, "error": found.std_error, "doubt": found.doubt})
        return {"estimates": estimates}
