"""Fig. 5: test nats on MNIST while the models learn."""

from __future__ import annotations

from typing import NamedTuple

from markupsafe import Markup

from genreplay.experiments.paper.claims.curves import curve
from genreplay.experiments.paper.online import PAPER_METHODS, OnlineRun
from genreplay.experiments.results import Results
from genreplay.report import svg


class Content(NamedTuple):
    """Everything that the page shows."""

    picture: Markup
    methods: list[str]
    """that have a curve"""
    missing: list[str]
    """methods that were not run"""
    n_hidden: int
    every: int
    """rows between two points of a curve"""
    curve_temperatures: int
    n_temperatures: int
    """of the last models, scored again; both by annealing both ways"""


def content(results: Results) -> Content | None:
    """Make the content of the page; None where nothing was run."""
    picture = draw(results)
    if picture is None:
        return None
    run = {method: bool(results.find("fig5", method=method)) for method in PAPER_METHODS}
    first = results.runs("fig5")[0]
    assert isinstance(first, OnlineRun)
    return Content(
        picture,
        [method for method in run if run[method]],
        [method for method in run if not run[method]],
        first.n_hidden,
        first.curve_every,
        first.curve_temperatures,
        first.n_temperatures,
    )


def draw(results: Results) -> Markup | None:
    """The mean over seeds, shaded by the deviation over digit classes; the last point again with more temperatures."""
    figure, axes = svg.panel(5.6, 3.6)
    drawn = False
    for method in PAPER_METHODS:
        learned, final = curve(results, method), results.nats("fig5", method=method)
        if learned is None or final is None:
            continue
        drawn = True
        rows, nats, std = learned.rows / 1_000, learned.nats, learned.class_std
        colour = svg.ink(method)
        axes.fill_between(rows, nats - std, nats + std, color=colour, alpha=0.14, linewidth=0)
        axes.plot(rows, nats, color=colour)
        x = 1.03 * rows[-1] + 0.01 * rows[-1] * PAPER_METHODS.index(method)
        axes.plot(x, final.mean, svg.MARKERS[method], color=colour, markersize=7, clip_on=False)
    if not drawn:
        return None
    axes.set_xlabel("thousand rows seen")
    axes.set_ylabel("test nats")
    return svg.to_svg(figure, "fig5", "Test nats on MNIST over the rows seen, for each method")
