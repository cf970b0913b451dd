"""The learners of the experiment: our classifiers, and a network that rehearses pairs of the past, or does not."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

import numpy as np
from sklearn.neural_network import MLPClassifier

from genreplay.datasets.base import Bits, Labels
from genreplay.estimators import GenerativeReplayClassifier, InfiniteMemory, JointRBMClassifier, OnlineRBMClassifier

N_CLASSES = 10


class Learner(Protocol):
    """What the experiment asks of a learner."""

    def learn(self, rows: Bits, labels: Labels) -> None:
        """Learn a batch."""

    def predict(self, rows: Bits) -> Labels:
        """The labels of rows."""

    @property
    def nbytes(self) -> int:
        """Bytes held between two batches, work space included."""

    @property
    def n_rows_kept(self) -> int:
        """Rows of the stream that it holds at the end, beside a batch that waits."""


class Ours:
    """A classifier of this package: a model for each label, or one of rows and labels together."""

    n_rows_kept = 0

    def __init__(self, model: OnlineRBMClassifier | JointRBMClassifier) -> None:
        self.model = model

    def learn(self, rows: Bits, labels: Labels) -> None:
        self.model.partial_fit(rows, labels)

    def predict(self, rows: Bits) -> Labels:
        return np.asarray(self.model.predict(rows))

    @property
    def nbytes(self) -> int:
        return self.model.nbytes_


class Network:
    """A network, alone or in a ``GenerativeReplayClassifier`` with dreams of class models or with stored pairs."""

    def __init__(self, model: MLPClassifier | GenerativeReplayClassifier) -> None:
        self._model = model

    def learn(self, rows: Bits, labels: Labels) -> None:
        self._model.partial_fit(rows.astype(np.float32), labels, classes=np.arange(N_CLASSES))

    def predict(self, rows: Bits) -> Labels:
        return np.asarray(self._model.predict(rows.astype(np.float32)))

    @property
    def nbytes(self) -> int:
        """Parameters, Adam's two moments and gradients of the same size, and what pairs of the past come from."""
        network: Any = getattr(self._model, "estimator_", self._model)
        parts = network.network_.parameters() if hasattr(network, "network_") else network.coefs_ + network.intercepts_
        past = self._past
        n_past = past.nbytes if isinstance(past, InfiniteMemory) else getattr(past, "nbytes_", 0)
        return int(4 * sum(part.nbytes for part in parts) + n_past)

    @property
    def n_rows_kept(self) -> int:
        past = self._past
        return past.n_rows_held_ if isinstance(past, InfiniteMemory) else 0

    @property
    def _past(self) -> Any:
        return getattr(self._model, "generator_", None)


class ReluNetwork:
    """Makes a network of PyTorch with one hidden layer, as ``MLPClassifier`` has it."""

    def __init__(self, n_hidden: int) -> None:
        self.n_hidden = n_hidden

    def __call__(self, n_features: int, n_classes: int) -> Any:
        nn = import_module("torch").nn
        return nn.Sequential(nn.Linear(n_features, self.n_hidden), nn.ReLU(), nn.Linear(self.n_hidden, n_classes))
