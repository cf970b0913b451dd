"""Table 2 with the paper's figures and ours, row by row."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from genreplay.experiments.paper.online import PAPER_METHODS, OnlineRun
from genreplay.experiments.paper.table2 import DATASETS, PAPER
from genreplay.experiments.results import Estimate, Results
from genreplay.report.titles import dataset_title

ONLINE = (*PAPER_METHODS, "ER-ML packed")
COLUMNS = (*ONLINE, "offline", "independent")


class Cell(NamedTuple):
    """One of our figures."""

    nats: Estimate | None
    """None where it was not run"""
    best: bool = False
    """the best online model of its row, where log Z is known for all of them"""
    difference: float | None = None
    """ours minus the paper's"""


class Row(NamedTuple):
    """A data set: what the paper says, and what we found."""

    title: str
    note: str
    """what is special about its rows, if anything"""
    paper: dict[str, float]
    paper_best: str | None
    independent: float | None
    ours: dict[str, Cell]
    """a column that is not planned for the row has no cell"""


class Content(NamedTuple):
    """Everything that the page shows."""

    rows: list[Row]
    columns: tuple[str, ...]
    n_hidden: int


def content(results: Results) -> Content | None:
    """Make the content of the page; None where nothing was run."""
    found = rows(results)
    if not any(cell.nats for row in found for cell in row.ours.values()):
        return None
    first = next(run for run in results.runs("table2") if isinstance(run, OnlineRun))
    return Content(found, COLUMNS, first.n_hidden)


def rows(results: Results) -> list[Row]:
    """Nine data sets, and MNIST a second time in its other binarisation."""
    mnist = [_row(results, "mnist", "threshold"), _row(results, "mnist", "stochastic")]
    return mnist + [_row(results, dataset, "threshold") for dataset in DATASETS[1:]]


def _row(results: Results, dataset: str, binarisation: str) -> Row:
    stochastic = binarisation == "stochastic"
    common = {"dataset": dataset, "binarisation": binarisation}
    offline = results.find("table2", kind="offline", **common)
    online = {
        method: results.find("table2", kind="online", method=method, **common)
        for method in (("OCD_GR",) if stochastic else ONLINE)
    }
    # the offline figure that the paper quotes for MNIST is of stochastically binarised digits
    paper = {"offline": PAPER[dataset]["offline"]} if stochastic else PAPER[dataset]
    nats = {method: results.nats("table2", kind="online", method=method, **common) for method in online}
    nats["offline"] = results.nats("table2", kind="offline", **common)
    known = [each.mean for method in online if (each := nats[method]) is not None and not each.doubt]
    best = max(known) if len(known) == len(ONLINE) else None
    ours = {
        column: Cell(
            found,
            found is not None and column in online and found.mean == best,
            found.mean - paper[column] if found and column in paper and not math.isnan(found.mean) else None,
        )
        for column, found in nats.items()
    }
    seen = [record["figures"] for records in (offline, *online.values()) for record in records]
    independent = [record["figures"]["independent_nats"] for record in offline]
    trained = [record["figures"] for records in online.values() for record in records] or seen
    note = ""
    state = next((each["data_state"] for each in seen), "exact")
    title = dataset_title(dataset, state, binarisation if dataset == "mnist" else "")
    if state != "exact":
        note = f"{trained[0]['n_rows']:,} training and {trained[0]['n_test']:,} test rows in place of Table 1's"
    return Row(
        title,
        note,
        paper,
        None if stochastic else max(PAPER_METHODS, key=lambda method: paper[method]),
        float(np.mean(independent)) if independent else None,
        ours,
    )
