"""Memories of stored pairs with the interface of a generator: what dreams are compared with."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted, validate_data

from genreplay.estimators.seeds import RandomState, generator

Rows = npt.NDArray[np.float32]
Labels = npt.NDArray[Any]


class InfiniteMemory(BaseEstimator):  # type: ignore[misc]
    """Stores every pair: the limit of what a generator can be, in memory that grows with the stream.

    Parameters
    ----------
    binarize : float or None, default=0.5
        Values above it become 1, the others 0, and each takes one bit. With None, values are kept in float32.
    random_state : int, RandomState instance or None, default=None
        Seed of what is kept where not everything is.

    Attributes
    ----------
    classes_ : ndarray
        Labels of which a row is held.
    n_rows_seen_ : int
        Rows seen, kept or not.
    n_rows_held_ : int
        Rows kept.

    Examples
    --------
    >>> import numpy as np
    >>> from genreplay import InfiniteMemory
    >>> memory = InfiniteMemory().partial_fit(np.eye(16), ["even", "odd"] * 8)
    >>> memory.sample(2, y=["odd", "even"], random_state=0).argmax(axis=1) % 2
    array([1, 0])
    >>> memory.nbytes
    64
    """

    _parameter_constraints: dict[str, list[object]] = {  # noqa: RUF012 (scikit-learn's own way)
        "binarize": [Interval(Real, None, None, closed="neither"), None],
        "random_state": ["random_state"],
    }

    n_rows_seen_: int
    _names: Labels
    """labels by their index"""
    _rows: npt.NDArray[Any]
    _labels: npt.NDArray[np.uint16]
    _rng: np.random.Generator

    def __init__(self, *, binarize: float | None = 0.5, random_state: RandomState = None) -> None:
        self.binarize = binarize
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Forget everything and store the pairs."""
        return self._store(X, y, is_first=True)

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Store further pairs."""
        return self._store(X, y, is_first=not hasattr(self, "_rows"))

    def sample(self, n_samples: int = 1, y: npt.ArrayLike | None = None, random_state: RandomState = None) -> Rows:
        """Return stored rows, drawn with replacement: one for each label of ``y``, or ``n_samples`` of any label."""
        check_is_fitted(self, "_rows")
        rng = generator(random_state)
        n_held = self.n_rows_held_
        if y is None:
            return self._decode(self._rows[rng.integers(n_held, size=n_samples)])
        wanted = np.asarray(y)
        chosen = np.empty(len(wanted), dtype=np.int64)
        for label in np.unique(wanted):
            of_label = np.flatnonzero(self._names[self._labels[:n_held]] == label)
            if len(of_label) == 0:
                raise ValueError(f"{type(self).__name__} holds no row with the label {label}: see classes_.")
            places = np.flatnonzero(wanted == label)
            chosen[places] = of_label[rng.integers(len(of_label), size=len(places))]
        return self._decode(self._rows[chosen])

    @property
    def classes_(self) -> Labels:
        return np.sort(self._names[np.unique(self._labels[: self.n_rows_held_])])

    @property
    def nbytes(self) -> int:
        """Bytes of the rows and labels, with the room that is kept for further ones."""
        return self._rows.nbytes + self._labels.nbytes

    @property
    def n_rows_held_(self) -> int:
        return self.n_rows_seen_

    def _store(self, X: npt.ArrayLike, y: npt.ArrayLike, is_first: bool) -> Self:
        rows, labels = validate_data(self, X, y, reset=is_first)
        encoded = self._encode(rows)
        if is_first:
            self._rng = generator(self.random_state)
            self._names, self.n_rows_seen_ = labels[:0], 0
            self._rows = np.empty((0, encoded.shape[1]), dtype=encoded.dtype)
            self._labels = np.empty(0, dtype=np.uint16)
        found = np.unique(labels)
        self._names = np.concatenate([self._names, found[~np.isin(found, self._names)]])
        order = np.argsort(self._names)
        indices = order[np.searchsorted(self._names, labels, sorter=order)]
        self._make_room(self.n_rows_seen_ + len(rows))
        slots = self._slots(np.arange(self.n_rows_seen_, self.n_rows_seen_ + len(rows)))
        kept = slots < len(self._rows)
        # Where two rows get the same slot, NumPy's assignment lets the later one stay, as it should.
        self._rows[slots[kept]], self._labels[slots[kept]] = encoded[kept], indices[kept]
        self.n_rows_seen_ += len(rows)
        return self

    def _slots(self, order: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Where rows go, by how many came before them; a place beyond the end means that a row is not kept."""
        return order

    def _limit(self) -> int | None:
        """Rows that may be held; None for any number."""
        return None

    def _make_room(self, n_rows: int) -> None:
        """Double the buffers until they take ``n_rows`` or reach the limit."""
        limit = self._limit()
        size = 1 << max(n_rows - 1, 15).bit_length()
        size = size if limit is None else min(size, limit)
        if size > len(self._rows):
            n_new = size - len(self._rows)
            self._rows = np.concatenate([self._rows, np.zeros((n_new, self._rows.shape[1]), self._rows.dtype)])
            self._labels = np.concatenate([self._labels, np.zeros(n_new, np.uint16)])

    def _encode(self, rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return rows.astype(np.float32) if self.binarize is None else np.packbits(rows > self.binarize, axis=1)

    def _decode(self, held: npt.NDArray[Any]) -> Rows:
        if self.binarize is None:
            return held.astype(np.float32)
        return np.unpackbits(held, axis=1, count=self.n_features_in_).astype(np.float32)


class ReservoirMemory(InfiniteMemory):
    """Stores a uniform sample of all pairs seen, in a fixed number of bytes (Vitter's algorithm R).

    Parameters
    ----------
    n_bytes : int, default=1_600_000
        Bytes of the rows and their labels; the default is what the parameters of an RBM with 784 visible and 500 hidden
        units take.
    binarize : float or None, default=0.5
        Values above it become 1, the others 0, and each takes one bit. With None, values are kept in float32.
    random_state : int, RandomState instance or None, default=None
        Seed of which rows are kept.

    Attributes
    ----------
    classes_ : ndarray
        Labels of which a row is held.
    n_rows_seen_ : int
        Rows seen, kept or not.
    n_rows_held_ : int
        Rows kept.

    Examples
    --------
    >>> import numpy as np
    >>> from genreplay import ReservoirMemory
    >>> memory = ReservoirMemory(400, random_state=0)  # 2 bytes for 16 bits, and 2 for the label
    >>> for _ in range(500):
    ...     memory = memory.partial_fit(np.eye(16), np.arange(16) % 2)
    >>> memory.n_rows_seen_, memory.nbytes, memory.sample(100).shape
    (8000, 400, (100, 16))
    """

    _parameter_constraints: dict[str, list[object]] = {  # noqa: RUF012 (scikit-learn's own way)
        **InfiniteMemory._parameter_constraints,
        "n_bytes": [Interval(Integral, 1, 2**40, closed="both")],
    }

    def __init__(
        self, n_bytes: int = 1_600_000, *, binarize: float | None = 0.5, random_state: RandomState = None
    ) -> None:
        super().__init__(binarize=binarize, random_state=random_state)
        self.n_bytes = n_bytes

    @property
    def n_rows_held_(self) -> int:
        return min(self.n_rows_seen_, len(self._rows))

    def _limit(self) -> int | None:
        row_bytes = self._rows.shape[1] * self._rows.itemsize + self._labels.itemsize
        if self.n_bytes < row_bytes:
            raise ValueError(
                f"The 'n_bytes' parameter of ReservoirMemory must be at least the {row_bytes} bytes of one pair. Got "
                f"{self.n_bytes} instead."
            )
        return int(self.n_bytes // row_bytes)

    def _slots(self, order: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        # The (i + 1)-th row is kept with probability limit / (i + 1).
        return np.where(order < len(self._rows), order, self._rng.integers(order + 1))
