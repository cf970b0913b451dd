"""The Numenta Anomaly Benchmark (not in the paper): 58 time series, scored by NAB's own rules."""

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

__all__ = ["PROFILES", "Part", "Profile", "Score", "Sweep", "best_threshold", "score", "score_alarms", "sweep"]
