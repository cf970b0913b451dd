"""The results in one small table: a line for each question, with the command that makes the figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from genreplay.experiments.calibration import MADE_UP, NOMINAL
from genreplay.experiments.faults import METHODS
from genreplay.experiments.incremental import METHODS as INCREMENTAL
from genreplay.experiments.paper.table2 import PAPER
from genreplay.experiments.results import Results
from genreplay.experiments.sensors import ONLINE
from genreplay.formatting import fine_percent, percent
from genreplay.report import anomaly, beyond, calibration, faults, fleet, incremental, nab
from genreplay.report.alarms import FACTOR


class Line(NamedTuple):
    """A question, our answer, what it is compared with, and the experiment."""

    question: str
    ours: str
    beside: str
    experiment: str


def lines(results: Results) -> list[Line]:
    """Every line whose runs are there."""
    parts = (_beyond, _incremental, _fleet, _anomaly, _calibration, _faults, _nab, _sensors)
    return [line for part in parts for line in part(results)]


def table(results: Results) -> str:
    """Markdown; a line is left out where its runs are missing, and the table is empty where all are."""
    rows = [
        f"| {line.question} | **{line.ours}** | {line.beside} | `genreplay reproduce {line.experiment}` |"
        for line in lines(results)
    ]
    if not rows:
        return ""
    quick = ["", "**Quick runs: small models and few rows. Not for comparison.**"] if results.quick else []
    return "\n".join(["| measured | genreplay | beside it | made by |", "|---|---|---|---|", *rows, *quick]) + "\n"


def _beyond(results: Results) -> Iterator[Line]:
    reached = beyond.reached(beyond.table(results))
    if reached is not None:
        surrogates = f"; {reached.n_surrogates} of them a surrogate" if reached.n_surrogates else ""
        title = "data sets of the paper on which the log-likelihood is at least its own"
        yield Line(title, f"{reached.n_above} of {reached.n_sets}", f"one pass, no row stored{surrogates}", "beyond")
    for contest in beyond.contest(results):
        modern, stored, protocol = contest.methods["dream pool"], contest.methods["ER-IM"], contest.protocol
        if modern is not None and protocol is not None:
            beside = [f"our run of the paper's method {protocol.mean:.1f}"]
            beside += [f"published {PAPER['mnist']['OCD_GR']:.1f}"] if contest.order == "random" else []
            beside += [] if stored is None else [f"with every row stored {stored.mean:.1f}"]
            title = f"MNIST in {contest.order} order, log-likelihood of test rows (nats)"
            yield Line(title, f"{modern.mean:.1f}", ", ".join(beside), "beyond")


def _incremental(results: Results) -> Iterator[Line]:
    right = {
        method: incremental.mean_accuracy(results.find("incremental", order="split", method=method))
        for method in INCREMENTAL
    }
    if (ours := right["class models"]) is not None:
        words = {
            "dreams": "a network fed with dreams",
            "infinite memory": "a network with all rows stored",
            "no replay": "a network alone",
        }
        beside = [f"{name} {fine_percent(share)}" for method, name in words.items() if (share := right[method])]
        title = "digits two classes at a time (Split MNIST, one pass), accuracy"
        yield Line(title, fine_percent(ours), ", ".join(beside), "incremental")


def _fleet(results: Results) -> Iterator[Line]:
    one, merged = fleet.digits(results, split="none"), fleet.digits(results, split="digit", **fleet.ONCE)
    if one is not None and merged is not None:
        found = {"one model on all rows": one["hub"][-1], "averaged parameters": merged["averaged"]}
        yield Line(
            "ten models with one digit each, merged through their dreams (MNIST, nats)",
            f"{merged['hub'][-1]['nats']:.1f}",
            ", ".join(f"{name} {each['nats']:.1f}" for name, each in found.items()),
            "fleet",
        )


def _anomaly(results: Results) -> Iterator[Line]:
    rows = anomaly.table(results, "auc")
    if rows and set(anomaly.DETECTORS) <= set(rows[-1].cells):
        means = {method: f"{method} {cell.mean:.3f}" for method, cell in rows[-1].cells.items() if method != "RBM"}
        shown = ("histograms", "LODA", "HalfSpaceTrees", "IsolationForest")
        yield Line(
            f"anomalies in {len(rows) - 1} tables, mean ROC-AUC",
            f"{rows[-1].cells['RBM'].mean:.3f}",
            ", ".join(means[method] for method in shown) + " (fitted offline)",
            "anomaly",
        )


def _calibration(results: Results) -> Iterator[Line]:
    rows = [row for row in calibration.table(results) if row.title != MADE_UP]
    if rows:
        n_right = sum(row.is_right(0) for row in rows)
        yield Line(
            f"tables with the right rate of false alarms at {percent(NOMINAL[0])}",
            f"{n_right} of {len(rows)}",
            f"within a factor of {FACTOR:g}",
            "calibration",
        )


def _faults(results: Results) -> Iterator[Line]:
    found = {
        method: faults.spread(results.find("faults", order="time", method=method), "auc", "all") for method in METHODS
    }
    means = {method: f"{each.mean:.3f}" for method, each in found.items() if each is not None}
    if "RBM" in means:
        ours = means.pop("RBM")
        yield Line("faults of a factory, ROC-AUC", ours, ", ".join(map(" ".join, means.items())), "faults")


def _nab(results: Results) -> Iterator[Line]:
    scores = {row.method: f"{row.defaults['standard'].mean:.1f}" for row in nab.table(results)}
    if "RBM" in scores:
        ours = scores.pop("RBM")
        beside = ", ".join(map(" ".join, scores.items()))
        yield Line("time series of NAB, standard score", ours, beside, "nab")


def _sensors(results: Results) -> Iterator[Line]:
    found = {method: faults.spread(results.find("sensors", method=method), "auc", "all") for method in ONLINE}
    means = {method: f"{each.mean:.3f}" for method, each in found.items() if each is not None}
    if "RBM" in means:
        ours = means.pop("RBM")
        yield Line(
            "faults of six sensors in a series, ROC-AUC", ours, ", ".join(map(" ".join, means.items())), "sensors"
        )
