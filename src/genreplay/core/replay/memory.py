"""Experience replay: stored rows, the paper's rivals ER-ML and ER-IM (section 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from genreplay.core.ingredient import is_positive_int, require
from genreplay.core.kernels import Array
from genreplay.core.model_arrays import Form, check_arrays
from genreplay.core.model_file import MOST_COUNTED
from genreplay.core.rbm import RBM
from genreplay.core.replay.base import Arrays, Past, Replay


@dataclass(frozen=True, repr=False)
class MemoryReplay(Replay):
    """Store past rows and rehearse some of them, drawn uniformly.

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

    def __post_init__(self) -> None:
        named = self.capacity in ("parameters", "infinite")
        require(self, "capacity", "a positive int, 'parameters' or 'infinite'", named or is_positive_int(self.capacity))
        in_bytes = is_positive_int(self.capacity_bytes, most=2**40) and self.capacity == "parameters"
        rule = "None, or a positive int in place of capacity"
        require(self, "capacity_bytes", rule, self.capacity_bytes is None or in_bytes)
        require(self, "packed", "a bool", isinstance(self.packed, bool))
        require(self, "policy", "'oldest' or 'reservoir'", self.policy in ("oldest", "reservoir"))

    @property
    def keeps_bits(self) -> bool:  # type: ignore[override]
        return self.packed

    def start(self, model: RBM) -> Past:
        return _StoredRows(self, model)

    def row_limit(self, row_bytes: int, model: RBM) -> int | None:
        """The rows that fit; None for no limit."""
        if isinstance(self.capacity, str):
            if self.capacity == "infinite":
                return None
            n_bytes = model.nbytes if self.capacity_bytes is None else self.capacity_bytes
            require(self, "capacity_bytes", f"at least the {row_bytes} bytes of one row", n_bytes >= row_bytes)
            return n_bytes // row_bytes
        return int(self.capacity)


class _StoredRows:
    """The stored rows of one learner."""

    def __init__(self, settings: MemoryReplay, model: RBM) -> None:
        self._settings = settings
        row = self._encode(np.zeros((1, model.n_visible), dtype=model.W.dtype))
        self.max_rows = settings.row_limit(row.nbytes, model)
        """the rows that fit; None for no limit"""
        self.n_seen = 0
        """the rows remembered so far, kept or not"""
        self._buffer: npt.NDArray[np.generic] = np.empty((0, row.shape[1]), dtype=row.dtype)

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
        packed = self._settings.packed
        rows = np.unpackbits(drawn.view(np.uint8), axis=1, count=model.n_visible) if packed else drawn
        return rows.astype(model.W.dtype, copy=False)

    def remember(self, rows: Array, rng: np.random.Generator, chains: Array | None = None) -> None:
        encoded = self._encode(rows)
        self._make_room(self.n_seen + len(rows))
        order = np.arange(self.n_seen, self.n_seen + len(rows))
        if self.max_rows is None:
            slots = order
        elif self._settings.policy == "oldest":
            slots = order % self.max_rows
        else:
            # Vitter's algorithm R: the (i+1)-th row is kept with probability max_rows / (i+1).
            slots = np.where(order < self.max_rows, order, rng.integers(order + 1))
        kept = slots < len(self._buffer)
        # Where two rows of a batch get the same slot, NumPy's assignment lets the later one stay, as it should.
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
        if not self._settings.packed:
            return rows
        if not ((rows == 0) | (rows == 1)).all():
            raise ValueError("MemoryReplay(packed=True) keeps bits, but a row has values other than 0 and 1.")
        return np.packbits(rows.astype(bool), axis=1)

    def dump(self) -> Arrays:
        return {"rows": self._buffer[: self.n_rows], "n_seen": np.array([self.n_seen])}

    def restore(self, arrays: Arrays) -> None:
        kind, width = self._buffer.dtype.name, self._buffer.shape[1]
        rows = Form(kind, (None, width), 0, 255 if self._settings.packed else 1)
        check_arrays(arrays, rows=rows, n_seen=Form("int64", (1,), 0, MOST_COUNTED))
        n_seen, limit = int(arrays["n_seen"][0]), self.max_rows
        if len(arrays["rows"]) != (n_seen if limit is None else min(n_seen, limit)):
            raise ValueError(f"It has {len(arrays['rows'])} stored rows of the {n_seen} that MemoryReplay has seen.")
        self.n_seen = 0
        self._make_room(len(arrays["rows"]))
        self._buffer[: len(arrays["rows"])] = arrays["rows"]
        self.n_seen = n_seen
