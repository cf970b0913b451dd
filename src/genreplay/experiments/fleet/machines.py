"""Machines with faults: a model for each, one for all, merged ones; and a new machine, with and without a prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from genreplay.datasets.faults import FaultyTable
from genreplay.datasets.machines import machine
from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.experiments.run import Figures, Report

NOMINAL = 0.01
"""p-value of an alarm"""
STARTS = {"cold": "starts from nothing", "prior": "starts from the fleet"}


@dataclass(frozen=True)
class MachinesRun:
    """Some machines whose models meet, and one that joins later."""

    kind: ClassVar[str] = "fleet machines"
    version: ClassVar[int] = 1
    timed: ClassVar[bool] = True

    n_machines: int = 8
    n_rows: int = 10_000
    """that each machine has seen when the models meet"""
    n_test: int = 5_000
    """later rows of each machine, on which detection is measured"""
    fault_share: float = 0.005
    test_share: float = 0.05
    """of faulty rows"""
    counts_as: int = 500
    """rows that the fleet counts as for a new machine"""
    checks: tuple[int, ...] = (0, 100, 200, 300, 400, 500, 750, 1_000, 2_000, 5_000, 10_000, 20_000)
    """rows of the new machine after which detection is measured"""

    @property
    def title(self) -> str:
        return f"fleet, {self.n_machines} machines"

    def execute(self, seed: int, report: Report) -> Figures:
        tables = [machine(k, self.n_rows, seed, self.fault_share).rows for k in range(self.n_machines)]
        tests = [machine(k, self.n_test, seed + 1_000, self.test_share) for k in range(self.n_machines + 1)]
        keys = []
        for k, rows in enumerate(tables):
            report(0.4 * k / len(tables), f"machine {k + 1}")
            keys.append(OnlineRBMDetector(random_state=seed).partial_fit(rows).flush())
        report(0.4, "one model for all")
        mixed = np.stack(tables, axis=1).reshape(-1, tables[0].shape[1])  # a row of each machine in turn
        one = OnlineRBMDetector(random_state=seed).partial_fit(mixed).flush()
        report(0.6, "merging")
        merged = OnlineRBMDetector.merge(keys, random_state=seed)
        methods = {"a model for each": keys, "one for all": [one] * len(keys), "merged": [merged] * len(keys)}
        found = {name: _mean([judged(*pair) for pair in zip(models, tests, strict=False)])
                 for name, models in methods.items()}  # fmt: skip
        prior = OnlineRBMDetector.merge(keys, counts_as=self.counts_as, random_state=seed)
        stream = machine(self.n_machines, max(self.checks), seed, self.fault_share).rows
        starts = {"cold": OnlineRBMDetector(random_state=seed), "prior": prior}
        curves = {}
        for number, (name, model) in enumerate(starts.items()):
            report(0.7 + 0.15 * number, f"a new machine, {name}")
            curves[name] = curve(model, stream, tests[-1], self.checks)
        return {"detection": found, "checks": list(self.checks), "curves": curves, "bytes": keys[0].nbytes.total}


def curve(model: OnlineRBMDetector, stream: Any, test: FaultyTable, checks: Sequence[int]) -> dict[str, Any]:
    """Detection after so many rows of a stream; None while the model waits for the end of its warm-up."""
    auc, alarms, first = [], [], 0
    for check in checks:
        if check > first:
            model.partial_fit(stream[first:check])
            first = check
        found = judged(model, test) if model.is_ready_ else {"auc": None, "false_alarms": None}
        auc.append(found["auc"])
        alarms.append(found["false_alarms"])
    return {"auc": auc, "false_alarms": alarms, "renewals": model.n_renewals_}


def judged(model: OnlineRBMDetector, test: FaultyTable) -> dict[str, float]:
    """ROC-AUC, and the share of usual rows that raise an alarm."""
    from sklearn.metrics import roc_auc_score

    p_values = model.p_values(test.rows)
    return {
        "auc": float(roc_auc_score(test.is_faulty, -np.log(p_values))),
        "false_alarms": float((p_values[~test.is_faulty] <= NOMINAL).mean()),
    }


def _mean(found: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([each[name] for each in found])) for name in found[0]}


def machine_runs(quick: bool = False) -> list[MachinesRun]:
    """One fleet."""
    if quick:
        return [MachinesRun(2, 1_000, 500, counts_as=200, checks=(0, 500, 600))]
    return [MachinesRun()]
