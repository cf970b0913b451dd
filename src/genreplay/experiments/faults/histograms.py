"""Each column for itself: how rare is its cell? A detector that knows no relation between columns."""

from __future__ import annotations

from collections import Counter

import numpy as np

from genreplay.datasets.faults import Floats, Objects
from genreplay.streams.encoder import TableEncoder


class Histograms:
    """Count, for each column, how often each code came; a row's surprise is the sum of its columns' -log p.

    p is (count + 1/2) / (rows + 1). The rows of the first call fix the codes.
    """

    def __init__(self) -> None:
        self.encoder = TableEncoder()
        self.counts: list[Counter[bytes]] = []
        self.n_rows = 0

    @property
    def nbytes(self) -> int:
        """Keys and counts; what Python adds to them is not counted."""
        return sum(len(key) + 8 for counts in self.counts for key in counts)

    def learn_scored(self, rows: Objects) -> Floats:
        """Score rows, each before it is learned."""
        if self.n_rows == 0:
            self.encoder.fit(rows)
            self.counts = [Counter() for _ in range(rows.shape[1])]
        bits = np.asarray(self.encoder.transform(rows), dtype=np.uint8)
        first_bits = np.searchsorted(self.encoder.column_of_bit_, np.arange(rows.shape[1]))
        by_column = np.split(bits, first_bits[1:], axis=1)
        scores = np.zeros(len(rows))
        for column, counts in zip(by_column, self.counts, strict=True):
            for row, code in enumerate(np.packbits(column, axis=1)):
                key = code.tobytes()
                scores[row] -= np.log((counts[key] + 0.5) / (self.n_rows + row + 1))
                counts[key] += 1
        self.n_rows += len(rows)
        return scores
