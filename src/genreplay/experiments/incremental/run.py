"""One learner, one order of the classes: accuracy of every class while the stream goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.neural_network import MLPClassifier

from genreplay import datasets
from genreplay.datasets.base import Bits, Labels
from genreplay.estimators import (
    BoundaryPairs,
    GenerativeReplayClassifier,
    InfiniteMemory,
    JointRBMClassifier,
    OnlineRBMClassifier,
    RelabelledPairs,
    ReservoirMemory,
)
from genreplay.estimators.torch import TorchClassifier
from genreplay.experiments.incremental.learners import N_CLASSES, Learner, Network, Ours, ReluNetwork
from genreplay.experiments.run import Figures, Report

METHODS = {
    "class models": "one RBM for each label",
    "joint model": "one RBM of rows and labels",
    "reservoir": "network, packed reservoir",
    "infinite memory": "network, all rows stored",
    "no replay": "network, no replay",
    "dreams": "network, dreams of one RBM for each label",
    "relabelled dreams": "network, the same dreams with its own labels",
    "boundary dreams": "network, dreams that it is least sure of",
    "PyTorch, dreams": "network of PyTorch, dreams of one RBM for each label",
}
"""what learns, and its title"""
REHEARSALS = {"relabelled dreams": RelabelledPairs(), "boundary dreams": BoundaryPairs()}
"""of networks with dreams; the others have ``RehearsedPairs()``"""
DREAMING = ("dreams", *REHEARSALS, "PyTorch, dreams")
"""networks that rehearse dreams"""
ORDERS = ("split", "sorted", "random")


@dataclass(frozen=True)
class IncrementalRun:
    """A stream of labelled rows, learned once."""

    kind: ClassVar[str] = "incremental"
    version: ClassVar[int] = 1
    timed: ClassVar[bool] = True

    dataset: str = "mnist"
    order: str = "split"
    """"split": classes in pairs; "sorted": class by class; "random" """
    method: str = "class models"
    n_hidden: int = 100
    """of each class model"""
    n_joint: int = 200
    """hidden units of the joint model"""
    n_network: int = 200
    """hidden units of the network"""
    batch: int = 100
    """rows that a learner gets at once"""
    n_checks: int = 10
    """how often accuracy is measured: evenly over the stream in random order, otherwise evenly over each task, of which
    the last is at its end"""

    @property
    def title(self) -> str:
        return f"{self.dataset} {self.order} {self.method}"

    @property
    def max_seeds(self) -> int | None:
        """The order is that of the published figures with all seeds; the others, and ideas that lost, once."""
        return None if self.order == "split" and self.method not in REHEARSALS else 1

    @property
    def obstacle(self) -> str | None:
        """Why it cannot be run here."""
        if self.method == "PyTorch, dreams" and find_spec("torch") is None:
            return "PyTorch is not installed: pip install 'genreplay[torch]'"
        return None

    def execute(self, seed: int, report: Report) -> Figures:
        data = datasets.load(self.dataset)
        assert data.train_labels is not None
        assert data.test_labels is not None
        rng = np.random.default_rng(seed)
        places = ordered(data.train_labels, self.order, rng)
        learner = self._learner(data.n_features, seed)
        checks = check_rows(data.train_labels[places], self.order, self.n_checks)
        matrix, totals, first = [], [], 0
        for check in checks:
            while first < check:
                report(first / len(places), f"row {first:,} of {len(places):,}")
                batch = places[first : min(first + self.batch, check)]
                learner.learn(data.train[batch], data.train_labels[batch])
                first += len(batch)
            right = _right(learner, data.test, data.test_labels)
            matrix.append([float(right[data.test_labels == label].mean()) for label in range(N_CLASSES)])
            totals.append(float(right.mean()))
        labels = data.train_labels[places]
        seen = [[int((labels[:check] == label).sum()) for label in range(N_CLASSES)] for check in checks]
        return {
            "rows": checks,
            "accuracy": totals,
            "by_class": matrix,
            "seen": seen,
            "forgetting": forgetting(np.array(matrix), np.array(seen)),
            "nbytes": learner.nbytes,
            "rows_kept": learner.n_rows_kept,
        }

    def _learner(self, n_features: int, seed: int) -> Learner:
        if self.method == "class models":
            return Ours(OnlineRBMClassifier(self.n_hidden, random_state=seed))
        if self.method == "joint model":
            return Ours(JointRBMClassifier(self.n_joint, max_classes=N_CLASSES, random_state=seed))
        if self.method == "no replay":
            return Network(MLPClassifier((self.n_network,), random_state=seed))
        # The other networks rehearse the same number of pairs, and differ in the one thing that their name says.
        parameter_bytes = N_CLASSES * 4 * (n_features * self.n_hidden + n_features + self.n_hidden)
        stored = {"reservoir": ReservoirMemory(parameter_bytes), "infinite memory": InfiniteMemory()}
        in_torch = TorchClassifier(ReluNetwork(self.n_network))
        return Network(
            GenerativeReplayClassifier(
                in_torch if self.method == "PyTorch, dreams" else MLPClassifier((self.n_network,)),
                stored.get(self.method, OnlineRBMClassifier(self.n_hidden, replay="dream-pool")),
                rehearsal=REHEARSALS.get(self.method),
                random_state=seed,
            )
        )


def ordered(labels: Labels, order: str, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Places of the rows in the order of a stream, at random within a task.

    >>> labels = np.array([3, 0, 1, 2, 0])
    >>> labels[ordered(labels, "sorted", np.random.default_rng(0))]
    array([0, 0, 1, 2, 3])
    """
    places = rng.permutation(len(labels))
    if order == "random":
        return places
    task = labels[places] // 2 if order == "split" else labels[places]
    return places[np.argsort(task, kind="stable")]


