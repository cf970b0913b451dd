"""One model of the recipe "modern", of a part of it, or of a rival, and its log-likelihood on the test rows."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from genreplay import datasets
from genreplay.estimators import OnlineRBM
from genreplay.experiments.beyond.differences import learner
from genreplay.experiments.paper.likelihood import evaluate
from genreplay.experiments.paper.online import head, load
from genreplay.experiments.run import Figures, Report


@dataclass(frozen=True)
class BeyondRun:
    """One model learned online, with all ingredients or some."""

    kind: ClassVar[str] = "beyond"
    version: ClassVar[int] = 3
    """raise it, too, when what "modern" stands for changes"""
    replaces: ClassVar[tuple[int, ...]] = (2,)
    timed: ClassVar[bool] = True

    dataset: str = "mnist"
    """name of a data set of Table 1"""
    order: str = "random"
    """"random" or "sorted" by class"""
    method: str = "dream pool"
    """what is rehearsed: "dream pool", or stored rows, one of ``RIVALS``"""
    variant: str = "modern"
    """which ingredients"""
    n_hidden: int = 500
    """hidden units (n_h)"""
    n_temperatures: int = 14_500
    """of log Z, annealed both ways; five times as many where it is unknown with these"""
    max_rows: int | None = None
    """learn only so many rows and test on as many; None for all"""

    @property
    def title(self) -> str:
        what = self.method if self.variant == "modern" else self.variant
        return f"{self.dataset} {self.order} {what} {self.n_hidden}"

    def execute(self, seed: int, report: Report) -> Figures:
        data = datasets.order(load(self.dataset, "threshold"), "random", seed)
        data = datasets.order(head(data, self.max_rows), self.order, seed)  # type: ignore[arg-type]
        rows, model = data.train, learner(self.method, self.variant, self.n_hidden, seed)
        watched = self.dataset == "mnist" and self.order == "sorted" and seed == 0 and self.variant == "modern"
        sheets: list[str] = []
        learn_seconds = 0.0
        for start in range(0, len(rows), 1_000):
            began = time.process_time()
            model.partial_fit(rows[start : start + 1_000])
            learn_seconds += time.process_time() - began
            report(0.6 * min(1.0, (start + 1_000) / len(rows)), "learning")
            if watched and _n_classes(data, start + 1_000) > len(sheets) + 1:
                sheets.append(_dreams(model))
        final = evaluate(
            model,
            data.test,
            data.test_labels,
            self.n_temperatures,
            seed,
            progress=lambda share: report(0.6 + 0.4 * share, "log Z"),
        )
        return {
            **final._asdict(),
            "n_rows": len(rows),
            "n_test": len(data.test),
            "held_bytes": model.nbytes._asdict(),
            "learn_seconds": learn_seconds,
            "data_state": data.state,
            "sheets": [*sheets, _dreams(model)] if watched else None,
        }


def _n_classes(data: datasets.Dataset, n_rows: int) -> int:
    """How many classes the first rows of a sorted stream have."""
    assert data.train_labels is not None
    return len(np.unique(data.train_labels[: min(n_rows, len(data.train_labels))]))


def _dreams(model: OnlineRBM, n: int = 40) -> str:
    """Pictures as bits, in hexadecimal: the current states of the persistent chains."""
    chains = model.state_.chains
    assert chains is not None
    return np.packbits(chains[:n].astype(bool), axis=1).tobytes().hex()
