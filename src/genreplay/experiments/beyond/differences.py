"""How "modern" differs from "paper", its rivals that rehearse stored rows, and the learner for each."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from genreplay.core import (
    MODERN,
    PAPER,
    DreamPool,
    EqualTime,
    EveryUpdate,
    Falling,
    FromChains,
    GenerativeReplay,
    MemoryReplay,
    NoReplay,
    Recipe,
)
from genreplay.estimators import OnlineRBM
from genreplay.experiments.paper.online import strategy


class Difference(NamedTuple):
    """Something that "modern" has and "paper" does not have."""

    why: str
    gone: dict[str, Any]
    """changes that remove it from "modern" """
    alone: dict[str, Any] | None = None
    """changes that add it to "paper", where that makes sense with the paper's dreams"""


DIFFERENCES = {
    "data biases": Difference(
        "visible biases start at the log-odds of the first batch, so that no update is spent on how often a unit is on",
        {"start": PAPER.start},
        {"start": MODERN.start},
    ),
    "falling rate": Difference(
        "late in the stream a batch adds mostly noise to what all rows have taught, and smaller steps average it out",
        {"learning_rate": Falling(first=0.05, last=0.05, n_warm_up=6)},
        {"learning_rate": Falling(first=0.06, last=0.01)},
    ),
    "low momentum": Difference(
        "with high momentum the model changes faster than its chains can follow",
        {"momentum": PAPER.momentum},
    ),
    "warm-up": Difference(
        "with large steps from the start, the model overfits the first few hundred rows",
        {"learning_rate__n_warm_up": 0},
    ),
    "more epochs at first": Difference(
        "a short stream has few updates, and chains follow many small steps better than a few large ones",
        {"n_epochs": EqualTime(10)},
    ),
    "chains": Difference(
        "persistent chains find modes of the model that are far from all rows, so that updates remove them",
        {"negative": PAPER.negative, "replay": GenerativeReplay()},
        {"negative": FromChains()},
    ),
    "reconstructions": Difference(
        "beside the chains they stabilise a model that changes faster than its chains",
        {"negative": FromChains()},
    ),
    "centring": Difference(
        "weights learn which units are correlated, and biases how often each is on",
        {"centring": PAPER.centring},
        {"centring": MODERN.centring},
    ),
    "averaging": Difference(
        "the noise of the newest batches is averaged out of the parameters that score",
        {"averaging": PAPER.averaging},
        {"averaging": MODERN.averaging},
    ),
    "dream pool": Difference(
        "dreams are kept, and for longer as the stream goes on, so that the past fades more and more slowly; each "
        "epoch rehearses other dreams, since the model overfits a few that are repeated",
        {"replay": GenerativeReplay(), "rehearsal__redraw": False},
    ),
    "replay on drift": Difference(
        "in random order a batch resembles the past, and dreams would only dilute it",
        {"rehearsal": EveryUpdate(redraw=True)},
    ),
    "whole steps": Difference(
        "with three dreams for each new row, dividing by all of them would cut the effect of the new rows to a quarter",
        {"divisor": PAPER.divisor},
    ),
}

VARIANTS: dict[str, Recipe] = {
    "modern": MODERN,
    **{f"without {name}": MODERN.replace(**each.gone) for name, each in DIFFERENCES.items()},
    "without replay": MODERN.replace(replay=NoReplay()),
    "paper": PAPER,
    **{f"paper + {name}": PAPER.replace(**each.alone) for name, each in DIFFERENCES.items() if each.alone},
}
"""by name: "modern", "modern" without one difference, "paper", and "paper" with one difference"""

_IN_THE_BYTES_OF_THE_POOL: dict[str, Literal["oldest", "reservoir"]] = {
    "ER-ML pool": "oldest",
    "ER-ML reservoir": "reservoir",
}
RIVALS = ("ER-IM", "ER-ML packed", *_IN_THE_BYTES_OF_THE_POOL)
"""the same learner with stored rows in place of dreams: all of them; the newest, as bits in the bytes of the
parameters; the newest, or a uniform sample of all, in the bytes of the pool"""


def learner(method: str, variant: str, n_hidden: int, seed: int) -> OnlineRBM:
    """The model that rehearses by a method ("dream pool" or one of ``RIVALS``) with the ingredients of a variant."""
    recipe = VARIANTS[variant]
    if method in _IN_THE_BYTES_OF_THE_POOL:
        policy = _IN_THE_BYTES_OF_THE_POOL[method]
        recipe = recipe.replace(replay=MemoryReplay(capacity=DreamPool().size, packed=True, policy=policy))
    elif method != "dream pool":
        recipe = recipe.replace(replay=strategy(method))
    return OnlineRBM(n_hidden, recipe=recipe, random_state=seed)
