"""NAB: the scores of each method with the default alarms, and with settings chosen on other series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from genreplay.experiments.nab import METHODS, PROFILES, Halves, NabRun, halves_of
from genreplay.experiments.results import Results

PROFILE_TITLES = dict(zip(PROFILES, ("standard", "low FP", "low FN"), strict=True))


class Row(NamedTuple):
    """A method: NAB's scores by profile, in the mean over seeds."""

    method: str
    defaults: dict[str, float]
    n_seeds: int
    halves: Halves
    n_settings: int
    """that the choice is made from"""


def nab(results: Results) -> list[Row]:
    """A row for each method that was run with its defaults."""
    runs = [run for run in results.runs("nab") if isinstance(run, NabRun)]
    found = [_row(results, [run for run in runs if run.method == method]) for method in METHODS]
    return [row for row in found if row is not None]


def _row(results: Results, runs: Sequence[NabRun]) -> Row | None:
    default = results.of(runs[0])
    if not default:
        return None
    seeds = {record["seed"] for record in default}
    by_run = [{record["seed"]: record["figures"] for record in results.of(run)} for run in runs]
    figures = [_mean([each[seed] for seed in sorted(seeds)]) for each in by_run if seeds <= set(each)]
    scores = [record["figures"]["scores"] for record in default]
    means = {name: float(np.mean([each[name] for each in scores])) for name in PROFILES}
    n_settings = sum(len(each["policies"]) for each in figures)
    return Row(runs[0].method, means, len(seeds), halves_of(figures, default=0), n_settings)


def _mean(figures: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Figures of one run whose points are the mean over seeds."""
    gains = {name: np.mean([each["gains"][name] for each in figures], axis=0).tolist() for name in PROFILES}
    return {**figures[0], "gains": gains}
