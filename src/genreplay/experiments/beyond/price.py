"""Time and memory of both recipes, measured in turns on the same stream."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

from genreplay import datasets
from genreplay.core.state import BytesHeld
from genreplay.estimators import OnlineRBM
from genreplay.experiments.paper.online import head, load
from genreplay.experiments.run import Figures, Report

RECIPES = ("paper", "modern")


@dataclass(frozen=True)
class PriceRun:
    """Time and memory of both recipes for the same stream, in turns."""

    kind: ClassVar[str] = "price"
    version: ClassVar[int] = 1
    """raise it, too, when what "modern" stands for changes"""
    timed: ClassVar[bool] = True

    order: str = "random"
    """"random" or "sorted" by class"""
    n_hidden: int = 500
    """hidden units (n_h)"""
    max_rows: int | None = None
    """learn only so many rows; None for all"""

    @property
    def title(self) -> str:
        return f"price {self.order} {self.n_hidden}"

    def execute(self, seed: int, report: Report) -> Figures:
        data = datasets.order(load("mnist", "threshold"), "random", seed)
        rows = datasets.order(head(data, self.max_rows), self.order, seed).train  # type: ignore[arg-type]
        models = {
            name: OnlineRBM(self.n_hidden, recipe=name, random_state=seed)  # type: ignore[arg-type]
            for name in RECIPES
        }
        seconds = dict.fromkeys(RECIPES, 0.0)
        held: dict[str, list[BytesHeld]] = {name: [] for name in RECIPES}
        for start in range(0, len(rows), 500):
            for name, model in models.items():
                began = time.process_time()
                model.partial_fit(rows[start : start + 500])
                seconds[name] += time.process_time() - began
                held[name].append(model.nbytes)
            report(min(1.0, (start + 500) / len(rows)), "learning")
        return {
            "row_milliseconds": {name: 1_000 * total / len(rows) for name, total in seconds.items()},
            "held_bytes": {  # the most that was seen: an update that rehearses needs more work space
                name: max(sizes, key=lambda each: each.total)._asdict() for name, sizes in held.items()
            },
        }
