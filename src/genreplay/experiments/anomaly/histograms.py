"""Each column for itself: how rare is its cell? A detector that knows no relation between columns."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.experiments.anomaly.scores import Cell, Floats, Found, in_chunks
from genreplay.experiments.run import Report


class Histograms:
    """Count, for each column, how often each code came; a row's surprise is the sum of its columns' -log p.

    The codes are those of the default encoder of ``OnlineRBMDetector``, so that the two differ only in what they learn
    of them. A code is a pattern of the column's bits: the bit that is on, or how far a thermometer has risen. p is
    (count + 1/2) / (rows + 1). The rows of the first call fix the codes.
    """

    def __init__(self) -> None:
        self.encoder = OnlineRBMDetector()._new_encoder()
        self.counts: list[Counter[bytes]] = []
        self.n_rows = 0

    @property
    def nbytes(self) -> int:
        """Keys and counts; what Python adds to them is not counted."""
        return sum(len(key) + 8 for counts in self.counts for key in counts)

    def learn_scored(self, rows: npt.NDArray[Any]) -> Floats:
        """Score rows, each before it is learned."""
        if self.n_rows == 0:
            self.encoder.fit(rows)
            self.counts = [Counter() for _ in np.unique(self.encoder.column_of_bit_)]
        bits = np.asarray(self.encoder.transform(rows), dtype=np.uint8)
        first_bits = np.flatnonzero(np.diff(self.encoder.column_of_bit_, prepend=-1))
        scores = len(self.counts) * np.log(self.n_rows + 1 + np.arange(len(rows)))
        for column, counts in zip(np.split(bits, first_bits[1:], axis=1), self.counts, strict=True):
            codes, code_of_row = np.unique(np.packbits(column, axis=1), axis=0, return_inverse=True)
            keys, code_of_row = [code.tobytes() for code in codes], code_of_row.reshape(-1)
            before = np.array([counts[key] for key in keys])
            scores -= np.log(before[code_of_row] + n_equal_before(code_of_row) + 0.5)
            counts.update(dict(zip(keys, np.bincount(code_of_row).tolist(), strict=True)))
        self.n_rows += len(rows)
        return scores


def n_equal_before(values: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """For each value, how many equal ones stand before it.

    >>> n_equal_before(np.array([7, 3, 7, 7, 3])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    n_before = np.empty_like(order)
    n_before[order] = np.arange(len(values)) - np.searchsorted(ranked, ranked)
    return n_before


def score(rows: npt.NDArray[Cell], n_head: int, report: Report) -> Found:
    """Score and learn every row; the head fixes the codes."""
    histograms = Histograms()
    began = time.process_time()
    head_scores = histograms.learn_scored(rows[:n_head])
    head_seconds = time.process_time() - began
    scores, seconds = in_chunks(histograms.learn_scored, rows, report, n_head, len(rows))
    return Found(np.concatenate([head_scores, scores]), head_seconds + seconds, histograms.nbytes, {})
