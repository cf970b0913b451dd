"""Draw the demo's story: sheets of dreams after some of the classes, shares of classes at the end, nats and bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from genreplay.experiments.story import LEARNERS, Chapter, Ending, summary, verdict
from genreplay.formatting import size, thousands

SHOWN = (1, 4, 7, 10)
"""classes seen before a sheet"""
SIDE, ROWS, COLUMNS = 8, 4, 6
KEPT, LOST, INK, FAINT = "#2a7f62", "#c8553d", "#20242c", "#8a919c"


def draw(chapters: Sequence[Chapter], endings: Sequence[Ending]) -> Figure:
    """A row for each learner."""
    figure = Figure(figsize=(11, 7.6), layout="constrained", facecolor="white")
    widths = [2.1, *([1.9] * len(SHOWN)), 2.2]
    panels = figure.subplots(len(LEARNERS), len(widths), width_ratios=widths, squeeze=False)
    figure.suptitle(
        "Handwritten digits arrive class by class. Who still dreams of the first ones?", fontsize=15, color=INK
    )
    figure.supxlabel(_wrapped(summary(chapters, endings)), fontsize=10, color=INK)
    for row, ending in zip(panels, endings, strict=True):
        told = {each.n_classes: each for each in chapters if each.learner == ending.learner}
        last = told[max(told)]
        _words(row[0], ending, verdict(last.shares))
        for panel, n_classes in zip(row[1:-1], SHOWN, strict=True):
            panel.imshow(sheet(told[n_classes].dreams), cmap="gray_r", interpolation="nearest")
            _bare(panel)
        _bars(row[-1], last.shares)
    for panel, n_classes in zip(panels[0][1:-1], SHOWN, strict=True):
        seen = "dreams after the zeros" if n_classes == 1 else f"after 0 to {n_classes - 1}"
        panel.set_title(seen, fontsize=10, color=INK)
    panels[0][-1].set_title("shares at the end", fontsize=10, color=INK)
    panels[-1][-1].set_xticks(range(10), [str(digit) for digit in range(10)], fontsize=9, color=INK)
    return figure


def sheet(dreams: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Dreams side by side, with an empty line of pixels between them.

    >>> sheet(np.ones((24, 64), dtype=np.uint8)).shape
    (37, 55)
    """
    tiles = dreams[: ROWS * COLUMNS].reshape(ROWS, COLUMNS, SIDE, SIDE)
    framed = np.pad(tiles, ((0, 0), (0, 0), (1, 0), (1, 0)))
    whole = framed.transpose(0, 2, 1, 3).reshape(ROWS * (SIDE + 1), COLUMNS * (SIDE + 1))
    return np.pad(whole, ((0, 1), (0, 1)))


def _words(panel: Axes, ending: Ending, said: str) -> None:
    stored = f"{thousands(ending.n_stored)} rows stored" if ending.n_stored else "no row stored"
    lines: list[tuple[str, dict[str, Any]]] = [
        (ending.learner.title, {"fontsize": 12, "fontweight": "bold", "color": INK}),
        (f"rehearses {ending.learner.past}", {"fontsize": 9, "color": FAINT}),
        (said, {"fontsize": 9.5, "color": LOST if said.startswith("has lost") else KEPT, "fontweight": "bold"}),
        (ending.likelihood, {"fontsize": 10, "color": INK}),
        (f"{stored}, {size(ending.n_bytes)} in all", {"fontsize": 9, "color": INK}),
    ]
    for height, (text, style) in zip((0.95, 0.74, 0.54, 0.33, 0.12), lines, strict=True):
        panel.text(0, height, text, transform=panel.transAxes, va="top", **style)
    panel.axis("off")


def _bars(panel: Axes, shares: Sequence[float]) -> None:
    fair = 1 / len(shares)
    colours = [KEPT if share >= fair / 3 else LOST for share in shares]
    panel.bar(range(len(shares)), shares, color=colours, width=0.8)
    panel.axhline(fair, color=FAINT, linewidth=1, linestyle=":")
    panel.set_ylim(0, 0.45)
    _bare(panel)
    panel.spines["bottom"].set_visible(True)
    panel.spines["bottom"].set_color(FAINT)


def _bare(panel: Axes) -> None:
    panel.set_xticks([])
    panel.set_yticks([])
    for spine in panel.spines.values():
        spine.set_visible(False)


def _wrapped(text: str) -> str:
    """Each sentence on a line of its own."""
    return text.replace(". ", ".\n")
