"""The protocol of replay: a strategy describes what is rehearsed; what it holds of the past belongs to one learner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from genreplay.core.ingredient import Ingredient
from genreplay.core.kernels import Array
from genreplay.core.model_arrays import check_arrays
from genreplay.core.rbm import RBM

Arrays = Mapping[str, npt.NDArray[np.generic]]


class Past(Protocol):
    """What a learner can rehearse.

    >>> from genreplay import MemoryReplay
    >>> from genreplay.core import rbm
    >>> rng = np.random.default_rng(0)
    >>> model = rbm.init(n_visible=4, n_hidden=2, rng=rng)
    >>> past: Past = MemoryReplay(capacity=10).start(model)
    >>> past.remember(np.ones((20, 4), dtype=np.float32), rng)
    >>> past.recall(3, model, rng).shape
    (3, 4)
    """

    @property
    def nbytes(self) -> int:
        """The bytes of past that it holds."""
        ...

    def recall(self, n: int, model: RBM, rng: np.random.Generator) -> Array:
        """Return ``n`` rows of the past, values in [0, 1], or none if there is no past."""
        ...

    def remember(self, rows: Array, rng: np.random.Generator, chains: Array | None = None) -> None:
        """Take note of a batch that has been learned, and of the states of the persistent chains, if any."""
        ...

    def dump(self) -> Arrays:
        """What it holds, for a file."""
        ...

    def restore(self, arrays: Arrays) -> None:
        """Take back what ``dump`` gave, or raise a ``ValueError``: a file may hold anything."""
        ...


class Replay(Ingredient):
    """A base for replay strategies. One that holds nothing is its own past, and needs to write only ``recall``.

    >>> from genreplay import DreamPool, GenerativeReplay, MemoryReplay
    >>> [strategy.needs_chains for strategy in (GenerativeReplay(), MemoryReplay(), DreamPool())]
    [False, False, True]
    """

    needs_chains: ClassVar[bool] = False
    """whether it rehearses states of persistent chains"""
    keeps_bits: ClassVar[bool] = False
    """whether it can hold only rows of 0 and 1"""
    nbytes: ClassVar[int] = 0

    def start(self, model: RBM) -> Past:
        """The past of a new learner: nothing yet."""
        return self

    def recall(self, n: int, model: RBM, rng: np.random.Generator) -> Array:
        """Return ``n`` rows of the past."""
        raise NotImplementedError

    def remember(self, rows: Array, rng: np.random.Generator, chains: Array | None = None) -> None:
        """Nothing is remembered."""

    def dump(self) -> Arrays:
        return {}

    def restore(self, arrays: Arrays) -> None:
        """Nothing was held."""
        check_arrays(arrays)
