"""The page on what was run: runs and hours by experiment, versions, and settings."""

from __future__ import annotations

from dataclasses import fields
from typing import NamedTuple

from genreplay.experiments.paper.offline import OfflineRun
from genreplay.experiments.paper.online import OnlineRun
from genreplay.experiments.registry import EXPERIMENTS
from genreplay.experiments.results import Results
from genreplay.experiments.run import seeds_of

SYMBOLS = {
    "n_hidden": "n_h",
    "batch_size": "n_B",
    "n_replay": "n_Bhat",
    "n_gibbs": "n_Gs",
    "n_epochs": "n_E",
    "n_cd": "n_CD",
    "learning_rate": "alpha",
}
"""of the paper, by the name of the setting"""


class Experiment(NamedTuple):
    """A row of the table of what was run."""

    name: str
    n_done: int
    n_listed: int
    """runs of the experiment, with as many seeds as it has"""
    hours: float
    temperatures: list[int]
    """of log Z, in runs of the current version"""


class Setting(NamedTuple):
    """A setting of section 4 of the paper."""

    symbol: str
    name: str
    value: object


class Content(NamedTuple):
    """Everything that the page shows."""

    experiments: list[Experiment]
    n_runs: int
    n_not_listed: int
    hours: float
    seeds: list[int]
    versions: list[str]
    settings: list[Setting]
    offline: dict[str, object]
    """settings of the offline RBM"""


def content(results: Results) -> Content:
    """Make the content of the page."""
    records = results.records
    return Content(
        experiments=[_experiment(results, name) for name in EXPERIMENTS],
        n_runs=len(records),
        n_not_listed=results.n_not_listed,
        hours=sum(record["seconds"] for record in records) / 3600,
        seeds=results.seeds,
        versions=sorted({f"{name} {version}" for record in records for name, version in record["versions"].items()}),
        settings=[Setting(symbol, name, getattr(OnlineRun(), name)) for name, symbol in SYMBOLS.items()],
        offline={field.name: field.default for field in fields(OfflineRun)},
    )


def _experiment(results: Results, name: str) -> Experiment:
    runs = results.runs(name)
    done = {run: results.of(run) for run in runs}
    records = [record for found in done.values() for record in found]
    current = [run for run, found in done.items() if found and found[0]["version"] == run.version]
    temperatures = {run.n_temperatures for run in current if hasattr(run, "n_temperatures")}
    temperatures |= {run.curve_temperatures for run in current if isinstance(run, OnlineRun) and run.curve_every}
    hours = sum(record["seconds"] for record in records) / 3600
    n_seeds = len({record["seed"] for record in records})
    n_listed = sum(len(seeds_of(run, n_seeds)) for run in runs)
    return Experiment(name, len(records), n_listed, hours, sorted(temperatures))
