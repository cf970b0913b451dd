"""Rows that wait for their batch to be full, as codes, with the surprise of their cells when they came."""

from __future__ import annotations

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
        self._parts: list[Batch] = []

    @property
    def codes(self) -> Codes:
        return self._joined().codes

    @property
    def nbytes(self) -> int:
        return sum(part.codes.nbytes + part.cells.nbytes for part in self._parts)

    def add(self, codes: Codes, cells: Float64, scores: Scores | None = None) -> Self:
        """Take further rows; the arrays are not copied."""
        self._parts.append(Batch(codes, cells, scores))
        self.n += len(codes)
        return self

    def split(self, n: int) -> tuple[Batch, Codes]:
        """The first rows, and the codes of the others, which go on waiting."""
        every = self._joined()
        scores = None if every.scores is None else Scores(*(each[:n] for each in every.scores))
        return Batch(every.codes[:n], every.cells[:n], scores), every.codes[n:]

    def _joined(self) -> Batch:
        """All rows, side by side."""
        if not self._parts:
            return Batch(np.empty((0, 0), dtype=np.uint8), np.empty((0, 0)))
        if len(self._parts) > 1:
            codes, cells, scores = zip(*self._parts, strict=True)
            known = [each for each in scores if each is not None]
            joined = Scores(*map(np.concatenate, zip(*known, strict=True))) if len(known) == len(scores) else None
            self._parts = [Batch(np.concatenate(codes), np.concatenate(cells), joined)]
        return self._parts[0]
