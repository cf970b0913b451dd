"""A pool of dreams: generative replay with a longer memory (not in the paper)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from genreplay.core.ingredient import MOST_ROWS, is_number, require, require_count
from genreplay.core.kernels import Array
from genreplay.core.model_arrays import Form, check_arrays, check_room
from genreplay.core.model_file import MOST_COUNTED
from genreplay.core.rbm import RBM
from genreplay.core.replay.base import Arrays, Past, Replay


@dataclass(frozen=True, repr=False)
class DreamPool(Replay):
    """Rehearse dreams of the whole past: a pool of the model's own states that is renewed ever more slowly.

    A model that rehearses what it dreams now forgets at a fixed pace, since every update makes the new batch a part of
    its dreams. The pool keeps dreams for a while. They are states of the persistent chains, one bit a unit. Every
    update replaces some of them, as many as it takes to renew the pool while the stream grows by the share ``renewal``:
    the older the stream, the longer the memory, in the same bytes. No row of the stream gets in.

    Examples
    --------
    >>> import numpy as np
    >>> from genreplay import DreamPool
    >>> from genreplay.core import rbm
    >>> rng = np.random.default_rng(0)
    >>> model = rbm.init(n_visible=784, n_hidden=500, rng=rng)
    >>> pool = DreamPool(size=1000).start(model)
    >>> pool.remember(np.zeros((100, 784)), rng, chains=np.ones((200, 784)))
    >>> pool.recall(3, model, rng).sum(), pool.nbytes
    (np.float32(2352.0), 98000)
    """

    needs_chains: ClassVar[bool] = True

    size: int = 4_000
    """dreams in the pool"""
    renewal: float = 0.2
    """by which share of its length the stream grows while the pool is renewed once"""

    def __post_init__(self) -> None:
        require_count(self, "size", MOST_ROWS)
        require(self, "renewal", "a positive number", is_number(self.renewal, above=0))

    def start(self, model: RBM) -> Past:
        return Pool(self, model)


class Pool:
    """The dreams of one learner, in bits."""

    def __init__(self, settings: DreamPool, model: RBM) -> None:
        self._settings = settings
        check_room(settings.size * -(-model.n_visible // 8), f"{settings.size:,} dreams")
        self._dreams: npt.NDArray[np.uint8] = np.zeros((settings.size, -(-model.n_visible // 8)), dtype=np.uint8)
        self._n_learned = 0
        """rows learned so far"""
        self.n_held = 0
        """dreams held so far"""

    @property
    def nbytes(self) -> int:
        return self._dreams.nbytes

    def recall(self, n: int, model: RBM, rng: np.random.Generator) -> Array:
        drawn = self._dreams[rng.integers(self.n_held, size=n)] if self.n_held else self._dreams[:0]
        return _unpacked(drawn, model)

    def dreams(self, model: RBM) -> Array:
        """All that it holds."""
        return _unpacked(self._dreams[: self.n_held], model)

    def remember(self, rows: Array, rng: np.random.Generator, chains: Array | None = None) -> None:
        assert chains is not None, "a Recipe sees to it that a DreamPool has chains"
        size = self._settings.size
        self._n_learned += len(rows)
        n_new = min(size * len(rows) / (self._settings.renewal * self._n_learned), size)
        n_free = size - self.n_held
        n = int(n_new + rng.random()) if n_free == 0 else n_free  # rounded at random, because it may be less than one
        n = min(n, len(chains), size)
        slots = rng.choice(size, size=n, replace=False) if n_free == 0 else np.arange(self.n_held, self.n_held + n)
        self._dreams[slots] = np.packbits(chains[rng.choice(len(chains), size=n, replace=False)] > 0.5, axis=1)
        self.n_held = max(self.n_held, int(slots.max(initial=-1)) + 1)

    def dump(self) -> Arrays:
        return {"dreams": self._dreams[: self.n_held], "n_learned": np.array([self._n_learned])}

    def restore(self, arrays: Arrays) -> None:
        size, n_bytes = self._dreams.shape
        n_learned = Form("int64", (1,), 0, MOST_COUNTED)
        check_arrays(arrays, dreams=Form("uint8", (None, n_bytes)), n_learned=n_learned)
        if len(arrays["dreams"]) > size:
            raise ValueError(f"It has {len(arrays['dreams'])} dreams, but DreamPool has room for {size}.")
        self.n_held = len(arrays["dreams"])
        self._dreams[: self.n_held] = arrays["dreams"]
        self._n_learned = int(arrays["n_learned"][0])


def _unpacked(dreams: npt.NDArray[np.uint8], model: RBM) -> Array:
    return np.unpackbits(dreams, axis=1, count=model.n_visible).astype(model.W.dtype)
