"""The page on classes that come one after the other: accuracy at the end and along the stream, forgetting, bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from matplotlib.colors import ListedColormap

from genreplay.experiments.incremental import METHODS, ORDERS, IncrementalRun
from genreplay.experiments.results import Results
from genreplay.experiments.runner import Record
from genreplay.formatting import fine_percent, size
from genreplay.report import svg
from genreplay.report.section import Finding, finding

INKS = {
    "class models": "ocd-gr",
    "joint model": "er-ml-packed",
    "reservoir": "er-ml",
    "infinite memory": "er-im",
    "no replay": "no-replay",
}
PUBLISHED = {
    "nothing": 19.9,
    "EWC, SI": 20.0,
    "experience replay": 88.8,
    "deep generative replay": 91.3,
    "iCaRL": 92.5,
    "generative classifier": 93.8,
    "brain-inspired replay": 94.4,
    "all data at once": 98.2,
}
"""per cent on Split MNIST, class-incremental: van de Ven, Tuytelaars, Tolias, 2022"""
GOAL = 0.97
"""accuracy on Split MNIST"""
MOST_BYTES = 25_000_000


class Row(NamedTuple):
    """A method in one order."""

    title: str
    ink: str
    cells: list[str]
    """accuracy in each order"""
    forgetting: str
    """in the first order"""
    nbytes: str
    rows_kept: int


class Content(NamedTuple):
    """Everything that the page shows."""

    orders: tuple[str, ...]
    rows: list[Row]
    published: dict[str, float]
    curves: Markup
    maps: Markup | None
    dataset: str
    n_seeds: int
    inks: dict[str, str]
    """of the methods that are drawn, by title"""


def content(results: Results) -> Content | None:
    """Make the content of the page; None where nothing was run."""
    orders = tuple(order for order in ORDERS if any(_figures(results, order, method) for method in METHODS))
    if not orders:
        return None
    rows = []
    for method, title in METHODS.items():
        found = {order: _figures(results, order, method) for order in orders}
        known = next((each for each in found.values() if each), None)
        if known is not None:
            rows.append(
                Row(
                    title,
                    INKS.get(method, "ink"),
                    [_accuracy(found[order]) for order in orders],
                    fine_percent(float(np.mean([each["forgetting"] for each in known]))),
                    size(max(each["nbytes"] for each in known)),
                    max(each["rows_kept"] for each in known),
                )
            )
    run = results.runs("incremental")[0]
    assert isinstance(run, IncrementalRun)
    drawn = [method for method in INKS if _figures(results, orders[0], method)]
    n_seeds = max(len(_figures(results, orders[0], method)) for method in drawn)
    inks = {METHODS[method]: INKS[method] for method in drawn}
    curves, maps = _draw_curves(results, orders[0], drawn), _draw_maps(results, orders[0], drawn)
    return Content(orders, rows, PUBLISHED, curves, maps, run.dataset, n_seeds, inks)


def findings(results: Results) -> Iterator[Finding]:
    """Whether a model for each label reaches the goal, and what the others reach."""
    ours = _figures(results, "split", "class models")
    if ours:
        accuracy = float(np.mean([each["accuracy"][-1] for each in ours]))
        held = max(each["nbytes"] for each in ours)
        others = [
            f"{fine_percent(float(np.mean([each['accuracy'][-1] for each in found])))} with {words}"
            for method, words in {
                "joint model": "one model of rows and labels",
                "reservoir": "a network and a packed reservoir",
                "infinite memory": "a network and all rows stored",
                "no replay": "a network alone",
            }.items()
            if (found := _figures(results, "split", method))
        ]
        yield finding(
            accuracy >= GOAL and held <= MOST_BYTES,
            "A model for each label learns classes that come one after the other, and keeps no row",
            "A model for each label does not learn classes that come one after the other well enough",
            f"Split MNIST, one pass, no boundaries told: {fine_percent(accuracy)} of the test rows are right, in "
            f"{size(held)}" + (f"; {', '.join(others)}." if others else "."),
        )


def table(results: Results) -> str:
    """The methods in Markdown."""
    found = content(results)
    if found is None:
        return ""
    heads = ["method", *found.orders, "forgetting", "bytes held", "rows kept"]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * (len(heads) - 1)]
    for row in found.rows:
        cells = [row.title, *row.cells, row.forgetting, row.nbytes, f"{row.rows_kept:,}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _figures(results: Results, order: str, method: str) -> list[dict[str, Any]]:
    return [record["figures"] for record in results.find("incremental", order=order, method=method)]


def mean_accuracy(records: Sequence[Record]) -> float | None:
    """The share of the test rows that are right at the end, over seeds; None where nothing was run."""
    return float(np.mean([each["figures"]["accuracy"][-1] for each in records])) if records else None


def _accuracy(found: Sequence[dict[str, Any]]) -> str:
    if not found:
        return ""
    values = [each["accuracy"][-1] for each in found]
    spread = f" ± {100 * np.std(values, ddof=1):.2f}" if len(values) > 1 else ""
    return f"{100 * np.mean(values):.2f}{spread} %"


def _draw_curves(results: Results, order: str, methods: Sequence[str]) -> Markup:
    """Share of all test rows that are right, classes that have not come yet included."""
    figure, ax = svg.panel(6.4, 3.4)
    for method in methods:
        found = _figures(results, order, method)
        ax.plot(
            found[0]["rows"],
            100 * np.mean([each["accuracy"] for each in found], axis=0),
            ".-",
            color=svg.INKS[INKS[method]],
        )
    found = _figures(results, order, methods[0])
    come = np.array(found[0]["seen"]) > 0
    ax.plot(found[0]["rows"], 100 * come.mean(axis=1), ":", color=svg.INKS["ink"], linewidth=1)
    ax.set(xlabel="rows seen", ylabel="test rows that are right (%)", ylim=(0, 102))
    return svg.to_svg(figure, "incremental", "Accuracy over all ten classes while the stream goes on, by method.")


def _draw_maps(results: Results, order: str, methods: Sequence[str]) -> Markup | None:
    """Accuracy by class and time, of up to three methods: the stronger the colour, the more rows are right."""
    shown = [method for method in ("class models", "reservoir", "no replay") if method in methods]
    if not shown:
        return None
    figure, axes = svg.stack(len(shown), 6.4, 1.9 * len(shown) + 0.4)
    for ax, method in zip(axes, shown, strict=True):
        found = _figures(results, order, method)
        matrix = np.mean([each["by_class"] for each in found], axis=0)
        edges = [0, *found[0]["rows"]], np.arange(matrix.shape[1] + 1) - 0.5
        ink = ListedColormap([svg.INKS[INKS[method]]])  # one colour, which a page can replace
        ax.pcolormesh(*edges, matrix.T, cmap=ink, alpha=np.maximum(matrix.T, 0.02))
        ax.set(ylabel="class", ylim=(9.5, -0.5), yticks=range(0, 10, 3), title=METHODS[method])
        ax.grid(False)
    axes[-1].set_xlabel("rows seen")
    return svg.to_svg(figure, "incremental-maps", "Accuracy of each class while the stream goes on, by method.")
