"""The page on faults: how well each kind is found, and what the detector blames, dreams and fills in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from genreplay.experiments.faults import METHODS, NOMINAL, ONLINE, ORDERS, FaultsRun
from genreplay.experiments.results import Results
from genreplay.experiments.runner import Record
from genreplay.formatting import fine_percent
from genreplay.report import svg

KIND_TITLES = {
    "all": "all faults",
    "single": "single cell",
    "contextual": "contextual",
    "label": "unseen label",
    "stuck": "stuck sensor",
    "swapped": "swapped columns",
}
CHANCE = 0.5
"""ROC-AUC of scores drawn at random"""
ORDER_TITLES = {"time": "in the order of time", "shuffled": "shuffled"}


class Spread(NamedTuple):
    """A figure over seeds."""

    mean: float
    deviation: float | None
    """None for a single seed"""


class Row(NamedTuple):
    """A kind of fault, with a figure of each method that has one."""

    title: str
    cells: dict[str, Spread]
    best: str | None
    """the method with the highest figure; None unless all have one"""


class Found(NamedTuple):
    """How the RBM does with one kind of fault."""

    title: str
    recall: Spread | None
    """share of the faulty rows that raise an alarm"""
    blamed_right: Spread | None
    """share of them of which the column that explains most is at fault"""


class Answer(NamedTuple):
    """What the RBM was asked beside scores, and its answer."""

    question: str
    value: str


class Order(NamedTuple):
    """The table in one order of its rows."""

    title: str
    picture: Markup
    auc: list[Row]
    precision: list[Row]
    found: list[Found]
    """a line for each kind of fault; none where the RBM was not run"""
    answers: list[Answer]


class Content(NamedTuple):
    """Everything that the page shows."""

    sentences: list[str]
    orders: list[Order]
    methods: tuple[str, ...]
    online: tuple[str, ...]
    hidden_share: float
    """of the numbers in the last rows, before they are learned"""
    n_stored: int
    """rows that KNNImputer stores"""


def content(results: Results) -> Content | None:
    """Make the content of the page; None where nothing was run."""
    found = _find(results)
    if not found:
        return None
    orders = [
        Order(
            ORDER_TITLES[order],
            _draw(by_method, order),
            table(by_method, "auc"),
            table(by_method, "average_precision"),
            _found(by_method.get("RBM", [])),
            _answers(by_method.get("RBM", [])),
        )
        for order, by_method in found.items()
    ]
    first = results.runs("faults")[0]
    assert isinstance(first, FaultsRun)
    return Content(sentences(results), orders, METHODS, ONLINE, first.hidden_share, first.n_stored)


def sentences(results: Results) -> list[str]:
    """The page in a few sentences made from its figures."""
    said = []
    for order, by_method in _find(results).items():
        means = {method: spread(records, "auc", "all") for method, records in by_method.items()}
        aucs = ", ".join(f"{method} {each.mean:.3f}" for method, each in means.items() if each is not None)
        sentence = f"ROC-AUC over all faults, rows {ORDER_TITLES[order]}: {aucs}."
        if by_method.get("RBM"):
            recall = spread(by_method["RBM"], "recall", "all")
            alarms = spread(by_method["RBM"], "false_alarms")
            if recall and alarms:
                sentence += (
                    f" At a nominal {fine_percent(NOMINAL)}, the RBM raises an alarm for {fine_percent(recall.mean)} "
                    f"of the faults and for {fine_percent(alarms.mean)} of the usual rows."
                )
        said.append(sentence)
    return said


def table(
    by_method: Mapping[str, Sequence[Record]],
    figure: str,
    titles: Mapping[str, str] = KIND_TITLES,
    rivals: Sequence[str] = METHODS,
) -> list[Row]:
    """A row for all faults and for each kind; the best is that of the rivals, if all of them were run."""
    rows = []
    for kind, title in titles.items():
        found = {method: spread(records, figure, kind) for method, records in by_method.items()}
        cells = {method: each for method, each in found.items() if each is not None}
        complete = set(cells) >= set(rivals)
        best = max(rivals, key=lambda method: cells[method].mean) if complete else None
        rows.append(Row(title, cells, best))
    return rows


def spread(records: Sequence[Record], figure: str, name: str | None = None) -> Spread | None:
    """Mean and deviation over seeds of a figure, or of the part of it with this name; None where no seed has it."""
    found = [record["figures"][figure] for record in records]
    values = [each if name is None else each[name] for each in found if name is None or name in each]
    if not values:
        return None
    return Spread(float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else None)


def _find(results: Results) -> dict[str, dict[str, list[Record]]]:
    """Records by order and method, of those that have some."""
    found: dict[str, dict[str, list[Record]]] = {}
    for order in ORDERS:
        records = {method: results.find("faults", order=order, method=method) for method in METHODS}
        if any(records.values()):
            found[order] = {method: each for method, each in records.items() if each}
    return found


def _found(records: Sequence[Record]) -> list[Found]:
    return [
        Found(title, spread(records, "recall", kind), spread(records, "blamed_right", kind))
        for kind, title in KIND_TITLES.items()
        if records
    ]


def _answers(records: Sequence[Record]) -> list[Answer]:
    if not records:
        return []
    shares = {
        f"usual rows that raise an alarm at a nominal {fine_percent(NOMINAL)}": "false_alarms",
        "dreams of an idle machine that turns": "impossible_dreams",
        "dreams without a time": "timeless_dreams",
    }
    found = [
        Answer(question, fine_percent(each.mean))
        for question, figure in shares.items()
        if (each := spread(records, figure)) is not None
    ]
    for method in records[0]["figures"]["fill_errors"]:
        error = spread(records, "fill_errors", method)
        if error is not None:
            found.append(Answer(f"error of filled cells, {method}, in standard deviations", f"{error.mean:.2f}"))
    return found


def _draw(by_method: Mapping[str, Sequence[Record]], order: str) -> Markup:
    """A group of bars for each kind of fault: ROC-AUC by method, from chance on, with the deviation over seeds."""
    figure, axes = svg.panel(4.6, 0.9 + 0.62 * len(KIND_TITLES))
    height = 0.8 / len(METHODS)
    for place, method in enumerate(METHODS):
        for group, kind in enumerate(KIND_TITLES):
            each = spread(by_method.get(method, []), "auc", kind)
            if each is not None:
                y = group + (place - (len(METHODS) - 1) / 2) * height
                axes.barh(y, each.mean - CHANCE, height * 0.9, left=CHANCE, color=svg.ink(method), linewidth=0)
                if each.deviation is not None:
                    low, high = each.mean - each.deviation, each.mean + each.deviation
                    axes.hlines(y, low, high, color=svg.INKS["ink"], linewidth=0.8)
    axes.axvline(CHANCE, color=svg.INKS["ink"], linestyle=":", linewidth=1.2)
    axes.set_xlim(0, 1)
    axes.set_yticks(range(len(KIND_TITLES)), list(KIND_TITLES.values()))
    axes.set_ylim(len(KIND_TITLES) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("ROC-AUC")
    return svg.to_svg(figure, f"faults-{order}", f"ROC-AUC by kind of fault and method, rows {ORDER_TITLES[order]}")
