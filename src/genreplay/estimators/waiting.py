"""Rows that wait for their batch to be full, as codes, with the surprise of their cells when they came."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np

from genreplay.core.kernels.arrays import Codes
from genreplay.estimators.calibration import Float64
from genreplay.estimators.judge import Scores


class Batch(NamedTuple):
    """Some rows."""

    codes: Codes
    cells: Float64
    """the surprise of their cells"""
    scores: Scores | None = None
    """how surprising they were; None if nobody has asked"""


class Waiting:
    """Rows in the order in which they came. What they hold is that of one model: an update makes it anew."""

    def __init__(self) -> None:
        self.n = 0
        self._codes: list[Codes] = []
        self._cells: list[Float64 | None] = []
        self._scores: list[Scores | None] = []

    @property
    def codes(self) -> Codes:
        return np.concatenate(self._codes) if self._codes else np.empty((0, 0), dtype=np.uint8)

    def nbytes(self, n_groups: int) -> int:
        """Bytes of the codes, and of the surprise of the cells, one for each group of the model."""
        return sum(codes.nbytes for codes in self._codes) + self.n * n_groups * np.dtype(np.float64).itemsize

    def add(self, codes: Codes, cells: Float64 | None = None, scores: Scores | None = None) -> Self:
        """Take further rows; the arrays are not copied. What is not known of them is found out when it is needed."""
        self._codes.append(codes)
        self._cells.append(cells)
        self._scores.append(scores)
        self.n += len(codes)
        return self

    def split(self, n: int, cells_of: Callable[[Codes], Float64]) -> tuple[Batch, Codes]:
        """The first rows, and the codes of the others, which go on waiting; ``cells_of`` is the surprise of cells."""
        codes, parts = self.codes, zip(self._codes, self._cells, strict=True)
        cells = np.concatenate([cells_of(rows) if known is None else known for rows, known in parts])
        known = [each for each in self._scores if each is not None]
        scores = None
        if len(known) == len(self._scores):
            scores = Scores(*(np.concatenate(each)[:n] for each in zip(*known, strict=True)))
        return Batch(codes[:n], cells[:n], scores), codes[n:]
