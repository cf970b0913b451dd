"""The stages of the search: many readings on small sets, fewer on longer streams and on all sets, ten with all seeds.

Readings that come near the paper after few updates can be far from it after many, so a choice by the small sets alone
would be a poor one. The first two stages are judged on validation rows, the later ones on test rows, as the paper's
figures are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace

from genreplay.experiments.paper.table2 import DATASETS
from genreplay.experiments.readings import chosen
from genreplay.experiments.readings.reading import Reading, drawn, neighbours
from genreplay.experiments.readings.run import ReadingRun

N_READINGS = 208
"""drawn in the first stage"""
SMALL = ("dna", "nips", "mushrooms")
"""the sets with at most 2,000 training rows"""
LONGER = ("adult", "connect4")
"""streams of 50 and 160 updates that have validation rows"""
MORE_STEPS = (3, 10)
"""values of n_CD for which the text has a figure, beside 1"""


def on_valid_rows(dataset: str, readings: Iterable[Reading]) -> list[ReadingRun]:
    """Readings on a set, with few temperatures and chains."""
    base = ReadingRun(dataset=dataset, rows="valid", n_temperatures=580, n_chains=60)
    return [replace(base, **asdict(reading)) for reading in readings]


def on_small_sets() -> list[ReadingRun]:
    """The first stage: readings that were drawn, and neighbours of the nearest of them."""
    tried = drawn(N_READINGS) + [other for start in chosen.STARTS for other in neighbours(start)]
    return [run for dataset in SMALL for run in on_valid_rows(dataset, dict.fromkeys(tried))]


def on_longer_streams() -> list[ReadingRun]:
    """The second stage."""
    return [run for dataset in LONGER for run in on_valid_rows(dataset, chosen.LONGER)]


def on_all_sets(reading: Reading) -> list[ReadingRun]:
    """The third stage, for one reading; the fourth has more seeds of the same."""
    return [ReadingRun(**asdict(reading), dataset=dataset) for dataset in DATASETS]


def of_the_text(reading: Reading) -> list[ReadingRun]:
    """What the text says of MNIST beside Table 2: sorted order, and more steps of contrastive divergence."""
    base = ReadingRun(**asdict(reading), dataset="mnist")
    return [replace(base, order="sorted"), *(replace(base, n_cd=n_cd) for n_cd in MORE_STEPS)]


def runs(quick: bool = False) -> list[ReadingRun]:
    """All stages."""
    if quick:
        few = [run for dataset in SMALL[:2] for run in on_valid_rows(dataset, drawn(4))]
        return [replace(run, n_hidden=20, max_rows=300, n_temperatures=29) for run in few]
    listed = on_small_sets() + on_longer_streams()
    listed += [run for reading in chosen.FINALISTS for run in on_all_sets(reading)]
    listed += [run for reading in chosen.NEAREST for run in of_the_text(reading)]
    return listed
