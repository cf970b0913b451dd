"""Figs. 4a and 4b: test nats on MNIST by size and method, error bars over digit classes; and by CD steps."""

from __future__ import annotations

import math
from typing import NamedTuple

from markupsafe import Markup

from genreplay.experiments.paper.cd_steps import PAPER as PAPER_STEPS
from genreplay.experiments.paper.fig4 import ORDERS
from genreplay.experiments.paper.online import PAPER_METHODS, OnlineRun
from genreplay.experiments.paper.table2 import PAPER
from genreplay.experiments.results import Estimate, Results
from genreplay.report import svg


class Steps(NamedTuple):
    """A row of the table of n_CD."""

    n_cd: int
    paper: float
    ours: Estimate | None


class Content(NamedTuple):
    """Everything that the page shows."""

    pictures: dict[str, Markup]
    """by order"""
    missing: list[str]
    """orders that were not run"""
    steps: list[Steps]
    n_hidden: int
    """of the models in the table of n_CD"""


def content(results: Results) -> Content | None:
    """Make the content of the page; None where nothing was run."""
    pictures, found = draw(results), steps(results)
    if not pictures and not any(row.ours for row in found):
        return None
    first = results.runs("cd-steps")[0]
    assert isinstance(first, OnlineRun)
    return Content(pictures, [order for order in ORDERS if order not in pictures], found, first.n_hidden)


def steps(results: Results) -> list[Steps]:
    """OCD_GR on MNIST with 1, 3 and 10 steps of contrastive divergence; one step is the run of Fig. 5."""
    found = {1: results.nats("fig5", method="OCD_GR")}
    found |= {n_cd: results.nats("cd-steps", n_cd=n_cd) for n_cd in (3, 10)}
    return [Steps(n_cd, PAPER_STEPS[n_cd], nats) for n_cd, nats in found.items()]


def draw(results: Results) -> dict[str, Markup]:
    """The picture of each order that was run at all."""
    sizes = sorted({run.n_hidden for run in results.runs("fig4") if isinstance(run, OnlineRun)})
    bars = {
        order: {
            (size, method): found
            for size in sizes
            for method in PAPER_METHODS
            if (found := results.nats("fig4", order=order, n_hidden=size, method=method)) is not None
        }
        for order in ORDERS
    }
    values = [e.mean for each in bars.values() for e in each.values() if not math.isnan(e.mean)]
    spread = [e.class_std or 0.0 for each in bars.values() for e in each.values()]
    pictures = {}
    for order, points in bars.items():
        if not points:
            continue
        figure, axes = svg.panel(4.6, 3.5)
        for (size, method), nats in points.items():
            x = sizes.index(size) + 0.24 * (PAPER_METHODS.index(method) - 1)
            colour = svg.ink(method)
            axes.errorbar(x, nats.mean, yerr=nats.class_std, fmt=svg.MARKERS[method], color=colour, capsize=3)
            if order == "random" and size == 500:
                axes.plot(x, PAPER["mnist"][method], "D", color=colour, markerfacecolor="none", markersize=8)
        if order == "random" and not results.quick:
            axes.axhline(PAPER["mnist"]["offline"], color=svg.INKS["ink"], linestyle=":", linewidth=1, alpha=0.7)
        paper = [PAPER["mnist"][method] for method in PAPER_METHODS] if not results.quick else []
        room = max(spread)
        axes.set_ylim(min(values + paper) - room - 5, max(values + paper) + room + 5)
        axes.set_xlim(-0.5, len(sizes) - 0.5)
        axes.set_xticks(range(len(sizes)), [str(size) for size in sizes])
        axes.grid(visible=False, axis="x")
        axes.set_xlabel("hidden units")
        axes.set_ylabel("test nats")
        pictures[order] = svg.to_svg(figure, f"fig4-{order}", f"Test nats on MNIST in {order} order, by hidden units")
    return pictures
