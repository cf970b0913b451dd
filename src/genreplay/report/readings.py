"""The page on readings of the paper: how near each comes to its figures, and what each choice does."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup
from matplotlib.patches import Rectangle

from genreplay.experiments.paper import cd_steps
from genreplay.experiments.paper.online import PAPER_METHODS
from genreplay.experiments.paper.table2 import DATASET_TITLES, DATASETS, PAPER
from genreplay.experiments.readings.distance import Distance
from genreplay.experiments.readings.judged import SORTED, STAGES, Judged, ahead, clearly_nearest, effects, judged
from genreplay.experiments.readings.reading import CHOICES, NAMED, QUESTIONS, Reading
from genreplay.experiments.results import Results
from genreplay.formatting import listed, percent, slug
from genreplay.report import svg
from genreplay.report.section import Finding, finding

_SHOWN = 10
_NEAR = 1.1
"""a figure within this factor of the paper's is near"""
_FULL = math.log(1.5)
"""a figure that is off by half is drawn in full ink"""


class Row(NamedTuple):
    """A reading in the list."""

    rank: int
    """by distance, from 1"""
    name: str
    """of a reading that has one"""
    answers: str
    """that differ from those of ``recipe="paper"``"""
    distance: Distance
    won: str
    """in how many cases OCD_GR is ahead of both others"""


class Figure(NamedTuple):
    """A figure of the nearest reading, beside the paper's."""

    ours: float | None
    paper: float | None
    """None where it has none"""
    best: bool
    """whether ours is the best of its line"""
    paper_best: bool


class Line(NamedTuple):
    """A set, or MNIST in another setting, with the figures of the methods."""

    title: str
    figures: list[Figure]


class Answer(NamedTuple):
    """What an answer does, beside the first answer to its question."""

    question: str
    answer: str
    first: str
    """what it is compared with"""
    changes: list[float | None]
    """nats, by set and method"""


class Stage(NamedTuple):
    """What was found on the sets of a stage."""

    n_readings: int
    n_seeds: int
    judged_on: str
    """which rows"""
    rows: list[Row]
    """the nearest, and those that have a name"""
    sets: list[str]
    picture: Markup
    """how far each of their figures is from the paper's"""
    nearest: list[Line]
    """the figures of the nearest one"""
    paper_won: str
    """in how many of the same cases it is so in the paper"""


class Content(NamedTuple):
    """Everything that the page shows."""

    verdict: str
    sentences: list[str]
    picture: Markup
    methods: Sequence[str]
    columns: list[str]
    """sets and methods"""
    answers: list[Answer]
    first: Stage
    """many readings on the small sets"""
    later: list[Stage]
    """fewer on longer streams, then on all sets, and the nearest with more seeds, as far as they were run"""
    questions: dict[str, str]
    noise: float
    """relative difference of two figures of the paper that should be equal"""


def content(results: Results) -> Content | None:
    """Make the content of the page; None where nothing was run."""
    first, *later = (judged(results, stage) for stage in STAGES)
    if not first:
        return None
    sets = list(first[0].nats)
    return Content(
        verdict(results),
        sentences(results),
        _draw(first),
        PAPER_METHODS,
        [f"{DATASET_TITLES[name]} {method}" for name in sets for method in PAPER_METHODS],
        _answers(first, sets),
        _stage(first, STAGES[0]),
        [_stage(each, stage) for stage, each in zip(STAGES[1:], later, strict=True) if each],
        QUESTIONS,
        noise(),
    )


def noise() -> float:
    """How much two figures of the paper differ that should be equal: both memories hold all 400 rows of NIPS-0-12.

    >>> round(noise(), 3)
    0.072
    """
    return abs(float(np.log(PAPER["nips"]["ER-IM"] / PAPER["nips"]["ER-ML"])))


