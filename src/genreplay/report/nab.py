"""The page on the Numenta Anomaly Benchmark: our scores beside published ones, by category, and each series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from genreplay.experiments.nab import METHODS, PROFILES, Halves, NabRun, halves_of
from genreplay.experiments.nab.halves import N_SPLITS
from genreplay.experiments.nab.pictures import N_BLOCKS
from genreplay.experiments.nab.published import PUBLISHED
from genreplay.experiments.results import Results
from genreplay.experiments.runner import Record
from genreplay.formatting import listed, number
from genreplay.report import nab_pictures
from genreplay.report.faults import Spread, spread
from genreplay.report.nab_pictures import Picture

PROFILE_TITLES = dict(zip(PROFILES, ("standard", "low FP", "low FN"), strict=True))
CATEGORY_TITLES = {
    "realKnownCause": "Failures with a known cause",
    "realAWSCloudwatch": "Servers (AWS CloudWatch)",
    "realAdExchange": "Online advertising",
    "realTraffic": "Road traffic",
    "realTweets": "Tweets about companies",
    "artificialWithAnomaly": "Artificial, with anomalies",
    "artificialNoAnomaly": "Artificial, without anomalies",
}
DETECTOR_TITLES = {
    "numenta": "Numenta HTM",
    "contextOSE": "CAD OSE",
    "htmjava": "HTM Java",
    "numentaTM": "Numenta TM",
    "earthgeckoSkyline": "Earthgecko Skyline",
    "knncad": "KNN CAD",
    "relativeEntropy": "relative entropy",
    "randomCutForest": "random cut forest",
    "twitterADVec": "Twitter ADVec",
    "windowedGaussian": "windowed Gaussian",
    "skyline": "Skyline",
    "random": "random scores",
    "expose": "EXPoSE",
}
"""of the published detectors whose names in NAB's file do not read well"""


class Row(NamedTuple):
    """A method: NAB's scores by profile."""

    method: str
    defaults: dict[str, Spread]
    n_seeds: int
    halves: Halves
    """of the mean over seeds"""
    n_settings: int
    """that the choice is made from"""


class Line(NamedTuple):
    """A detector among others: ours, or one whose scores are published."""

    title: str
    scores: dict[str, Spread]
    by_halves: dict[str, float]
    """empty for a published one"""


class Category(NamedTuple):
    """What a method finds in the series of a category, in the mean over seeds."""

    title: str
    n_series: int
    n_windows: int
    n_found: float
    n_false: float
    scores: dict[str, float]
    """as if there were no other series; empty where no series has a window"""


class Group(NamedTuple):
    """The pictures of a category."""

    title: str
    result: str
    pictures: list[Picture]


class Content(NamedTuple):
    """Everything that the page shows."""

    sentences: list[str]
    """none without the RBM"""
    lines: list[Line]
    """the best first"""
    categories: dict[str, list[Category]]
    """by method"""
    groups: list[Group]
    """none without the RBM's first seed"""
    n_settings: dict[str, int]
    """that a choice by halves is made from, by method"""
    n_splits: int
    profiles: dict[str, str]
    frame: tuple[int, int]
    """width and height of a picture"""
    n_blocks: int
    """of a picture"""
    cut: int
    """thresholds at which the anomaly is cut off in pictures"""


def content(results: Results) -> Content | None:
    """Make the content of the page; None where nothing was run."""
    rows = table(results)
    if not rows:
        return None
    records = {row.method: _of_defaults(results, row.method) for row in rows}
    ours = [Line(row.method, row.defaults, row.halves.chosen) for row in rows]
    others = [] if results.quick else _published()
    return Content(
        sentences=_sentences(rows, records["RBM"], results.quick) if "RBM" in records else [],
        lines=sorted([*ours, *others], key=lambda line: -line.scores["standard"].mean),
        categories={method: _categories(each) for method, each in records.items()},
        groups=_groups(records.get("RBM", [])),
        n_settings={row.method: row.n_settings for row in rows},
        n_splits=N_SPLITS,
        profiles=PROFILE_TITLES,
        frame=(nab_pictures.WIDTH, nab_pictures.HEIGHT),
        n_blocks=N_BLOCKS,
        cut=nab_pictures.CUT,
    )


def table(results: Results) -> list[Row]:
    """A row for each method that was run with its defaults."""
    found = [_row(results, method) for method in METHODS]
    return [row for row in found if row is not None]


