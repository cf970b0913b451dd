"""The demo's story: handwritten digits arrive class by class, and five learners are asked what they still dream of.

Nobody is told where a class begins, and no class comes back. One learner is the default recipe, four have the paper's
settings and differ in what they rehearse: dreams, all rows seen, as many rows as the model's parameters have bytes, or
nothing. After each class every learner dreams, and each dream counts for the class of its nearest training rows, or for
none if it is further from them than nearly all new digits are. Only this judge looks at rows again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay import datasets
from genreplay.core import MODERN, PAPER
from genreplay.core.recipe import Recipe
from genreplay.estimators import OnlineRBM
from genreplay.experiments.paper.fig3 import differing_bits, shares_by_neighbours
from genreplay.experiments.paper.likelihood import evaluate
from genreplay.experiments.paper.online import strategy
from genreplay.formatting import fine_percent, listed, number, percent, thousands

N_HIDDEN = 50
BATCH_SIZE = 10
"""a class has about 140 rows: with the usual 100, it would be one update"""
N_DREAMS = 400
"""that are classified after each class"""
N_GIBBS = 100
"""Gibbs steps of a dream, the same for all: what the model knows, not how fast its chains move"""
N_NEIGHBOURS = 5
"""training rows that vote on the class of a dream"""
USUAL = 0.99
"""a dream is a digit if it is as near to these rows as this share of new digits"""
N_TEMPERATURES = 1_450
"""of log Z, annealed both ways"""
KEPT = 24
"""dreams of a chapter that are kept, to be looked at"""


class Learner(NamedTuple):
    """Who learns in the story."""

    title: str
    past: str
    """what it rehearses"""
    recipe: Recipe


LEARNERS = (
    Learner("genreplay", "its dreams", MODERN),
    Learner("the paper's OCD_GR", "its dreams", PAPER),
    Learner("ER-IM", "all rows, stored", PAPER.replace(replay=strategy("ER-IM"))),
    Learner("ER-ML", "a few stored rows", PAPER.replace(replay=strategy("ER-ML"))),
    Learner("no replay", "nothing", PAPER.replace(replay=strategy("no replay"))),
)


class Chapter(NamedTuple):
    """What one learner dreams of after one more class."""

    learner: Learner
    n_classes: int
    """that it has seen"""
    dreams: npt.NDArray[np.uint8]
    """some of them, rows of bits"""
    shares: list[float]
    """of all ten classes in its dreams; what is no digit counts for none of them"""


class Ending(NamedTuple):
    """How well one learner knows new digits of all classes, and what it holds."""

    learner: Learner
    nats: float
    """mean log-likelihood of test rows"""
    error: float
    """of the estimate of log Z"""
    doubt: str
    """why log Z is unknown; empty if it stands"""
    n_stored: int
    """rows of the stream that it keeps"""
    n_bytes: int
    """held between two updates, without work space"""

    @property
    def likelihood(self) -> str:
        """In words."""
        return "unknown nats" if self.doubt else f"{number(self.nats)} nats"


def tell(
    seed: int, n_dreams: int = N_DREAMS, n_temperatures: int = N_TEMPERATURES, n_rows: int | None = None
) -> Iterator[Chapter | Ending]:
    """Let the classes come in turn: a chapter for each learner after each class, and an ending for each.

    ``n_rows`` takes only so many rows of a class, for a short form.

    >>> first = next(tell(seed=0, n_dreams=50))
    >>> first.learner.title, first.n_classes, first.dreams.shape
    ('genreplay', 1, (24, 64))
    >>> first.shares[0] > 0.9
    True
    """
    data = datasets.load("digits", seed=seed)
    labels = data.train_labels
    assert labels is not None
    models = [OnlineRBM(N_HIDDEN, recipe=each.recipe, batch_size=BATCH_SIZE, random_state=seed) for each in LEARNERS]
    usual = float(np.quantile(distances(data.test.astype(np.float32), data.train), USUAL))
    classes = np.unique(labels)
    for n_classes, label in enumerate(classes, start=1):
        for learner, model in zip(LEARNERS, models, strict=True):
            model.partial_fit(data.train[labels == label][:n_rows])
            if n_classes == len(classes):
                model.flush()
            dreams = model.sample(n_dreams, n_gibbs=N_GIBBS)
            shares = class_shares(dreams, data.train, labels, usual)
            yield Chapter(learner, n_classes, dreams[:KEPT].astype(np.uint8), shares)
    for learner, model in zip(LEARNERS, models, strict=True):
        found = evaluate(model, data.test, data.test_labels, n_temperatures, seed)
        n_stored = getattr(model.state_.past, "n_rows", 0)  # only a memory has rows
        yield Ending(learner, found.nats, found.error, found.doubt, n_stored, model.nbytes.total - model.nbytes.work)


def class_shares(
    dreams: npt.NDArray[np.floating], rows: datasets.Bits, labels: npt.NDArray[np.integer], usual: float
) -> list[float]:
    """The share of each class in the dreams; one that is further than ``usual`` from the rows counts for no class.

    >>> rows, labels = np.repeat(np.eye(2, 8, dtype=np.uint8), 5, axis=0), np.repeat([0, 1], 5)
    >>> class_shares(np.array([[1.0, 0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1, 1, 1]]), rows, labels, usual=2)
    [0.5, 0.0]
    """
    near = dreams[distances(dreams, rows) <= usual]
    votes = shares_by_neighbours(near, rows, labels, N_NEIGHBOURS).sum(axis=0)
    return (votes / len(dreams)).tolist()  # type: ignore[no-any-return]


def distances(dreams: npt.NDArray[np.floating], rows: datasets.Bits) -> npt.NDArray[np.floating]:
    """How many bits differ between each dream and its fifth nearest row.

    >>> distances(np.ones((1, 3), dtype=np.float32), np.ones((5, 3), dtype=np.uint8))
    array([0.], dtype=float32)
    """
    return np.partition(differing_bits(dreams, rows), N_NEIGHBOURS - 1, axis=1)[:, N_NEIGHBOURS - 1]


def verdict(shares: Sequence[float]) -> str:
    """Which digits a learner that has seen all of them still dreams of: those with a third of a fair share or more.

    >>> verdict([0.1] * 10)
    'dreams of all 10 digits'
    >>> verdict([0.3, 0.3, 0.3, 0.02, 0.08, 0.01, 0.0, 0.0, 0.0, 0.0])
    'has lost 3 and 5 to 9'
    >>> verdict([0.1, 0.3, 0.0, 0.3, 0.0, 0.3, 0.0, 0.0, 0.3, 0.3])
    'has lost 2, 4, 6 and 7'
    """
    lost = [digit for digit, share in enumerate(shares) if share < 1 / (3 * len(shares))]
    if not lost:
        return f"dreams of all {len(shares)} digits"
    stretches: list[list[int]] = []
    for digit in lost:
        if stretches and digit == stretches[-1][-1] + 1:
            stretches[-1].append(digit)
        else:
            stretches.append([digit])
    named = [[f"{each[0]} to {each[-1]}"] if len(each) > 2 else each for each in stretches]
    return f"has lost {listed(chain.from_iterable(named))}"


def summary(chapters: Sequence[Chapter], endings: Sequence[Ending]) -> str:
    """What the default recipe remembers at the end, in two sentences."""
    ours, everything = endings[0], endings[2]
    shares = next(each.shares for each in reversed(chapters) if each.learner == ours.learner)
    return (
        f"{ours.learner.title} {verdict(shares)} and stores no row: the rarest one has {fine_percent(min(shares))} of "
        f"its dreams, a fair share is {percent(1 / len(shares))}. New digits get {ours.likelihood}; with all "
        f"{thousands(everything.n_stored)} rows stored and the paper's settings, {everything.likelihood}."
    )
