"""The RBM, as ``OnlineRBMDetector`` has it, and how often usual rows raise an alarm."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone

from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.experiments.anomaly import variants
from genreplay.experiments.anomaly.scores import CHUNK, Flags, Floats, Found, in_chunks
from genreplay.experiments.run import Figures, Report

NOMINAL = (0.01, 0.05)
"""shares of the usual rows that may raise an alarm"""


def score(
    rows: Floats,
    is_usual: Flags,
    n_head: int,
    held_out: float,
    n_stored: int,
    seed: int,
    report: Report,
    variant: str = "",
) -> Found:
    """Score and learn every row; before the held-out end of the stream, count false alarms among its usual rows.

    Every counted row must have a score, so the warm-up ends with the head.
    """
    detector = variants.detector(variant, random_state=seed)
    detector.set_params(warm_up=min(detector._new_encoder().warm_up, n_head))
    clone(detector).learn_scored(rows[:CHUNK])  # so that compiling the loops is not timed
    head_scores, head_seconds = in_chunks(detector.learn_scored, rows, report, 0, n_head)
    n_before = len(rows) - round(held_out * len(rows))
    scores, seconds = in_chunks(detector.learn_scored, rows, report, n_head, n_before)
    scores = np.concatenate([head_scores, scores])
    alarms = false_alarms(detector, scores[~np.isnan(scores)][-n_stored:], rows[n_before:], is_usual[n_before:])
    last_scores, last_seconds = in_chunks(detector.learn_scored, rows, report, n_before, len(rows))
    scores = np.nan_to_num(np.concatenate([scores, last_scores]), nan=0.0)
    return Found(scores, head_seconds + seconds + last_seconds, detector.nbytes.total, alarms)


def false_alarms(detector: OnlineRBMDetector, stored: Floats, rows: Floats, is_usual: Flags) -> Figures:
    """Alarms among the usual rows: by the detector's p-values, and by scores above a quantile of those of the stream.

    The stored scores are those of all rows, anomalies included, as in a stream without labels.
    """
    p_values = detector.p_values(rows[is_usual])
    thresholds = np.quantile(stored, [1 - rate for rate in NOMINAL])
    return {
        "nominal": list(NOMINAL),
        "dream_alarms": [float((p_values <= rate).mean()) for rate in NOMINAL],
        "stored_alarms": [float((p_values < np.exp(-threshold)).mean()) for threshold in thresholds],
        "n_usual": int(is_usual.sum()),
        "n_stored": len(stored),
    }
