"""The learner for devices beside the one in Python: a table for the documentation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from genreplay.device import size
from genreplay.experiments.device import LEARNERS, DeviceRun
from genreplay.experiments.results import Results
from genreplay.report.section import Finding, finding

SHOWN_CORES, SHOWN_UNITS = ("cortex-m0", "cortex-m4f"), ("16 x 8", "64 x 16", "128 x 32")
"""of the stored measurements, those that the documentation shows"""
_TITLES = {"toy": "toy classes (section 4.1), in turn", "digits": "digits, random order"}


class Row(NamedTuple):
    """One stream."""

    title: str
    measured: str
    cells: list[str]
    """one for each learner"""


class Content(NamedTuple):
    """Everything that the page shows."""

    learners: tuple[str, ...]
    rows: list[Row]


def content(results: Results) -> Content | None:
    """Make the content of the page: means over seeds, and the distance to Python; None where nothing was run."""
    runs = [run for run in results.runs("device") if isinstance(run, DeviceRun)]
    rows = []
    for dataset in dict.fromkeys(run.dataset for run in runs):
        measure = "nats" if dataset in _TITLES else "auc"
        found: dict[str, float] = {}
        for run in runs:
            values = [record["figures"][measure] for record in results.of(run)] if run.dataset == dataset else []
            if values:
                found[run.learner] = float(np.mean(values))
        if found:
            cells = [_cell(found, learner, measure) for learner in LEARNERS]
            rows.append(Row(_TITLES.get(dataset, dataset), "test nats" if measure == "nats" else "ROC-AUC", cells))
    return Content(LEARNERS, rows) if rows else None


def findings(results: Results) -> Iterator[Finding]:
    """Whether float32 is within 3 % of Python, and integers within 5 %."""
    found = content(results)
    lost = {learner: _lost(found, learner) for learner in LEARNERS[:2]} if found else {}
    if lost and all(lost.values()):
        floats, integers = (max(each) for each in lost.values())
        yield finding(
            floats <= 0.03 and integers <= 0.05,
            "The learner for microcontrollers is about as good as the one in Python",
            "The learner for microcontrollers is worse than the one in Python",
            f"With the same settings it loses at most {max(floats, 0):.1%} in float32, and {max(integers, 0):.1%} with "
            "8-bit integers, of the test nats or of the ROC-AUC.",
        )


def _lost(found: Content, learner: str) -> list[float]:
    """The share that a learner loses on each stream, beside Python."""
    place = found.learners.index(learner)
    return [-float(row.cells[place].split("(")[1].rstrip("%)")) / 100 for row in found.rows if "(" in row.cells[place]]


def table(results: Results) -> str:
    """The same in Markdown."""
    found = content(results)
    if found is None:
        return ""
    lines = ["| stream | measured | " + " | ".join(found.learners) + " |", "|---|---|" + "---:|" * len(found.learners)]
    lines += [f"| {row.title} | {row.measured} | {' | '.join(row.cells)} |" for row in found.rows]
    return "\n".join(lines) + "\n"


def _cell(found: dict[str, float], learner: str, measure: str) -> str:
    if learner not in found:
        return ""
    text = f"{found[learner]:.2f}" if measure == "nats" else f"{found[learner]:.3f}"
    if not learner.startswith("device") or "Python" not in found:
        return text
    better = (found[learner] - found["Python"]) / abs(found["Python"])
    return f"{text} ({better:+.1%})"


def sizes() -> str:
    """The stored measurements of what models cost, in Markdown."""
    lines = [
        "| units | numbers | core | flash | RAM | stack | an update | a score |",
        "|---|---|---|---:|---:|---:|---:|---:|",
    ]
    for name, found in size.table().items():
        core, *settings = name.split()
        held = dict(each.split("=") for each in settings)
        numbers = "8-bit" if "integer" in held else "float32"
        units = f"{held['n_visible']} x {held['n_hidden']}"
        costs = " | ".join(f"{value:,}" for value in found.values())
        if core in SHOWN_CORES and units in SHOWN_UNITS:
            lines.append(f"| {units} | {numbers} | {core} | {costs} |")
    return "\n".join(lines) + "\n"
