"""The learners of the experiment: our classifiers, and a network with a memory of rows, or without."""

from __future__ import annotations

import math
from importlib import import_module
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.neural_network import MLPClassifier

from genreplay.datasets.base import Bits, Labels
from genreplay.estimators import GenerativeReplayClassifier, JointRBMClassifier, OnlineRBMClassifier, ReservoirMemory

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


class Reservoir:
    """A uniform sample of all rows seen, one bit a pixel, with their labels (Vitter's algorithm R).

    >>> memory = Reservoir(n_rows=5, rng=np.random.default_rng(0))
    >>> memory.remember(np.eye(8, dtype=np.uint8), np.arange(8))
    >>> rows, labels = memory.recall(3)
    >>> bool((rows.argmax(axis=1) == labels).all()), memory.n_rows, memory.nbytes
    (True, 5, 10)
    """

    def __init__(self, n_rows: float, rng: np.random.Generator) -> None:
        self._limit, self._rng, self._n_seen = n_rows, rng, 0
        self._rows: list[npt.NDArray[np.uint8]] = []
        self._labels: list[int] = []
        self._n_bits = 0

    def remember(self, rows: Bits, labels: Labels) -> None:
        self._n_bits = rows.shape[1]
        for row, label in zip(np.packbits(rows, axis=1), labels.tolist(), strict=True):
            self._n_seen += 1
            if self.n_rows < self._limit:
                self._rows.append(row)
                self._labels.append(label)
            elif (slot := int(self._rng.integers(self._n_seen))) < self._limit:
                self._rows[slot], self._labels[slot] = row, label

    def recall(self, n: int) -> tuple[Bits, Labels]:
        drawn = self._rng.integers(self.n_rows, size=n)
        rows = np.unpackbits(np.array([self._rows[place] for place in drawn]), axis=1, count=self._n_bits)
        return rows, np.array([self._labels[place] for place in drawn])

    @property
    def n_rows(self) -> int:
        return len(self._rows)

    @property
    def nbytes(self) -> int:
        """A byte for each label and a bit for each pixel."""
        return self.n_rows * (1 + math.ceil(self._n_bits / 8))


class Network:
    """A network that learns each batch beside rehearsed rows, three for each new one, if there is a memory."""

    def __init__(self, memory: Reservoir | None, n_hidden: int, n_steps: int, seed: int) -> None:
        self._memory, self._n_steps = memory, n_steps
        self._network = MLPClassifier((n_hidden,), random_state=seed)

    def learn(self, rows: Bits, labels: Labels) -> None:
        memory = self._memory
        for _ in range(self._n_steps):
            X, y = rows.astype(np.float32), labels
            if memory is not None and memory.n_rows:
                past, of_past = memory.recall(3 * len(rows))
                X, y = np.concatenate([X, past.astype(np.float32)]), np.concatenate([labels, of_past])
            self._network.partial_fit(X, y, classes=np.arange(N_CLASSES))
        if memory is not None:
            memory.remember(rows, labels)

    def predict(self, rows: Bits) -> Labels:
        return np.asarray(self._network.predict(rows.astype(np.float32)))

    @property
    def nbytes(self) -> int:
        """Parameters, Adam's two moments and gradients of the same size, and the memory."""
        parts: list[npt.NDArray[Any]] = [*self._network.coefs_, *self._network.intercepts_]
        return 4 * sum(part.nbytes for part in parts) + (0 if self._memory is None else self._memory.nbytes)

    @property
    def n_rows_kept(self) -> int:
        return 0 if self._memory is None else self._memory.n_rows


class Rehearsing:
    """A network in a ``GenerativeReplayClassifier``, with dreams of class models or with stored pairs."""

    def __init__(self, model: GenerativeReplayClassifier) -> None:
        self._model = model

    def learn(self, rows: Bits, labels: Labels) -> None:
        self._model.partial_fit(rows.astype(np.float32), labels, classes=np.arange(N_CLASSES))

    def predict(self, rows: Bits) -> Labels:
        return np.asarray(self._model.predict(rows.astype(np.float32)))

    @property
    def nbytes(self) -> int:
        """The network as above, and the generator."""
        generator, network = self._model.generator_, self._model.estimator_
        parts = network.network_.parameters() if hasattr(network, "network_") else network.coefs_ + network.intercepts_
        n_network = 4 * sum(part.nbytes for part in parts)
        n_generator = generator.nbytes if isinstance(generator, ReservoirMemory) else generator.nbytes_
        return int(n_network + n_generator)

    @property
    def n_rows_kept(self) -> int:
        generator = self._model.generator_
        return generator.n_rows_held_ if isinstance(generator, ReservoirMemory) else 0


class ReluNetwork:
    """Makes a network of PyTorch with one hidden layer, as ``MLPClassifier`` has it."""

    def __init__(self, n_hidden: int) -> None:
        self.n_hidden = n_hidden

    def __call__(self, n_features: int, n_classes: int) -> Any:
        nn = import_module("torch").nn
        return nn.Sequential(nn.Linear(n_features, self.n_hidden), nn.ReLU(), nn.Linear(self.n_hidden, n_classes))
