"""Each code for itself: how rare is it? A detector that learns no relation between columns."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from genreplay.core.grouped import TableRBM
from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.experiments.anomaly.scores import Cell, Floats, Found, in_chunks
from genreplay.experiments.run import Report


class Histograms:
    """Count how often each code came; a row's surprise is the sum of -log p over its codes.

    The codes are those of the default encoder of ``OnlineRBMDetector``, combinations of columns included, and rows are
    learned in batches as large as the detector's, so that the two differ only in what they learn. p is (count + 1/2) /
    (rows + 1). The rows of the first call fix the codes.
    """

    def __init__(self) -> None:
        self.encoder = OnlineRBMDetector()._new_encoder()
        self.counts: list[npt.NDArray[np.intp]] = []
        """of the codes of each group"""
        self.n_rows = 0

    @property
    def nbytes(self) -> int:
        return sum(counts.nbytes for counts in self.counts)

    def learn_scored(self, rows: npt.NDArray[Any]) -> Floats:
        """Score rows, each before it is learned."""
        if self.n_rows == 0:
            self.encoder.fit(rows)
            self.counts = [np.zeros(size, dtype=np.intp) for size in self.encoder.group_sizes_]
        codes, size = self.encoder.codes(rows), TableRBM().batch_size
        scores = np.empty(len(rows))
        for start in range(0, len(rows), size):
            batch = codes[start : start + size]
            seen = [counts[of_group] for of_group, counts in zip(batch.T, self.counts, strict=True)]
            scores[start : start + size] = -np.log((np.array(seen) + 0.5) / (self.n_rows + 1)).sum(axis=0)
            for of_group, counts in zip(batch.T, self.counts, strict=True):
                counts += np.bincount(of_group, minlength=len(counts))
            self.n_rows += len(batch)
        return scores


def score(rows: npt.NDArray[Cell], n_head: int, report: Report) -> Found:
    """Score and learn every row; the head fixes the codes."""
    histograms = Histograms()
    began = time.process_time()
    head_scores = histograms.learn_scored(rows[:n_head])
    head_seconds = time.process_time() - began
    scores, seconds = in_chunks(histograms.learn_scored, rows, report, n_head, len(rows))
    return Found(np.concatenate([head_scores, scores]), head_seconds + seconds, histograms.nbytes, {})
