"""A uniform sample of the rows that raise no alarm: what is usual in a stream, in constant memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

MAX_ROWS = 1000
MAX_CELLS = 1_000_000
"""cells that are held, at most; a wide table has fewer rows"""
ENOUGH = 200
"""rows that say what is usual"""


class UsualRows:
    """Holds a sample in which each row has the same chance to be, however long the stream is.

    Algorithm R (J. S. Vitter: Random sampling with a reservoir, 1985). The sample does not depend on how the stream is
    cut.

    >>> usual = UsualRows(n_columns=1)
    >>> for chunk in np.arange(100_000.0).reshape(10, -1, 1):
    ...     usual.add(chunk)
    >>> usual.is_enough, len(usual.cells), bool(45_000 < usual.cells.mean() < 55_000)
    (True, 1000, True)
    """

    def __init__(self, n_columns: int, seed: int = 0) -> None:
        self._size = max(min(MAX_ROWS, MAX_CELLS // max(n_columns, 1)), ENOUGH)
        self._rng = np.random.default_rng(seed)
        self._rows: list[npt.NDArray[Any]] = []
        self._n_seen = 0

    def add(self, cells: npt.NDArray[Any]) -> None:
        """Give rows of cells to the sample."""
        numbers = np.arange(self._n_seen, self._n_seen + len(cells))
        places = np.where(
            numbers < self._size, numbers, (self._rng.random(len(cells)) * (numbers + 1)).astype(np.int64)
        )
        for row in np.flatnonzero(places < self._size).tolist():
            if numbers[row] < self._size:
                self._rows.append(cells[row].copy())
            else:
                self._rows[places[row]] = cells[row].copy()
        self._n_seen += len(cells)

    @property
    def is_enough(self) -> bool:
        """Whether the sample says what is usual."""
        return len(self._rows) >= ENOUGH

    @property
    def cells(self) -> npt.NDArray[Any]:
        """The sample, an array of rows."""
        return np.stack(self._rows)
