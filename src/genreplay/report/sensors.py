"""The page on sensors in a time series: which faults are found, which sensor is named, and a week to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from genreplay.datasets.sensors import KINDS
from genreplay.estimators.deviations import Deviations
from genreplay.experiments.results import Results
from genreplay.experiments.runner import Record
from genreplay.experiments.sensors import METHODS, NAMED_FROM, ONLINE
from genreplay.formatting import fine_percent, number
from genreplay.report import svg
from genreplay.report.faults import Row, Spread, spread, table

KIND_TITLES = {"all": "all faults", **{kind: kind for kind in KINDS}}
UNITS = {"current": "A", "flow": "m³/h", "pressure": "bar", "bearing": "°C", "oil": "°C", "hall": "°C"}
FAULT_INK = "er-im"
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


class Found(NamedTuple):
    """How a method with alarms does."""

    method: str
    found: dict[str, Spread]
    """share of the faults with an alarm, by kind"""
    named: dict[str, Spread]
    """share of the faults whose sensor is named, by kind"""
    named_by_row: Spread | None
    false_alarms: Spread


class Content(NamedTuple):
    """Everything that the page shows."""

    sentences: list[str]
    auc: list[Row]
    precision: list[Row]
    found: list[Found]
    picture: Markup | None
    """None without the RBM's first seed"""
    methods: tuple[str, ...]
    online: tuple[str, ...]
    kinds: dict[str, str]
    named_from: float


def content(results: Results) -> Content | None:
    """Make the content of the page; None where nothing was run."""
    by_method = _find(results)
    if not by_method:
        return None
    auc, precision = (table(by_method, figure, KIND_TITLES, ONLINE) for figure in ("auc", "average_precision"))
    alarms = found(results)
    weeks = [record["figures"]["week"] for record in by_method.get("RBM", []) if "week" in record["figures"]]
    picture = _draw(weeks[0]) if weeks else None
    return Content(_sentences(auc, alarms), auc, precision, alarms, picture, METHODS, ONLINE, KIND_TITLES, NAMED_FROM)


def _sentences(auc: Sequence[Row], alarms: Sequence[Found]) -> list[str]:
    """The page in a few sentences made from its figures."""
    overall = ", ".join(f"{method} {each.mean:.3f}" for method, each in auc[0].cells.items())
    said = [f"ROC-AUC over all faulty rows: {overall}."]
    for each in alarms:
        said.append(
            f"{each.method}: {fine_percent(each.found['all'].mean)} of the faults raise an alarm, with "
            f"{number(each.false_alarms.mean)} false alarms a week; the sensor at fault is named in "
            f"{fine_percent(each.named['all'].mean)} of the faults."
        )
    return said


def _find(results: Results) -> dict[str, list[Record]]:
    by_method = {method: results.find("sensors", method=method) for method in METHODS}
    return {method: records for method, records in by_method.items() if records}


def found(results: Results) -> list[Found]:
    """What each method with alarms finds, and which sensors it names."""
    methods = []
    for method, records in _find(results).items():
        if "found" not in records[0]["figures"]:
            continue
        raised, reasons = (
            {kind: each for kind in KIND_TITLES if (each := spread(records, figure, kind)) is not None}
            for figure in ("found", "named")
        )
        named = [record for record in records if record["figures"]["named_by_row"] is not None]
        false_alarms = spread(records, "false_alarms_per_week")
        assert false_alarms is not None
        methods.append(Found(method, raised, reasons, spread(named, "named_by_row"), false_alarms))
    return methods


def _draw(week: Mapping[str, Any]) -> Markup:
    """The sensors one above the other, faults shaded; below, the anomaly of each row and the alarms."""
    figure, axes = svg.stack(len(UNITS) + 1, 7.2, 7.4)
    days = np.arange(len(week["anomaly"])) / week["points_per_hour"] / 24
    for panel, (sensor, unit) in zip(axes, UNITS.items(), strict=False):
        panel.plot(days, week["values"][sensor], color=svg.INKS["ink"], linewidth=0.7)
        panel.set_ylabel(f"{sensor}\n{unit}")
        for kind, at_fault, start, end in week["events"]:
            if at_fault == sensor:
                panel.axvspan(start / 24, end / 24, color=svg.INKS[FAULT_INK], alpha=0.3, linewidth=0)
                place = (min(start / 24, 5.9), 1.0)  # so that a long name stays in the picture
                panel.annotate(kind, place, xycoords=("data", "axes fraction"), va="bottom", color=svg.INKS["ink"])
    below, threshold = axes[-1], Deviations().threshold
    below.plot(days, week["anomaly"], color=svg.ink("RBM"), linewidth=0.8)
    below.axhline(threshold, color=svg.INKS["ink"], linestyle=":", linewidth=1.2)
    highest = max(*week["anomaly"], threshold)
    below.plot(np.array(week["alarms"]) / 24, np.full(len(week["alarms"]), 1.15 * highest), "v", color=svg.ink("RBM"))
    below.set_ylim(min(0.0, *week["anomaly"]), 1.3 * highest)
    below.set_ylabel("anomaly")
    below.set_xlim(0, len(DAYS))
    below.set_xticks(np.arange(len(DAYS)) + 0.5, DAYS)
    below.tick_params(axis="x", length=0)
    for panel in axes:
        panel.grid(visible=False)
        panel.set_xticks(np.arange(len(DAYS) + 1), minor=True)
        panel.grid(visible=True, axis="x", which="minor", linewidth=0.6)
    return svg.to_svg(figure, "sensors-week", f"A week of six sensors with faults, from {week['starts']}")
