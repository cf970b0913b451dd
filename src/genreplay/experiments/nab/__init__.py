"""The Numenta Anomaly Benchmark (not in the paper): 58 time series, scored by NAB's own rules.

``scorer.py`` has the rules; ``surprise.py`` how surprising rows are, to the RBM and to histograms; ``run.py`` the runs,
with alarms by ``Deviations``; ``halves.py`` compares settings that were chosen on other series; ``pictures.py`` stores
the series with their alarms for looking at; ``published.py`` has the scores of other detectors.
"""

from genreplay.experiments.nab.halves import Halves, halves, halves_of
from genreplay.experiments.nab.run import METHODS, POLICIES, NabRun, runs
from genreplay.experiments.nab.scorer import (
    PROFILES,
    Part,
    Profile,
    Score,
    Sweep,
    best_threshold,
    score,
    score_alarms,
    sweep,
)

__all__ = [
    "METHODS",
    "POLICIES",
    "PROFILES",
    "Halves",
    "NabRun",
    "Part",
    "Profile",
    "Score",
    "Sweep",
    "best_threshold",
    "halves",
    "halves_of",
    "runs",
    "score",
    "score_alarms",
    "sweep",
]
