"""The learner for devices beside the one in Python: a table for the documentation."""

from __future__ import annotations

import numpy as np

from genreplay.device import size
from genreplay.experiments.device import LEARNERS, DeviceRun
from genreplay.experiments.results import Results

SHOWN_CORES, SHOWN_UNITS = ("cortex-m0", "cortex-m4f"), ("16 x 8", "64 x 16", "128 x 32")
"""of the stored measurements, those that the documentation shows"""
_TITLES = {"toy": "toy classes (section 4.1), in turn", "digits": "digits, random order"}


def table(results: Results) -> str:
    """A line for each stream, in Markdown: test nats or ROC-AUC in the mean over seeds, and the distance to Python."""
    runs = [run for run in results.runs("device") if isinstance(run, DeviceRun)]
    lines = ["| stream | measured | " + " | ".join(LEARNERS) + " |", "|---|---|" + "---:|" * len(LEARNERS)]
    for dataset in dict.fromkeys(run.dataset for run in runs):
        measure = "nats" if dataset in _TITLES else "auc"
        found: dict[str, float] = {}
        for run in runs:
            values = [record["figures"][measure] for record in results.of(run)] if run.dataset == dataset else []
            if values:
                found[run.learner] = float(np.mean(values))
        if found:
            cells = [_cell(found, learner, measure) for learner in LEARNERS]
            title = "test nats" if measure == "nats" else "ROC-AUC"
            lines.append(f"| {_TITLES.get(dataset, dataset)} | {title} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n" if len(lines) > 2 else ""


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
