"""What a model tells about the rows it learned: an attack that says which rows were among them.

A model has learned half of some rows. The attacker has the model and all of these rows, and ranks them by how probable
the model finds them. A stronger one has a second model, of the same recipe and other rows, and ranks rows by how much
more probable the first model finds them than the second. ROC-AUC 0.5 is a guess.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from genreplay import datasets
from genreplay.core import MODERN, PAPER, Recipe
from genreplay.core.bounded import BoundedRows
from genreplay.estimators import OnlineRBM
from genreplay.experiments.paper.online import load
from genreplay.experiments.run import Figures, Report

DELTA = 1e-5
_ONCE = PAPER.replace(n_epochs=1, learning_rate=0.2)
"""one large step an update: noise comes with every step"""
LEARNERS: dict[str, Recipe] = {
    "modern": MODERN,
    "paper": PAPER,
    "bounded": PAPER.replace(negative=BoundedRows(noise=0)),
    "noise 0.1": _ONCE.replace(negative=BoundedRows(noise=0.1)),
    "noise 1": _ONCE.replace(negative=BoundedRows(noise=1)),
    "noise 4": _ONCE.replace(negative=BoundedRows(noise=4)),
}
"""recipes by name"""


@dataclass(frozen=True)
class MembershipRun:
    """One recipe, attacked."""

    kind: ClassVar[str] = "fleet membership"
    version: ClassVar[int] = 2
    replaces: ClassVar[tuple[int, ...]] = (1,)

    learner: str = "modern"
    """one of ``LEARNERS``"""
    dataset: str = "mnist"
    n_rows: int = 5_000
    """that the model has learned; the second model has as many others, and as many were learned by neither"""
    n_hidden: int = 500
    n_temperatures: int = 1_450

    @property
    def title(self) -> str:
        return f"fleet, membership, {self.learner}"

    def execute(self, seed: int, report: Report) -> Figures:
        from sklearn.metrics import roc_auc_score

        data = datasets.order(load(self.dataset, "threshold"), "random", seed)
        members, others, reference = (data.train[k * self.n_rows : (k + 1) * self.n_rows] for k in range(3))
        recipe = LEARNERS[self.learner]
        models = []
        for number, rows in enumerate((members, reference)):
            report(0.3 * number, f"model {number + 1}")
            models.append(OnlineRBM(self.n_hidden, recipe=recipe, random_state=seed + number).fit(rows).flush())
        rows, is_member = np.concatenate([members, others]), np.repeat([1, 0], self.n_rows)
        own, second = (-model.free_energy(rows) for model in models)
        report(0.7, "log Z")
        z = models[0].log_partition("two-way", rows=members[:500], temperatures=self.n_temperatures, random_state=seed)
        return {
            "auc": float(roc_auc_score(is_member, own)),
            "auc_reference": float(roc_auc_score(is_member, own - second)),
            "nats": float(own[is_member == 0].mean() - z.log_z) if z.stands else None,
            "epsilon": epsilon(recipe),
        }


def epsilon(recipe: Recipe) -> float | None:
    """Of a recipe in which noise is added to bounded contributions; None for others.

    >>> epsilon(PAPER), round(epsilon(LEARNERS["noise 1"]), 1)
    (None, 4.4)
    """
    negative, n_epochs = recipe.negative, recipe.n_epochs
    if not isinstance(negative, BoundedRows) or not isinstance(n_epochs, int) or negative.noise == 0:
        return None
    return negative.epsilon(n_epochs, DELTA)


def membership_runs(quick: bool = False) -> list[MembershipRun]:
    """Every recipe."""
    base = MembershipRun(dataset="digits", n_rows=200, n_hidden=10, n_temperatures=290) if quick else MembershipRun()
    return [replace(base, learner=learner) for learner in LEARNERS]
