"""The detector and the classifiers with River's interface: one dict at a time. Needs the extra ``river``."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, Self, TypeVar

import numpy as np
from river import base
from sklearn.base import clone

from genreplay.core.recipe import MODERN
from genreplay.estimators.classifier import OnlineRBMClassifier
from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.estimators.replay_classifier import GenerativeReplayClassifier
from genreplay.estimators.series import series_detector
from genreplay.streams import columns
from genreplay.streams.cells import Kind
from genreplay.streams.encoder import TableEncoder

Result = TypeVar("Result")


class _Columns(NamedTuple):
    """The features of the dicts of a warm-up, in order, and the kinds of their cells."""

    features: list[Hashable]
    kinds: list[Kind]

    @classmethod
    def of(cls, rows: Sequence[Mapping[Hashable, object]], given: Mapping[Any, Kind] | None) -> Self:
        features = _in_order({name for row in rows for name in row})
        columns_of_cells = zip(*([_finite(row.get(name)) for name in features] for row in rows), strict=True)
        found = zip(features, columns_of_cells, strict=True)
        return cls(features, [(given or {}).get(name) or columns.kind_of(column) for name, column in found])

    def cells(self, x: Mapping[Hashable, object]) -> list[object]:
        """The cells of a row."""
        return list(map(x.get, self.features))

    def readable(self, x: Mapping[Hashable, object]) -> list[object]:
        """The cells of a row, None in place of those that their feature's kind refuses, such as text among numbers."""
        cells = zip(map(_finite, self.cells(x)), self.kinds, strict=True)
        return [cell if columns.is_readable(cell, kind) else None for cell, kind in cells]


class RBMDetector(base.AnomalyDetector):
    """Anomaly detection by an RBM that learns online and stores no observation.

    The dicts of the detector's warm-up fix the features and their codes; they wait until then and are learned after.
    Later, a feature that is missing or cannot be read counts as unknown, and a new one is ignored. The score is -log p,
    where p says how often a row of the stream is as strange: 0 for the most usual rows and before anything is learned,
    4.6 where that is one row in a hundred. A row that is scored and then learned is coded only once.

    With a detector for a series, such as ``series_detector()``, the score is the anomaly that the row would have as the
    next one of the series; ``learn_one`` then makes it the next one. ``alarm`` says whether it raised an alarm.

    Parameters
    ----------
    detector
        The detector to learn with; None for ``OnlineRBMDetector()``.
    seed
        Seed of everything random; None for the detector's own.

    Examples
    --------
    >>> import random
    >>> from genreplay import OnlineRBMDetector
    >>> from genreplay.estimators.river import RBMDetector
    >>> rng = random.Random(0)
    >>> model = RBMDetector(OnlineRBMDetector(warm_up=200), seed=1)
    >>> for _ in range(2000):
    ...     model.learn_one({"speed": rng.gauss(50, 5), "gear": rng.choice("234")})
    >>> model.score_one({"speed": 51.0, "gear": "3"}) < 4.6 < model.score_one({"speed": 140.0, "gear": "R"})
    True

    A series, and the row at which it raises an alarm:

    >>> from genreplay import series_detector
    >>> model = RBMDetector(series_detector(warm_up=200), seed=1)
    >>> for i in range(1000):
    ...     model.learn_one({"load": 95.0 if 800 <= i < 810 else rng.gauss(50, 5)})
    ...     if model.alarm:
    ...         print("alarm at", i)
    alarm at 800
    """

    def __init__(self, detector: OnlineRBMDetector | None = None, seed: int | None = None) -> None:
        self.detector = detector
        self.seed = seed
        self._waiting: list[dict[Hashable, object]] = []
        self._columns = _Columns([], [])
        self._started: OnlineRBMDetector | None = None

    @classmethod
    def _unit_test_params(cls) -> Any:
        yield {"detector": OnlineRBMDetector(warm_up=50), "seed": 1}
        yield {"detector": series_detector(warm_up=50), "seed": 1}

    def learn_one(self, x: dict[Hashable, Any]) -> None:
        """Learn one more row; an update fires each time the model's batch is full."""
        if self._started is not None:
            self._with_cells(self._started.learn_one, x)
            return
        self._waiting.append(dict(x))
        detector = OnlineRBMDetector() if self.detector is None else self.detector
        if len(self._waiting) >= (detector.warm_up or (detector.encoder or TableEncoder()).warm_up):
            self._begin(clone(detector))

    def score_one(self, x: dict[Hashable, Any]) -> float:
        """Return how surprising a row is, in nats, or its anomaly in a series; high = anomalous. Nothing is changed."""
        detector = self._started
        if detector is None or not detector.is_ready_:
            return 0.0
        return self._with_cells(detector.surprise_one if detector.alarms is None else detector.anomaly_one, x)

    @property
    def alarm(self) -> bool:
        """Whether the row that was learned last raised an alarm; never in the warm-up."""
        return self._started is not None and self._started.alarm_

    def _begin(self, detector: OnlineRBMDetector) -> None:
        """Fix the features and their kinds, and learn the dicts that wait."""
        if not any(self._waiting):  # nothing to learn from yet
            self._waiting = []
            return
        encoder = detector.encoder or TableEncoder()
        self._columns = _Columns.of(self._waiting, encoder.kinds)
        kinds = dict(enumerate(self._columns.kinds))
        detector.set_params(encoder=encoder.set_params(kinds=kinds), warm_up=len(self._waiting))
        if self.seed is not None:
            detector.set_params(random_state=self.seed)
        self._started = detector.partial_fit([self._columns.readable(row) for row in self._waiting])
        self._waiting = []

    def _with_cells(self, function: Callable[[Sequence[object]], Result], x: dict[Hashable, Any]) -> Result:
        """Call a function with the cells of a row in the order of the features; None for those that it refuses."""
        try:
            return function(self._columns.cells(x))
        except (TypeError, ValueError):
            return function(self._columns.readable(x))


