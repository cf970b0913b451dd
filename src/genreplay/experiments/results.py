"""Results by experiment: which records belong to which run, and their summary over seeds."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from genreplay.experiments.registry import EXPERIMENTS
from genreplay.experiments.run import Run, describe, identity
from genreplay.experiments.runner import Record

MAX_GAP = 2.0
"""nats between forward and reverse AIS beyond which a figure is marked"""


class Estimate(NamedTuple):
    """Mean test nats of a run over its seeds, and how far to trust it."""

    mean: float
    """log Z by forward AIS, as in the paper"""
    deviation: float | None
    """standard deviation over seeds; None for a single one"""
    n_seeds: int
    ais_error: float
    """standard error of AIS for one seed: the root mean square over seeds"""
    gap: float | None
    """nats by forward minus nats by reverse AIS, of the seed where they differ most"""
    low: float
    """mean over seeds of the lower of forward and reverse AIS"""
    high: float
    """mean over seeds of the higher of the two"""
    class_std: float | None
    """standard deviation of the classes' means, averaged over seeds"""

    @property
    def doubtful(self) -> bool:
        """Whether forward and reverse AIS differ by more than MAX_GAP for some seed."""
        return self.gap is not None and abs(self.gap) > MAX_GAP

    @property
    def error(self) -> float | None:
        """Standard error of the mean: the deviation over seeds and the error of AIS combined."""
        if self.deviation is None:
            return None
        return math.hypot(self.deviation, self.ais_error) / math.sqrt(self.n_seeds)


def estimate(records: Sequence[Record]) -> Estimate | None:
    """Summarise the runs of one setting over several seeds; None if there are none.

    >>> figures = {"ais_error": 0.3, "class_std": None}
    >>> seeds = [{"figures": {"nats": nats, "reverse_nats": nats - 1, "gap": 1.0, **figures}} for nats in (-10, -12)]
    >>> summary = estimate(seeds)
    >>> summary.mean, summary.low, summary.gap, round(summary.error, 2)
    (-11.0, -12.0, 1.0, 1.02)
    """
    if not records:
        return None
    figures = [record["figures"] for record in records]
    nats = np.array([each["nats"] for each in figures])
    reverse = np.array([each["nats"] if each["reverse_nats"] is None else each["reverse_nats"] for each in figures])
    gaps = [each["gap"] for each in figures if each["gap"] is not None]
    stds = [each["class_std"] for each in figures if each["class_std"] is not None]
    return Estimate(
        mean=float(nats.mean()),
        deviation=float(nats.std(ddof=1)) if len(nats) > 1 else None,
        n_seeds=len(nats),
        ais_error=math.sqrt(float(np.mean([each["ais_error"] ** 2 for each in figures]))),
        gap=max(gaps, key=abs) if gaps else None,
        low=float(np.minimum(nats, reverse).mean()),
        high=float(np.maximum(nats, reverse).mean()),
        class_std=float(np.mean(stds)) if stds else None,
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
        """The records of one run, by seed."""
        if run not in self._found:
            names = [identity(describe(run, seed)) for seed in self.seeds]
            self._found[run] = [self._by_identity[name] for name in names if name in self._by_identity]
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
