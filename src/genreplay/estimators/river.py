"""The detector with River's manners: one dict at a time, high = anomalous. Needs the extra ``river``."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Any

from river import base

from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.streams import columns
from genreplay.streams.cells import Kind


class RBMDetector(base.AnomalyDetector):
    """Anomaly detection by an RBM that learns online, by the difference to its dreams, and stores no observation.

    The first ``warm_up`` dicts fix the features and how they become bits; they wait until then and are learned after.
    Later, a feature that is missing or cannot be read counts as unknown, and a new one is ignored. The score is -log p,
    where p is the p-value that the model's own dreams give a row: 0 for the most usual rows and before anything is
    learned, 4.6 where one usual row in a hundred would be as strange.

    Parameters
    ----------
    n_hidden
        Hidden units.
    n_bins
        Intervals of a number.
    warm_up
        Dicts that fix the features.
    batch_size
        Dicts that trigger one update of the model.
    n_epochs
        Steps of contrastive divergence an update.
    learning_rate
        Their size.
    seed
        Seed of everything random.

    Examples
    --------
    >>> import random
    >>> from genreplay.estimators.river import RBMDetector
    >>> rng = random.Random(0)
    >>> model = RBMDetector(warm_up=200, seed=1)
    >>> for _ in range(2000):
    ...     model.learn_one({"speed": rng.gauss(50, 5), "gear": rng.choice("234")})
    >>> model.score_one({"speed": 51.0, "gear": "3"}) < 4.6 < model.score_one({"speed": 140.0, "gear": "R"})
    True
    """

    def __init__(
        self,
        n_hidden: int = 32,
        n_bins: int = 8,
        warm_up: int = 500,
        batch_size: int = 100,
        n_epochs: int = 1,
        learning_rate: float = 0.003,
        seed: int | None = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.n_bins = n_bins
        self.warm_up = warm_up
        self.batch_size = batch_size
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.seed = seed
        self._waiting: list[dict[Hashable, object]] = []
        self._features: list[Hashable] = []
        self._kinds: list[Kind] = []
        self._detector: OnlineRBMDetector | None = None

    @classmethod
    def _unit_test_params(cls) -> Any:
        yield {"warm_up": 50, "batch_size": 20, "seed": 1}

    def learn_one(self, x: dict[Hashable, Any]) -> None:
        """Learn one more row; an update fires every ``batch_size`` rows."""
        if self._detector is None:
            self._waiting.append(dict(x))
            if len(self._waiting) >= self.warm_up:
                self._begin()
        else:
            self._detector.learn_bits(self._bits(self._detector, x))

    def score_one(self, x: dict[Hashable, Any]) -> float:
        """Return how surprising a row is, in nats; high = anomalous."""
        if self._detector is None or not self._detector.is_ready_:
            return 0.0
        return float(self._detector.surprise_of_bits(self._bits(self._detector, x))[0])

    def _begin(self) -> None:
        names = {name for row in self._waiting for name in row}
        if not names:  # nothing to learn from yet
            self._waiting = []
            return
        self._features = sorted(names, key=lambda name: (type(name).__name__, name))
        rows = [[_finite(row.get(name)) for name in self._features] for row in self._waiting]
        self._kinds = [columns.kind_of(column) for column in zip(*rows, strict=True)]
        self._detector = OnlineRBMDetector(
            self.n_hidden,
            kinds=dict(enumerate(self._kinds)),
            n_bins=self.n_bins,
            warm_up=self.warm_up,
            batch_size=self.batch_size,
            n_epochs=self.n_epochs,
            learning_rate=self.learning_rate,
            random_state=self.seed,
        )
        self._detector.partial_fit([self._readable(row) for row in rows])
        self._waiting = []

    def _bits(self, detector: OnlineRBMDetector, x: dict[Hashable, Any]) -> Any:
        cells = [x.get(name) for name in self._features]
        try:
            bits = detector.encoder_.transform_one(cells)
        except (TypeError, ValueError):
            bits = detector.encoder_.transform_one(self._readable(cells))
        return bits[None]

    def _readable(self, cells: Sequence[object]) -> list[object]:
        """The cells, None in place of those that their feature's kind refuses, such as text among numbers."""
        return [
            cell if columns.is_readable(cell, kind) else None for cell, kind in zip(cells, self._kinds, strict=True)
        ]


def _finite(cell: object) -> object:
    return None if isinstance(cell, float) and math.isinf(cell) else cell
