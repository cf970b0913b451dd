"""Beyond the paper: the recipe "modern" against the paper's figures and against stored rows, and its ingredients."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from genreplay.experiments.beyond import ABLATED, DIFFERENCES, RIVALS, BeyondRun, PriceRun
from genreplay.experiments.paper.table2 import DATASETS, PAPER
from genreplay.experiments.results import Estimate, Results, estimate
from genreplay.formatting import percent
from genreplay.report import sheets, svg
from genreplay.report.titles import dataset_title

ORDERS = ("random", "sorted")
REPLAY_METHODS = ("dream pool", *RIVALS)
MNIST = "mnist"
Stream = tuple[str, str]
"""data set and order"""
STREAMS: dict[Stream, str] = {
    (MNIST, "sorted"): "MNIST sorted",
    **{(each, "random"): dataset_title(each) for each in ABLATED},
}
"""of the study of ingredients, with the title that tables show"""


class Row(NamedTuple):
    """A data set in random order."""

    title: str
    modern: Estimate | None
    stored: Estimate | None
    """ER-IM with the same ingredients: every row is kept"""
    protocol: Estimate | None
    """our runs of the paper's protocol"""
    paper: dict[str, float]
    independent: float | None


class Reached(NamedTuple):
    """How often the recipe is at or above the paper's OCD_GR."""

    n_above: int
    n_sets: int
    n_surrogates: int
    """of these sets"""


class Contest(NamedTuple):
    """MNIST in one order."""

    order: str
    protocol: Estimate | None
    methods: dict[str, Estimate | None]
    """the dream pool and its rivals, with the same ingredients; what is not planned is not there"""
    closed: float | None
    """share of the way from the paper's protocol to ER-IM that the dream pool goes"""


class Price(NamedTuple):
    """Time and memory of a recipe in one order: means over seeds."""

    order: str
    milliseconds: dict[str, float]
    """of processor time a row, by recipe"""
    held_bytes: dict[str, int]

    @property
    def time_ratio(self) -> float:
        return self.milliseconds["modern"] / self.milliseconds["paper"]

    @property
    def bytes_ratio(self) -> float:
        return self.held_bytes["modern"] / self.held_bytes["paper"]


class Gain(NamedTuple):
    """What a change of ingredients does, negative for a loss."""

    nats: float
    error: float | None
    """standard error over seeds and log Z, of both sides; None for a single seed"""
    doubt: str
    """why one of them does not stand; empty if both do"""


class Content(NamedTuple):
    """Everything that the page shows."""

    sentences: list[str]
    rows: list[Row]
    contests: list[Contest]
    prices: list[Price]
    gains: dict[str, dict[Stream, Gain]]
    """by variant of the recipe"""
    ablation: Markup | None
    sheets: list[sheets.Sheet]
    """dreams each time another class begins"""
    part_rows: int | None
    """at most so many rows of a set in the study of ingredients"""
    part_hidden: int
    ingredients: dict[str, str]
    """and why each is there"""
    methods: tuple[str, ...]
    """the dream pool and its rivals"""
    streams: dict[Stream, str]


def content(results: Results) -> Content | None:
    """Make the content of the page; None where nothing was run."""
    if not any(results.of(run) for run in results.runs("beyond")):
        return None
    rows, contests, prices, gains = table(results), contest(results), price(results), ablation(results)
    said = sentences(rows, contests, prices)
    part = next(run for run in _runs(results) if run.variant != "modern")
    return Content(
        said,
        rows,
        contests,
        prices,
        gains,
        _picture(gains),
        _through_the_stream(results),
        part.max_rows,
        part.n_hidden,
        {name: each.why for name, each in DIFFERENCES.items()},
        REPLAY_METHODS,
        STREAMS,
    )


def table(results: Results) -> list[Row]:
    """A line for each data set."""
    return [_row(results, dataset) for dataset in DATASETS]


def reached(rows: list[Row]) -> Reached | None:
    """Count the sets on which the recipe was run; None where there are none."""
    done = [(row, row.modern) for row in rows if row.modern is not None]
    n_above = sum(modern.mean >= row.paper["OCD_GR"] for row, modern in done)
    return Reached(n_above, len(done), sum("(surrogate)" in row.title for row, _ in done)) if done else None


def _row(results: Results, dataset: str) -> Row:
    offline = results.find("table2", kind="offline", dataset=dataset, binarisation="threshold")
    independent = [record["figures"]["independent_nats"] for record in offline]
    found = _whole(results, dataset=dataset)
    state = next((record["figures"]["data_state"] for record in offline), "exact")
    return Row(
        dataset_title(dataset, state),
        found,
        _whole(results, dataset=dataset, method="ER-IM"),
        results.nats("table2", kind="online", dataset=dataset, binarisation="threshold", method="OCD_GR"),
        PAPER[dataset],
        float(np.mean(independent)) if independent else None,
    )


def _whole(
    results: Results, dataset: str = "mnist", order: str = "random", method: str = "dream pool"
) -> Estimate | None:
    """A run of the recipe itself on whole data."""
    size = _full_size(results)
    return results.nats("beyond", kind="beyond", dataset=dataset, order=order, method=method, n_hidden=size)


def _runs(results: Results) -> list[BeyondRun]:
    return [run for run in results.runs("beyond") if isinstance(run, BeyondRun)]


def _full_size(results: Results) -> int:
    """Hidden units of the recipe's runs on whole data; the study of ingredients has fewer."""
    return max(run.n_hidden for run in _runs(results))


