"""The runs of the experiment "beyond"."""

from __future__ import annotations

from dataclasses import replace

from genreplay.experiments.beyond.differences import RIVALS, VARIANTS
from genreplay.experiments.beyond.price import PriceRun
from genreplay.experiments.beyond.run import BeyondRun
from genreplay.experiments.paper.table2 import DATASETS

ABLATED = ("mnist", "adult", "dna", "mushrooms", "nips")
"""sets on which ingredients are left out one by one, MNIST in both orders: large and small, dense and sparse"""


def runs(quick: bool = False) -> list[BeyondRun | PriceRun]:
    """The recipe and its rivals on every data set; the effect of each ingredient, with fewer rows and hidden units."""
    whole, part = BeyondRun(), BeyondRun(n_hidden=100, n_temperatures=1_450, max_rows=10_000)
    price = PriceRun()
    if quick:
        whole = replace(whole, n_hidden=20, max_rows=500, n_temperatures=290)
        part = replace(part, n_hidden=10, max_rows=500, n_temperatures=290)
        price = replace(price, n_hidden=20, max_rows=500)
    sorted_ = replace(whole, order="sorted")
    listed: list[BeyondRun | PriceRun] = [sorted_, *(replace(whole, dataset=dataset) for dataset in DATASETS)]
    listed += [replace(sorted_, method=method) for method in RIVALS]
    listed += [replace(whole, dataset=dataset, method=RIVALS[0]) for dataset in DATASETS]
    listed += [price, replace(price, order="sorted")]
    streams = [("mnist", "sorted"), *((dataset, "random") for dataset in ABLATED[: 1 if quick else None])]
    listed += [replace(part, dataset=d, order=o, variant=variant) for d, o in streams for variant in VARIANTS]
    return listed
