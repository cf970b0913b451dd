"""What "modern" is made of, what rehearses stored rows in the place of dreams, and the learner for each of them."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from genreplay.core import DreamPool, MemoryReplay
from genreplay.core import online as core
from genreplay.estimators import OnlineRBM
from genreplay.experiments.paper.online import strategy


class Ingredient(NamedTuple):
    """Something that "modern" has and "paper" has not."""

    why: str
    there: dict[str, Any]
    """the settings that add it to "paper" """
    gone: dict[str, Any]
    """the settings that take it from "modern" """


_NEW, _OLD = core.MODERN, core.PAPER
INGREDIENTS = {
    "data biases": Ingredient(
        "visible biases start at the log-odds of the first batch, so that no update is spent on how often a unit is on",
        {"visible_bias": _NEW.visible_bias},
        {"visible_bias": _OLD.visible_bias},
    ),
    "falling rate": Ingredient(
        "late in the stream a batch adds mostly noise to what all rows have taught, and smaller steps average it out",
        {
            "learning_rate": _NEW.learning_rate,
            "initial_learning_rate": _NEW.initial_learning_rate,
            "n_initial_updates": _NEW.n_initial_updates,
        },
        {
            "learning_rate": _OLD.learning_rate,
            "initial_learning_rate": _OLD.learning_rate,
            "n_rising_updates": _NEW.n_rising_updates,  # which stays
        },
    ),
    "low momentum": Ingredient(
        "with high momentum the model changes faster than its chains can follow",
        {"momentum": _NEW.momentum},
        {"momentum": _OLD.momentum},
    ),
    "rising rate": Ingredient(
        "with large steps from the start, the model overfits the first few hundred rows",
        {"n_rising_updates": _NEW.n_rising_updates},
        {"n_rising_updates": _OLD.n_rising_updates},
    ),
    "more epochs at first": Ingredient(
        "a short stream has few updates, and chains follow many small steps better than a few large ones",
        {"n_first_epochs": _NEW.n_first_epochs, "n_first_updates": _NEW.n_first_updates},
        {"n_first_epochs": _NEW.n_epochs},
    ),
    "chains": Ingredient(
        "persistent chains find modes of the model that are far from all rows, so that updates remove them",
        {"negative": "chains", "n_chains": _NEW.n_chains},
        {"negative": _OLD.negative, "replay": "generative"},  # without chains there is no pool of their states
    ),
    "reconstructions": Ingredient(
        "beside the chains they stabilise a model that changes faster than its chains",
        {"negative": _NEW.negative},
        {"negative": "chains"},
    ),
    "centring": Ingredient(
        "weights learn which units are correlated, and biases how often each is on",
        {"centring": _NEW.centring},
        {"centring": _OLD.centring},
    ),
    "averaging": Ingredient(
        "the noise of the newest batches is averaged out of the parameters that score",
        {"averaging": _NEW.averaging},
        {"averaging": _OLD.averaging},
    ),
    "dream pool": Ingredient(
        "dreams are kept, and for longer as the stream goes on, so that the past fades more and more slowly; each "
        "epoch rehearses other dreams, since the model overfits a few that are repeated",
        {"replay": "dream-pool", "recall": _NEW.recall},
        {"replay": "generative", "recall": _OLD.recall},
    ),
    "replay on drift": Ingredient(
        "in random order a batch resembles the past, and dreams would only dilute it",
        {"replay_share": _NEW.replay_share, "n_replay_epochs": _NEW.n_replay_epochs},
        {"replay_share": _OLD.replay_share},
    ),
    "whole steps": Ingredient(
        "with three dreams for each new row, dividing by all of them would cut the effect of the new rows to a quarter",
        {"divisor": _NEW.divisor},
        {"divisor": _OLD.divisor},
    ),
}

_ALONE = ("data biases", "falling rate", "chains", "centring", "averaging")
"""ingredients that can be had one at a time beside the paper's dreams"""

VARIANTS: dict[str, dict[str, Any]] = {
    "modern": {"preset": "modern"},
    **{f"without {name}": {"preset": "modern", **each.gone} for name, each in INGREDIENTS.items()},
    "without replay": {"preset": "modern", "replay": "none"},
    "paper": {"preset": "paper"},
    **{f"paper + {name}": {"preset": "paper", **INGREDIENTS[name].there} for name in _ALONE},
}
"""by name: the learner's settings with all ingredients, with all but one, with none, and with one alone"""

_IN_THE_BYTES_OF_THE_POOL: dict[str, Literal["oldest", "reservoir"]] = {
    "ER-ML pool": "oldest",
    "ER-ML reservoir": "reservoir",
}
RIVALS = ("ER-IM", "ER-ML packed", *_IN_THE_BYTES_OF_THE_POOL)
"""the same learner with stored rows in the place of dreams: all of them; the newest, as bits in the bytes of the
parameters; the newest, or a uniform sample of all, in the bytes of the pool"""


def learner(method: str, variant: str, n_hidden: int, seed: int) -> OnlineRBM:
    """The model that rehearses by a method ("dream pool" or one of ``RIVALS``) with the ingredients of a variant."""
    settings = dict(VARIANTS[variant])
    if method in _IN_THE_BYTES_OF_THE_POOL:
        policy = _IN_THE_BYTES_OF_THE_POOL[method]
        settings["replay"] = MemoryReplay(capacity=DreamPool().size, packed=True, policy=policy)
    elif method != "dream pool":
        settings["replay"] = strategy(method)
    return OnlineRBM(n_hidden, random_state=seed, **settings)
