"""What is rehearsed beside the newest batch (Algorithm 1, lines 11-23, and the rivals of section 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from numbers import Real
from typing import TYPE_CHECKING, Literal, Protocol, Self, cast, runtime_checkable

import numpy as np
import numpy.typing as npt

from genreplay.core.kernels import Array
from genreplay.core.rbm import RBM, dream

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Arrays = Mapping[str, npt.NDArray[np.generic]]
Constants = dict[str, int | float | str | bool | None]


def _positive(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value >= 1)


def _require(strategy: object, name: str, rule: str, holds: bool) -> None:
    if not holds:
        cls, value = type(strategy).__name__, getattr(strategy, name)
        raise ValueError(f"The {name!r} parameter of {cls} must be {rule}. Got {value!r} instead.")


@runtime_checkable
class Replay(Protocol):
    """A replay strategy. A user's object is only a description; ``start`` makes the copy that works for one model."""

    @property
    def n_samples(self) -> int | None:
        """n_Bhat, the rows rehearsed an update; None leaves the number to the learner's ``n_replay``."""
        ...

    @property
    def nbytes(self) -> int:
        """The bytes of past that it holds."""
        ...

    def start(self, model: RBM) -> Self:
        """Return a copy that has remembered nothing, sized for this model."""
        ...

    def recall(self, n: int, model: RBM, rng: np.random.Generator) -> Array:
        """Return ``n`` rows of the past, values in [0, 1], or none if there is no past."""
        ...

    def remember(self, rows: Array, rng: np.random.Generator, chains: Array | None = None) -> None:
        """Take note of a batch that has been learned, and of where the learner's persistent chains are, if any."""
        ...

    def settings(self) -> Constants:
        """The constructor's arguments, for a file."""
        ...

    def dump(self) -> Arrays:
        """What it holds, for a file."""
        ...

    def restore(self, arrays: Arrays) -> None:
        """Take back what ``dump`` gave."""
        ...


class Strategy:
    """A base for strategies: a dataclass that holds nothing needs to add only its fields and ``recall``."""

    n_samples: int | None = None

    def __post_init__(self) -> None:
        _require(self, "n_samples", "a positive int or None", self.n_samples is None or _positive(self.n_samples))

    @property
    def nbytes(self) -> int:
        return 0

    def start(self, model: RBM) -> Self:
        return self

    def remember(self, rows: Array, rng: np.random.Generator, chains: Array | None = None) -> None:
        pass

    def settings(self) -> Constants:
        return {f.name: getattr(self, f.name) for f in fields(cast("DataclassInstance", self)) if f.init}

    def dump(self) -> Arrays:
        return {}

    def restore(self, arrays: Arrays) -> None:
        pass


@dataclass(frozen=True, kw_only=True)
class GenerativeReplay(Strategy):
    """Dream the past: Gibbs samples of the model itself, started from h ~ U(0, 1) (lines 14-22).

    It remembers nothing, and that is the point of the method.

    Examples
    --------
    >>> import numpy as np
    >>> from genreplay import GenerativeReplay
    >>> from genreplay.core import rbm
    >>> rng = np.random.default_rng(0)
    >>> model = rbm.init(n_visible=6, n_hidden=4, rng=rng)
    >>> GenerativeReplay(n_gibbs=3).recall(5, model, rng).shape
    (5, 6)
    """

    n_samples: int | None = None
    """n_Bhat; None = the learner's n_replay"""
    n_gibbs: int = 1
    """n_Gs, the Gibbs steps of a dream"""

    def __post_init__(self) -> None:
        super().__post_init__()
        _require(self, "n_gibbs", "a positive int", _positive(self.n_gibbs))

    def recall(self, n: int, model: RBM, rng: np.random.Generator) -> Array:
        return dream(model, n, self.n_gibbs, rng)


