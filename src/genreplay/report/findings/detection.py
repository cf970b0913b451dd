"""What holds of the detectors: anomalies, alarm rates, faults, regimes and time series."""

from __future__ import annotations

from collections.abc import Iterator

from genreplay.experiments.anomaly import ONLINE
from genreplay.experiments.calibration import MADE_UP, NOMINAL
from genreplay.experiments.faults import METHODS
from genreplay.experiments.faults import NOMINAL as FAULTS_NOMINAL
from genreplay.experiments.regimes import N_BLOCK
from genreplay.experiments.results import Results
from genreplay.formatting import fine_percent, number, percent
from genreplay.report import anomaly as anomaly_page
from genreplay.report import calibration as calibration_page
from genreplay.report import faults as faults_page
from genreplay.report import nab as nab_page
from genreplay.report import regimes as regimes_page
from genreplay.report import sensors as sensors_page
from genreplay.report.alarms import FACTOR, alarms
from genreplay.report.section import Finding, finding

CLEAR = 0.01
"""a difference of ROC-AUC below this is called small"""
MOST = 0.75
"""share from which on something holds for most"""
FEWER = 0.75
"""rehearsal helps where alarms fall to this share or less"""


def anomaly(results: Results) -> Iterator[Finding]:
    """Which detector finds most in tables, and whether relations between columns help."""
    rows = anomaly_page.table(results, "auc")
    means = {method: cell.mean for method, cell in rows[-1].cells.items()} if rows else {}
    if not set(ONLINE) <= set(means):
        return
    whole = [row for row in rows[:-1] if set(row.cells) == set(means)]
    best = max(ONLINE, key=lambda method: means[method])
    rivals = ", ".join(f"{method} {means[method]:.3f}" for method in ONLINE if method != "RBM")
    yield Finding(
        "use",
        "`OnlineRBMDetector()` for tables" if best == "RBM" else f"For tables, {best} rather than the RBM",
        f"Mean ROC-AUC over {len(whole)} tables: the RBM {means['RBM']:.3f}, {rivals}.",
    )
    n_won = sum(row.cells["RBM"].mean > row.cells["histograms"].mean for row in whole)
    yield finding(
        means["RBM"] - means["histograms"] >= CLEAR,
        "On public tables, relations between columns help to find anomalies",
        "On public tables, counting each column by itself finds about as much",
        f"Mean ROC-AUC over {len(whole)} tables: the RBM {means['RBM']:.3f}, histograms {means['histograms']:.3f}; the "
        f"RBM is better on {n_won}.",
    )


def calibration(results: Results) -> Iterator[Finding]:
    """Whether alarms are as rare as asked."""
    rate = percent(NOMINAL[0])
    rows = [row for row in calibration_page.table(results) if row.title != MADE_UP]
    if rows:
        n_right = sum(row.is_right(0) for row in rows)
        yield finding(
            n_right >= MOST * len(rows),
            "After learning usual rows, false alarms are as rare as asked",
            "Even after learning usual rows, false alarms are not as rare as asked",
            f"Asked for {rate}, the rate on fresh usual rows is within a factor of {FACTOR:g} on {n_right} of "
            f"{len(rows)} tables.",
        )
    mixed = alarms(results)
    if mixed:
        n_right = sum(each.is_right("p-values", 0) for each in mixed)
        yield finding(
            n_right >= MOST * len(mixed),
            "Unmarked anomalies in the stream leave the rate of false alarms right",
            "Unmarked anomalies in the stream spoil the rate of false alarms",
            f"Asked for {rate}, it is within a factor of {FACTOR:g} on {n_right} of {len(mixed)} tables.",
        )


def faults(results: Results) -> Iterator[Finding]:
    """Whether faults are found that no single column shows."""
    by_method = {method: results.find("faults", order="time", method=method) for method in METHODS}
    found = {method: faults_page.spread(records, "auc", "all") for method, records in by_method.items()}
    means = {method: each.mean for method, each in found.items() if each is not None}
    if not {"RBM", "histograms"} <= set(means):
        return
    others = {method: mean for method, mean in means.items() if method not in ("RBM", "histograms")}
    best = max(others, key=lambda method: others[method], default=None)
    yield finding(
        means["RBM"] - means["histograms"] >= CLEAR,
        "It finds faults of a machine that single columns do not show",
        "It does not find more faults of a machine than single columns show",
        f"ROC-AUC over all faults in a generated log: the RBM {means['RBM']:.3f}, histograms {means['histograms']:.3f}"
        + (f", the best of the others ({best}) {others[best]:.3f}." if best else "."),
    )
    recall, false = (faults_page.spread(by_method["RBM"], *each) for each in (("recall", "all"), ("false_alarms",)))
    if recall and false:
        yield Finding(
            "note",
            "Most faults raise an alarm" if recall.mean >= MOST else "Many faults raise no alarm",
            f"At a nominal {fine_percent(FAULTS_NOMINAL)}, {fine_percent(recall.mean)} of the faulty rows raise one, "
            f"and {fine_percent(false.mean)} of the usual rows.",
        )


def regimes(results: Results) -> Iterator[Finding]:
    """Whether rehearsal keeps a detector calm when something known returns."""
    rows = {row.title: row for row in regimes_page.table(results)}
    without, dreams = (rows.get(regimes_page.REPLAY_TITLES[each]) for each in ("none", "dreams"))
    if not without or not dreams or None in (without.often, without.rare, dreams.often, dreams.rare):
        return
    shares = [(name, getattr(without, name), getattr(dreams, name)) for name in ("often", "rare")]
    said = {"often": "a frequent regime", "rare": "a rare one"}
    yield finding(
        all(after <= FEWER * before for _, before, after in shares),
        "Rehearsal avoids false alarms when a regime returns",
        "Rehearsal hardly changes the false alarms when a regime returns",
        f"Alarms in the first {N_BLOCK} rows: "
        + "; ".join(
            f"{said[name]}, {fine_percent(before)} without rehearsal, {fine_percent(after)} with dreams"
            for name, before, after in shares
        )
        + ".",
    )


def nab(results: Results) -> Iterator[Finding]:
    """How the detector of a series does beside others."""
    scores = {row.method: row.defaults["standard"].mean for row in nab_page.table(results)}
    if "RBM" not in scores:
        return
    rbm = scores.pop("RBM")
    best = max(scores, key=lambda method: scores[method], default=None)
    better = best is None or rbm > scores[best]
    n_below, n_published = nab_page.standing(rbm)
    yield Finding(
        "use",
        "`series_detector()` for time series" if better else f"For time series, {best} in place of the RBM",
        f"Numenta Anomaly Benchmark: {number(rbm)} of 100, more than {n_below} of {n_published} published detectors"
        + ("." if best is None else f"; {best} in place of the RBM {number(scores[best])}."),
    )


def sensors(results: Results) -> Iterator[Finding]:
    """How many faults of sensors raise an alarm, and whether the right sensor is named."""
    for each in sensors_page.found(results):
        if each.method == "RBM":
            found, named = each.found["all"].mean, each.named["all"].mean
            yield finding(
                min(found, named) >= MOST,
                "In a time series, most faults raise an alarm that names the sensor",
                "In a time series, many faults raise no alarm or blame the wrong sensor",
                f"Six generated sensors: {fine_percent(found)} of the faults raise an alarm, with "
                f"{number(each.false_alarms.mean)} false alarms a week; in {fine_percent(named)} the right sensor is "
                "named.",
            )
