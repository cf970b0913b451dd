"""One reading of the paper on one data set: the three methods of Table 2."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from genreplay import datasets
from genreplay.core import DivergenceError, LogPartition
from genreplay.estimators import OnlineRBM
from genreplay.experiments.paper.likelihood import with_care
from genreplay.experiments.paper.online import PAPER_METHODS, head, load
from genreplay.experiments.readings import chosen
from genreplay.experiments.readings.reading import Reading, reading_of
from genreplay.experiments.run import Figures, Report


@dataclass(frozen=True)
class ReadingRun(Reading):
    """A reading, and where it is tried; all other settings are those of section 4."""

    kind: ClassVar[str] = "reading"
    version: ClassVar[int] = 3
    replaces: ClassVar[tuple[int, ...]] = (2, 1)
    timed: ClassVar[bool] = True  # tracing memory would double the time, and nobody asks for it here

    dataset: str = "dna"
    """name of a data set of Table 1"""
    order: str = "random"
    """"random", or "sorted" by class"""
    rows: str = "test"
    """judged on "test" or on "valid" rows"""
    n_cd: int = 1
    """Gibbs steps of the negative phase (n_CD)"""
    n_hidden: int = 500
    """hidden units (n_h)"""
    n_temperatures: int = 14_500
    """of log Z, annealed both ways; five times as many where it is unknown with these"""
    n_chains: int = 100
    """of the same"""
    max_rows: int | None = None
    """learn only so many rows and judge on as many; None for all"""

    @property
    def title(self) -> str:
        return f"{self.dataset} {self.order} n_CD {self.n_cd}: {super().title}"

    @property
    def methods(self) -> Sequence[str]:
        """With more steps, the paper has a figure of its own method only."""
        return PAPER_METHODS if self.n_cd == 1 else PAPER_METHODS[:1]

    @property
    def max_seeds(self) -> int | None:
        """Only the nearest readings have more than one seed, and those only where Table 2 has figures."""
        in_table = self.rows == "test" and self.order == "random" and self.n_cd == 1
        return None if in_table and reading_of(self) in chosen.NEAREST else 1

    def execute(self, seed: int, report: Report) -> Figures:
        data = head(datasets.order(load(self.dataset, "threshold"), "random", seed), self.max_rows)
        data = datasets.order(data, self.order, seed)  # type: ignore[arg-type]
        judged = data.test if self.rows == "test" else data.valid[: self.max_rows]
        found: dict[str, Figures] = {}
        learned: dict[bytes, Figures] = {}  # where both memories hold all rows, their models are the same: log Z once
        for place, method in enumerate(self.methods):
            report(place / len(self.methods), method)
            recipe = self.recipe(method).replace(n_cd=self.n_cd)
            model = OnlineRBM(self.n_hidden, recipe=recipe, random_state=seed)
            began = time.process_time()
            try:
                model.partial_fit(data.train)
            except DivergenceError as error:
                found[method] = {"nats": None, "doubt": str(error)}
                continue
            seconds = time.process_time() - began
            parameters = model.state_.model.W.tobytes()
            if parameters not in learned:
                learned[parameters] = self._nats(model, judged, seed)
            found[method] = {**learned[parameters], "learn_seconds": seconds}
        return {"methods": found, "n_rows": len(data.train), "n_judged": len(judged), "data_state": data.state}

    def _nats(self, model: OnlineRBM, rows: datasets.Bits, seed: int) -> Figures:
        """Mean log-likelihood of rows, and whether log Z stands."""

        def anneal(n_temperatures: int) -> LogPartition:
            return model.log_partition(
                "two-way", rows=rows, n_chains=self.n_chains, temperatures=n_temperatures, random_state=seed
            )

        log_z = with_care(anneal, model.state_.model, rows, self.n_temperatures)
        nats = float(-model.free_energy(rows).mean() - log_z.log_z)
        return {"nats": nats, "error": log_z.std_error, "overlap": log_z.ess, "doubt": log_z.doubt}