def contest(results: Results) -> list[Contest]:
    """MNIST in both orders: dreams against stored rows, the other ingredients being the same."""
    found = []
    size = _full_size(results)
    for order in ORDERS:
        protocol = results.nats("fig4", order=order, n_hidden=size, method="OCD_GR")
        planned = {run.method for run in _runs(results) if (run.order, run.n_hidden) == (order, size)}
        methods = {
            method: _whole(results, order=order, method=method) for method in REPLAY_METHODS if method in planned
        }
        modern, stored = methods["dream pool"], methods["ER-IM"]
        closed = None
        if protocol and modern and stored and stored.mean > protocol.mean:
            closed = (modern.mean - protocol.mean) / (stored.mean - protocol.mean)
        found.append(Contest(order, protocol, methods, closed))
    return found


def price(results: Results) -> list[Price]:
    """Both recipes, taking turns on the same rows."""
    found = []
    for run in results.runs("beyond"):
        records = results.of(run)
        if isinstance(run, PriceRun) and records:
            figures = [record["figures"] for record in records]
            recipes = figures[0]["row_milliseconds"]
            milliseconds = {each: float(np.mean([f["row_milliseconds"][each] for f in figures])) for each in recipes}
            held = {each: sum(figures[0]["held_bytes"][each].values()) for each in recipes}
            found.append(Price(run.order, milliseconds, held))
    return found


def sentences(rows: list[Row], contests: list[Contest], prices: list[Price]) -> list[str]:
    """What the figures say, counted."""
    done = [(row, row.modern) for row in rows if row.modern is not None]
    said = []
    if done:
        n = len(done)
        counts = {
            "the paper's OCD_GR": sum(found.mean >= row.paper["OCD_GR"] for row, found in done),
            "both of the paper's rivals": sum(
                found.mean >= max(row.paper["ER-IM"], row.paper["ER-ML"]) for row, found in done
            ),
            "the literature's offline RBM": sum(found.mean >= row.paper["offline"] for row, found in done),
            "our runs of the paper's protocol": sum(
                row.protocol is not None and found.mean >= row.protocol.mean for row, found in done
            ),
            "independent bits": sum(
                row.independent is not None and found.mean >= row.independent for row, found in done
            ),
        }
        said.append("At or above " + ", ".join(f"{what} on {k} of {n} sets" for what, k in counts.items()) + ".")
    for each in contests:
        if each.closed is not None:
            said.append(
                f"MNIST, {each.order} order: dreams go {percent(each.closed)} of the way from the paper's protocol "
                "to storing every row with the same ingredients."
            )
        shown = [f"{method} {found.mean:.1f}" for method, found in each.methods.items() if found]
        if len(shown) > 1:
            said.append(f"MNIST, {each.order} order, with the same ingredients: {', '.join(shown)}.")
    for cost in prices:
        said.append(
            f"MNIST, {cost.order} order: {cost.time_ratio:.2f} times the paper recipe's time a row, "
            f"{cost.bytes_ratio:.2f} times its bytes."
        )
    return said


def ablation(results: Results) -> dict[str, dict[Stream, Gain]]:
    """Nats gained or lost against the whole recipe, by variant and by stream."""
    parts = {run: estimate(results.of(run)) for run in _runs(results) if run.n_hidden < _full_size(results)}
    whole = {(run.dataset, run.order): found for run, found in parts.items() if run.variant == "modern"}
    gains: dict[str, dict[Stream, Gain]] = {}
    for run, found in parts.items():
        stream = run.dataset, run.order
        modern = whole[stream]
        if run.variant != "modern" and found and modern:
            error = None if found.error is None or modern.error is None else math.hypot(found.error, modern.error)
            gains.setdefault(run.variant, {})[stream] = Gain(
                found.mean - modern.mean, error, found.doubt or modern.doubt
            )
    return gains


def _picture(gains: dict[str, dict[Stream, Gain]]) -> Markup | None:
    """MNIST in both orders."""
    shown = {
        variant: {order: by[MNIST, order] for order in ORDERS if (MNIST, order) in by} for variant, by in gains.items()
    }
    if not any(shown.values()):
        return None
    figure, axes = svg.panel(5.6, 0.3 * len(shown) + 1.0)
    for place, by_order in enumerate(shown.values()):
        for order, gain in by_order.items():
            shift, marker = (0.15, "s") if order == "sorted" else (-0.15, "o")
            axes.errorbar(
                gain.nats, place + shift, xerr=gain.error or 0.0, color=svg.INKS[order], marker=marker, capsize=3
            )
    axes.axvline(0, color=svg.INKS["ink"], linewidth=1.0)
    axes.set_xscale("symlog", linthresh=10)
    svg.plain_log(axes.xaxis, (-1_000, -100, -30, -10, -5, 0, 5))
    axes.set_yticks(range(len(shown)))
    axes.set_yticklabels(list(shown))
    axes.invert_yaxis()
    axes.set_xlabel("test nats, less those of the whole recipe")
    return svg.to_svg(
        figure, "ablation", "Nats lost without each ingredient, and with the paper's settings and one alone"
    )


def _through_the_stream(results: Results) -> list[sheets.Sheet]:
    """States of the chains each time another class begins, and at the end of the sorted stream."""
    size = _full_size(results)
    records = results.find("beyond", kind="beyond", dataset=MNIST, order="sorted", method="dream pool", n_hidden=size)
    bits: list[str] = next((each["figures"]["sheets"] for each in records if each["figures"]["sheets"]), [])
    names = [f"when {label + 1} comes" for label in range(len(bits) - 1)] + ["at the end"]
    return [sheets.Sheet(name, sheets.png(sheets.unpack(packed))) for name, packed in zip(names, bits, strict=True)]
