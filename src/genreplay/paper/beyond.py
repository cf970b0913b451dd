"""Beyond the paper: the preset "modern" on every data set, what each of its ingredients gives, and rivals that have
the same ingredients but store rows.

The settings of the preset were chosen on validation rows (for MNIST and RCV1 the last rows of the training split); the
runs listed here are the first that look at the test rows with them.
"""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass, replace
from typing import Any, ClassVar

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

INGREDIENTS: dict[str, dict[str, Any]] = {
    "data biases": {"visible_bias": core.MODERN.visible_bias},
    "falling rate": {
        "learning_rate": core.MODERN.learning_rate,
        "initial_learning_rate": core.MODERN.initial_learning_rate,
        "n_initial_updates": core.MODERN.n_initial_updates,
        "momentum": core.MODERN.momentum,
    },
    "more epochs": {"n_epochs": core.MODERN.n_epochs, "n_replay_epochs": core.MODERN.n_replay_epochs},
    "chains": {"negative": "chains", "n_chains": core.MODERN.n_chains},
    "reconstructions": {"negative": core.MODERN.negative},
    "centring": {"centring": core.MODERN.centring},
    "averaging": {"averaging": core.MODERN.averaging},
    "dream pool": {"replay": "dream-pool", "recall": core.MODERN.recall},
    "replay on drift": {"replay_share": core.MODERN.replay_share},
}
"""what "modern" has and "paper" has not"""

_WITHOUT: dict[str, dict[str, Any]] = {
    "data biases": {"visible_bias": "random"},
    "falling rate": {"initial_learning_rate": core.MODERN.learning_rate},
    "more epochs": {"n_epochs": 10},
    "chains": {"negative": "rows", "replay": "generative"},  # without chains there is no pool of their states
    "reconstructions": {"negative": "chains"},
    "centring": {"centring": False},
    "averaging": {"averaging": 0.0},
    "dream pool": {"replay": "generative", "recall": "update"},
    "replay on drift": {"replay_share": "all"},
    "replay": {"replay": "none"},
}
"""what leaves an ingredient out of "modern" """

_ALONE = ("data biases", "falling rate", "chains", "centring", "averaging")
"""ingredients that can be had one at a time beside the paper's dreams"""


@dataclass(frozen=True)
class BeyondRun:
    """One model learned online with all ingredients, with all but one, or with one alone."""

    kind: ClassVar[str] = "beyond"

    dataset: str = "mnist"
    """name of a data set of Table 1"""
    order: str = "random"
    """"random" or "sorted" by class"""
    method: str = "dream pool"
    """what is rehearsed: "dream pool", or stored rows: ER-IM, ER-ML packed, or ER-ML pool, in the bytes of the pool"""
    without: str = ""
    """the ingredient left out"""
    alone: str = ""
    """the one ingredient added to the paper's settings"""
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
        what = f"without {self.without}" if self.without else f"paper + {self.alone}" if self.alone else self.method
        return f"{self.dataset} {self.order} {what} {self.n_hidden}"

    def model(self, seed: int) -> OnlineRBM:
        """The learner of this run."""
        if self.alone:
            return OnlineRBM(self.n_hidden, random_state=seed, **INGREDIENTS[self.alone])
        settings = dict(_WITHOUT[self.without]) if self.without else {}
        if self.method == "ER-ML pool":
            settings["replay"] = MemoryReplay(capacity=DreamPool().size, packed=True)
        elif self.method != "dream pool":
            settings["replay"] = strategy(self.method)
        return OnlineRBM(self.n_hidden, preset="modern", random_state=seed, **settings)

    def execute(self, seed: int, report: Report) -> Figures:
        data = datasets.order(load(self.dataset, "threshold"), "random", seed)
        data = datasets.order(head(data, self.max_rows), self.order, seed)  # type: ignore[arg-type]
        rows, model = data.train, self.model(seed)
        watched = self.dataset == "mnist" and self.order == "sorted" and seed == 0 and not (self.without or self.alone)
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
        for start in range(0, len(rows), 500):
            for preset, model in models.items():
                began = time.process_time()
                model.partial_fit(rows[start : start + 500])
                seconds[preset] += time.process_time() - began
            report(min(1.0, (start + 500) / len(rows)), "learning")
        return {
            "row_milliseconds": {preset: 1_000 * total / len(rows) for preset, total in seconds.items()},
            "held_bytes": {preset: model.nbytes._asdict() for preset, model in models.items()},
        }


RIVALS = ("ER-IM", "ER-ML packed", "ER-ML pool")
"""the same learner with stored rows in the place of dreams: all of them; the newest, in bits, in the bytes of the
parameters; the newest in the bytes of the pool"""


def runs(quick: bool = False) -> list[BeyondRun | PriceRun]:
    """The preset on every data set and its rivals; what each ingredient gives, on a part of MNIST in both orders."""
    whole, part = BeyondRun(), BeyondRun(n_hidden=100, n_temperatures=2_900, max_rows=10_000)
    if quick:
        whole = replace(whole, n_hidden=20, max_rows=500, n_temperatures=290)
        part = replace(part, n_hidden=10, max_rows=500, n_temperatures=290)
    sorted_ = replace(whole, order="sorted")
    others = [dataset for dataset in DATASETS if dataset != "mnist"]
    listed: list[BeyondRun | PriceRun] = [whole, sorted_, *(replace(whole, dataset=dataset) for dataset in others)]
    listed += [*(replace(sorted_, method=method) for method in RIVALS), replace(whole, method=RIVALS[0])]
    listed += [PriceRun(order, whole.n_hidden, whole.max_rows) for order in ("random", "sorted")]
    for order in ("sorted", "random"):
        here = replace(part, order=order)
        listed += [here, *(replace(here, without=name) for name in _WITHOUT)]
        listed += [replace(here, alone=name) for name in _ALONE]
    listed += [replace(whole, dataset=dataset, method=RIVALS[0]) for dataset in others]
    return listed
