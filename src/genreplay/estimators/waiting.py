"""Rows that wait for their batch to be full, as codes, with the surprise of their cells when they came."""

from __future__ import annotations

from typing import Self

import numpy as np

from genreplay.core.kernels.arrays import Codes
from genreplay.estimators.calibration import Float64


class Waiting:
    """Rows of codes and the surprise of their cells, in arrays that are reused."""

    def __init__(self) -> None:
        self.n = 0
        self._codes: Codes = np.empty((0, 0), dtype=np.uint8)
        self._cells: Float64 = np.empty((0, 0))

    @property
    def codes(self) -> Codes:
        return self._codes[: self.n]

    @property
    def nbytes(self) -> int:
        return self._codes.nbytes + self._cells.nbytes

    def add(self, codes: Codes, cells: Float64) -> Self:
        """Take further rows."""
        n = self.n + len(codes)
        if n > len(self._codes):
            size = max(n, 2 * len(self._codes))
            more_codes = np.empty((size, codes.shape[1]), dtype=np.uint8)
            more_cells = np.empty((size, cells.shape[1]))
            if self.n:
                more_codes[: self.n], more_cells[: self.n] = self._codes[: self.n], self._cells[: self.n]
            self._codes, self._cells = more_codes, more_cells
        self._codes[self.n : n], self._cells[self.n : n] = codes, cells
        self.n = n
        return self

    def split(self, n: int) -> tuple[Codes, Float64, Waiting]:
        """The first rows with their cells, and the others, which go on waiting."""
        rest = Waiting()
        if self.n > n:
            rest.add(self._codes[n : self.n], self._cells[n : self.n])
        return self._codes[:n].copy(), self._cells[:n].copy(), rest
