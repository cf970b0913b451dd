"""The stages of the search: many readings on the small sets, fewer on all sets, the nearest with more seeds.

The first stage is judged on validation rows. The later ones are judged on test rows, as the paper's figures are.
"""

from __future__ import annotations

from dataclasses import asdict, replace

from genreplay.experiments.paper.table2 import DATASETS
from genreplay.experiments.readings.reading import Reading, drawn
from genreplay.experiments.readings.run import ReadingRun

N_READINGS = 208
"""of the first stage"""
SMALL = ("dna", "nips", "mushrooms")
"""the sets with at most 2,000 training rows"""
FINALISTS: tuple[Reading, ...] = ()
"""of the second stage: the nearest of the first, and those that have a name"""
NEAREST: tuple[Reading, ...] = ()
"""of the third stage: the nearest of the second"""


def first_stage(dataset: str, quick: bool = False) -> list[ReadingRun]:
    """Many readings on a small set, with few temperatures and chains."""
    base = ReadingRun(dataset=dataset, rows="valid", n_temperatures=580, n_chains=60)
    if quick:
        base = replace(base, n_hidden=20, max_rows=300, n_temperatures=29)
    return [replace(base, **asdict(reading)) for reading in drawn(4 if quick else N_READINGS)]


def second_stage(reading: Reading) -> list[ReadingRun]:
    """One reading on all sets, with fewer chains and temperatures than the last stage has."""
    base = ReadingRun(**asdict(reading), n_temperatures=1_450, n_chains=60)
    return [replace(base, dataset=dataset) for dataset in DATASETS]


def third_stage(reading: Reading) -> list[ReadingRun]:
    """One of the nearest on all sets, MNIST in both orders, with all seeds."""
    base = ReadingRun(**asdict(reading))
    return [*(replace(base, dataset=dataset) for dataset in DATASETS), replace(base, dataset="mnist", order="sorted")]


def runs(quick: bool = False) -> list[ReadingRun]:
    """All stages."""
    sets = SMALL[:2] if quick else SMALL
    listed = [run for dataset in sets for run in first_stage(dataset, quick)]
    if not quick:
        listed += [run for reading in FINALISTS for run in second_stage(reading)]
        listed += [run for reading in NEAREST for run in third_stage(reading)]
    return listed
