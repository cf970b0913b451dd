"""The page on log Z: estimates held against the truth, on models with planted modes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from genreplay.experiments.log_z import PlantedRun, RepeatedRun
from genreplay.experiments.paper.table2 import DATASET_TITLES
from genreplay.experiments.results import Results
from genreplay.formatting import fine_percent, number
from genreplay.report import svg

AGREED = 1.0
"""nats within which AIS and reverse AIS are said to agree"""
WRONG = 1.0
"""nats from the truth beyond which an estimate is called wrong"""
INKS = {"ais": ("AIS", "er-ml"), "two_way": ("both ways", "ocd-gr")}
"""title and ink of the estimates that are drawn"""
ERRORS = 3
"""standard errors within which two estimates are said to agree"""
_SHOWN = 10


class Row(NamedTuple):
    """A model, and how far each estimate of its log Z is from the truth."""

    units: str
    ais: float
    reverse_ais: float
    two_way: float
    std_error: float
    """of the last one"""


class Again(NamedTuple):
    """A model that learned, and the estimates of its log-likelihood."""

    title: str
    nats: list[float]
    errors: list[float]
    """standard errors that the estimates state"""
    n_unknown: int
    """further estimates that say that log Z is unknown"""

    @property
    def apart(self) -> float:
        """Nats between the highest and the lowest."""
        return max(self.nats) - min(self.nats)

    @property
    def pairs_agree(self) -> list[bool]:
        """For each pair of estimates, whether they differ by at most three of their joint errors."""
        both = combinations(zip(self.nats, self.errors, strict=True), 2)
        return [abs(a - b) <= ERRORS * math.hypot(e, f) for (a, e), (b, f) in both]


class Content(NamedTuple):
    """Everything that the page shows."""

    sentences: list[str]
    picture: Markup
    rows: list[Row]
    """the models on which AIS is worst"""
    inks: dict[str, str]
    """of the estimates that are drawn, by title"""
    n_models: int
    n_temperatures: int
    again: list[Again]
    again_temperatures: int


class Summary(NamedTuple):
    """The figures behind the sentences."""

    n_models: int
    n_known: int
    """models whose estimate stands"""
    n_inside: int
    """of these, the truth is inside the stated interval"""
    n_unknown_right: int
    """of the others, AIS is within its stated error all the same"""
    n_fooled: int
    """AIS and reverse AIS agree within a nat, and AIS is wrong by more than a nat"""
    worst_ais: float
    worst: float
    """of ours, of those that stand"""
    price: float
    """time, as a multiple of that of AIS and reverse AIS together"""


def content(results: Results) -> Content | None:
    """Make the content of the page; None where nothing was run."""
    models, summary = _models(results), summarise(results)
    if summary is None:
        return None
    runs = results.runs("log-z")
    run = next(each for each in runs if isinstance(each, PlantedRun))
    repeated = next(each for each in runs if isinstance(each, RepeatedRun))
    worst = sorted(models, key=lambda each: each["ais"][0])[:_SHOWN]
    rows = [
        Row(
            f"{each['shape'][1]} x {each['shape'][0]}",
            each["ais"][0],
            each["reverse_ais"][0],
            *each["two_way"],
        )
        for each in worst
    ]
    return Content(
        sentences(results),
        _draw(models),
        rows,
        dict(INKS.values()),
        summary.n_models,
        run.n_temperatures,
        estimated_again(results),
        repeated.n_temperatures,
    )


def estimated_again(results: Results) -> list[Again]:
    """The models that learned, with the estimates that stand."""
    found = []
    for run in results.runs("log-z"):
        if isinstance(run, RepeatedRun):
            for record in results.of(run):
                estimates = record["figures"]["estimates"]
                known = [each for each in estimates if not each["doubt"]]
                title = f"{DATASET_TITLES[run.dataset]}, reading {run.reading}, {run.method}"
                nats, errors = [each["nats"] for each in known], [each["error"] for each in known]
                if known:
                    found.append(Again(title, nats, errors, len(estimates) - len(known)))
    return found


def summarise(results: Results) -> Summary | None:
    """Count how often each estimate is right; None where nothing was run."""
    models = _models(results)
    if not models:
        return None
    known = [each for each in models if not each["doubt"]]
    unknown = [each for each in models if each["doubt"]]
    return Summary(
        n_models=len(models),
        n_known=len(known),
        n_inside=sum(each["interval"][0] <= 0 <= each["interval"][1] for each in known),
        n_unknown_right=sum(abs(each["ais"][0]) <= each["ais"][1] for each in unknown),
        n_fooled=sum(
            abs(each["ais"][0] - each["reverse_ais"][0]) < AGREED and abs(each["ais"][0]) > WRONG for each in models
        ),
        worst_ais=max((each["ais"][0] for each in models), key=abs),
        worst=max((each["two_way"][0] for each in known), key=abs, default=0.0),
        price=float(sum(each["seconds"] for each in models) / sum(each["pair_seconds"] for each in models)),
    )


def sentences(results: Results) -> list[str]:
    """The page in a few sentences made from its figures."""
    found = summarise(results)
    if found is None:
        return []
    said = [
        f"Both ways: the truth lies inside the stated interval for {found.n_inside} of the {found.n_known} models "
        f"({fine_percent(found.n_inside / max(1, found.n_known))}) whose estimate stands; the largest error is "
        f"{number(found.worst)} nats.",
        f"AIS and reverse AIS agree within a nat and are wrong by more than one for {found.n_fooled} of "
        f"{found.n_models} models, by {number(found.worst_ais)} nats at worst.",
    ]
    n_unknown = found.n_models - found.n_known
    if n_unknown:
        n_wrong = n_unknown - found.n_unknown_right
        said.append(f"Declared unknown: {n_unknown}. On {n_wrong} of them AIS is wrong by more than its error.")
    if again := estimated_again(results):
        agree = [pair for each in again for pair in each.pairs_agree]
        said.append(
            f"Estimated again: of {len(again)} models that learned, at most {number(max(a.apart for a in again))} nats "
            f"lie between two estimates of the same model, and {sum(agree)} of {len(agree)} pairs differ by no more "
            f"than three of their joint errors."
        )
    said.append(f"Time: {number(found.price, 2)} times that of AIS and reverse AIS together, on models this small.")
    return said


def _models(results: Results) -> list[dict[str, Any]]:
    planted = [run for run in results.runs("log-z") if isinstance(run, PlantedRun)]
    return [each for run in planted for record in results.of(run) for each in record["figures"]["models"]]


def _draw(models: Sequence[dict[str, Any]]) -> Markup:
    """How far each estimate is from the truth, model by model, in the order of what AIS misses."""
    models = sorted(models, key=lambda each: each["ais"][0])
    figure, ax = svg.panel(7.6, 3.2)
    places = np.arange(1, len(models) + 1)
    for name, (_, ink) in INKS.items():
        ax.plot(places, [each[name][0] for each in models], ".", color=svg.INKS[ink], markersize=4)
    ax.axhline(0, color=svg.INKS["ink"], linewidth=0.8)
    ax.set_yscale("symlog", linthresh=1)
    svg.plain_log(ax.yaxis, [-100, -10, -1, 0, 1, 10])
    ax.set(xlabel="models, by what AIS misses", ylabel="error of log Z (nats)")
    return svg.to_svg(figure, "log-z", "Errors of two estimates of log Z on models whose log Z is known.")
