"""The detector with River's interface: one dict at a time, high = anomalous. Needs the extra ``river``."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, TypeVar

from river import base
from sklearn.base import clone

from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.estimators.series import series_detector
from genreplay.streams import columns
from genreplay.streams.cells import Kind
from genreplay.streams.encoder import TableEncoder

Result = TypeVar("Result")


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
        self._features: list[Hashable] = []
        self._kinds: list[Kind] = []
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
        names = {name for row in self._waiting for name in row}
        if not names:  # nothing to learn from yet
            self._waiting = []
            return
        self._features = _in_order(names)
        rows = [[_finite(row.get(name)) for name in self._features] for row in self._waiting]
        encoder = detector.encoder or TableEncoder()
        given: Mapping[Any, Kind] = encoder.kinds or {}
        self._kinds = [
            given.get(name) or columns.kind_of(column)
            for name, column in zip(self._features, zip(*rows, strict=True), strict=True)
        ]
        detector.set_params(encoder=encoder.set_params(kinds=dict(enumerate(self._kinds))), warm_up=len(rows))
        if self.seed is not None:
            detector.set_params(random_state=self.seed)
        self._started = detector.partial_fit([self._readable(row) for row in rows])
        self._waiting = []

    def _with_cells(self, function: Callable[[Sequence[object]], Result], x: dict[Hashable, Any]) -> Result:
        """Call a function with the cells of a row in the order of the features; None for those that it refuses."""
        cells = list(map(x.get, self._features))
        try:
            return function(cells)
        except (TypeError, ValueError):
            return function(self._readable(cells))

    def _readable(self, cells: Sequence[object]) -> list[object]:
        """The cells, None in place of those that their feature's kind refuses, such as text among numbers."""
        return [
            cell if columns.is_readable(cell, kind) else None for cell, kind in zip(cells, self._kinds, strict=True)
        ]


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
