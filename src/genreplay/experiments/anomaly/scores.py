"""The scores that a method gives to the rows of a stream, and scoring in chunks."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from genreplay.experiments.run import Figures, Report

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Cell = TypeVar("Cell", bound=np.generic)
CHUNK = 1_000
"""rows that are scored and learned between two progress reports"""


class Found(NamedTuple):
    """The scores that a method gave, with its time and memory."""

    scores: Floats
    """high = anomalous"""
    seconds: float
    """of processor time, which depends less on other programs than elapsed time"""
    held_bytes: int
    """at the end; of offline methods, the rows that they are fitted on"""
    more: Figures


def in_chunks(
    learn: Callable[[npt.NDArray[Cell]], Floats], rows: npt.NDArray[Cell], report: Report, start: int, stop: int
) -> tuple[Floats, float]:
    """Score and learn the rows from start to stop; also the seconds that it took."""
    scores, seconds = [np.empty(0)], 0.0
    for first in range(start, stop, CHUNK):
        chunk = rows[first : min(first + CHUNK, stop)]
        began = time.process_time()
        scores.append(learn(chunk))
        seconds += time.process_time() - began
        report((first + len(chunk)) / len(rows), "scoring and learning")
    return np.concatenate(scores), seconds
