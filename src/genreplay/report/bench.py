"""The page of ``genreplay bench``: figures as bars beside their targets, times over sizes as curves."""

from __future__ import annotations

from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup

from genreplay.bench.figures import Curve, Figure, Part
from genreplay.bench.run import Run
from genreplay.report import svg
from genreplay.report.html import render

INKS = {"ocd-gr": "o", "er-im": "s", "er-ml": "^"}
"""inks and markers of a picture's lines, in their order"""


class Bar(NamedTuple):
    """A figure, and where it lies on the common scale of its group, in percent."""

    figure: Figure
    ours: bool
    length: float
    spread: tuple[float, float] | None
    """from the lower to the upper quartile"""
    target: float | None


class Picture(NamedTuple):
    """A curve as it is drawn."""

    title: str
    drawing: Markup
    legend: list[tuple[str, str]]
    """an ink and what it stands for"""


class Section(NamedTuple):
    """A part of the run."""

    part: Part
    groups: dict[str, list[Bar]]
    """bars by their unit"""
    pictures: list[Picture]


def build(run: Run) -> str:
    """The whole page."""
    sections = {
        name: Section(
            part,
            {unit: _bars(list(figures)) for unit, figures in groupby(part.figures, lambda figure: figure.unit)},
            [_draw(curve) for curve in part.curves],
        )
        for name, part in run.parts.items()
    }
    verdicts = [figure.met for part in run.parts.values() for figure in part.figures]
    return render(
        "bench.html",
        sections=sections,
        quick=run.effort.quick,
        seed=run.effort.seed,
        machine=run.machine,
        counts={"met": verdicts.count(True), "not met": verdicts.count(False)},
    )


def _bars(figures: list[Figure]) -> list[Bar]:
    """Bars on one scale, which ends at the largest figure, quartile or target."""
    end = max(
        each
        for figure in figures
        for each in (figure.value, figure.high or 0, figure.target.bound if figure.target else 0)
    )

    def percent(value: float) -> float:
        return 100 * max(value, 0) / end if end else 0.0  # nothing grew: no bar

    return [
        Bar(
            figure,
            figure.name.startswith("ours"),
            percent(figure.value),
            None if figure.low is None or figure.high is None else (percent(figure.low), percent(figure.high)),
            percent(figure.target.bound) if figure.target else None,
        )
        for figure in figures
    ]


def _draw(curve: Curve) -> Picture:
    figure, axes = svg.panel(3.6, 2.9)
    legend = []
    for (ink, marker), (name, values) in zip(INKS.items(), curve.lines.items(), strict=False):
        axes.plot(curve.x, values, color=svg.INKS[ink], marker=marker)
        legend.append((ink, name))
    axes.set_xscale("log")
    axes.set_yscale("log")
    svg.plain_log(axes.xaxis, curve.x)
    values = [value for line in curve.lines.values() for value in line]
    svg.plain_log(axes.yaxis, [tick for tick in _round_numbers() if min(values) / 1.5 <= tick <= 1.5 * max(values)])
    axes.set_xlabel(curve.x_label)
    axes.set_ylabel(curve.y_label)
    title = f"{curve.y_label} over {curve.x_label}"
    return Picture(title, svg.to_svg(figure, f"curve-{curve.name}", title), legend)


def _round_numbers() -> list[float]:
    """1, 2 and 5 in every power of ten that a time in milliseconds may have."""
    return [digit * 10.0**power for power in range(-4, 6) for digit in (1, 2, 5)]
