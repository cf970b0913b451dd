"""The replay strategies against each other: one whole update with the paper's settings."""

from __future__ import annotations

import numpy as np

from genreplay.bench import ours
from genreplay.bench.figures import Part, multiples
from genreplay.bench.measure import Contestant, Effort, interleave
from genreplay.bench.rows import N_HIDDEN, mnist
from genreplay.core import PAPER, EveryUpdate, GenerativeReplay, MemoryReplay, NoReplay, Replay

UNIT = "ours, OCD_GR"


def strategies(effort: Effort) -> Part:
    """An update by each strategy; the memories are full or hold 10,000 rows."""
    recipe = PAPER.replace(n_epochs=effort.pick(10, 1))
    rows = mnist(100, effort.seed)
    past = np.tile(rows.V, (100, 1))

    def update(replay: Replay) -> Contestant:
        return Contestant(ours.update(rows.V, N_HIDDEN, recipe.replace(replay=replay), past))

    turns = interleave(
        {
            UNIT: update(GenerativeReplay()),
            "ours, ER-ML": update(MemoryReplay()),
            "ours, ER-ML packed": update(MemoryReplay(packed=True)),
            "ours, ER-IM": update(MemoryReplay(capacity="infinite")),
            "ours, no replay": update(NoReplay()),
        },
        effort.pick(7, 2),
    )
    return Part(
        "Replay strategies",
        f"One update: {len(rows.V)} {rows.source}, {EveryUpdate().n_rows} rehearsed, n_E = {recipe.n_epochs}, "
        f"{rows.V.shape[1]} x {N_HIDDEN} units, one thread. Without replay there are 100 rows in place of 400.",
        multiples(turns, UNIT, "of OCD_GR's time"),
        [],
        [],
    )
