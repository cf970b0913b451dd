"""One model learned online from one data set, in one pass, and its log-likelihood on the test rows (section 4.2)."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from genreplay import datasets
from genreplay.core import PAPER, GenerativeReplay, MemoryReplay, NoReplay, Replay
from genreplay.datasets.base import Labels
from genreplay.estimators import OnlineRBM
from genreplay.experiments.paper.likelihood import Likelihood, evaluate
from genreplay.experiments.run import Figures, Report


@dataclass(frozen=True)
class OnlineRun:
    """Settings of section 4; the paper's symbols are in brackets."""

    kind: ClassVar[str] = "online"
    version: ClassVar[int] = 4
    replaces: ClassVar[tuple[int, ...]] = (3, 2)
    timed: ClassVar[bool] = True

    dataset: str = "mnist"
    """name of a data set of Table 1"""
    method: str = "OCD_GR"
    """OCD_GR, ER-ML, ER-ML packed, ER-IM or no replay"""
    order: str = "random"
    """"random" (realistic scenario) or "sorted" by class (worst case)"""
    binarisation: str = "threshold"
    """of MNIST's grey values: above one half, or "stochastic" """
    n_hidden: int = 500
    """hidden units (n_h)"""
    batch_size: int = 100
    """rows that trigger an update (n_B)"""
    n_replay: int = 300
    """rows rehearsed beside them (n_Bhat)"""
    n_gibbs: int = 1
    """Gibbs steps of a dream (n_Gs)"""
    n_epochs: int = 10
    """CD steps an update (n_E)"""
    n_cd: int = 1
    """Gibbs steps of the negative phase (n_CD)"""
    learning_rate: float = 0.05
    """alpha"""
    momentum_schedule: str = "stream"
    """where rho = 0.5 in the first 5 epochs: of the stream or of every update"""
    n_temperatures: int = 14_500
    """of log Z at the end, annealed both ways; five times as many where it is unknown with these"""
    curve_every: int = 0
    """rows between two points of the learning curve; 0 for no curve"""
    curve_temperatures: int = 290
    """of log Z for a point of the curve; five times as many where it is unknown with these"""
    max_rows: int | None = None
    """learn only so many rows and test on as many; None for all"""

    @property
    def title(self) -> str:
        return f"{self.dataset} {self.order} {self.method} {self.n_hidden}"

    def execute(self, seed: int, report: Report) -> Figures:
        data = load(self.dataset, self.binarisation)
        data = head(datasets.order(data, "random", seed), self.max_rows)
        data = datasets.order(data, self.order, seed)  # type: ignore[arg-type]
        rows, test, labels = data.train, data.test, data.test_labels
        recipe = PAPER.replace(
            replay=strategy(self.method, self.n_gibbs),
            rehearsal__n_rows=self.n_replay,
            n_epochs=self.n_epochs,
            n_cd=self.n_cd,
            learning_rate=self.learning_rate,
            momentum__of=self.momentum_schedule,
        )
        model = OnlineRBM(self.n_hidden, recipe=recipe, batch_size=self.batch_size, random_state=seed)
        curve: list[Likelihood] = []
        learn_seconds = 0.0
        chunk = self.curve_every or 1_000
        for start in range(0, len(rows), chunk):
            began = time.perf_counter()
            model.partial_fit(rows[start : start + chunk])
            learn_seconds += time.perf_counter() - began
            if self.curve_every:
                curve.append(evaluate(model, test, labels, self.curve_temperatures, seed))
            report(0.6 * min(1.0, (start + chunk) / len(rows)), "learning")
        final = evaluate(
            model,
            test,
            labels,
            self.n_temperatures,
            seed,
            progress=lambda share: report(0.6 + 0.4 * share, "log Z"),
        )
        return {
            **final._asdict(),
            "curve_rows": [self.curve_every * (point + 1) for point in range(len(curve))],
            "curve_nats": [None if point.doubt else point.nats for point in curve],
            "curve_class_std": [None if point.doubt else point.class_std for point in curve],
            "n_rows": len(rows),
            "n_test": len(test),
            "parameter_bytes": model.state_.rbm.nbytes,
            "replay_bytes": model.replay_nbytes_,
            "learn_seconds": learn_seconds,
            "data_state": data.state,
            "sheets": _sheets(model, test, seed) if self.dataset == "mnist" and seed == 0 else None,
        }


PAPER_METHODS = ("OCD_GR", "ER-IM", "ER-ML")
"""the three online methods that the paper compares"""


def strategy(method: str, n_gibbs: int = 1) -> Replay:
    """The replay strategy that a name of section 4.2 stands for."""
    strategies: dict[str, Replay] = {
        "OCD_GR": GenerativeReplay(n_gibbs=n_gibbs),
        "ER-ML": MemoryReplay(),
        "ER-ML packed": MemoryReplay(packed=True),
        "ER-IM": MemoryReplay(capacity="infinite"),
        "no replay": NoReplay(),
    }
    return strategies[method]


def head(data: datasets.Dataset, n_rows: int | None) -> datasets.Dataset:
    """The first rows of the training and test splits."""

    def cut(labels: Labels | None) -> Labels | None:
        return None if labels is None else labels[:n_rows]

    return data._replace(
        train=data.train[:n_rows],
        test=data.test[:n_rows],
        train_labels=cut(data.train_labels),
        test_labels=cut(data.test_labels),
    )


def _sheets(model: OnlineRBM, test: datasets.Bits, seed: int, n: int = 40) -> dict[str, str]:
    """Pictures as bits, in hexadecimal: dreams, long samples, and test digits with their lower half imputed."""
    shown = test[:n].astype(float)
    shown[:, shown.shape[1] // 2 :] = np.nan
    rows = {
        "dreams": model.sample(n, random_state=seed),
        "samples": model.sample(n, n_gibbs=1_000, random_state=seed),
        "imputed": model.impute(shown, random_state=seed),
        "originals": test[:n],
    }
    return {name: np.packbits(bits.astype(bool), axis=1).tobytes().hex() for name, bits in rows.items()}


@lru_cache(maxsize=2)
def load(dataset: str, binarisation: str) -> datasets.Dataset:
    """Load a data set once for all runs of a worker process."""
    return datasets.load(dataset, **({"binarisation": binarisation} if dataset == "mnist" else {}))


def independent_bernoullis(train: np.ndarray, test: np.ndarray) -> float:
    """Mean test nats of independent units with the (add-one smoothed) means of the training rows."""
    p = (train.sum(axis=0) + 1.0) / (len(train) + 2.0)
    return float((test * np.log(p) + (1 - test) * np.log1p(-p)).sum(axis=1).mean())