def verdict(results: Results) -> str:
    """Whether the paper's results can be had, and how, in three sentences; empty where none has run on all sets."""
    *_, on_all, with_seeds = (judged(results, stage) for stage in STAGES)
    last = with_seeds or on_all
    ours = _of(Reading(), last)
    if ours is None:
        return ""
    best = last[0]
    seeds = "one seed" if best.n_seeds == 1 else f"{best.n_seeds} seeds"
    near = [DATASET_TITLES[name] for name in DATASETS if _is_near(best, name)]
    said = (
        f'With the plainest reading of Algorithm 1 (`recipe="paper"`), our figures are {percent(ours.distance.off)} '
        f"off the paper's on average, and OCD_GR is ahead of both memories in {_count(ours.won)} cases; in the paper, "
        f"in {_in_paper(ours)}. The paper leaves {len(QUESTIONS)} choices open: of {len(on_all)} readings tried on all "
        f"sets, the nearest with {seeds} ({best.reading.title}) is {percent(best.distance.off)} off, with "
        f"{best.distance.pairs} of methods in order and OCD_GR ahead in {_count(best.won)} cases"
    )
    return (
        said
        + (f"; every method is within {percent(_NEAR - 1)} on {listed(near)}. " if near else ". ")
        + ("None has everything" if best.distance.n_wrong else "It has the whole order of methods")
        + (_nearest_by_seed(results) if with_seeds else "")
        + "; `genreplay reproduce readings` repeats the search.\n"
    )


def _nearest_by_seed(results: Results) -> str:
    clear = clearly_nearest(results)
    return ", and it is nearest with every seed" if clear else ", and which one is nearest depends on the seed"


def _is_near(judged: Judged, dataset: str) -> bool:
    found = judged.nats[dataset]
    ratios = [(found[method] or 0.0) / PAPER[dataset][method] for method in PAPER_METHODS]
    return all(1 / _NEAR < ratio < _NEAR for ratio in ratios)


def table(results: Results) -> str:
    """The readings on all sets in Markdown, nearest first; empty if not run."""
    *_, on_all, with_seeds = (judged(results, stage) for stage in STAGES)
    last = with_seeds or on_all
    if not last:
        return ""
    lines = [
        f"| reading | distance | off | pairs in order | OCD_GR ahead (paper: {_in_paper(last[0])}) |",
        "|---|---:|---:|---:|---:|",
    ]
    for each in last:
        name = f"**{each.name}**: " if each.name else ""
        order = f"{each.distance.n_pairs - each.distance.n_wrong} of {each.distance.n_pairs}"
        lines.append(
            f"| {name}{each.reading.title} | {each.distance.total:.2f} | {percent(each.distance.off)} | {order} | "
            f"{_count(each.won)} |"
        )
    return "\n".join(lines) + "\n"


def sentences(results: Results) -> list[str]:
    """The page in a few sentences made from its figures."""
    first, longer, on_all, with_seeds = (judged(results, stage) for stage in STAGES)
    if not first:
        return []
    ours, nearest = _of(Reading(), first), first[0]
    said = [
        f"{len(first)} readings on {len(nearest.nats)} small sets. The nearest one is {percent(nearest.distance.off)} "
        f"off on average, with {nearest.distance.pairs} of methods in the paper's order: {nearest.reading.title}."
    ]
    if ours is not None:
        n_nearer = sum(each.distance.total < ours.distance.total for each in first)
        said.append(
            f"The reading of recipe paper is {percent(ours.distance.off)} off, with {ours.distance.pairs} in the "
            f"paper's order; {n_nearer} readings are nearer."
        )
    n_unknown = sum(None in figures.values() for each in first for figures in each.nats.values())
    said.append(
        f"In {n_unknown} of {sum(len(each.nats) for each in first)} runs the log Z of a method is unknown, which "
        "counts as wrong by a factor of 2."
    )
    for stage in (longer, on_all, with_seeds):
        if stage:
            best = stage[0]
            said.append(
                f"On {len(best.nats)} sets {len(stage)} readings were tried, seeds: {best.n_seeds}. "
                f"The nearest is {percent(best.distance.off)} off, with {best.distance.pairs} in the paper's order: "
                f"{best.reading.title}. OCD_GR is ahead of both memories in {_count(best.won)} cases, in the paper in "
                f"{_in_paper(best)} of the same."
            )
    if with_seeds and (between_seeds := with_seeds[0].noise) is not None:
        needed = percent(with_seeds[0].distance.noise)
        said.append(
            f"If the nearest reading is the paper's, its figures carry a noise of {needed}. Ours differ by "
            f"{percent(between_seeds)} between seeds, and two figures of the paper that should be equal by "
            f"{percent(noise())}."
        )
    return said


