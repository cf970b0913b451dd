"""Ways to dream for others that were tried, on rows that are neither learned nor test rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from genreplay import datasets
from genreplay.core.dreamers import RATE, Dreamer
from genreplay.core.kernels import Array
from genreplay.core.rbm import bernoulli, free_energy, hidden_given_visible, visible_given_hidden
from genreplay.core.state import State
from genreplay.estimators import OnlineRBM
from genreplay.experiments.fleet.digits import averaged
from genreplay.experiments.paper.online import load
from genreplay.experiments.run import Figures, Report

IDEAS = {
    "dreams": "fast weights that follow the pools of the nodes, as merge has them",
    "slower": "the same with a tenth of the rate",
    "still": "chains of parameters that stand still",
    "fewer": "a third of the dreams",
    "probabilities": "probabilities in place of zeros and ones",
    "agreed": "of twice as many dreams, those that all nodes together find likely",
    "averaged": "no dreams: averaged parameters",
}
"""by name"""
WITHOUT_IDEAS = {
    "one model": "one model on all rows",
    "its dreams": "a model of the dreams of that one alone",
    "best node": "the best node",
}
"""what they are compared with"""
_N_BLOCK = 1_000


@dataclass(frozen=True)
class MergeIdeasRun:
    """Small nodes, learned once and merged in several ways."""

    kind: ClassVar[str] = "fleet ideas"
    version: ClassVar[int] = 3
    replaces: ClassVar[tuple[int, ...]] = (2,)
    timed: ClassVar[bool] = True
    max_seeds: ClassVar[int] = 1

    dataset: str = "mnist"
    split: str = "digit"
    """"digit": each node has one digit; "random": rows at random"""
    n_hidden: int = 200
    n_rows: int = 1_000
    """of a node; there are as many validation rows as nodes have rows"""
    n_temperatures: int = 1_450

    @property
    def title(self) -> str:
        return f"fleet, ideas, {self.dataset}, {self.split}"

    def execute(self, seed: int, report: Report) -> Figures:
        data = datasets.order(load(self.dataset, "threshold"), "random", seed)
        assert data.train_labels is not None
        places = [np.flatnonzero(data.train_labels == digit) for digit in range(10)]
        parts = [data.train[each[: self.n_rows]] for each in places]
        valid = np.concatenate([data.train[each[self.n_rows : 2 * self.n_rows]] for each in places])
        together = np.concatenate(parts)[np.random.default_rng(seed).permutation(sum(map(len, parts)))]
        if self.split == "random":
            parts = np.array_split(together, len(parts))
        nodes = []
        for number, rows in enumerate(parts):
            report(0.3 * number / len(parts), f"node {number + 1}")
            nodes.append(OnlineRBM(self.n_hidden, random_state=seed).fit(rows).flush())

        def nats(model: OnlineRBM) -> float:
            z = model.log_partition("two-way", rows=together[:500], temperatures=self.n_temperatures, random_state=seed)
            return float(-model.free_energy(valid).mean() - z.log_z)

        one = OnlineRBM(self.n_hidden, random_state=seed).fit(together).flush()
        report(0.4, "one model")
        found = {"one model": nats(one), "its dreams": nats(merged([one], "dreams", len(together), seed))}
        found["best node"] = max(nats(node) for node in nodes)
        for number, idea in enumerate(IDEAS):
            report(0.5 + 0.5 * number / len(IDEAS), idea)
            found[idea] = nats(merged(nodes, idea, len(together), seed))
        return {"nats": found, "n_rows": len(together)}


def merged(nodes: Sequence[OnlineRBM], idea: str, n_rows: int, seed: int) -> OnlineRBM:
    """A model of equal shares of what the nodes dream, in all three dreams for each row that they learned, or fewer."""
    if idea == "averaged":
        return averaged(nodes)
    rng = np.random.default_rng(seed)
    model = OnlineRBM(nodes[0].n_hidden, binarize=None if idea == "probabilities" else 0.5, random_state=seed)
    states = [node.state_ for node in nodes]
    dreamers = [Dreamer(state, rng, {"still": 0.0, "slower": RATE / 10}.get(idea, RATE)) for state in states]
    for _ in range(0, n_rows * (1 if idea == "fewer" else 3), _N_BLOCK):
        rows = np.concatenate(
            [
                dreams(dreamer, states, place, idea, _N_BLOCK // len(nodes), rng)
                for place, dreamer in enumerate(dreamers)
            ]
        )
        model.partial_fit(rows[rng.permutation(len(rows))])
    return model.flush()


def dreams(dreamer: Dreamer, states: Sequence[State], place: int, idea: str, n: int, rng: np.random.Generator) -> Array:
    """So many dreams of the node at a place."""
    if idea == "agreed":
        rows = dreamer.rows(2 * n, rng)
        return rows[np.argsort(np.mean([free_energy(state.model, rows) for state in states], axis=0))[:n]]
    rows = dreamer.rows(n, rng)
    if idea != "probabilities":
        return rows
    model = states[place].model
    return visible_given_hidden(model, bernoulli(hidden_given_visible(model, rows), rng))


def idea_runs(quick: bool = False) -> list[MergeIdeasRun]:
    """All ideas, for both splits."""
    base = MergeIdeasRun("digits", "digit", 10, 100, 290) if quick else MergeIdeasRun()
    return [base, replace(base, split="random")]
