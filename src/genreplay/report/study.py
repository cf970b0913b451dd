"""The study of the dreams' number and Gibbs steps, and the random search over both."""

from __future__ import annotations

import math
from typing import NamedTuple

from markupsafe import Markup
from matplotlib.axes import Axes

from genreplay.experiments.paper.online import OnlineRun
from genreplay.experiments.results import Estimate, Results
from genreplay.report import svg

ORDERS = {"random": "o", "sorted": "s"}


class Content(NamedTuple):
    """Everything that the page shows: the pictures that can be drawn, and the sizes."""

    ratio: Markup | None
    """test nats over n_Bhat / n_B"""
    steps: Markup | None
    """test nats over n_Gs"""
    search: Markup | None
    n_hidden: int
    n_rows: int | None
    """of the study"""
    search_rows: int | None


def content(results: Results) -> Content | None:
    """Make the content of the page, with means over seeds and error bars of one deviation; None if nothing was run."""
    by_ratio: dict[str, dict[float, Estimate]] = {order: {} for order in ORDERS}
    by_steps: dict[str, dict[float, Estimate]] = {order: {} for order in ORDERS}
    for run in results.runs("study"):
        assert isinstance(run, OnlineRun)
        found = results.nats("study", order=run.order, method=run.method, n_replay=run.n_replay, n_gibbs=run.n_gibbs)
        if found is None:
            continue
        if run.method == "no replay":
            by_ratio[run.order][0.0] = found
            continue
        if run.n_gibbs == 1:
            by_ratio[run.order][run.n_replay / run.batch_size] = found
        if run.n_replay == 3 * run.batch_size:
            by_steps[run.order][run.n_gibbs] = found
    ratio = _lines(by_ratio, "study-ratio", "dreams for each observed row")
    depth = _lines(by_steps, "study-steps", "Gibbs steps of a dream")
    search = _search(results)
    if not (ratio or depth or search):
        return None
    of_study, trial = results.runs("study")[0], results.runs("search")[0]
    assert isinstance(of_study, OnlineRun)
    assert isinstance(trial, OnlineRun)
    return Content(ratio, depth, search, of_study.n_hidden, of_study.max_rows, trial.max_rows)


def _lines(curves: dict[str, dict[float, Estimate]], name: str, label: str) -> Markup | None:
    if not any(curves.values()):
        return None
    figure, axes = svg.panel(3.6, 2.9)
    for order, points in curves.items():
        x = sorted(points)
        y = [points[each].mean for each in x]
        axes.errorbar(
            x,
            y,
            yerr=[points[each].deviation or 0.0 for each in x],
            color=svg.INKS[order],
            marker=ORDERS[order],
            capsize=3,
        )
    _label(axes, label)
    axes.set_xticks(sorted({x for points in curves.values() for x in points}))
    axes.set_xticklabels([f"{x:g}" for x in axes.get_xticks()])
    return svg.to_svg(figure, name, f"Test nats over {label}, for both orders")


def _search(results: Results) -> Markup | None:
    trials = [
        (run.n_replay, run.n_gibbs, found)
        for run in results.runs("search")
        if isinstance(run, OnlineRun)
        and (found := results.nats("search", n_replay=run.n_replay, n_gibbs=run.n_gibbs)) is not None
        and not math.isnan(found.mean)
    ]
    if not trials:
        return None
    figure, axes = svg.panel(3.6, 2.9)
    for n_replay, n_gibbs, found in trials:
        axes.errorbar(n_replay, found.mean, yerr=found.deviation, color=svg.INKS["ocd-gr"], marker="o", capsize=3)
        axes.annotate(
            str(n_gibbs),
            (n_replay, found.mean),
            xytext=(5, 3),
            textcoords="offset points",
            fontsize=9.5,
            color=svg.INKS["ink"],
        )
    axes.axvline(300, color=svg.INKS["ink"], linestyle=":", linewidth=1.2)
    axes.set_xscale("log")
    svg.plain_log(axes.xaxis, (10, 30, 100, 300, 1_000))
    _label(axes, "dreams of an update")
    return svg.to_svg(figure, "search", "Test nats of random settings over the number of dreams")


def _label(axes: Axes, label: str) -> None:
    axes.set_xlabel(label)
    axes.set_ylabel("test nats")
