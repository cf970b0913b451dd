"""One detector on one table with faults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

from genreplay.datasets import faults as tables
from genreplay.datasets.faults import KINDS, USUAL, FaultyTable, Floats, Objects
from genreplay.experiments.anomaly import histograms, rivals
from genreplay.experiments.faults import rbm
from genreplay.experiments.faults.coding import to_numbers
from genreplay.experiments.run import Figures, Report

ONLINE = ("RBM", "histograms", "HalfSpaceTrees", "LODA")
METHODS = (*ONLINE, "IsolationForest")
ORDERS: tuple[Literal["time", "shuffled"], ...] = ("time", "shuffled")


@dataclass(frozen=True)
class FaultsRun:
    """One method on a table, in one order."""

    kind: ClassVar[str] = "faults"
    version: ClassVar[int] = 2
    """raise it, too, when a default of ``OnlineRBMDetector`` or the generated table changes"""
    timed: ClassVar[bool] = True
    """its seconds are compared, so the runner does not slow it down by tracing its memory"""

    method: str = "RBM"
    """RBM, histograms, HalfSpaceTrees, LODA or IsolationForest"""
    order: Literal["time", "shuffled"] = "time"
    """order of the rows"""
    n_rows: int = 100_000
    """rows of the table"""
    fault_share: float = 0.005
    """share of them that is faulty"""
    n_head: int = 500
    """first rows, which are learned and not counted"""
    n_dreams: int = 2_000
    """dreams that are looked at, at the end"""
    n_filled: int = 2_000
    """last rows of the stream, of which cells are hidden and filled before the rows are learned"""
    hidden_share: float = 0.1
    """share of their cells of numbers that is hidden"""
    n_stored: int = 10_000
    """rows that KNNImputer stores"""

    @property
    def title(self) -> str:
        return f"faults, {self.order} order, {self.method}"

    @property
    def obstacle(self) -> str | None:
        """Why it cannot be run here, in one sentence."""
        return rivals.obstacle(self.method)

    def execute(self, seed: int, report: Report) -> Figures:
        table = load(self.n_rows, seed, self.order, self.fault_share)
        if self.method == "RBM":
            asked = rbm.Asked(self.n_dreams, self.n_filled, self.hidden_share, self.n_stored)
            found = rbm.score(table, self.n_head, asked, seed, report)
        elif self.method == "histograms":
            found = histograms.score(table.rows, self.n_head, report)
        else:
            numbers = to_numbers(table.rows, self.n_head)
            if self.method in ONLINE:
                found = rivals.score_online(self.method, numbers, seed, report)
            else:
                found = rivals.score_offline(self.method, numbers, seed, len(numbers))
        counted, kinds = found.scores[self.n_head :], table.kinds[self.n_head :]
        return {
            **ranking(counted, kinds),
            "seconds": found.seconds,
            "held_bytes": found.held_bytes,
            "n_rows": len(table.rows),
            "n_counted": len(counted),
            "n_faults": {kind: int((kinds == kind).sum()) for kind in KINDS},
            **found.more,
        }


def ranking(scores: Floats, kinds: Objects, names: Sequence[str] = KINDS) -> Figures:
    """ROC-AUC and average precision of all faults, and of those of each kind with a name, among the usual rows.

    >>> import numpy as np
    >>> ranking(np.array([1.0, 2, 3, 2]), np.array(["", "", "stuck", "label"], dtype=object))
    {'auc': {'all': 0.875, 'label': 0.75, 'stuck': 1.0},
     'average_precision': {'all': 0.833..., 'label': 0.5, 'stuck': 1.0}}
    """
    from sklearn.metrics import average_precision_score, roc_auc_score

    auc, precision = {}, {}
    for name in ("all", *names):
        is_fault = kinds != USUAL if name == "all" else kinds == name
        chosen = is_fault | (kinds == USUAL)
        if is_fault.any():
            auc[name] = float(roc_auc_score(is_fault[chosen], scores[chosen]))
            precision[name] = float(average_precision_score(is_fault[chosen], scores[chosen]))
    return {"auc": auc, "average_precision": precision}


@lru_cache(maxsize=1)
def load(n_rows: int, seed: int, order: Literal["time", "shuffled"], fault_share: float) -> FaultyTable:
    """Draw a table once for all runs of a worker process that follow one another."""
    return tables.faults(n_rows, seed, order, fault_share)


def runs(quick: bool = False) -> list[FaultsRun]:
    """Every method in both orders."""
    if quick:
        sizes = {"n_rows": 3_000, "n_dreams": 200, "n_filled": 300, "n_stored": 500}
        return [FaultsRun(method, order, fault_share=0.02, **sizes) for order in ORDERS for method in METHODS]
    return [FaultsRun(method, order) for order in ORDERS for method in METHODS]