def _sentences(rows: Sequence[Row], records: Sequence[Record], is_quick: bool) -> list[str]:
    """The verdict, the scores by halves, and where the missing points are; from the figures of the RBM."""
    rbm, *controls = rows
    scores = {name: each.mean for name, each in rbm.defaults.items()}
    n_series = len(records[0]["figures"]["series"])
    verdict = (
        f"With one set of defaults for all {n_series} series, the RBM scores {number(scores['standard'])} of 100 on "
        f"the standard profile, {number(scores['reward_low_FP_rate'])} on low FP and "
        f"{number(scores['reward_low_FN_rate'])} on low FN"
    )
    if not is_quick:
        n_below, n_published = standing(scores["standard"])
        verdict += f"; on the standard profile that is more than {n_below} of {n_published} published detectors"
    said = [f"{verdict}."]
    if controls:
        control = listed(f"{row.method} {number(row.defaults['standard'].mean)}" for row in controls)
        said.append(f"In place of the RBM, with the same codes and the same alarms: {control}.")
    by_halves = listed(f"{row.method} {number(row.halves.chosen['standard'])}" for row in rows)
    said.append(f"With settings chosen on one half of the series and judged on the other: {by_halves}.")
    return [*said, _missing_points(scores["standard"], records)]


def standing(score: float) -> tuple[int, int]:
    """How many published detectors have a lower standard score, and how many there are.

    >>> standing(100.0)
    (14, 14)
    """
    return sum(scores["standard"] < score for scores in PUBLISHED.values()), len(PUBLISHED)


def _missing_points(score: float, records: Sequence[Record]) -> str:
    """What missed windows and false alarms cost on the standard profile; a false alarm at most its full cost."""
    n_windows, n_found, n_false = (
        float(np.mean([record["figures"][name] for record in records])) for name in ("n_windows", "n_found", "n_false")
    )
    profile = PROFILES["standard"]
    missed = 100 * (n_windows - n_found) / n_windows
    false = 100 * n_false * profile.fp / (n_windows * (profile.tp + profile.fn))
    return (
        f"Of the {number(100 - score)} points that are missing, {number(missed)} are those of the "
        f"{number(n_windows - n_found, 0)} of {number(n_windows, 0)} windows without an alarm, and at most "
        f"{number(false)} those of {number(n_false, 0)} false alarms; alarms late in their windows cost the rest."
    )


def _published() -> list[Line]:
    return [
        Line(DETECTOR_TITLES.get(name, name), {profile: Spread(score, None) for profile, score in scores.items()}, {})
        for name, scores in PUBLISHED.items()
    ]


def _categories(records: Sequence[Record]) -> list[Category]:
    figures = [record["figures"] for record in records]
    found = []
    for category, title in CATEGORY_TITLES.items():
        parts = [each["categories"][category] for each in figures if category in each["categories"]]
        if parts:
            n_windows = parts[0]["n_windows"]
            n_found, n_false = (float(np.mean([part[name] for part in parts])) for name in ("n_found", "n_false"))
            scores = {name: float(np.mean([part["scores"][name] for part in parts])) for name in PROFILES if n_windows}
            n_series = sum(name.startswith(f"{category}/") for name in figures[0]["series"])
            found.append(Category(title, n_series, n_windows, n_found, n_false, scores))
    return found


def _groups(records: Sequence[Record]) -> list[Group]:
    """The pictures by category, from the record that has them."""
    with_pictures = (record["figures"]["pictures"] for record in records if "pictures" in record["figures"])
    stored: dict[str, dict[str, Any]] = next(with_pictures, {})
    groups = []
    for category, title in CATEGORY_TITLES.items():
        of_category = {name: each for name, each in stored.items() if name.startswith(f"{category}/")}
        if of_category:
            windows = [window for each in of_category.values() for window in each["windows"]]
            n_false = sum(len(each["false_alarms"]) for each in of_category.values())
            result = nab_pictures.result(len(windows), sum(found for *_, found in windows), n_false)
            pictures = [nab_pictures.draw(name, each) for name, each in of_category.items()]
            groups.append(Group(title, f"{len(pictures)} series, {result}", pictures))
    return groups


def _runs(results: Results, method: str) -> list[NabRun]:
    """Those of a method, the one with its defaults first."""
    return [run for run in results.runs("nab") if isinstance(run, NabRun) and run.method == method]


def _of_defaults(results: Results, method: str) -> list[Record]:
    return results.of(_runs(results, method)[0])


def _row(results: Results, method: str) -> Row | None:
    default = _of_defaults(results, method)
    if not default:
        return None
    seeds = {record["seed"] for record in default}
    by_run = [{record["seed"]: record["figures"] for record in results.of(run)} for run in _runs(results, method)]
    figures = [_mean([each[seed] for seed in sorted(seeds)]) for each in by_run if seeds <= set(each)]
    scores = {name: each for name in PROFILES if (each := spread(default, "scores", name)) is not None}
    n_settings = sum(len(each["policies"]) for each in figures)
    return Row(method, scores, len(seeds), halves_of(figures, default=0), n_settings)


def _mean(figures: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Figures of one run whose points are the mean over seeds."""
    gains = {name: np.mean([each["gains"][name] for each in figures], axis=0).tolist() for name in PROFILES}
    return {**figures[0], "gains": gains}
