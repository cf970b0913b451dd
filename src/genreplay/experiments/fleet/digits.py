"""MNIST over some nodes: what a hub knows that gets nothing but their model files."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from genreplay import datasets
from genreplay.core.dreamers import Dreamer
from genreplay.core.rbm import RBM, zeros_like
from genreplay.datasets.base import Bits, Dataset
from genreplay.estimators import OnlineRBM
from genreplay.estimators.merging import OF_BITS
from genreplay.experiments.paper.online import head, load
from genreplay.experiments.run import Figures, Report

SPLITS = {"digit": "a digit for each node", "random": "rows at random", "none": "one model, all rows"}
N_DIGITS = 10
N_ROUNDS = 3
"""in which the rows of a node come, where nodes meet more than once"""
MORE_DREAMS = 3
"""times as many dreams, where rows are split at random"""
_N_CLASSIFIED, _N_SHOWN, _N_TAUGHT = 1_000, 80, 10_000
"""dreams that are classified, those that are shown, and rows that the classifier learns"""


@dataclass(frozen=True)
class DigitsRun:
    """Nodes that learn their rows once, in some rounds, after each of which a hub merges them."""

    kind: ClassVar[str] = "fleet digits"
    version: ClassVar[int] = 3
    replaces: ClassVar[tuple[int, ...]] = (2,)
    timed: ClassVar[bool] = True
    max_seeds: ClassVar[int] = 1

    dataset: str = "mnist"
    split: str = "digit"
    """what a node gets: one of ``SPLITS``"""
    method: str = "dreams"
    """what the nodes go on from after a round: the model merged by "dreams", or the "averaged" parameters"""
    n_rounds: int = 1
    n_nodes: int = 10
    n_hidden: int = 500
    n_temperatures: int = 5_800
    """of log Z, annealed both ways"""
    n_dreams: int | None = None
    """that the hub learns; None for the default of ``merge``"""
    times_dreams: int = 1
    """how many times as many dreams the hub learns"""
    max_rows: int | None = None
    """learn only so many rows and test on as many; None for all"""

    @property
    def title(self) -> str:
        more = f", {self.times_dreams} times as many dreams" if self.times_dreams > 1 else ""
        return f"fleet, {self.dataset}, {SPLITS[self.split]}, {self.method}, {self.n_rounds} rounds{more}"

    def execute(self, seed: int, report: Report) -> Figures:
        data = head(datasets.order(load(self.dataset, "threshold"), "random", seed), self.max_rows)
        if self.split == "none":
            model = OnlineRBM(self.n_hidden, random_state=seed)
            for start in range(0, len(data.train), 1_000):
                report(0.8 * start / len(data.train), "learning")
                model.partial_fit(data.train[start : start + 1_000])
            return {"hub": [self._judged(model.flush(), data, seed)], **dreamed(model, data, seed)}
        parts = [np.array_split(data.train[places], self.n_rounds) for places in self._split(data, seed)]
        with tempfile.TemporaryDirectory() as folder:
            return self._rounds(parts, data, Path(folder), seed, report)

    def _split(self, data: Dataset, seed: int) -> list[npt.NDArray[np.intp]]:
        """The places of the rows of each node."""
        if self.split == "digit":
            assert data.train_labels is not None
            return [np.flatnonzero(data.train_labels % self.n_nodes == node) for node in range(self.n_nodes)]
        return np.array_split(np.random.default_rng(seed).permutation(len(data.train)), self.n_nodes)

    def _rounds(self, parts: Sequence[list[Bits]], data: Dataset, folder: Path, seed: int, report: Report) -> Figures:
        """Learn apart, send the files, merge, send the merged file back."""
        hub: OnlineRBM | None = None
        found: list[dict[str, Any]] = []
        sent = received = 0
        for number in range(self.n_rounds):
            for node, rows in enumerate(parts):
                report((number + 0.8 * node / len(parts)) / self.n_rounds, f"round {number + 1}, node {node + 1}")
                # all nodes start with the same parameters, as averaging needs it
                model = OnlineRBM(self.n_hidden, random_state=seed) if hub is None else OnlineRBM.load(folder / "hub")
                model.partial_fit(rows[number]).flush().save(folder / f"node-{node}")
                sent += (folder / f"node-{node}").stat().st_size
            nodes = [OnlineRBM.load(folder / f"node-{node}") for node in range(len(parts))]
            report((number + 0.8) / self.n_rounds, f"round {number + 1}, merging")
            if self.method == "averaged":
                hub = averaged(nodes)
            else:
                n_dreams = (
                    self.n_dreams if self.times_dreams == 1 else self.times_dreams * (self.n_dreams or OF_BITS.most)
                )
                hub = OnlineRBM.merge(nodes, n_dreams=n_dreams, since=hub, random_state=seed)
            found.append(self._judged(hub, data, seed))
            hub.save(folder / "hub")
            received += (folder / "hub").stat().st_size * len(parts)
        assert hub is not None
        more: Figures = {}
        if self.n_rounds == self.times_dreams == 1 and self.method == "dreams":
            report(0.95, "averaging")
            more["averaged"] = self._judged(averaged(nodes), data, seed)
            few = replace(self, n_temperatures=max(self.n_temperatures // 4, 29))
            more["nodes"] = [few._judged(node, data, seed) for node in nodes]
        return {"hub": found, **more, "sent": sent, "received": received, **dreamed(hub, data, seed)}

    def _judged(self, model: OnlineRBM, data: Dataset, seed: int) -> dict[str, Any]:
        """Test nats, with log Z annealed both ways from training rows and the model's own chains."""
        z = model.log_partition("two-way", rows=data.train[:1_000], temperatures=self.n_temperatures, random_state=seed)
        log_p = -model.free_energy(data.test) - z.log_z
        assert data.test_labels is not None
        by_class = [float(log_p[data.test_labels == label].mean()) for label in range(N_DIGITS)]
        return {"nats": float(log_p.mean()), "error": z.std_error, "doubt": z.doubt, "by_class": by_class}


