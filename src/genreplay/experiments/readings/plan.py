"""The stages of the search: many readings on the small sets, fewer on all sets, the nearest with more seeds.

The first stage is judged on validation rows. The later ones are judged on test rows, as the paper's figures are.
"""

from __future__ import annotations

from dataclasses import asdict, replace

from genreplay.experiments.paper.table2 import DATASETS
from genreplay.experiments.readings import chosen
from genreplay.experiments.readings.reading import Reading, drawn, neighbours
from genreplay.experiments.readings.run import ReadingRun

N_READINGS = 208
"""drawn in the first stage"""
SMALL = ("dna", "nips", "mushrooms")
"""the sets with at most 2,000 training rows"""
MORE_STEPS = (3, 10)
"""values of n_CD for which the text has a figure, beside 1"""


def first_stage(dataset: str, quick: bool = False) -> list[ReadingRun]:
    """Many readings on a small set, with few temperatures and chains: those drawn, and neighbours of the nearest."""
    base = ReadingRun(dataset=dataset, rows="valid", n_temperatures=580, n_chains=60)
    if quick:
        base = replace(base, n_hidden=20, max_rows=300, n_temperatures=29)
    tried = drawn(4 if quick else N_READINGS)
    if not quick:
        tried += [other for start in chosen.STARTS for other in neighbours(start)]
    return [replace(base, **asdict(reading)) for reading in dict.fromkeys(tried)]


def on_all_sets(reading: Reading) -> list[ReadingRun]:
    """The second stage, for one reading; the third has more seeds of the same."""
    return [ReadingRun(**asdict(reading), dataset=dataset) for dataset in DATASETS]


def of_the_text(reading: Reading) -> list[ReadingRun]:
    """What the text says of MNIST beside Table 2: sorted order, and more steps of contrastive divergence."""
    base = ReadingRun(**asdict(reading), dataset="mnist")
    return [replace(base, order="sorted"), *(replace(base, n_cd=n_cd) for n_cd in MORE_STEPS)]


def runs(quick: bool = False) -> list[ReadingRun]:
    """All stages."""
    sets = SMALL[:2] if quick else SMALL
    listed = [run for dataset in sets for run in first_stage(dataset, quick)]
    if not quick:
        listed += [run for reading in chosen.FINALISTS for run in on_all_sets(reading)]
        listed += [run for reading in chosen.NEAREST for run in of_the_text(reading)]
    return listed
