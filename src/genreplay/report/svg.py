"""Drawings that take their colours from the page: inline SVG in which every ink is a CSS variable.

So one drawing works in light and dark mode, in a tenth of the bytes of two pictures. Matplotlib has only fixed colours:
each ink is drawn in a colour that nothing else uses, which is replaced by its variable when the drawing is written.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import Any

import matplotlib as mpl
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter

from genreplay.formatting import slug

N_CLASSES = 10
NAMES = (
    "ink",
    "grid",
    "ocd-gr",
    "er-im",
    "er-ml",
    "er-ml-packed",
    "no-replay",
    "random",
    "sorted",
    *(f"class-{label}" for label in range(N_CLASSES)),
    "p-values",
    "stored-quantiles",
    "rbm",
    "histograms",
    "halfspacetrees",
    "loda",
    "isolationforest",
    "localoutlierfactor",
)
INKS = {name: f"#fe01{index:02x}" for index, name in enumerate(NAMES)}
"""name of a CSS variable, and the colour that stands for it while drawing"""
MARKERS = {"OCD_GR": "o", "ER-IM": "s", "ER-ML": "^", "ER-ML packed": "v", "no replay": "x"}
"""methods differ in shape as well as in colour"""

_STYLE: Any = {
    "font.size": 10.5,
    "axes.titlesize": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.6,
    "lines.markersize": 5.0,
    "svg.fonttype": "none",
    "text.color": INKS["ink"],
    "grid.color": INKS["grid"],
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "axes.unicode_minus": True,
    **{f"axes.{part}": INKS["ink"] for part in ("edgecolor", "labelcolor", "titlecolor")},
    **{f"{axis}tick.{part}": INKS["ink"] for axis in "xy" for part in ("color", "labelcolor")},
}


def ink(method: str) -> str:
    """The ink of a method or a calibration, by the name that people read.

    >>> ink("ER-ML packed") == INKS["er-ml-packed"]
    True
    """
    return INKS[slug(method)]


def panel(width: float = 4.2, height: float = 3.1) -> tuple[Figure, Axes]:
    """One pair of axes, its size in inches."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots()


def stack(n: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    """Several pairs of axes above one another, which share the horizontal one; the size of all together in inches."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, list(figure.subplots(n, sharex=True, squeeze=False)[:, 0])


def plain_log(axis: Axis, ticks: Sequence[float] | None = None) -> None:
    """A logarithmic axis with numbers in full, at these ticks or at powers of ten."""
    axis.set_major_locator(FixedLocator(ticks) if ticks else LogLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}".replace("-", "\N{MINUS SIGN}")))
    axis.set_minor_formatter(NullFormatter())


def to_svg(figure: Figure, name: str, label: str) -> Markup:
    """The drawing as an element for a page: ``name`` makes its ids unique, ``label`` is read aloud in its place."""
    written = io.StringIO()
    with mpl.rc_context({**_STYLE, "svg.hashsalt": name}):
        figure.savefig(written, format="svg", transparent=True, metadata={"Date": None})
    svg = written.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' (width|height)="[\d.]+pt"', "", svg, count=2)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{name}-", svg)
    svg = re.sub(r"font-family: [^;\"]*", "font-family: inherit", svg)
    svg = re.sub(r"font: ([\d.]+px) [^;\"]*", r"font-size: \1", svg)
    for variable, colour in INKS.items():
        svg = svg.replace(colour, f"var(--{variable})")
    return Markup(svg.replace("<svg", f'<svg role="img" aria-label="{escape(label)}"', 1))
