"""What the detector says of a table with faults: scores, alarms, columns to blame, dreams, filled cells."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from genreplay.datasets.faults import COLUMNS, KINDS, USUAL, FaultyTable, Floats, Objects, is_idle_but_turning
from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.experiments.anomaly.scores import Found, in_chunks
from genreplay.experiments.faults import filling
from genreplay.experiments.run import Figures, Report

NOMINAL = 0.01
"""share of the usual rows that may raise an alarm: the default of ``contamination``"""
BATCH = 100
"""rows between two updates of the detector"""


class Asked(NamedTuple):
    """What the detector is asked for beside scores."""

    n_dreams: int
    n_filled: int
    """last rows of the stream, of which cells are hidden and filled before the rows are learned"""
    hidden_share: float
    """share of their cells of numbers that is hidden"""
    n_stored: int
    """rows that KNNImputer stores"""


class BlamingDetector:
    """A detector that explains each faulty row with the model that scores it: just before the row is learned."""

    def __init__(self, detector: OnlineRBMDetector, table: FaultyTable) -> None:
        self.detector, self.table = detector, table
        self.blamed: dict[int, int] = {}
        """for each faulty row, the column that adds most to its surprise"""
        self._n_seen = 0
        self._is_faulty = table.is_faulty

    def learn_scored(self, rows: Objects) -> Floats:
        """Score and learn the next rows of the table."""
        return np.concatenate([self._learn(rows[first : first + BATCH]) for first in range(0, len(rows), BATCH)])

    def _learn(self, rows: Objects) -> Floats:
        faulty = np.flatnonzero(self._is_faulty[self._n_seen : self._n_seen + len(rows)])
        if self.detector.is_ready_ and len(faulty):
            columns = self.detector.explain(rows[faulty]).argmax(axis=1)
            self.blamed |= dict(zip((self._n_seen + faulty).tolist(), columns.tolist(), strict=True))
        self._n_seen += len(rows)
        return self.detector.learn_scored(rows)


def score(table: FaultyTable, n_head: int, asked: Asked, seed: int, report: Report) -> Found:
    """Score and learn every row; the seconds include those to explain the faulty rows."""
    settings: dict[str, Any] = {"warm_up": n_head, "random_state": seed}
    OnlineRBMDetector(**settings).learn_scored(table.rows[: n_head + BATCH])  # so that compiling is not timed
    detector = OnlineRBMDetector(**settings)
    blaming = BlamingDetector(detector, table)
    n_before = len(table.rows) - asked.n_filled
    scores, seconds = in_chunks(blaming.learn_scored, table.rows, report, 0, n_before)
    held_out = table.take(slice(n_before, None))
    filled = filling.errors(detector, table.rows[:n_before], held_out, asked.hidden_share, asked.n_stored, seed)
    last_scores, last_seconds = in_chunks(blaming.learn_scored, table.rows, report, n_before, len(table.rows))
    scores = np.concatenate([scores, last_scores])
    more = {
        **alarms(scores[n_head:], table.kinds[n_head:]),
        "blamed_right": blamed_right(blaming.blamed, table),
        **dreams(detector, asked.n_dreams, seed),
        "fill_errors": filled,
    }
    return Found(np.nan_to_num(scores, nan=0.0), seconds + last_seconds, detector.nbytes.total, more)


def alarms(scores: Floats, kinds: Objects) -> Figures:
    """Alarms where the p-value is at most the nominal rate: their share of the usual rows and of each kind of fault.

    >>> alarms(-np.log([0.5, 0.01, 0.2, 0.001]), np.array(["", "", "stuck", "stuck"], dtype=object))
    {'false_alarms': 0.5, 'recall': {'all': 0.5, 'stuck': 0.5}}
    """
    is_alarm = scores >= -math.log(NOMINAL) - 1e-9
    recall = {kind: float(is_alarm[kinds == kind].mean()) for kind in KINDS if (kinds == kind).any()}
    found = {"all": float(is_alarm[kinds != USUAL].mean()), **recall} if recall else {}
    return {"false_alarms": float(is_alarm[kinds == USUAL].mean()), "recall": found}


def blamed_right(blamed: Mapping[int, int], table: FaultyTable) -> dict[str, float]:
    """For each kind of fault, the share of its rows of which the blamed column is at fault."""
    by_kind: dict[str, list[bool]] = {}
    for row, column in blamed.items():
        by_kind.setdefault(str(table.kinds[row]), []).append(bool(table.at_fault[row, column]))
    return {kind: float(np.mean(by_kind[kind])) for kind in KINDS if kind in by_kind}


def dreams(detector: OnlineRBMDetector, n_dreams: int, seed: int) -> Figures:
    """Shares of dreams that are idle but turn, and that have no time."""
    rows = np.asarray(detector.sample(n_dreams, random_state=seed), dtype=object)
    return {
        "impossible_dreams": float(is_idle_but_turning(rows).mean()),
        "timeless_dreams": float(np.mean([cell is None for cell in rows[:, COLUMNS.index("time")]])),
        "n_dreams": n_dreams,
    }