def findings(results: Results) -> Iterator[Finding]:
    """What a reader should take away."""
    first, _, on_all, with_seeds = (judged(results, stage) for stage in STAGES)
    last = with_seeds or on_all
    if first and not last:
        yield Finding(
            "note",
            "Which reading gives the paper's figures is open",
            f"Of {len(first)} readings on {len(first[0].nats)} small sets, the nearest has {first[0].distance.pairs} "
            "of methods in the paper's order.",
        )
    if last:
        best, ours = last[0], _of(Reading(), last)
        beside = f"; `PAPER` has {ours.distance.pairs} and is {percent(ours.distance.off)} off" if ours else ""
        yield finding(
            best.distance.n_wrong == 0,
            "One reading has the paper's order of methods everywhere",
            "No reading has the paper's order of methods everywhere",
            f"The nearest of {len(on_all)} readings on all sets has {best.distance.pairs} of methods in the paper's "
            f"order, with figures {percent(best.distance.off)} off{beside}. OCD_GR is ahead of both memories in "
            f"{_count(best.won)} cases, in the paper in {_in_paper(best)}.",
        )
    if with_seeds:
        clear = clearly_nearest(results)
        yield Finding(
            "note",
            "One reading is the nearest with every seed" if clear else "Which reading is nearest depends on the seed",
            f"Among {len(with_seeds)} readings it is this one: {clear.title}."
            if clear
            else f"Among the {len(with_seeds)} nearest, with {with_seeds[0].n_seeds} seeds.",
        )


def _of(reading: Reading, listed: Sequence[Judged]) -> Judged | None:
    return next((each for each in listed if each.reading == reading), None)


def _stage(found: Sequence[Judged], stage: str) -> Stage:
    sets = [name for name in DATASETS if name in found[0].nats]
    shown = [(rank, each) for rank, each in enumerate(found, 1) if rank <= _SHOWN or each.reading in NAMED.values()]
    return Stage(
        len(found),
        found[0].n_seeds,
        "validation" if stage in STAGES[:2] else "test",
        [Row(rank, each.name, each.reading.title, each.distance, _count(each.won)) for rank, each in shown],
        [DATASET_TITLES[name] for name in sets],
        _map(shown, sets, stage),
        _lines(found[0], sets),
        _in_paper(found[0]),
    )


def _lines(nearest: Judged, sets: Sequence[str]) -> list[Line]:
    """Every figure of a reading; in sorted order the paper has a picture, but no numbers."""
    lines = [_line(DATASET_TITLES[name], nearest.nats[name], PAPER[name]) for name in sets]
    lines += [
        Line(f"MNIST, n_CD = {n}", [Figure(nats, cd_steps.PAPER[n], best=False, paper_best=False)])
        for n, nats in nearest.text.with_more_steps.items()
    ]
    if nearest.text.in_sorted_order:
        lines.append(_line("MNIST, sorted", nearest.text.in_sorted_order, {}))
    return lines


def _line(title: str, ours: Mapping[str, float | None], paper: Mapping[str, float]) -> Line:
    best = max((nats for nats in ours.values() if nats is not None), default=None)
    paper_best = max((paper[method] for method in PAPER_METHODS), default=None) if paper else None
    found = [(ours[method], paper.get(method)) for method in PAPER_METHODS]
    return Line(title, [Figure(a, b, a is not None and a == best, b is not None and b == paper_best) for a, b in found])


