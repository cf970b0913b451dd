"""Results by experiment: which records belong to which run, and their summary over seeds."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from genreplay.experiments.registry import EXPERIMENTS
from genreplay.experiments.run import Run, identities, identity
from genreplay.experiments.runner import Record


class Estimate(NamedTuple):
    """Mean test nats of a run over its seeds, and how far to trust it."""

    mean: float
    """over the seeds whose log Z is known; not a number if there is none"""
    deviation: float | None
    """standard deviation over the same; None for a single one"""
    n_seeds: int
    log_z_error: float
    """standard error of log Z for one seed: the root mean square over seeds"""
    class_std: float | None
    """standard deviation of the classes' means, averaged over seeds"""
    n_unknown: int = 0
    """seeds whose log Z is unknown"""

    @property
    def doubt(self) -> str:
        """Why the figure does not stand; empty if it does."""
        return f"log Z is unknown for {self.n_unknown} of {self.n_seeds} seeds" if self.n_unknown else ""

    @property
    def error(self) -> float | None:
        """Standard error of the mean: the deviation over seeds and the error of log Z combined."""
        if self.deviation is None:
            return None
        return math.hypot(self.deviation, self.log_z_error) / math.sqrt(self.n_seeds - self.n_unknown)


def estimate(records: Sequence[Record]) -> Estimate | None:
    """Summarise the runs of one setting over several seeds; None if there are none.

    >>> seeds = [{"figures": {"nats": nats, "error": 0.3, "doubt": "", "class_std": None}} for nats in (-10, -12)]
    >>> summary = estimate(seeds)
    >>> summary.mean, round(summary.error, 2), summary.doubt
    (-11.0, 1.02, '')
    >>> unknown = {"figures": seeds[0]["figures"] | {"doubt": "the weights of only 1.4 chains overlap"}}
    >>> estimate([*seeds, unknown]).doubt
    'log Z is unknown for 1 of 3 seeds'
    """
    if not records:
        return None
    every = [record["figures"] for record in records]
    figures = [each for each in every if not each["doubt"]]
    nats = np.array([each["nats"] for each in figures])
    stds = [each["class_std"] for each in figures if each["class_std"] is not None]
    return Estimate(
        mean=float(nats.mean()) if figures else math.nan,
        deviation=float(nats.std(ddof=1)) if len(figures) > 1 else None,
        n_seeds=len(every),
        log_z_error=math.sqrt(float(np.mean([each["error"] ** 2 for each in figures]))) if figures else math.nan,
        class_std=float(np.mean(stds)) if stds else None,
        n_unknown=len(every) - len(figures),
    )


@cache
def _listed(runs: Callable[[bool], Sequence[Run]], quick: bool) -> Sequence[Run]:
    """Pages ask for the same runs thousands of times, and listing them would take most of the time."""
    return runs(quick)


class Results:
    """The records of a results file, found by the runs that the experiments list.

    A file with runs of the full form is read as such; one that has only quick runs shows those.
    """

    def __init__(self, records: Iterable[Record]) -> None:
        self._by_identity = {identity(record): record for record in records}
        self._found: dict[Run, list[Record]] = {}
        self._wanted: dict[Hashable, list[Record]] = {}  # pages ask for the same thing many times
        self.seeds: list[int] = sorted({record["seed"] for record in self._by_identity.values()})
        self.quick = False
        if not any(self.of(run) for name in EXPERIMENTS for run in self.runs(name)):
            self.quick = True
            self.quick = any(self.of(run) for name in EXPERIMENTS for run in self.runs(name))

    def runs(self, experiment: str) -> Sequence[Run]:
        """The runs that an experiment lists, in the form that the file has."""
        return _listed(EXPERIMENTS[experiment], self.quick)

    def of(self, run: Run) -> list[Record]:
        """The records of one run, by seed; those of a version that it replaces until as many seeds have run again."""
        if run not in self._found:
            by_version = [
                [self._by_identity[name] for name in names if name in self._by_identity]
                for names in zip(*(identities(run, seed) for seed in self.seeds), strict=True)
            ]
            self._found[run] = max(by_version, key=len, default=[])
        return self._found[run]

    def find(self, experiment: str, **settings: object) -> list[Record]:
        """The records of the run of an experiment that has these settings (``kind`` among them); empty if not run."""
        wanted = experiment, self.quick, *settings.items()
        if wanted not in self._wanted:
            self._wanted[wanted] = self._find(experiment, settings)
        return self._wanted[wanted]

    def _find(self, experiment: str, settings: Mapping[str, object]) -> list[Record]:
        missing = object()
        for run in self.runs(experiment):
            if all(getattr(run, name, missing) == value for name, value in settings.items()):
                records = self.of(run)
                if records:
                    return records
        return []

    def nats(self, experiment: str, **settings: object) -> Estimate | None:
        """The test nats of the run of an experiment that has these settings."""
        return estimate(self.find(experiment, **settings))

    @cached_property
    def records(self) -> list[Record]:
        """Every record that some experiment lists."""
        runs = {run: None for name in EXPERIMENTS for run in self.runs(name)}
        return [record for run in runs for record in self.of(run)]

    @property
    def n_not_listed(self) -> int:
        """Records that no experiment lists in this form: those of other settings, or of another version of a run."""
        return len(self._by_identity) - len(self.records)