def averaged(nodes: Sequence[OnlineRBM]) -> OnlineRBM:
    """The usual federated average: each parameter's mean over the nodes, weighted by their rows.

    Chains and pools of dreams, which the usual average does not have, come from all nodes in equal parts.
    """
    weights = np.array([node.n_rows_seen_ for node in nodes]) / sum(node.n_rows_seen_ for node in nodes)
    mean = RBM(
        *(
            np.asarray(sum(w * part for w, part in zip(weights, parts, strict=True)), dtype=parts[0].dtype, order="F")
            for parts in zip(*(node.state_.model for node in nodes), strict=True)
        )
    )
    state = nodes[0].state_
    assert state.chains is not None
    chains = np.concatenate([node.state_.chains[k :: len(nodes)] for k, node in enumerate(nodes)])  # type: ignore[index]
    state = state._replace(rbm=mean, average=mean.copy(), velocity=zeros_like(mean), chains=chains[: len(state.chains)])
    past, pools = deepcopy(state.past), [node.state_.past.dump() for node in nodes]
    dreams = np.concatenate([pool["dreams"][k :: len(nodes)] for k, pool in enumerate(pools)])
    past.restore({**pools[0], "dreams": dreams})
    state = state._replace(past=past, ones=np.sum([node.state_.ones for node in nodes], axis=0))
    state = state._replace(n_learned=sum(node.state_.n_learned for node in nodes))
    hub = OnlineRBM.from_state(state, nodes[0].recipe_, nodes[0].batch_size)
    hub.recipe, hub.random_state = nodes[0].recipe, nodes[0].random_state
    return hub


def dreamed(model: OnlineRBM, data: Dataset, seed: int) -> Figures:
    """Some dreams as bits, in hexadecimal, and the share of each digit among dreams, by their nearest rows."""
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(seed)
    dreams = Dreamer(model.state_, rng).rows(_N_CLASSIFIED, rng)
    known = KNeighborsClassifier(3).fit(data.train[:_N_TAUGHT], data.train_labels[:_N_TAUGHT])  # type: ignore[index]
    shares = np.bincount(known.predict(dreams), minlength=N_DIGITS) / len(dreams)
    sheet = np.packbits(dreams[:_N_SHOWN].astype(bool), axis=1).tobytes().hex()
    return {"digits": shares.tolist(), "sheet": sheet}


def digit_runs(quick: bool = False) -> list[DigitsRun]:
    """Both splits, several rounds of the hard one, averaged and by dreams, and one model that gets all rows."""
    base = DigitsRun()
    if quick:
        base = DigitsRun("digits", n_hidden=20, n_temperatures=290, n_dreams=1_000, max_rows=1_000)
    return [
        replace(base, split="none"),
        base,
        replace(base, split="random"),
        replace(base, split="random", times_dreams=MORE_DREAMS),
        replace(base, n_rounds=N_ROUNDS),
        replace(base, n_rounds=N_ROUNDS, method="averaged"),
    ]
