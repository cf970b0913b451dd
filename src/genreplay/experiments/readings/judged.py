"""Readings in the order of their distance from the paper, and what each answer does to the figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.experiments.paper.online import PAPER_METHODS
from genreplay.experiments.readings.distance import Distance, distance
from genreplay.experiments.readings.reading import CHOICES, NAMED, Reading, reading_of
from genreplay.experiments.readings.run import ReadingRun
from genreplay.experiments.results import Results


class Judged(NamedTuple):
    """A reading, its figures and their distance from the paper's."""

    reading: Reading
    nats: Mapping[str, Mapping[str, float | None]]
    """by data set and method, the mean over seeds; None where log Z is unknown for one of them"""
    distance: Distance
    n_seeds: int
    """on the set that has the fewest"""

    @property
    def title(self) -> str:
        """The name of a reading that has one, or else its answers."""
        return next((name for name, named in NAMED.items() if named == self.reading), self.reading.title)


def judged(results: Results, stage: int) -> list[Judged]:
    """Readings that were run on all sets of a stage: the nearest to the paper comes first."""
    wanted = [run for run in results.runs("readings") if isinstance(run, ReadingRun) and run.stage == stage]
    wanted = [run for run in wanted if run.order == "random" and run.n_cd == 1]
    sets = {run.dataset for run in wanted}
    found: dict[Reading, dict[str, dict[str, float | None]]] = {}
    n_seeds: dict[Reading, list[int]] = {}
    for run in wanted:
        records = results.of(run)
        if records:
            figures = [record["figures"]["methods"] for record in records]
            reading = reading_of(run)
            n_seeds.setdefault(reading, []).append(len(records))
            found.setdefault(reading, {})[run.dataset] = {
                method: _mean([None if each[method]["doubt"] else each[method]["nats"] for each in figures])
                for method in PAPER_METHODS
            }
    whole = {reading: nats for reading, nats in found.items() if set(nats) == sets}
    listed = [Judged(reading, nats, distance(nats), min(n_seeds[reading])) for reading, nats in whole.items()]
    return sorted(listed, key=lambda each: each.distance.total)


def finalists(first: Sequence[Judged], n_readings: int = 20) -> set[Reading]:
    """Which readings go on to all sets: those that have a name, and the nearest ones."""
    named = set(NAMED.values())
    others = [each.reading for each in first if each.reading not in named]
    return named | set(others[: n_readings - len(named)])


def effects(readings: Sequence[Reading], values: npt.NDArray[np.float64]) -> dict[tuple[str, str], float]:
    """By how much each answer changes a value, the other answers being equal: least squares on the answers.

    The first answer to each question is what the others are compared with.

    >>> two = [Reading(), Reading(decay="weights"), Reading(dreams="probabilities")]
    >>> found = effects(two, np.array([1.0, 3.0, 0.0]))
    >>> round(found["decay", "weights"], 6), round(found["dreams", "probabilities"], 6)
    (2.0, -1.0)
    """
    columns = [(name, answer) for name, answers in CHOICES.items() for answer in answers[1:]]
    known = np.isfinite(values)
    given = np.array([[getattr(reading, name) == answer for name, answer in columns] for reading in readings])
    design = np.column_stack([np.ones(known.sum()), given[known]])
    fitted = np.linalg.lstsq(design, values[known], rcond=None)[0]
    return dict(zip(columns, fitted[1:].tolist(), strict=True))


def _mean(nats: Sequence[float | None]) -> float | None:
    known = [each for each in nats if each is not None]
    return float(np.mean(known)) if len(known) == len(nats) else None
