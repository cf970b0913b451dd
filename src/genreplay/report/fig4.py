"""Draw Figs. 4a and 4b: test nats on MNIST by size and method, error bars over digit classes."""

from __future__ import annotations

from markupsafe import Markup

from genreplay.experiments.paper.fig4 import ORDERS
from genreplay.experiments.paper.online import PAPER_METHODS, OnlineRun
from genreplay.experiments.paper.table2 import PAPER
from genreplay.experiments.results import Results
from genreplay.report import svg


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
    values = [edge for each in bars.values() for e in each.values() for edge in (e.low, e.mean)]
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
            if nats.doubtful:
                axes.plot(x, nats.low, "_", color=colour, markersize=13, markeredgewidth=2)
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
