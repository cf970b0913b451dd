"""Ways to dream for others that were tried, on rows that are neither learned nor test rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from genreplay import datasets
from genreplay.core.dreamers import RATE, Dreamer
from genreplay.core.kernels import Array
from genreplay.core.rbm import bernoulli, hidden_given_visible, visible_given_hidden
from genreplay.core.state import State
from genreplay.estimators import OnlineRBM
from genreplay.experiments.fleet.digits import averaged
from genreplay.experiments.paper.online import load
from genreplay.experiments.run import Figures, Report

IDEAS = {
    "fast weights": "chains moved by fast weights",
    "faster": "the same, three times as fast",
    "still": "chains of parameters that stand still",
    "pool": "the pools of dreams that the nodes hold",
    "probabilities": "probabilities in place of zeros and ones, fast weights",
    "more": "three times as many dreams, fast weights",
    "averaged": "no dreams: averaged parameters",
}
"""by the name of the run"""
_N_BLOCK = 1_000


@dataclass(frozen=True)
class MergeIdeasRun:
    """Small nodes with a digit each, learned once and merged in several ways."""

    kind: ClassVar[str] = "fleet ideas"
    version: ClassVar[int] = 1
    max_seeds: ClassVar[int] = 1

    dataset: str = "mnist"
    n_hidden: int = 200
    n_rows: int = 1_000
    """of a node, and as many validation rows for each digit"""
    n_temperatures: int = 1_450

    @property
    def title(self) -> str:
        return f"fleet, ideas, {self.dataset}"

    def execute(self, seed: int, report: Report) -> Figures:
        data = datasets.order(load(self.dataset, "threshold"), "random", seed)
        assert data.train_labels is not None
        places = [np.flatnonzero(data.train_labels == digit) for digit in range(10)]
        parts = [data.train[each[: self.n_rows]] for each in places]
        valid = np.concatenate([data.train[each[self.n_rows : 2 * self.n_rows]] for each in places])
        together = np.concatenate(parts)[np.random.default_rng(seed).permutation(sum(map(len, parts)))]
        nodes = []
        for digit, rows in enumerate(parts):
            report(0.3 * digit / 10, f"node {digit}")
            nodes.append(OnlineRBM(self.n_hidden, random_state=seed).fit(rows).flush())

        def nats(model: OnlineRBM) -> float:
            z = model.log_partition("two-way", rows=together[:500], temperatures=self.n_temperatures, random_state=seed)
            return float(-model.free_energy(valid).mean() - z.log_z)

        found = {"one model": nats(OnlineRBM(self.n_hidden, random_state=seed).fit(together).flush())}
        for number, idea in enumerate(IDEAS):
            report(0.4 + 0.6 * number / len(IDEAS), idea)
            found[idea] = nats(merged(nodes, idea, len(together), seed))
        return {"nats": found, "n_rows": len(together)}


def merged(nodes: list[OnlineRBM], idea: str, n_dreams: int, seed: int) -> OnlineRBM:
    """A model of equal shares of what the nodes dream, in all as many dreams as they learned rows, or more."""
    if idea == "averaged":
        return averaged(nodes)
    rng = np.random.default_rng(seed)
    binarize = None if idea == "probabilities" else 0.5
    model = OnlineRBM(nodes[0].n_hidden, binarize=binarize, random_state=seed)
    sources = [source(node.state_, idea, rng) for node in nodes]
    for _ in range(0, n_dreams * (3 if idea == "more" else 1), _N_BLOCK):
        rows = np.concatenate([dreams(_N_BLOCK // len(nodes)) for dreams in sources])
        model.partial_fit(rows[rng.permutation(len(rows))])
    return model.flush()


def source(state: State, idea: str, rng: np.random.Generator) -> Callable[[int], Array]:
    """What gives so many dreams of a model."""
    if idea == "pool":
        return lambda n: state.past.recall(n, state.model, rng)
    dreamer = Dreamer(state, rng, {"still": 0.0, "faster": 3 * RATE}.get(idea, RATE))

    def dreams(n: int) -> Array:
        rows = dreamer.rows(n, rng)
        if idea != "probabilities":
            return rows
        return visible_given_hidden(state.model, bernoulli(hidden_given_visible(state.model, rows), rng))

    return dreams


def idea_runs(quick: bool = False) -> list[MergeIdeasRun]:
    """One run of all ideas."""
    return [MergeIdeasRun("digits", 10, 100, 290)] if quick else [MergeIdeasRun()]