class RBMClassifier(base.Classifier):
    """Classification by RBMs that learn online and store no observation.

    The dicts of the encoder's warm-up fix the features and their codes; they wait until then and are learned after.
    Later rows wait until a batch is full. Labels may be of any kind and appear at any time. Before anything is learned,
    the probabilities are the shares of the labels. A feature that is missing or cannot be read counts as unknown, and a
    new one is ignored.

    Parameters
    ----------
    classifier
        The classifier of bits to learn with, such as ``GenerativeReplayClassifier(MLPClassifier())``; None for
        ``OnlineRBMClassifier()``.
    encoder
        What turns rows into bits; None for ``TableEncoder()``.
    batch_size
        Rows that the classifier gets at once.
    seed
        Seed of everything random; None for the classifier's own.

    Examples
    --------
    >>> import random
    >>> from genreplay import TableEncoder
    >>> from genreplay.estimators.river import RBMClassifier
    >>> rng = random.Random(0)
    >>> model = RBMClassifier(encoder=TableEncoder(warm_up=200), seed=1)
    >>> for label, mean in (("slow", 40), ("fast", 90)):  # one label after the other
    ...     for _ in range(500):
    ...         model.learn_one({"speed": rng.gauss(mean, 5), "gear": rng.choice("234")}, label)
    >>> model.predict_one({"speed": 41.0, "gear": "3"}), model.predict_one({"speed": 88.0, "gear": "3"})
    ('slow', 'fast')
    """

    def __init__(
        self,
        classifier: Any = None,
        encoder: TableEncoder | None = None,
        batch_size: int = 100,
        seed: int | None = None,
    ) -> None:
        self.classifier = classifier
        self.encoder = encoder
        self.batch_size = batch_size
        self.seed = seed
        self._waiting: list[tuple[dict[Hashable, object], int]] = []
        self._labels: list[Any] = []
        self._counts: list[int] = []
        self._columns: _Columns | None = None
        self._coder: Any = None
        self._started: Any = None

    @classmethod
    def _unit_test_params(cls) -> Any:
        quick = MODERN.replace(n_epochs=1, negative__n_chains=20)
        classes = OnlineRBMClassifier(4, recipe=quick, batch_size=20)
        for classifier in (classes, GenerativeReplayClassifier(generator=classes)):
            yield {"classifier": classifier, "encoder": TableEncoder(warm_up=50), "batch_size": 20, "seed": 1}

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: dict[Hashable, Any], y: Any) -> None:
        """Learn one more row; the classifier gets it when a batch is full."""
        if y not in self._labels:
            self._labels.append(y)
            self._counts.append(0)
        label = self._labels.index(y)
        self._counts[label] += 1
        self._waiting.append((dict(x), label))
        if self._started is None:
            if len(self._waiting) >= self._new_encoder().warm_up:
                self._begin()
        elif len(self._waiting) >= self.batch_size:
            self._learn()

    def predict_proba_one(self, x: dict[Hashable, Any], **options: Any) -> dict[Any, float]:
        """Return the probability of each label seen; nothing before the first. Nothing is changed."""
        if self._started is None:
            shares = np.array(self._counts) / max(sum(self._counts), 1)
        else:
            shares = np.zeros(len(self._labels))
            shares[self._started.classes_] = self._started.predict_proba(self._bits([x]))[0]
        return dict(zip(self._labels, (shares / shares.sum()).tolist() if len(shares) else [], strict=True))

    def _new_encoder(self) -> TableEncoder:
        return TableEncoder() if self.encoder is None else clone(self.encoder)

    def _begin(self) -> None:
        """Fix the features, their kinds and codes, and learn the rows that wait."""
        rows = [x for x, _ in self._waiting]
        if not any(rows):  # nothing to learn from yet
            self._waiting = []
            return
        encoder = self._new_encoder()
        self._columns = _Columns.of(rows, encoder.kinds)
        encoder.set_params(kinds=dict(enumerate(self._columns.kinds)))
        self._coder = encoder.fit([self._columns.readable(x) for x in rows])
        self._started = OnlineRBMClassifier() if self.classifier is None else clone(self.classifier)
        if self.seed is not None:
            self._started.set_params(random_state=self.seed)
        while self._waiting:
            self._learn()

    def _learn(self) -> None:
        batch, self._waiting = self._waiting[: self.batch_size], self._waiting[self.batch_size :]
        self._started.partial_fit(self._bits([x for x, _ in batch]), np.array([label for _, label in batch]))

    def _bits(self, rows: Sequence[Mapping[Hashable, object]]) -> Any:
        assert self._columns is not None
        return self._coder.transform([self._columns.readable(x) for x in rows])


def _in_order(names: set[Hashable]) -> list[Hashable]:
    """The names in an order that does not depend on that of the dicts, also where names cannot be compared.

    >>> _in_order({"b", 10, 9, "a"}), _in_order({("x", 1), (1, "x")})
    ([9, 10, 'a', 'b'], [('x', 1), (1, 'x')])
    """
    try:
        return sorted(names, key=lambda name: (type(name).__name__, name))
    except TypeError:
        return sorted(names, key=lambda name: (type(name).__name__, repr(name)))


def _finite(cell: object) -> object:
    return None if isinstance(cell, float) and math.isinf(cell) else cell
