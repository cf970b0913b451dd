"""Readings in the order of their distance from the paper, and what each answer does to the figures."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.experiments.paper.online import PAPER_METHODS
from genreplay.experiments.readings import chosen
from genreplay.experiments.readings.distance import Distance, Text, distance
from genreplay.experiments.readings.plan import N_READINGS, SMALL
from genreplay.experiments.readings.reading import CHOICES, NAMED, Reading, drawn, reading_of
from genreplay.experiments.readings.run import ReadingRun
from genreplay.experiments.results import Results
from genreplay.experiments.runner import Record

Stage = Literal["small sets", "longer streams", "all sets", "all seeds"]
STAGES: tuple[Stage, ...] = ("small sets", "longer streams", "all sets", "all seeds")
SORTED = "mnist, sorted"
"""a case beside the sets of Table 2"""


class Judged(NamedTuple):
    """A reading, its figures and their distance from the paper's."""

    reading: Reading
    nats: Mapping[str, Mapping[str, float | None]]
    """by data set and method, the mean over the seeds whose log Z is known; None where there is none"""
    text: Text
    distance: Distance
    n_seeds: int
    """on the set that has the fewest"""
    noise: float | None
    """standard deviation of log nats over seeds, in the mean over figures; None for a single seed"""

    @property
    def won(self) -> dict[str, bool]:
        """The cases in which OCD_GR is ahead of both others: the sets, and MNIST in sorted order where it was run."""
        cases = {**self.nats, **({SORTED: self.text.in_sorted_order} if self.text.in_sorted_order else {})}
        return {name: ahead(figures) for name, figures in cases.items()}

    @property
    def name(self) -> str:
        """The name of a reading that has one."""
        return next((name for name, named in NAMED.items() if named == self.reading), "")

    @property
    def title(self) -> str:
        """The name of a reading that has one, or else its answers."""
        return self.name or self.reading.title


def ahead(figures: Mapping[str, float | None]) -> bool:
    """Whether OCD_GR is ahead of both others; not where one of the figures is unknown.

    >>> figures = {"OCD_GR": -10.0, "ER-IM": -11.0, "ER-ML": -12.0}
    >>> ahead(figures), ahead(figures | {"ER-IM": None})
    (True, False)
    """
    ours, *others = (figures[method] for method in PAPER_METHODS)
    return ours is not None and all(other is not None and ours > other for other in others)


def judged(results: Results, stage: Stage, seed: int | None = None) -> list[Judged]:
    """Readings that were run on all sets of a stage: the nearest to the paper comes first.

    The "longer streams" are judged together with the small sets. "all sets" is seed 0 of Table 2; "all seeds" are those
    of the readings in ``chosen.NEAREST``, once all of them have run with as many, and the text, once all have it; one
    of these seeds alone can be asked for.
    """
    wanted = [run for run in results.runs("readings") if isinstance(run, ReadingRun)]
    if stage == "small sets":
        wanted = [run for run in wanted if run.rows == "valid" and run.dataset in SMALL]
    elif stage == "longer streams":
        wanted = [run for run in wanted if run.rows == "valid" and reading_of(run) in chosen.LONGER]
    else:
        wanted = [run for run in wanted if run.rows == "test"]
    every_seed = stage == "all seeds"
    if every_seed:
        wanted = [run for run in wanted if reading_of(run) in chosen.NEAREST]
    in_table = [run for run in wanted if run.order == "random" and run.n_cd == 1]
    sets = {run.dataset for run in in_table}
    found: dict[Reading, dict[str, dict[str, float | None]]] = {}
    n_seeds: dict[Reading, list[int]] = {}
    deviations: dict[Reading, list[float]] = {}
    for run in in_table:
        records = results.of(run)[: None if every_seed else 1]
        if records:
            reading = reading_of(run)
            n_seeds.setdefault(reading, []).append(len(records))
            deviations.setdefault(reading, []).extend(_deviations(records))
            if asked := [each for each in records if seed in (None, each["seed"])]:
                found.setdefault(reading, {})[run.dataset] = {m: _nats(asked, m) for m in PAPER_METHODS}
    texts = _texts(results, wanted) if every_seed else {}
    listed = []
    for reading, nats in found.items():
        n, text = min(n_seeds[reading]), texts.get(reading, Text())
        if set(nats) == sets and (n > 1 or not every_seed):
            noise = float(np.mean(deviations[reading])) if deviations[reading] else None
            listed.append(Judged(reading, nats, text, distance(nats, text), n, noise))
    if every_seed and (len(listed) < len(chosen.NEAREST) or len({each.n_seeds for each in listed}) > 1):
        return []  # some have run with more seeds than others: not to be compared
    return sorted(listed, key=lambda each: each.distance.total)


def starts(first: Sequence[Judged], n_readings: int = 4) -> list[Reading]:
    """Whose neighbours are tried: the nearest of the readings that were drawn."""
    were_drawn = set(drawn(N_READINGS))
    return [each.reading for each in first if each.reading in were_drawn][:n_readings]


def going_on(listed: Sequence[Judged], n_readings: int, surely: Collection[Reading]) -> list[Reading]:
    """Which readings go on to the next stage: some in any case, and the nearest ones; nearest first.

    60 go on to longer streams and 20 to all sets, with those that have a name among them. 10 get all seeds, with that
    of ``recipe="paper"`` among them, to compare with.
    """
    others = [each.reading for each in listed if each.reading not in surely]
    chosen = {*surely, *others[: n_readings - len(surely)]}
    return [each.reading for each in listed if each.reading in chosen]


def clearly_nearest(results: Results) -> Judged | None:
    """The reading that is nearest with every seed by itself; None where there is none."""
    last = judged(results, "all seeds")
    if not last:
        return None
    first_of = [judged(results, "all seeds", seed)[0].reading for seed in range(last[0].n_seeds)]
    return last[0] if set(first_of) == {last[0].reading} else None


def _texts(results: Results, runs: Sequence[ReadingRun]) -> dict[Reading, Text]:
    """The figures of the text for each reading; empty as long as one of them is missing."""
    found: dict[Reading, dict[tuple[str, int], Sequence[Record]]] = {}
    for run in runs:
        if (run.order, run.n_cd) != ("random", 1):
            found.setdefault(reading_of(run), {})[run.order, run.n_cd] = results.of(run)
    if not all(all(each.values()) for each in found.values()):
        return {}
    return {
        reading: Text(
            {method: _nats(each["sorted", 1], method) for method in PAPER_METHODS},
            {n: _nats(records, PAPER_METHODS[0]) for (_, n), records in each.items() if n > 1},
        )
        for reading, each in found.items()
    }


def _nats(records: Sequence[Record], method: str) -> float | None:
    figures = [record["figures"]["methods"][method] for record in records]
    known = [each["nats"] for each in figures if not each["doubt"]]
    return float(np.mean(known)) if known else None


def _deviations(records: Sequence[Record]) -> list[float]:
    """Standard deviations of log nats over seeds, of the methods whose log Z is known for all of them."""
    found = []
    for method in PAPER_METHODS if len(records) > 1 else ():
        figures = [record["figures"]["methods"][method] for record in records]
        if not any(each["doubt"] or each["nats"] >= 0 for each in figures):
            found.append(float(np.std([np.log(-each["nats"]) for each in figures], ddof=1)))
    return found


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