@dataclass(eq=False, kw_only=True)
class DreamPool(Strategy):
    """Rehearse dreams of the whole past: a pool of the model's own states, renewed ever more slowly (not in the paper).

    A model that rehearses what it dreams now forgets at a fixed pace, since every update makes a new batch a part of
    its dreams. The pool keeps dreams for a while. They are states of the persistent chains, one bit a unit, and every
    update replaces some of them, as many as it takes to renew the pool while the stream grows by the share
    ``renewal``: the older the stream, the longer the memory, in the same bytes. No row of the stream gets in.

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

    size: int = 4_000
    """dreams in the pool"""
    renewal: float = 0.2
    """by which share of its length the stream grows while the pool is renewed once"""
    n_samples: int | None = None
    """n_Bhat; None = the learner's n_replay"""
    n_learned: int = field(default=0, init=False, repr=False)
    """rows learned so far"""
    n_held: int = field(default=0, init=False, repr=False)
    """dreams held so far"""
    _pool: npt.NDArray[np.uint8] = field(
        default_factory=lambda: np.empty((0, 0), dtype=np.uint8), init=False, repr=False
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        _require(self, "size", "a positive int", _positive(self.size))
        _require(self, "renewal", "a positive number", isinstance(self.renewal, Real) and 0 < self.renewal < np.inf)

    @property
    def nbytes(self) -> int:
        return self._pool.nbytes

    def start(self, model: RBM) -> Self:
        started = type(self)(**self.settings())  # type: ignore[arg-type]
        started._pool = np.zeros((self.size, -(-model.n_visible // 8)), dtype=np.uint8)
        return started

    def recall(self, n: int, model: RBM, rng: np.random.Generator) -> Array:
        drawn = self._pool[rng.integers(self.n_held, size=n)] if self.n_held else self._pool[:0]
        return np.unpackbits(drawn, axis=1, count=model.n_visible).astype(model.W.dtype)

    def remember(self, rows: Array, rng: np.random.Generator, chains: Array | None = None) -> None:
        if chains is None:
            raise ValueError("DreamPool keeps states of persistent chains: set negative to 'chains' or 'both'.")
        self.n_learned += len(rows)
        n_new = self.size * len(rows) / (self.renewal * self.n_learned)
        n_free = self.size - self.n_held
        n = int(n_new + rng.random()) if n_free == 0 else n_free  # rounded at random, for it may be less than one
        n = min(n, len(chains), self.size)
        slots = rng.choice(self.size, size=n, replace=False) if n_free == 0 else np.arange(self.n_held, self.n_held + n)
        self._pool[slots] = np.packbits(chains[rng.choice(len(chains), size=n, replace=False)] > 0.5, axis=1)
        self.n_held = max(self.n_held, int(slots.max(initial=-1)) + 1)

    def dump(self) -> Arrays:
        return {"dreams": self._pool[: self.n_held], "n_learned": np.array([self.n_learned])}

    def restore(self, arrays: Arrays) -> None:
        self.n_held = len(arrays["dreams"])
        self._pool[: self.n_held] = arrays["dreams"]
        self.n_learned = int(arrays["n_learned"][0])


@dataclass(frozen=True, kw_only=True)
class NoReplay(Strategy):
    """Rehearse nothing: plain online contrastive divergence.

    Examples
    --------
    >>> from genreplay import NoReplay, OnlineRBM
    >>> OnlineRBM(replay=NoReplay()).replay
    NoReplay()
    """

    def recall(self, n: int, model: RBM, rng: np.random.Generator) -> Array:
        return np.empty((0, model.n_visible), dtype=model.W.dtype)


@dataclass(eq=False, kw_only=True)
class MemoryReplay(Strategy):
    """Store past rows and rehearse some of them, drawn uniformly (section 4.2).

    The default is the paper's ER-ML: as many rows as fit in the bytes of the model's parameters when both are kept in
    the same number type, the oldest discarded when full. ``capacity="infinite"`` is ER-IM. Rows are drawn with
    replacement, so that an update rehearses the n_Bhat rows that line 39 divides by, however few are stored.

    Examples
    --------
    >>> import numpy as np
    >>> from genreplay import MemoryReplay
    >>> from genreplay.core import rbm
    >>> model = rbm.init(n_visible=784, n_hidden=500, rng=np.random.default_rng(0))
    >>> MemoryReplay().start(model).max_rows, MemoryReplay(packed=True).start(model).max_rows
    (501, 16052)
    """

    capacity: int | Literal["parameters", "infinite"] = "parameters"
    """a number of rows; or "parameters": what fits in the bytes of Theta; or "infinite" """
    capacity_bytes: int | None = None
    """a number of bytes, in place of ``capacity``"""
    policy: Literal["oldest", "reservoir"] = "oldest"
    """what makes room when full: discard the oldest, or keep a uniform sample of all rows seen (Vitter's R)"""
    packed: bool = False
    """keep each 0/1 value in one bit: 32 times the rows in the bytes of float32"""
    n_samples: int | None = None
    """n_Bhat; None = the learner's n_replay"""
    max_rows: int | None = field(default=None, init=False, repr=False)
    """the rows that fit, None for no limit; known once started"""
    n_seen: int = field(default=0, init=False, repr=False)
    """the rows remembered so far, kept or not"""
    _buffer: npt.NDArray[np.generic] = field(default_factory=lambda: np.empty((0, 0)), init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        named = self.capacity in ("parameters", "infinite")
        _require(self, "capacity", "a positive int, 'parameters' or 'infinite'", named or _positive(self.capacity))
        in_bytes = _positive(self.capacity_bytes) and self.capacity == "parameters"
        _require(
            self,
            "capacity_bytes",
            "None, or a positive int in place of capacity",
            self.capacity_bytes is None or in_bytes,
        )
        _require(self, "packed", "a bool", isinstance(self.packed, bool))
        _require(self, "policy", "'oldest' or 'reservoir'", self.policy in ("oldest", "reservoir"))

    def start(self, model: RBM) -> Self:
        started = type(self)(**self.settings())  # type: ignore[arg-type]
        row = started._encode(np.zeros((1, model.n_visible), dtype=model.W.dtype))
        started.max_rows = self._row_limit(row.nbytes, model)
        started._buffer = np.empty((0, row.shape[1]), dtype=row.dtype)
        return started

    def _row_limit(self, row_bytes: int, model: RBM) -> int | None:
        if isinstance(self.capacity, str):
            if self.capacity == "infinite":
                return None
            n_bytes = model.nbytes if self.capacity_bytes is None else self.capacity_bytes
            _require(self, "capacity_bytes", f"at least the {row_bytes} bytes of one row", n_bytes >= row_bytes)
            return n_bytes // row_bytes
        return int(self.capacity)

    @property
    def n_rows(self) -> int:
        """The rows held now."""
        return self.n_seen if self.max_rows is None else min(self.n_seen, self.max_rows)

    @property
    def nbytes(self) -> int:
        """The bytes of the row buffer; it doubles, up to the limit, as rows come."""
        return self._buffer.nbytes

    def recall(self, n: int, model: RBM, rng: np.random.Generator) -> Array:
        drawn = self._buffer[rng.integers(self.n_rows, size=n)] if self.n_rows else self._buffer[:0]
        rows = np.unpackbits(drawn.view(np.uint8), axis=1, count=model.n_visible) if self.packed else drawn
        return rows.astype(model.W.dtype, copy=False)

    def remember(self, rows: Array, rng: np.random.Generator, chains: Array | None = None) -> None:
        encoded = self._encode(rows)
        self._make_room(self.n_seen + len(rows))
        order = np.arange(self.n_seen, self.n_seen + len(rows))
        if self.max_rows is None:
            slots = order
        elif self.policy == "oldest":
            slots = order % self.max_rows
        else:
            # Vitter's algorithm R: the row that is the (i+1)-th to come is kept with probability max_rows / (i+1).
            slots = np.where(order < self.max_rows, order, rng.integers(order + 1))
        kept = slots < len(self._buffer)
        # Where two rows of a batch fall on one slot, NumPy's assignment lets the later one stay, as it should.
        self._buffer[slots[kept]] = encoded[kept]
        self.n_seen += len(rows)

    def _make_room(self, n_rows: int) -> None:
        """Double the buffer until it takes ``n_rows`` or reaches the limit: an amortised constant cost a row."""
        size = 1 << max(n_rows - 1, 63).bit_length()
        size = size if self.max_rows is None else min(size, self.max_rows)
        if size > len(self._buffer):
            larger = np.zeros((size, self._buffer.shape[1]), dtype=self._buffer.dtype)
            larger[: self.n_rows] = self._buffer[: self.n_rows]
            self._buffer = larger

    def _encode(self, rows: Array) -> npt.NDArray[np.generic]:
        if not self.packed:
            return rows
        if not ((rows == 0) | (rows == 1)).all():
            raise ValueError("MemoryReplay(packed=True) keeps bits, but a row has values other than 0 and 1.")
        return np.packbits(rows.astype(bool), axis=1)

    def dump(self) -> Arrays:
        return {"rows": self._buffer[: self.n_rows], "n_seen": np.array([self.n_seen])}

    def restore(self, arrays: Arrays) -> None:
        self.n_seen = 0
        self._make_room(len(arrays["rows"]))
        self._buffer[: len(arrays["rows"])] = arrays["rows"]
        self.n_seen = int(arrays["n_seen"][0])


BY_NAME: dict[str, Replay] = {
    "generative": GenerativeReplay(),
    "dream-pool": DreamPool(),
    "limited-memory": MemoryReplay(),
    "infinite-memory": MemoryReplay(capacity="infinite"),
    "none": NoReplay(),
}
"""The strategies that can be asked for by name: OCD_GR, a pool of dreams, ER-ML, ER-IM and no replay."""

CLASSES: dict[str, type[Replay]] = {cls.__name__: cls for cls in (GenerativeReplay, DreamPool, MemoryReplay, NoReplay)}
"""The classes that a file may name; a new strategy is added here."""
