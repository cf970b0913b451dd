"""The report: one self-contained HTML page."""

from __future__ import annotations

from collections import Counter
from dataclasses import fields
from typing import NamedTuple

from genreplay.experiments.anomaly import NOMINAL, ONLINE, AnomalyRun
from genreplay.experiments.beyond import DIFFERENCES, BeyondRun
from genreplay.experiments.faults import FaultsRun
from genreplay.experiments.paper.claims import BEATS_RULE, CLAIMS, GENERAL_RULE, VERDICTS, Claim, Judgement
from genreplay.experiments.paper.fig3 import ClassesInTurn
from genreplay.experiments.paper.offline import OfflineRun
from genreplay.experiments.paper.online import PAPER_METHODS, OnlineRun
from genreplay.experiments.regimes import N_BLOCK
from genreplay.experiments.registry import EXPERIMENTS
from genreplay.experiments.results import Results
from genreplay.experiments.run import seeds_of
from genreplay.formatting import percent
from genreplay.report import (
    anomaly,
    beyond,
    calibration,
    cost,
    faults,
    fig3,
    fig4,
    fig5,
    halves,
    nab,
    regimes,
    sensors,
    sheets,
    study,
    tables,
)
from genreplay.report.headlines import headlines
from genreplay.report.html import render
from genreplay.report.titles import SECTIONS

SYMBOLS = {
    "n_hidden": "n_h",
    "batch_size": "n_B",
    "n_replay": "n_Bhat",
    "n_gibbs": "n_Gs",
    "n_epochs": "n_E",
    "n_cd": "n_CD",
    "learning_rate": "alpha",
}


class Judged(NamedTuple):
    """A claim and its judgement."""

    claim: Claim
    judgement: Judgement


class Experiment(NamedTuple):
    """A row of the table of what was run."""

    name: str
    n_done: int
    n_listed: int
    """runs of the experiment with the seeds in the file"""
    hours: float
    temperatures: list[int]


def build(results: Results) -> str:
    """The whole page; it says what was not run."""
    judged = [Judged(claim, claim.judge(results)) for claim in CLAIMS]
    counts = Counter(each.judgement.verdict for each in judged)
    records = results.records
    return render(
        "page.html",
        titles=SECTIONS,
        quick=results.quick,
        seeds=results.seeds,
        headlines=headlines(results),
        counts={verdict: counts[verdict] for verdict in VERDICTS if counts[verdict]},
        judged={section: [each for each in judged if each.claim.section == section] for section in SECTIONS},
        rules=(GENERAL_RULE, BEATS_RULE),
        contests=fig3.contests(results),
        fig4=fig4.draw(results),
        fig5=fig5.draw(results),
        curves={method: bool(results.find("fig5", method=method)) for method in PAPER_METHODS},
        table2=tables.table2(results),
        columns=tables.COLUMNS,
        steps=tables.steps(results),
        costs=cost.costs(results),
        study=study.study(results),
        sheet_sets=sheets.sheet_sets(results),
        beyond=beyond.beyond(results),
        ingredients=DIFFERENCES,
        rivals=beyond.REPLAY_METHODS,
        streams=beyond.STREAMS,
        anomalies=anomaly.anomalies(results),
        detectors=anomaly.DETECTORS,
        online_detectors=ONLINE,
        alarm_calibrations=tuple(anomaly.CALIBRATIONS),
        nominal_rates=[percent(rate) for rate in NOMINAL],
        half_splits=halves.N_SPLITS,
        faults=faults.faults(results),
        regimes=regimes.regimes(results),
        nab=nab.nab(results),
        sensors=sensors.sensors(results),
        experiments=[_experiment(results, name) for name in EXPERIMENTS],
        n_runs=len(records),
        n_not_listed=results.n_not_listed,
        hours=sum(record["seconds"] for record in records) / 3600,
        versions=sorted({f"{name} {version}" for record in records for name, version in record["versions"].items()}),
        settings=[(SYMBOLS[name], name, getattr(OnlineRun(), name)) for name in SYMBOLS],
        offline={field.name: field.default for field in fields(OfflineRun)},
        facts=_facts(results),
    )


def _facts(results: Results) -> dict[str, int | str | None]:
    """Sizes that the text mentions, in the form that was run."""
    toy, curve, trial, detector = (results.runs(name)[0] for name in ("fig3", "fig5", "search", "anomaly"))
    factory = results.runs("faults")[0]
    assert isinstance(toy, ClassesInTurn)
    assert isinstance(curve, OnlineRun)
    assert isinstance(trial, OnlineRun)
    assert isinstance(detector, AnomalyRun)
    assert isinstance(factory, FaultsRun)
    part = next(run for run in results.runs("beyond") if isinstance(run, BeyondRun) and run.variant != "modern")
    (studied,) = {(run.n_hidden, run.max_rows) for run in results.runs("study") if isinstance(run, OnlineRun)}
    return {
        "n_dreams": toy.n_dreams,
        "n_hidden": curve.n_hidden,
        "curve_every": curve.curve_every,
        "curve_temperatures": curve.curve_temperatures,
        "n_temperatures": curve.n_temperatures,
        "study_hidden": studied[0],
        "study_rows": studied[1],
        "search_rows": trial.max_rows,
        "part_hidden": part.n_hidden,
        "part_rows": part.max_rows,
        "anomaly_factor": f"{calibration.FACTOR:g}",
        "anomaly_head": detector.n_head,
        "anomaly_learned": percent(1 - detector.held_out),
        "anomaly_sample": detector.max_sample,
        "anomaly_stored": detector.n_stored,
        "faults_hidden": percent(factory.hidden_share),
        "faults_stored": factory.n_stored,
        "regimes_block": N_BLOCK,
    }


def _experiment(results: Results, name: str) -> Experiment:
    runs = results.runs(name)
    done = {run: results.of(run) for run in runs}
    records = [record for found in done.values() for record in found]
    temperatures = {run.n_temperatures for run, found in done.items() if found and hasattr(run, "n_temperatures")}
    temperatures |= {
        run.curve_temperatures
        for run, found in done.items()
        if found and isinstance(run, OnlineRun) and run.curve_every
    }
    hours = sum(record["seconds"] for record in records) / 3600
    n_listed = sum(len(seeds_of(run, max(len(results.seeds), 1))) for run in runs)
    return Experiment(name, len(records), n_listed, hours, sorted(temperatures))
