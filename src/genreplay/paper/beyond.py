"""Beyond the paper: the preset "modern" on every data set, what each of its ingredients gives, and rivals that have
the same ingredients but store rows.

The settings of the preset were chosen on validation rows (for MNIST and RCV1 the last rows of the training split). The
test rows had no part in that, though an earlier recipe had been tried on them.
"""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from genreplay import datasets
from genreplay.core import DreamPool, MemoryReplay
from genreplay.core import online as core
from genreplay.estimators import OnlineRBM
from genreplay.estimators.online_rbm import PRESETS
from genreplay.paper.likelihood import evaluate_state
from genreplay.paper.online import head, load, strategy
from genreplay.paper.run import Figures, Report
from genreplay.paper.table2 import DATASETS

RECIPE = hashlib.sha256(json.dumps([core.MODERN._asdict(), DreamPool().settings()]).encode()).hexdigest()[:8]
"""changes with the preset, so that results of another one are not taken for its own"""


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
        "visible biases start at the log-odds of the first batch: no update is spent on how often a unit is on",
        {"visible_bias": _NEW.visible_bias},
        {"visible_bias": _OLD.visible_bias},
    ),
    "falling rate": Ingredient(
        "what the newest rows teach is soon noise around what all of them teach",
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
        "much momentum carries a model away from its chains",
        {"momentum": _NEW.momentum},
        {"momentum": _OLD.momentum},
    ),
    "rising rate": Ingredient(
        "a few hundred rows, learned hard, are learned by heart",
        {"n_rising_updates": _NEW.n_rising_updates},
        {"n_rising_updates": _OLD.n_rising_updates},
    ),
    "more epochs at first": Ingredient(
        "a short stream has few updates to learn in, and many small steps leave no chain behind as few large ones do",
        {"n_first_epochs": _NEW.n_first_epochs, "n_first_updates": _NEW.n_first_updates},
        {"n_first_epochs": _NEW.n_epochs},
    ),
    "chains": Ingredient(
        "persistent chains find modes of the model that no row is near, and unlearn them",
        {"negative": "chains", "n_chains": _NEW.n_chains},
        {"negative": _OLD.negative, "replay": "generative"},  # without chains there is no pool of their states
    ),
    "reconstructions": Ingredient(
        "beside the chains they damp the swings of a model that moves faster than its chains",
        {"negative": _NEW.negative},
        {"negative": "chains"},
    ),
    "centring": Ingredient(
        "weights learn what hangs together, and leave to the biases how often a unit is on",
        {"centring": _NEW.centring},
        {"centring": _OLD.centring},
    ),
    "averaging": Ingredient(
        "the noise of the newest batches is averaged out of the parameters that score",
        {"averaging": _NEW.averaging},
        {"averaging": _OLD.averaging},
    ),
    "dream pool": Ingredient(
        "dreams are kept for a while, the longer the older the stream, so that the past fades ever more slowly; each "
        "epoch rehearses others, since a few repeated ones are learned by heart",
        {"replay": "dream-pool", "recall": _NEW.recall},
        {"replay": "generative", "recall": _OLD.recall},
    ),
    "replay on drift": Ingredient(
        "where rows come in any order, a batch is like the past, and dreams would only thin it out",
        {"replay_share": _NEW.replay_share, "n_replay_epochs": _NEW.n_replay_epochs},
        {"replay_share": _OLD.replay_share},
    ),
    "whole steps": Ingredient(
        "beside three dreams for each row, a step would teach a quarter of what is new",
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


@dataclass(frozen=True)
class BeyondRun:
    """One model learned online, with all ingredients or some."""

    kind: ClassVar[str] = "beyond"

    dataset: str = "mnist"
    """name of a data set of Table 1"""
    order: str = "random"
    """"random" or "sorted" by class"""
    method: str = "dream pool"
    """what is rehearsed: "dream pool", or stored rows, one of ``RIVALS``"""
    variant: str = "modern"
    """which ingredients"""
    n_hidden: int = 500
    """hidden units (n_h)"""
    n_temperatures: int = 14_500
    """of AIS, forward and reverse, 100 chains"""
    max_rows: int | None = None
    """learn only so many rows and test on as many; None for all"""
    recipe: str = RECIPE
    """which "modern" it was"""

    @property
    def title(self) -> str:
        what = self.method if self.variant == "modern" else self.variant
        return f"{self.dataset} {self.order} {what} {self.n_hidden}"

    def model(self, seed: int) -> OnlineRBM:
        """The learner of this run."""
        settings = dict(VARIANTS[self.variant])
        if self.method in _IN_THE_BYTES_OF_THE_POOL:
            policy = _IN_THE_BYTES_OF_THE_POOL[self.method]
            settings["replay"] = MemoryReplay(capacity=DreamPool().size, packed=True, policy=policy)
        elif self.method != "dream pool":
            settings["replay"] = strategy(self.method)
        return OnlineRBM(self.n_hidden, random_state=seed, **settings)

    def execute(self, seed: int, report: Report) -> Figures:
        data = datasets.order(load(self.dataset, "threshold"), "random", seed)
        data = datasets.order(head(data, self.max_rows), self.order, seed)  # type: ignore[arg-type]
        rows, model = data.train, self.model(seed)
        watched = self.dataset == "mnist" and self.order == "sorted" and seed == 0 and self.variant == "modern"
        sheets: list[str] = []
        learn_seconds = 0.0
        for start in range(0, len(rows), 1_000):
            began = time.process_time()
            model.partial_fit(rows[start : start + 1_000])
            learn_seconds += time.process_time() - began
            report(0.6 * min(1.0, (start + 1_000) / len(rows)), "learning")
            if watched and _n_classes(data, start + 1_000) > len(sheets) + 1:
                sheets.append(_dreams(model))
        final = evaluate_state(
            model.state_,
            data.test,
            data.test_labels,
            self.n_temperatures,
            seed,
            progress=lambda share: report(0.6 + 0.4 * share, "AIS"),
        )
        return {
            **final._asdict(),
            "n_rows": len(rows),
            "n_test": len(data.test),
            "held_bytes": model.nbytes._asdict(),
            "learn_seconds": learn_seconds,
            "data_state": data.state,
            "sheets": [*sheets, _dreams(model)] if watched else None,
        }


def _n_classes(data: datasets.Dataset, n_rows: int) -> int:
    """How many classes the first rows of a sorted stream have begun."""
    assert data.train_labels is not None
    return len(np.unique(data.train_labels[: min(n_rows, len(data.train_labels))]))


def _dreams(model: OnlineRBM, n: int = 40) -> str:
    """Bits to look at, in hexadecimal: where the persistent chains, the model's own states, are now."""
    chains = model.state_.chains
    assert chains is not None
    return np.packbits(chains[:n].astype(bool), axis=1).tobytes().hex()


@dataclass(frozen=True)
class PriceRun:
    """What both presets take for the same stream, in turns."""

    kind: ClassVar[str] = "price"
    timed: ClassVar[bool] = True

    order: str = "random"
    """"random" or "sorted" by class"""
    n_hidden: int = 500
    """hidden units (n_h)"""
    max_rows: int | None = None
    """learn only so many rows; None for all"""
    recipe: str = RECIPE
    """which "modern" it was"""

    @property
    def title(self) -> str:
        return f"price {self.order} {self.n_hidden}"

    def execute(self, seed: int, report: Report) -> Figures:
        data = datasets.order(load("mnist", "threshold"), "random", seed)
        rows = datasets.order(head(data, self.max_rows), self.order, seed).train  # type: ignore[arg-type]
        models = {
            preset: OnlineRBM(self.n_hidden, preset=preset, random_state=seed)  # type: ignore[arg-type]
            for preset in PRESETS
        }
        seconds = dict.fromkeys(PRESETS, 0.0)
        held: dict[str, list[core.Memory]] = {preset: [] for preset in PRESETS}
        for start in range(0, len(rows), 500):
            for preset, model in models.items():
                began = time.process_time()
                model.partial_fit(rows[start : start + 500])
                seconds[preset] += time.process_time() - began
                held[preset].append(model.nbytes)
            report(min(1.0, (start + 500) / len(rows)), "learning")
        return {
            "row_milliseconds": {preset: 1_000 * total / len(rows) for preset, total in seconds.items()},
            "held_bytes": {  # the most that was seen: an update that rehearses needs more work space
                preset: max(sizes, key=lambda each: each.total)._asdict() for preset, sizes in held.items()
            },
        }


def runs(quick: bool = False) -> list[BeyondRun | PriceRun]:
    """The preset on every data set and its rivals; what each ingredient gives, with fewer rows and hidden units."""
    whole, part = BeyondRun(), BeyondRun(n_hidden=100, n_temperatures=1_450, max_rows=10_000)
    price = PriceRun()
    if quick:
        whole = replace(whole, n_hidden=20, max_rows=500, n_temperatures=290)
        part = replace(part, n_hidden=10, max_rows=500, n_temperatures=290)
        price = replace(price, n_hidden=20, max_rows=500)
    sorted_ = replace(whole, order="sorted")
    listed: list[BeyondRun | PriceRun] = [sorted_, *(replace(whole, dataset=dataset) for dataset in DATASETS)]
    listed += [replace(sorted_, method=method) for method in RIVALS]
    listed += [replace(whole, dataset=dataset, method=RIVALS[0]) for dataset in DATASETS]
    listed += [price, replace(price, order="sorted")]
    streams = [("mnist", "sorted"), *((dataset, "random") for dataset in (DATASETS[:1] if quick else DATASETS))]
    listed += [replace(part, dataset=d, order=o, variant=variant) for d, o in streams for variant in VARIANTS]
    return listed
