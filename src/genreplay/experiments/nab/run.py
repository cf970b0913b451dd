"""All series of NAB by one method: its score, and what each series contributes with each of some settings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from genreplay.datasets import nab
from genreplay.datasets.nab import Series
from genreplay.estimators.deviations import Deviations, Followed
from genreplay.estimators.plain_detector import SERIES_RBM
from genreplay.experiments.nab import surprise
from genreplay.experiments.nab.pictures import picture
from genreplay.experiments.nab.scorer import PROFILES, Part, Profile, score_alarms
from genreplay.experiments.nab.surprise import Surprise
from genreplay.experiments.run import Figures, Report

METHODS = ("RBM", "histograms", "histograms by hour")
POLICIES = [Deviations(scales, threshold) for scales in ((1, 4, 16), (1, 8, 32)) for threshold in (6.0, 7.0, 8.0, 9.0)]
"""the defaults, and others that a choice is made from"""
QUICK_STEP = 15


@dataclass(frozen=True)
class NabRun:
    """One method on the series of NAB, with the same settings for all, those of ``genreplay learn --time``."""

    kind: ClassVar[str] = "nab"
    version: ClassVar[int] = 2
    """raise it, too, when a default of ``series_detector`` or of ``Deviations`` changes"""

    method: str = "RBM"
    """RBM; or histograms, in place of the RBM's surprise: of all rows, or by the hour of the day"""
    learning_rate: float = SERIES_RBM.learning_rate
    """of the RBM"""
    step: int = 1
    """take every so many-th series"""

    @property
    def title(self) -> str:
        return f"NAB {self.method}" + (f" {self.learning_rate:g}" if self.method == "RBM" else "")

    @property
    def max_seeds(self) -> int | None:
        """Histograms draw nothing."""
        return None if self.method == "RBM" else 1

    def execute(self, seed: int, report: Report) -> Figures:
        corpus = load()[:: self.step]
        found = []
        for i, series in enumerate(corpus):
            report(i / len(corpus), series.name)
            found.append(self._surprise(series, seed))
        figures = {**at_defaults(corpus, found), **contributions(corpus, found)}
        if self == NabRun(step=self.step) and seed == 0:
            pairs = zip(corpus, found, strict=True)
            figures["pictures"] = {each.name: picture(each, followed(each, s, Deviations())) for each, s in pairs}
        return figures

    def _surprise(self, series: Series, seed: int) -> Surprise:
        if self.method == "RBM":
            return surprise.by_rbm(series, self.learning_rate, seed)
        return surprise.by_histograms(series, by_hour=self.method == METHODS[2])


def at_defaults(corpus: list[Series], found: list[Surprise]) -> Figures:
    """Return NAB's three scores with the default alarms, and what each category alone would have."""
    alarms = _alarms(corpus, found, Deviations())
    scores = {name: score_alarms(alarms, profile, corpus) for name, profile in PROFILES.items()}
    total, categories = scores["standard"].total, scores["standard"].categories
    return {
        "scores": {name: score.normalised for name, score in scores.items()},
        **_counts(total),
        "categories": {
            category: {
                "scores": {
                    name: score.alone(score.categories[category]) if part.n_windows else None
                    for name, score in scores.items()
                },
                **_counts(part),
            }
            for category, part in categories.items()
        },
    }


def contributions(corpus: list[Series], found: list[Surprise]) -> Figures:
    """Return, for each policy, profile and series, the points that it has more than without any alarm."""
    gains: dict[str, list[list[float]]] = {name: [] for name in PROFILES}
    windows: list[int] = []
    for policy in POLICIES:
        alarms = _alarms(corpus, found, policy)
        for name, profile in PROFILES.items():
            parts = score_alarms(alarms, profile, corpus).series.values()
            windows = [part.n_windows for part in parts]
            gains[name].append([round(_gain(part, profile), 4) for part in parts])
    return {
        "policies": [{"scales": list(policy.scales), "threshold": policy.threshold} for policy in POLICIES],
        "series": [series.name for series in corpus],
        "windows": windows,
        "gains": gains,
    }


def _alarms(corpus: list[Series], found: list[Surprise], policy: Deviations) -> dict[str, npt.NDArray[np.bool_]]:
    """Return the alarms in each series; there is none in the warm-up."""
    alarms = {}
    for series, each in zip(corpus, found, strict=True):
        judged = followed(series, each, policy)
        alarms[series.name] = np.concatenate([np.zeros(len(each.first), dtype=np.bool_), judged.alarm])
    return alarms


def followed(series: Series, found: Surprise, policy: Deviations) -> Followed:
    """Return what a policy makes of the rows of a series behind its first ones."""
    n_first, values = len(found.first), series.values[:, np.newaxis]
    return policy.followed(policy.warmed_up(found.first, values[:n_first]), found.later, values[n_first:])[0]


def _gain(part: Part, profile: Profile) -> float:
    return part.raw + profile.fn * part.n_windows


def _counts(part: Part) -> Figures:
    return {"n_windows": part.n_windows, "n_found": part.n_found, "n_false": part.n_false}


@lru_cache(maxsize=1)
def load() -> list[Series]:
    """Load all series once for all runs of a worker process."""
    return nab.corpus()


def runs(quick: bool = False) -> list[NabRun]:
    """The RBM and both histograms."""
    return [NabRun(method, step=QUICK_STEP if quick else 1) for method in METHODS]
