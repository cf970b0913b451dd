"""False alarms with anomalies in the stream that nobody has marked: rates by set, and where thresholds come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from genreplay.datasets.anomaly import names
from genreplay.experiments.anomaly import NOMINAL
from genreplay.experiments.results import Results
from genreplay.formatting import percent
from genreplay.report import svg

FACTOR = 1.5
"""a false-alarm rate is right when it is within this factor of the nominal one"""
FEW = 10
"""where fewer alarms than this are expected, few rows decide whether a rate is right"""
CALIBRATIONS = {"p-values": "dream_alarms", "stored quantiles": "stored_alarms"}
"""where a threshold comes from, and the figure that says how often usual rows pass it"""
MARKERS = {"p-values": "o", "stored quantiles": "s"}
_BEYOND = 20.0
"""factor off the nominal rate at which a picture ends; rates farther off are drawn on its edge"""


def within(rate: float, nominal: float) -> bool:
    """Whether a rate is within ``FACTOR`` of the nominal one.

    >>> within(0.015, 0.01), within(0.006, 0.01)
    (True, False)
    """
    return bool(1 / FACTOR <= rate / nominal <= FACTOR * (1 + 1e-9))


class Alarms(NamedTuple):
    """False-alarm rates on one set."""

    title: str
    rates: dict[str, np.ndarray]
    """by calibration, of shape (seeds, nominal rates)"""
    n_usual: int
    """usual rows that were judged, over all seeds"""

    def mean(self, calibration: str, at: int) -> float:
        """The mean rate over seeds, for the nominal rate with this index."""
        return float(self.rates[calibration][:, at].mean())

    def is_right(self, calibration: str, at: int) -> bool:
        """Whether this mean is within ``FACTOR`` of the nominal rate."""
        return within(self.mean(calibration, at), NOMINAL[at])

    @property
    def n_expected(self) -> float:
        """Alarms that are expected over all seeds at the lowest nominal rate."""
        return self.n_usual * min(NOMINAL)


def sentences(alarms: Sequence[Alarms]) -> list[str]:
    """What the rates say, counted."""
    said = []
    for calibration in CALIBRATIONS if alarms else ():
        right = [sum(each.is_right(calibration, at) for each in alarms) for at in range(len(NOMINAL))]
        both = sum(all(each.is_right(calibration, at) for at in range(len(NOMINAL))) for each in alarms)
        counts = " and ".join(f"{n} sets at {percent(rate)}" for n, rate in zip(right, NOMINAL, strict=True))
        said.append(
            f"False alarms with the anomalies in the stream, thresholds from {calibration}: in the mean over orders, "
            f"within a factor of {FACTOR:g} of the nominal rate on {counts}, on {both} of {len(alarms)} at both."
        )
    small = [each for each in alarms if each.n_expected < FEW]
    if small:
        said.append(
            f"Few rows decide this on {len(small)} of these sets, where fewer than {FEW} alarms are expected at "
            f"{percent(min(NOMINAL))} over all orders together (in brackets, the usual rows that were judged): "
            + ", ".join(f"{each.title} ({each.n_usual:,})" for each in small)
            + "."
        )
    return said


def alarms(results: Results) -> list[Alarms]:
    """The rates on each set on which the RBM was run."""
    found = {dataset: results.find("anomaly", dataset=dataset, method="RBM") for dataset in names()}
    return [
        Alarms(
            dataset,
            {name: np.array([each["figures"][figure] for each in records]) for name, figure in CALIBRATIONS.items()},
            sum(each["figures"]["n_usual"] for each in records),
        )
        for dataset, records in found.items()
        if records
    ]


def pictures(alarms: Sequence[Alarms]) -> dict[str, Markup]:
    """Measured rates by set, a picture for each nominal rate."""
    return {percent(rate): _draw(alarms, at, rate) for at, rate in enumerate(NOMINAL)} if alarms else {}


def _draw(alarms: Sequence[Alarms], at: int, nominal: float) -> Markup:
    """A line for each set: measured rates, the mean and the range over seeds, on a logarithmic axis."""
    figure, axes = svg.panel(4.6, 0.9 + 0.27 * len(alarms))
    axes.axvspan(nominal / FACTOR, nominal * FACTOR, color=svg.INKS["grid"], linewidth=0)
    axes.axvline(nominal, color=svg.INKS["ink"], linestyle=":", linewidth=1.2)
    low, high = nominal / _BEYOND, min(nominal * _BEYOND, 1.0)
    for offset, calibration in zip((-0.16, 0.16), CALIBRATIONS, strict=True):
        rates = [np.clip(each.rates[calibration][:, at], low, high) for each in alarms]
        means = np.clip([each.mean(calibration, at) for each in alarms], low, high)
        y = np.arange(len(alarms)) + offset
        ink = svg.ink(calibration)
        axes.hlines(y, [each.min() for each in rates], [each.max() for each in rates], color=ink, linewidth=1.2)
        axes.plot(means, y, color=ink, marker=MARKERS[calibration], linestyle="none", clip_on=False)
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    ticks = [nominal * factor for factor in (0.1, 1 / FACTOR, 1, FACTOR, 10)]
    axes.set_xticks(ticks, [f"{100 * tick:.2g}" for tick in ticks])
    axes.minorticks_off()
    axes.set_yticks(range(len(alarms)), [each.title for each in alarms])
    axes.set_ylim(len(alarms) - 0.4, -0.6)
    axes.grid(visible=False, axis="x")
    axes.set_xlabel("usual rows that raise an alarm, %")
    return svg.to_svg(
        figure, f"alarms-{100 * nominal:.0f}", f"False-alarm rates at a nominal {percent(nominal)}, by set"
    )