def check_rows(labels: Labels, order: str, n_checks: int) -> list[int]:
    """After how many rows of a stream accuracy is measured: also at the end of each task.

    >>> check_rows(np.array([0, 0, 1, 1, 2, 3, 3, 3]), "split", n_checks=4)
    [2, 4, 6, 8]
    """
    task = labels // 2 if order == "split" else labels
    ends = [len(labels)] if order == "random" else [*(np.flatnonzero(np.diff(task)) + 1).tolist(), len(labels)]
    each = max(1, n_checks // len(ends))
    starts = [0, *ends[:-1]]
    return [round(a + (b - a) * k / each) for a, b in zip(starts, ends, strict=True) for k in range(1, each + 1)]


def forgetting(matrix: npt.NDArray[np.float64], seen: npt.NDArray[np.int64]) -> float:
    """What was known best and is lost at the end: the mean over classes of (best earlier accuracy - last accuracy).

    The lower triangle of the matrix: a class counts from the first check after all of its rows have come; one that is
    complete at the last check only has nothing to forget yet (Chaudhry et al.: Riemannian Walk for Incremental
    Learning, 2018). Where rows come in random order no class is complete before the end: all checks count.

    >>> matrix = np.array([[1.0, 0.0, 0.0], [0.8, 0.9, 0.0], [0.5, 0.9, 0.9]])
    >>> forgetting(matrix, np.array([[5, 0, 0], [5, 5, 0], [5, 5, 5]]))
    0.25
    """
    complete = seen == seen[-1]
    if not complete[:-1].any():
        complete = np.ones_like(complete)
    lost = [
        float(matrix[:-1, label][complete[:-1, label]].max() - matrix[-1, label])
        for label in range(matrix.shape[1])
        if complete[:-1, label].any()
    ]
    return float(np.mean(lost))


def _right(learner: Learner, rows: Bits, labels: Labels) -> npt.NDArray[np.bool_]:
    found = [learner.predict(rows[first : first + 1000]) for first in range(0, len(rows), 1000)]
    return np.asarray(np.concatenate(found) == labels)


def runs(quick: bool = False) -> Sequence[IncrementalRun]:
    """Every method in the order of the published figures; those that take little time in the other orders, too."""
    if quick:
        small = IncrementalRun(dataset="digits", n_hidden=10, n_joint=30, n_network=50, batch=10, n_checks=5)
        return [replace(small, method=method) for method in METHODS]
    wanted = [(order, method) for order in ORDERS for method in METHODS if order == "split" or method not in DREAMING]
    return [IncrementalRun(order=order, method=method) for order, method in wanted]
