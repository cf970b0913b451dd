"""What a step takes of the union of new and rehearsed rows (line 28), and which parameters decay (line 39)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from genreplay.core.contrastive import prepare
from genreplay.core.ingredient import MOST_ROWS, Ingredient, require_count
from genreplay.core.kernels import Array, VisibleRows, Workspace
from genreplay.core.rbm import RBM


@dataclass(frozen=True, repr=False)
class WholeUnion(Ingredient):
    """A step takes all rows, new and rehearsed: one step an epoch, as lines 26 to 40 have it.

    >>> [part.shape for part in WholeUnion().parts(np.zeros((400, 5)), np.random.default_rng(0))]
    [(400, 5)]
    """

    def ready(self, rbm: RBM, V: Array, work: Workspace) -> VisibleRows:
        """The union in the form that is quick to take parts of."""
        return prepare(rbm, V, work)

    def parts(self, V: VisibleRows, rng: np.random.Generator) -> Iterator[VisibleRows]:
        """What each step of an epoch takes."""
        yield V


@dataclass(frozen=True, repr=False)
class MiniBatches(WholeUnion):
    """Each step takes some of the rows, in an order that is drawn anew in every epoch. Another reading of the paper.

    >>> [part.shape for part in MiniBatches(150).parts(np.zeros((400, 5)), np.random.default_rng(0))]
    [(150, 5), (150, 5), (100, 5)]
    """

    n_rows: int = 100
    """of a step"""

    def __post_init__(self) -> None:
        require_count(self, "n_rows", MOST_ROWS)

    def ready(self, rbm: RBM, V: Array, work: Workspace) -> VisibleRows:
        return V  # a part is a copy, and made ready by its own step

    def parts(self, V: VisibleRows, rng: np.random.Generator) -> Iterator[VisibleRows]:
        assert isinstance(V, np.ndarray)
        order = rng.permutation(len(V))
        for start in range(0, len(V), self.n_rows):
            yield V[order[start : start + self.n_rows]]


@dataclass(frozen=True, repr=False)
class AllDecay(Ingredient):
    """All of Theta decays, biases too, as line 39 has it.

    >>> AllDecay().of_biases(0.0002)
    0.0002
    """

    def of_biases(self, weight_decay: float) -> float:
        """The decay of the biases, where that of the weights is ``weight_decay``."""
        return weight_decay


@dataclass(frozen=True, repr=False)
class WeightsDecay(AllDecay):
    """Only W decays, as is usual. Another reading of the paper.

    >>> WeightsDecay().of_biases(0.0002)
    0.0
    """

    def of_biases(self, weight_decay: float) -> float:
        return 0.0