def _map(shown: Sequence[tuple[int, Judged]], sets: Sequence[str], stage: str) -> Markup:
    """A row for each reading, a cell for each figure: the ink says which side of the paper's, its strength how far."""
    columns = [(name, method) for name in sets for method in PAPER_METHODS]
    figure, ax = svg.panel(7.6, 0.21 * len(shown) + 1.3)
    for y, (_, each) in enumerate(shown):
        for x, (name, method) in enumerate(columns):
            nats = each.nats[name][method]
            place = (x + 0.25 * (x // len(PAPER_METHODS)), -y)
            if nats is None or nats >= 0:
                ax.text(place[0] + 0.45, -y + 0.4, "?", ha="center", va="center", fontsize=8, color=svg.INKS["ink"])
                continue
            above = nats > PAPER[name][method]
            strength = min(1.0, abs(math.log(nats / PAPER[name][method])) / _FULL)
            ink = svg.INKS["ocd-gr" if above else "er-im"]
            ax.add_patch(Rectangle(place, 0.9, 0.8, facecolor=ink, alpha=strength, linewidth=0))
            ax.add_patch(Rectangle(place, 0.9, 0.8, fill=False, edgecolor=svg.INKS["grid"], linewidth=0.6))
    ends = [(place * (len(PAPER_METHODS) + 0.25), DATASET_TITLES[name]) for place, name in enumerate(sets)]
    ax.set_xlim(-0.1, len(columns) + 0.25 * len(sets))
    ax.set_ylim(-len(shown) + 0.9, 1.0)
    ax.set_xticks([start + 1.45 for start, _ in ends], [title.replace(" (", "\n(") for _, title in ends], rotation=30)
    ax.set_yticks([-y + 0.4 for y in range(len(shown))], [str(rank) for rank, _ in shown])
    ax.tick_params(length=0)
    ax.grid(visible=False)
    for side in ("left", "bottom"):
        ax.spines[side].set_visible(False)
    label = "How far the figures of each reading are from the paper's, by data set and method."
    return svg.to_svg(figure, f"readings-map-{slug(stage)}", label)


def _count(won: Mapping[str, bool]) -> str:
    return f"{sum(won.values())} of {len(won)}"


def _in_paper(judged: Judged) -> str:
    """The same cases in the paper, where OCD_GR is ahead of both others in sorted order, too (Fig. 4a)."""
    return _count({name: name == SORTED or ahead(PAPER[name]) for name in judged.won})


def _answers(listed: Sequence[Judged], sets: Sequence[str]) -> list[Answer]:
    readings = [each.reading for each in listed]
    found = []
    for name in sets:
        for method in PAPER_METHODS:
            nats = np.array([np.nan if each.nats[name][method] is None else each.nats[name][method] for each in listed])
            found.append(effects(readings, nats.astype(np.float64)))
    return [
        Answer(QUESTIONS[name], answer, answers[0], [each[name, answer] for each in found])
        for name, answers in CHOICES.items()
        for answer in answers[1:]
    ]


def _draw(listed: Sequence[Judged]) -> Markup:
    """The distances of all readings, by answer; the bar is their median."""
    answers = [(name, answer) for name, each in CHOICES.items() for answer in each]
    figure, ax = svg.panel(7.6, 0.24 * len(answers) + 0.8)
    rng = np.random.default_rng(0)
    places, labels, y = [], [], 0.0
    for place, (name, answer) in enumerate(answers):
        y -= 1.0 if place == 0 or answers[place - 1][0] == name else 1.5
        totals = np.array([each.distance.total for each in listed if getattr(each.reading, name) == answer])
        jitter = y + 0.5 * (rng.random(len(totals)) - 0.5)
        ax.plot(totals, jitter, ".", color=svg.INKS["er-im"], markersize=3, alpha=0.5)
        if len(totals):
            ax.plot([np.median(totals)] * 2, [y - 0.4, y + 0.4], color=svg.INKS["ocd-gr"], linewidth=2.5)
        places.append(y)
        labels.append(f"{name.replace('_', ' ')}: {answer}")
    ax.set_yticks(places, labels)
    ax.set_xlabel("distance from the paper")
    ax.grid(visible=False, axis="y")
    return svg.to_svg(figure, "readings", "Distance of readings from the paper, by the answer to each question.")
