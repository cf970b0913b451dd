"""Settings chosen on one half of the series and judged on the other: what is owed to the choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.estimators.deviations import Deviations
from genreplay.experiments.nab.scorer import PROFILES
from genreplay.experiments.run import Figures

Floats = npt.NDArray[np.float64]
N_SPLITS = 20
_SEED = 0
"""of the halves"""


class Halves(NamedTuple):
    """NAB's scores on the halves that judge, averaged over the splits, by profile."""

    chosen: dict[str, float]
    """of the setting with the best standard score on the other half"""
    defaults: dict[str, float]
    best: dict[str, float]
    """of the setting with the best standard score on all series: a choice that has seen the judging half"""
    n_chosen: list[int]
    """for each setting, the splits in which it is chosen"""


def halves(gains: Mapping[str, Floats], windows: npt.NDArray[np.int64], default: int) -> Halves:
    """Split the series at random, several times.

    ``gains`` has, for each profile, the points of each setting in each series, (n_settings, n_series), as ``NabRun``
    stores them; ``windows`` counts those of each series; ``default`` is the place of the default setting.

    >>> gains = {name: np.array([[1.0, 1, 1, 1], [2, 2, 2, 2]]) for name in PROFILES}
    >>> found = halves(gains, np.array([1, 1, 1, 1]), default=0)
    >>> found.chosen["standard"], found.defaults["standard"], found.n_chosen
    (100.0, 50.0, [0, 20])
    """
    rng, n_series = np.random.default_rng(_SEED), len(windows)
    everything = scores(gains, windows, np.arange(n_series))
    best = int(everything["standard"].argmax())
    n_chosen = [0] * len(gains["standard"])
    found: list[dict[str, dict[str, float]]] = []
    for _ in range(N_SPLITS):
        order = rng.permutation(n_series)
        choosing, judging = order[: n_series // 2], order[n_series // 2 :]
        chosen = int(scores(gains, windows, choosing)["standard"].argmax())
        n_chosen[chosen] += 1
        judged = scores(gains, windows, judging)
        places = {"chosen": chosen, "defaults": default, "best": best}
        found.append({name: {p: float(each[i]) for p, each in judged.items()} for name, i in places.items()})
    means = {name: {p: float(np.mean([each[name][p] for each in found])) for p in gains} for name in found[0]}
    return Halves(means["chosen"], means["defaults"], means["best"], n_chosen)


def halves_of(figures: Sequence[Figures], default: int) -> Halves:
    """Split the series of several runs, which differ in a setting; one has the default, and each has every policy."""
    gains = {name: np.concatenate([np.array(each["gains"][name]) for each in figures]) for name in PROFILES}
    policy = Deviations()
    place = figures[default]["policies"].index({"scales": list(policy.scales), "threshold": policy.threshold})
    n_before = sum(len(each["policies"]) for each in figures[:default])
    return halves(gains, np.array(figures[0]["windows"]), n_before + place)


def scores(
    gains: Mapping[str, Floats], windows: npt.NDArray[np.int64], part: npt.NDArray[np.int64]
) -> dict[str, Floats]:
    """Return NAB's score of each setting on a part of the series, by profile."""
    n_windows = int(windows[part].sum())
    return {
        name: 100 * each[:, part].sum(axis=1) / (n_windows * (PROFILES[name].tp + PROFILES[name].fn))
        for name, each in gains.items()
    }
