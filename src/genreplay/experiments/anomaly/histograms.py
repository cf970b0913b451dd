"""Each code for itself: how rare is it? A detector that learns no relation between columns."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import numpy.typing as npt

from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.experiments.anomaly.scores import Cell, Floats, Found, in_chunks
from genreplay.experiments.run import Report


class Histograms:
    """Count how often each code came; a row's surprise is the sum of -log p over its codes.

    The codes are those of the default encoder of ``OnlineRBMDetector``, combinations of columns included, so that the
    two differ only in what they learn of them. p is (count + 1/2) / (rows + 1). The rows of the first call fix the
    codes.
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
        scores = len(self.counts) * np.log(self.n_rows + 1 + np.arange(len(rows)))
        for codes, counts in zip(self.encoder.codes(rows).T, self.counts, strict=True):
            scores -= np.log(counts[codes] + n_equal_before(codes) + 0.5)
            counts += np.bincount(codes, minlength=len(counts))
        self.n_rows += len(rows)
        return scores


def n_equal_before(values: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
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
