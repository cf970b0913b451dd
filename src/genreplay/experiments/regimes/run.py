"""One way of rehearsal on a stream of regimes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from genreplay.core.grouped import Dreams, Nothing, Rehearsed, Stored, TableRBM
from genreplay.datasets.regimes import TURNS, Visit, regimes
from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.experiments.anomaly.scores import Floats, in_chunks
from genreplay.experiments.run import Figures, Report

NOMINAL = 0.01
"""a row raises an alarm when its p-value is at most this"""
N_BLOCK = 500
"""rows over which alarms are counted"""
N_STAY = 10
"""blocks of the new regime that are looked at"""
REPLAYS: dict[str, Rehearsed] = {
    "none": Nothing(),
    "dreams": Dreams(),
    "reservoir": Stored(size=Dreams().size, n_rows=Dreams().n_rows),
}
"""what is rehearsed, by name; there are as many stored rows as dreams"""


@dataclass(frozen=True)
class RegimesRun:
    """The detector with one way of rehearsal."""

    kind: ClassVar[str] = "regimes"
    version: ClassVar[int] = 2
    """raise it, too, when a default of ``OnlineRBMDetector`` or the generated stream changes"""

    replay: str = "dreams"
    """none, dreams or reservoir"""
    n_rows_per_visit: int = 2_000
    """rows for which a regime stays before the next one comes; a multiple of 500"""
    n_rows_stay: int = 10_000
    """rows of the new regime at the end; a multiple of 500"""
    turns: str = TURNS
    """the visits between the mixed beginning and the new regime, one letter each"""

    @property
    def title(self) -> str:
        return f"regimes {self.replay}"

    def execute(self, seed: int, report: Report) -> Figures:
        stream = regimes(self.n_rows_per_visit, self.n_rows_stay, seed, self.turns)
        detector = OnlineRBMDetector(rbm=TableRBM(replay=REPLAYS[self.replay]), random_state=seed)
        scores, seconds = in_chunks(detector.learn_scored, stream.rows, report, 0, len(stream.rows))
        shares = alarm_shares(scores)
        return {
            "alarm_shares": shares,
            "visits": [[visit.regime, visit.first, visit.n_rows] for visit in stream.visits],
            "returns": returns(stream.visits, shares),
            "stay": shares[stream.visits[-1].first // N_BLOCK :][:N_STAY],
            "replay_bytes": detector.nbytes.replay,
            "held_bytes": detector.nbytes.total,
            "seconds": seconds,
            "n_rows": len(stream.rows),
        }


def alarm_shares(scores: Floats) -> list[float | None]:
    """The share of rows that raise an alarm in each block of rows; None where rows have no score yet.

    >>> alarm_shares(np.concatenate([np.full(500, np.nan), np.zeros(495), np.full(5, 9.0)]))
    [None, 0.01]
    """
    blocks = [scores[first : first + N_BLOCK] for first in range(0, len(scores), N_BLOCK)]
    return [None if np.isnan(block).any() else float((block >= -math.log(NOMINAL) - 1e-9).mean()) for block in blocks]


def returns(visits: Sequence[Visit], shares: Sequence[float | None]) -> list[Figures]:
    """Each return of a regime: its name, the rows since its last visit, and the alarms in its first block.

    >>> visits = [Visit("mixed", 0, 500), Visit("A", 500, 500), Visit("B", 1000, 500), Visit("A", 1500, 500)]
    >>> returns([*visits, Visit("D", 2000, 500)], [None, 0.0, 0.25, 0.5, 1.0])[-1]
    {'regime': 'A', 'n_away': 500, 'alarms': 0.5}
    """
    beginning = visits[0]
    left: dict[str, int] = {}
    found: list[Figures] = []
    for visit in visits[1:-1]:
        n_away = visit.first - left.get(visit.regime, beginning.first + beginning.n_rows)
        found.append({"regime": visit.regime, "n_away": n_away, "alarms": shares[visit.first // N_BLOCK]})
        left[visit.regime] = visit.first + visit.n_rows
    return found


def runs(quick: bool = False) -> list[RegimesRun]:
    """Every way of rehearsal."""
    if quick:
        return [RegimesRun(replay, n_rows_per_visit=1_000, n_rows_stay=1_000, turns="ABCA") for replay in REPLAYS]
    return [RegimesRun(replay) for replay in REPLAYS]
