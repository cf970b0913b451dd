"""Settings chosen on one half of the sets and judged on the other: what is owed to the choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.experiments.anomaly import AnomalyRun
from genreplay.experiments.results import Results
from genreplay.formatting import signed

Floats = npt.NDArray[np.float64]
DEFAULTS, FOREST = "defaults", "IsolationForest"
N_SPLITS = 20
_SEED = 0
"""of the halves"""
_MIN_SETS = 4
"""fewer sets are not split"""


class Setting(NamedTuple):
    """A setting of the detector."""

    name: str
    mean: float
    """mean ROC-AUC over all sets"""
    n_chosen: int
    """splits in which it is the best of its half"""


class Halves(NamedTuple):
    """Mean ROC-AUC on the halves that judge, averaged over the splits."""

    chosen: float
    """of the setting that is best on the other half"""
    defaults: float
    best: float
    """of the setting that is best on all sets: a choice that has seen the judging half"""
    forest: float
    """of IsolationForest"""
    settings: list[Setting]
    """the defaults, and the variants"""
    n_sets: int
    n_rows: int
    """rows of a set, at most"""

    @property
    def best_name(self) -> str:
        """The setting that is best on all sets."""
        return max(self.settings, key=lambda setting: setting.mean).name

    @property
    def sentence(self) -> str:
        """What it says."""
        said = (
            f"Settings chosen on one half of the sets and judged on the other: in the mean over {N_SPLITS} random "
            f"halves of {self.n_sets} sets, with {len(self.settings)} settings, at most {self.n_rows:,} rows of a set "
            f"and one order, the chosen setting has a ROC-AUC of {self.chosen:.3f} on the half that did not choose it. "
            f"That is {signed(self.chosen - self.defaults, 3)} against the defaults"
        )
        if self.best_name == DEFAULTS:
            said += ", which are also the best setting on all sets"
        else:
            said += f" and {signed(self.chosen - self.best, 3)} against the best setting on all sets ({self.best_name})"
        return f"{said}. IsolationForest has {self.forest:.3f} on the same halves."


def halves(results: Results) -> Halves | None:
    """Split the sets on which every setting and IsolationForest were run; None where there are only a few."""
    runs = [run for run in results.runs("variants") if isinstance(run, AnomalyRun)]
    sets = dict.fromkeys(run.dataset for run in runs)
    found = [_of_set(results, [run for run in runs if run.dataset == dataset]) for dataset in sets]
    aucs = np.array([each for each in found if each is not None])
    if len(aucs) < _MIN_SETS:
        return None
    columns = list(dict.fromkeys(_column(run) for run in runs))
    return split(dict(zip(columns, aucs.T, strict=True)), n_rows=min(run.max_rows for run in runs if run.max_rows))


def sentences(results: Results) -> list[str]:
    """What the halves say; nothing where the sets are not split."""
    found = halves(results)
    return [found.sentence] if found else []


def split(by_column: Mapping[str, Floats], n_rows: int) -> Halves:
    """Choose and judge, given the ROC-AUC on each set of the defaults, the variants and IsolationForest."""
    forest = by_column[FOREST]
    settings = {name: aucs for name, aucs in by_column.items() if name != FOREST}
    best = max(settings, key=lambda name: settings[name].mean())
    rng = np.random.default_rng(_SEED)
    judged, choices = [], []
    for _ in range(N_SPLITS):
        choosing, judging = np.split(rng.permutation(len(forest)), [len(forest) // 2])
        chosen = max(settings, key=lambda name: settings[name][choosing].mean())
        choices.append(chosen)
        judged.append([each[judging].mean() for each in (settings[chosen], settings[DEFAULTS], settings[best], forest)])
    told = [Setting(name, float(aucs.mean()), choices.count(name)) for name, aucs in settings.items()]
    means = np.mean(judged, axis=0).tolist()
    return Halves(means[0], means[1], means[2], means[3], told, len(forest), n_rows)


def _of_set(results: Results, runs: Sequence[AnomalyRun]) -> list[float] | None:
    """The ROC-AUC of each run of a set, in the mean over the orders that all of them had; None if one is missing."""
    by_seed = [{record["seed"]: record["figures"]["auc"] for record in results.of(run)} for run in runs]
    seeds = set.intersection(*(set(each) for each in by_seed))
    values = [[each[seed] for seed in sorted(seeds)] for each in by_seed]
    if not seeds or any(value is None for of_run in values for value in of_run):
        return None
    return [float(np.mean(of_run)) for of_run in values]


def _column(run: AnomalyRun) -> str:
    return FOREST if run.method == FOREST else run.variant or DEFAULTS
