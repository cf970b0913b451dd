"""One row at a time: a small model for sensors, against River's HalfSpaceTrees."""

from __future__ import annotations

import numpy as np

from genreplay.bench import ours, peers
from genreplay.bench.figures import Part, Target, rows_per_second
from genreplay.bench.measure import Contestant, Effort, interleave
from genreplay.datasets import load

N_HIDDEN, BATCH_SIZE, N_REPLAY = 16, 100, 300
ROWS_PER_SECOND = 20_000
"""target with one epoch, or the rate of HalfSpaceTrees in the same run if that is less; a quarter with ten"""
ONE, TEN, TREES = "ours, 1 epoch", "ours, 10 epochs", "River's HalfSpaceTrees"


def stream(effort: Effort) -> Part:
    """Rows a second, fed one by one."""
    digits = load("digits").train
    rows = np.tile(digits, (3, 1))[: effort.pick(3000, 300)].astype(np.float32)

    def mine(n_epochs: int) -> Contestant:
        feed = ours.feed_one_by_one(N_HIDDEN, n_epochs, BATCH_SIZE, N_REPLAY)
        return Contestant(lambda: feed(rows), n_steps=len(rows))

    contestants, left_out = peers.gather(
        {ONE: lambda: mine(1), TEN: lambda: mine(10), TREES: lambda: peers.half_space_trees(rows)}
    )
    turns = interleave(contestants, effort.pick(9, 2))
    enough = min(ROWS_PER_SECOND, 1 / turns.median(TREES)) if TREES in turns.names else ROWS_PER_SECOND
    targets = {ONE: Target("at least", enough), TEN: Target("at least", enough / 4)}
    return Part(
        "One row at a time",
        f"{len(rows):,} of scikit-learn's handwritten digits, {rows.shape[1]} bits each, fed one by one to {N_HIDDEN} "
        f"hidden units, an update with {N_REPLAY} dreams every {BATCH_SIZE} rows. HalfSpaceTrees has its "
        "defaults and is fed with dictionaries.",
        [rows_per_second(name, turns, targets.get(name)) for name in turns.names],
        [],
        left_out,
    )
