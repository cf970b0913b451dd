"""Detect that new rows no longer fit the model, and respond: Page's test on how surprising each batch is.

The mean surprise of a batch, the mean of -log p over its rows, is about 1 while the p-values fit, whatever the data.
Its running mean and spread are kept, and a sum of the excess over them, which falls back to 0 while there is none
(E. S. Page: Continuous inspection schemes, 1954). ADWIN keeps a window of past values; this keeps four numbers, which
go into the model's file, so that a stream that is cut by a crash continues bit for bit.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import NamedTuple

from genreplay.core.grouped import TableRBM

SLACK = 0.5
"""standard deviations above the mean that a batch may have without adding to the sum"""
LIMIT = 25.0
"""summed standard deviations that are called a drift"""
_MEMORY = 50
"""batches over which the mean and the spread are taken"""
_FIRST = 20
"""batches before the test starts"""


class PageTest(NamedTuple):
    """What is known of the surprise of the batches so far."""

    mean: float = 1.0
    """running mean"""
    variance: float = 0.01
    """running variance; at first that of a mean of 100 exponential variables"""
    excess: float = 0.0
    """Page's sum, in standard deviations"""
    n_batches: int = 0
    """batches since the start or the last drift"""
    n_drifts: int = 0
    """drifts so far"""

    @property
    def signal(self) -> float:
        """How near a drift is, from 0 to 1, where it is called."""
        return min(self.excess / LIMIT, 1.0)


def follow(test: PageTest, surprise: float) -> PageTest:
    """Add the mean surprise of a batch; ``n_drifts`` grows if the rows no longer fit.

    After a drift the mean starts anew, since the model has changed or will.

    >>> test = PageTest()
    >>> for surprise in [1.0, 1.1, 0.9, 1.05, 0.95] * 20 + [1.6] * 9:
    ...     test = follow(test, surprise)
    >>> test.n_drifts
    1
    """
    deviation = (surprise - test.mean) / test.variance**0.5
    excess = max(0.0, test.excess + deviation - SLACK) if test.n_batches >= _FIRST else 0.0
    if excess >= LIMIT:
        return PageTest(mean=surprise, n_drifts=test.n_drifts + 1)
    rate = max(1 / (test.n_batches + 2), 1 / _MEMORY)
    bounded = (
        max(min(deviation, 3.0), -3.0) * test.variance**0.5
    )  # a drift must not widen the spread that it is measured with
    return test._replace(
        mean=test.mean + rate * bounded,
        variance=max((1 - rate) * (test.variance + rate * bounded**2), 1e-6),
        excess=excess,
        n_batches=test.n_batches + 1,
    )


def _rehearse_fewer(settings: TableRBM) -> TableRBM:
    replay = settings.replay
    return settings.replace(replay=replay.replace(n_rows=max(replay.n_rows // 4, 1))) if replay.n_rows else settings


RESPONSES: Mapping[str, Callable[[TableRBM], TableRBM]] = {
    "nothing": lambda settings: settings,
    "faster": lambda settings: settings.replace(learning_rate=min(3 * settings.learning_rate, sys.float_info.max)),
    "fewer-dreams": _rehearse_fewer,
}
"""by name: the settings for the updates that follow a drift"""
N_RESPONDING = 20
"""number of these updates"""
