"""Section 3.3 and the last paragraph of section 4: time of an update and bytes held, as the stream grows.

The paper: the three methods take about the same time; ER-IM is slightly slower than OCD_GR, which is slightly slower
than ER-ML, and ER-IM's difference grows with the rows in memory. Measured here side by side: the learners take turns,
update by update, in one process, on rows of MNIST's size and density.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from genreplay.core import PAPER, online
from genreplay.experiments.paper.online import strategy
from genreplay.experiments.run import Figures, Report


@dataclass(frozen=True)
class CostRun:
    """One interleaved measurement."""

    kind: ClassVar[str] = "cost"
    version: ClassVar[int] = 1

    n_visible: int = 784
    n_hidden: int = 500
    density: float = 0.13
    """share of ones in the rows"""
    n_epochs: int = 1
    """CD steps an update (n_E): one, so that the share of replay shows; the paper's 10 dilute it"""
    checkpoints: tuple[int, ...] = (1_000, 3_000, 10_000, 30_000, 60_000)
    """rows seen at which the time is taken"""
    n_turns: int = 15
    """updates of each learner at a checkpoint"""

    @property
    def title(self) -> str:
        return "cost of an update"

    def execute(self, seed: int, report: Report) -> Figures:
        rng = np.random.default_rng(seed)
        rows = (rng.random((100, self.n_visible)) < self.density).astype(np.float32)
        methods = ("OCD_GR", "ER-ML", "ER-ML packed", "ER-IM", "no replay")
        recipes = {method: PAPER.replace(n_epochs=self.n_epochs, replay=strategy(method)) for method in methods}
        states = {
            method: online.init(self.n_visible, self.n_hidden, recipe, np.random.default_rng(seed))
            for method, recipe in recipes.items()
        }
        seconds: dict[str, list[float]] = {method: [] for method in methods}
        held: dict[str, list[int]] = {method: [] for method in methods}
        for n_done, n_rows in enumerate(self.checkpoints, start=1):
            turns: dict[str, list[float]] = {method: [] for method in methods}
            for method in methods:
                # the past is remembered without learning it: only what replay costs depends on it
                while states[method].n_learned < n_rows:
                    states[method].past.remember(rows, states[method].rng)
                    states[method] = states[method]._replace(
                        n_learned=states[method].n_learned + len(rows), t=states[method].t + 1
                    )
            for _ in range(self.n_turns):
                for method in methods:
                    began = time.perf_counter()
                    ((states[method], _),) = online.observe(states[method], rows, recipes[method])
                    turns[method].append(time.perf_counter() - began)
            for method in methods:
                seconds[method].append(float(np.median(turns[method])))
                held[method].append(states[method].past.nbytes)
            report(n_done / len(self.checkpoints), f"{n_rows} rows")
        return {
            "rows_seen": list(self.checkpoints),
            "update_seconds": seconds,
            "replay_bytes": held,
            "parameter_bytes": states["OCD_GR"].rbm.nbytes,
        }


def runs(quick: bool = False) -> list[CostRun]:
    """One epoch an update, and the paper's ten."""
    if quick:
        return [CostRun(n_visible=100, n_hidden=50, checkpoints=(1_000, 3_000), n_turns=3)]
    return [CostRun(), CostRun(n_epochs=10, n_turns=9)]
