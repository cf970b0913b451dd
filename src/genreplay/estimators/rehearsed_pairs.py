"""Which pairs of the past are rehearsed beside a batch: a part of ``GenerativeReplayClassifier``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core.ingredient import MOST_ROWS, Ingredient, is_number, is_positive_int, require

Rows = npt.NDArray[np.floating[Any]]
Labels = npt.NDArray[Any]

ROWS_PER_LESSON = 500
"""that a new learner gets at once"""


class Pairs(NamedTuple):
    """Rows and their labels."""

    rows: Rows
    labels: Labels


class Past(NamedTuple):
    """What is known of the stream before a batch."""

    generator: Any
    learner: Any
    """None if there is none yet"""
    classes: Labels
    counts: npt.NDArray[np.int64]
    """rows seen of each class"""

    @property
    def n_rows(self) -> int:
        return int(self.counts.sum())


@dataclass(frozen=True, repr=False)
class RehearsedPairs(Ingredient):
    """Pairs of the generator, each label as often as in the past.

    >>> import numpy as np
    >>> from genreplay import GenerativeReplayClassifier, InfiniteMemory, RehearsedPairs
    >>> half = RehearsedPairs(rows_per_new=0.5)
    >>> model = GenerativeReplayClassifier(generator=InfiniteMemory(), rehearsal=half, random_state=0)
    >>> for label in (0, 1, 2):
    ...     model = model.partial_fit(np.eye(3).repeat(4, axis=0), [label] * 12, classes=[0, 1, 2])
    ...     print(model.n_rehearsed_)
    0
    6
    6
    """

    rows_per_new: float = 8.0
    """pairs for each row of a batch"""
    shares: Literal["past", "equal"] = "past"
    """"past": each label as often as in the past; "equal": all labels equally often"""
    n_relearn: int = 10_000
    """pairs, at most, that teach a new learner when a label comes that was not announced"""

    def __post_init__(self) -> None:
        holds = self.rows_per_new == 0 or is_number(self.rows_per_new, above=0)
        require(self, "rows_per_new", "a number, 0 or more", holds)
        require(self, "shares", "'past' or 'equal'", self.shares in ("past", "equal"))
        require(self, "n_relearn", "a positive int", is_positive_int(self.n_relearn, most=MOST_ROWS))

    def pairs(self, rows: Rows, labels: Labels, past: Past, rng: np.random.Generator) -> Pairs:
        """The pairs to rehearse beside a batch."""
        return self.recall(round(self.rows_per_new * len(rows)), past, rng)

    def lessons(self, past: Past, rng: np.random.Generator) -> Iterator[Pairs]:
        """The pairs that teach a new learner the past, some at a time: as many as the one before it has learned."""
        n_left = min(round((1 + self.rows_per_new) * past.n_rows), self.n_relearn)
        while n_left > 0:
            found = self.recall(min(n_left, ROWS_PER_LESSON), past, rng)
            if len(found.rows) == 0:
                return
            yield found
            n_left -= len(found.rows)

    def recall(self, n: int, past: Past, rng: np.random.Generator) -> Pairs:
        """Some pairs of the past; none if nothing of it can be generated."""
        known = past.counts > 0
        if n and known.any():
            known &= np.isin(past.classes, past.generator.classes_)
        if not (n and known.any()):
            return Pairs(np.empty((0, 0)), past.classes[:0])
        weights = past.counts[known] if self.shares == "past" else np.ones(known.sum())
        labels = past.classes[known][systematic(weights, n, rng)]
        return Pairs(past.generator.sample(n, y=labels, random_state=int(rng.integers(2**31))), labels)


@dataclass(frozen=True, repr=False)
class RelabelledPairs(RehearsedPairs):
    """The same rows with the labels that the learner itself gives them, before it learns the batch.

    So the learner is held to what it has learned, right or wrong. A new learner is taught by the one before it.

    >>> from sklearn.neural_network import MLPClassifier
    >>> from genreplay import GenerativeReplayClassifier, RelabelledPairs
    >>> GenerativeReplayClassifier(MLPClassifier(), rehearsal=RelabelledPairs(rows_per_new=4))
    GenerativeReplayClassifier(estimator=MLPClassifier(), rehearsal=RelabelledPairs(rows_per_new=4))
    """

    def recall(self, n: int, past: Past, rng: np.random.Generator) -> Pairs:
        found = super().recall(n, past, rng)
        if past.learner is None or len(found.rows) == 0:
            return found
        return found._replace(labels=past.learner.predict(found.rows))


@dataclass(frozen=True, repr=False)
class BoundaryPairs(RehearsedPairs):
    """Of several times as many pairs, those whose labels the learner is least sure of, and as many others at random.

    Most dreams are typical of their label and teach little. The learner needs ``predict_proba``.

    >>> from sklearn.neural_network import MLPClassifier
    >>> from genreplay import BoundaryPairs, GenerativeReplayClassifier
    >>> GenerativeReplayClassifier(MLPClassifier(), rehearsal=BoundaryPairs(n_candidates=5))
    GenerativeReplayClassifier(estimator=MLPClassifier(), rehearsal=BoundaryPairs(n_candidates=5))
    """

    n_candidates: int = 3
    """pairs that are generated for each one that is rehearsed"""

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self, "n_candidates", "a positive int", is_positive_int(self.n_candidates, most=MOST_ROWS))

    def recall(self, n: int, past: Past, rng: np.random.Generator) -> Pairs:
        if past.learner is None:
            return super().recall(n, past, rng)
        found = super().recall(n * self.n_candidates, past, rng)
        if len(found.rows) == 0:
            return found
        places = np.searchsorted(past.learner.classes_, found.labels)
        sureness = past.learner.predict_proba(found.rows)[np.arange(len(places)), places]
        order = np.argsort(sureness, kind="stable")
        least, others = order[: n // 2], order[n // 2 :]
        chosen = np.concatenate([least, rng.choice(others, size=n - n // 2, replace=False)])
        return Pairs(found.rows[chosen], found.labels[chosen])


def systematic(weights: npt.NDArray[Any], n: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """``n`` indices, each as often as its weight says, to within one.

    >>> np.bincount(systematic(np.array([3, 1]), 8, np.random.default_rng(0)))
    array([6, 2])
    """
    ends = np.cumsum(weights) / np.sum(weights)
    return np.searchsorted(ends[:-1], (np.arange(n) + rng.random()) / n, side="right")
