"""Figs. 4a and 4b: MNIST in sorted and in random order, 25, 250 and 500 hidden units.

The paper: in sorted order OCD_GR beats ER-ML at every size, and ER-IM too at 250 and 500; ER-ML gets worse as the model
grows. In random order OCD_GR beats both at 250 and 500, with -114.53 nats at 500. Error bars are the standard deviation
of the means of the ten digit classes.
"""

from __future__ import annotations

from dataclasses import replace

from genreplay.experiments.paper import fig5
from genreplay.experiments.paper.online import PAPER_METHODS, OnlineRun

SIZES: tuple[int, ...] = (25, 250, 500)
ORDERS = ("sorted", "random")


def runs(quick: bool = False) -> list[OnlineRun]:
    """Every order, size and method; the runs at 500 units in random order are those of Fig. 5."""
    base = OnlineRun()
    sizes = SIZES
    if quick:
        base, sizes = replace(base, max_rows=1_000, n_temperatures=290), (25, 50)
    grid = [
        replace(base, order=order, n_hidden=size, method=method)
        for order in ORDERS
        for size in sizes
        for method in PAPER_METHODS
    ]
    return [run for run in grid if run.order == "sorted" or run.n_hidden != 500] + fig5.runs(quick)
