"""How surprising a score is, judged by the stream's own scores: running shares, nothing stored.

A score says which rows are stranger than others, but not how strange rows usually are. The scores of the stream say
that, each taken before its row is learned: the share of them that is higher is a p-value. They are not kept, only how
many fell into each of some intervals, and the oldest are forgotten by and by, because the model changes. From the
highest few of them on, the p-value falls off exponentially, by their mean excess.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from genreplay.core.ingredient import Json
from genreplay.core.kernels import scores as kernel
from genreplay.core.kernels.scores import EDGES

Float64 = npt.NDArray[np.float64]

MEMORY = 5_000
"""rows that the shares remember"""


@dataclass(frozen=True, eq=False)
class Scale:
    """How many of a stream's scores fell into each interval."""

    centre: float
    spread: float
    counts: Float64

    @classmethod
    def of(cls, scores: Float64) -> Scale:
        """The scale of some scores.

        >>> scale = Scale.of(np.arange(1000.0))
        >>> np.exp(-scale.nats(np.array([10.0, 500.0, 900.0, 3000.0]))).round(2).tolist()
        [0.98, 0.5, 0.1, 0.0]
        """
        low, centre, high = np.quantile(scores, [0.1, 0.5, 0.9])
        empty = cls(float(centre), max(float(high - low) / 2.5, 1e-3), np.zeros(len(EDGES) - 1))
        return empty.with_scores(scores)

    def with_scores(self, scores: Float64) -> Scale:
        """The scale after further scores; the oldest are forgotten where there are more than MEMORY."""
        counts = (kernel.loops() or kernel).recount(self.centre, self.spread, self.counts, scores, MEMORY)
        return Scale(self.centre, self.spread, counts)

    def weighing(self, n_rows: float) -> Scale:
        """The same shares, as if no more than so many scores had been counted.

        >>> scale = Scale.of(np.arange(1000.0)).weighing(100)
        >>> round(float(scale.counts.sum())), np.exp(-scale.nats(np.array([500.0]))).round(2).tolist()
        (100, [0.5])
        """
        return Scale(self.centre, self.spread, self.counts * min(n_rows / self.counts.sum(), 1.0))

    def nats(self, scores: Float64) -> Float64:
        """-log of the share of the scores that are higher."""
        return kernel.nats(self.yardstick, scores)

    @cached_property
    def yardstick(self) -> Float64:
        """What gives the nats of a score: see ``kernels/scores.py``."""
        found: Float64 = (kernel.loops() or kernel).yardstick(self.centre, self.spread, self.counts)
        return found

    @property
    def nbytes(self) -> int:
        return self.counts.nbytes + 16

    def to_json(self) -> dict[str, Json]:
        """All of it, for a file."""
        return {"centre": self.centre, "spread": self.spread, "counts": self.counts.tolist()}

    @classmethod
    def from_json(cls, state: Mapping[str, Any]) -> Scale:
        """The scale that ``to_json`` wrote."""
        return cls(state["centre"], state["spread"], np.array(state["counts"]))
