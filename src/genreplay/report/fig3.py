"""Draw Fig. 3: dreams by class, as the classes come one after the other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from genreplay.experiments.paper.fig3 import FIG3_METHODS, ClassesInTurn
from genreplay.experiments.results import Estimate, Results, estimate
from genreplay.formatting import slug
from genreplay.report import svg


class Dreams(NamedTuple):
    """One model of a contest: its picture and its figure of merit."""

    method: str
    picture: Markup | None
    """None where it was not run"""
    nats: Estimate | None


class Contest(NamedTuple):
    """One scenario, all methods."""

    title: str
    models: list[Dreams]


class Content(NamedTuple):
    """Everything that the page shows."""

    contests: list[Contest]
    n_dreams: int
    """drawn after each class"""


CONTESTS: dict[str, tuple[str, dict[str, object]]] = {
    "toy-section-4": ("Toy classes, the settings of section 4", {"dataset": "toy", "n_epochs": 10}),
    "toy-gentle": ("Toy classes, gentle settings", {"dataset": "toy", "n_epochs": 1}),
    "digits": ("scikit-learn's digits in sorted order, gentle settings", {"dataset": "digits"}),
}


def content(results: Results) -> Content | None:
    """Make the content of the page; None where nothing was run."""
    found = contests(results)
    if not any(model.picture for contest in found for model in contest.models):
        return None
    first = results.runs("fig3")[0]
    assert isinstance(first, ClassesInTurn)
    return Content(found, first.n_dreams)


def contests(results: Results) -> list[Contest]:
    """The three contests for the page, each model in the mean over seeds."""
    found = []
    for name, (title, settings) in CONTESTS.items():
        models = []
        for method in FIG3_METHODS:
            records = results.find("fig3", method=method, **settings)
            counts = [record["figures"]["counts"] for record in records]
            drawn = _panel(np.mean(counts, axis=0), f"{name}-{slug(method)}", method) if counts else None
            models.append(Dreams(method, drawn, estimate(records)))
        found.append(Contest(title, models))
    return found


def _panel(counts: np.ndarray, name: str, method: str) -> Markup:
    figure, axes = svg.panel(2.7, 2.3)
    n_classes = len(counts)
    seen = np.arange(1, n_classes + 1)
    for label in range(n_classes):
        colour = svg.INKS[f"class-{label % svg.N_CLASSES}"]
        axes.plot(seen[label:], counts[label:, label] + 1, color=colour, marker=".", markersize=4, linewidth=1.3)
    axes.plot(seen, counts.sum(axis=1) / seen + 1, ":", color=svg.INKS["ink"], linewidth=2)
    axes.set_yscale("log")
    svg.plain_log(axes.yaxis)
    axes.set_ylim(0.8, counts.sum(axis=1).max() * 1.3)
    axes.set_xticks([1, n_classes // 2, n_classes])
    axes.set_xlabel("classes seen")
    return svg.to_svg(figure, f"fig3-{name}", f"Dreams of each class as classes arrive: {method}")
