"""The page on models that meet through their dreams: nats, dreams, bytes sent, a prior for a new key, an attack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

from genreplay.experiments.fleet import IDEAS, LEARNERS, WITHOUT_IDEAS, DigitsRun
from genreplay.experiments.fleet.digits import MORE_DREAMS, N_ROUNDS
from genreplay.experiments.fleet.machines import STARTS
from genreplay.experiments.results import Results
from genreplay.formatting import fine_percent, number, percent, size
from genreplay.report import sheets, svg
from genreplay.report.section import Finding, finding

NEAR = {"digit": 15.0, "random": 5.0}
"""nats that a merged model may lose to one model on all rows"""
ENOUGH, SOON = 0.9, 500
"""share of its later ROC-AUC that a new machine should reach, and the rows within which it should"""
ONCE: dict[str, object] = {"method": "dreams", "n_rounds": 1, "times_dreams": 1}
"""settings of a merge as it is by default"""
LEAST_SHARE = 0.02
"""of the dreams that show a digit, for the digit to be there"""
INKS = {"prior": "ocd-gr", "cold": "no-replay"}
TITLES = {
    "modern": "modern",
    "paper": "paper",
    "bounded": "paper, each row's influence bounded",
    "noise 0.1": "bounded, noise 0.1",
    "noise 1": "bounded, noise 1",
    "noise 4": "bounded, noise 4",
}


class Row(NamedTuple):
    """A way to make one model, and its test nats in each split."""

    title: str
    cells: list[str]
    sent: str


class Detected(NamedTuple):
    """Who watches the machines, and how well."""

    title: str
    auc: str
    false_alarms: str


class Attacked(NamedTuple):
    """A recipe, and what an attacker learns from its model."""

    title: str
    auc: str
    auc_reference: str
    nats: str
    epsilon: str


class Prior(NamedTuple):
    """A new machine."""

    picture: Markup
    at: int
    """rows after which it was measured"""
    auc: dict[str, float | None]
    """then, by how it started; None while the model waits"""
    later: dict[str, float]
    """at the end"""
    first: int | None
    """rows from which on the one with a prior has enough of its later ROC-AUC"""


class Content(NamedTuple):
    """Everything that the page shows."""

    rows: list[Row]
    sheet: str | None
    digits: list[float]
    """share of each digit in the dreams of the merged model"""
    ideas: list[tuple[str, list[float | None]]]
    """title, and validation nats by split"""
    detected: list[Detected]
    prior: Prior | None
    inks: dict[str, str]
    attacked: list[Attacked]


def content(results: Results) -> Content | None:
    """Make the content of the page; None where nothing was run."""
    merged = digits(results, split="digit", **ONCE)
    found = Content(
        rows=_rows(results),
        sheet=_sheet(merged),
        digits=[] if merged is None else merged["digits"],
        ideas=_ideas(results),
        detected=_detected(results),
        prior=_prior(results),
        inks={STARTS[start]: ink for start, ink in INKS.items()},
        attacked=_attacked(results),
    )
    return found if any((found.rows, found.ideas, found.detected, found.attacked)) else None


def findings(results: Results) -> Iterator[Finding]:
    """Whether merged models are near one model on all rows, whether a prior helps, and what a model gives away."""
    yield from _of_merging(results)
    prior = _prior(results)
    if prior is not None:
        cold, ready = prior.auc["cold"], prior.auc["prior"]
        beside = "has no scores yet" if cold is None else f"has {number(cold, 3)}"
        yield finding(
            prior.first is not None and prior.first <= SOON,
            "A new machine that starts from the fleet is watched well from its first rows on",
            "A new machine that starts from the fleet is not watched well soon",
            f"After {prior.at:,} rows its ROC-AUC is {'unknown' if ready is None else number(ready, 3)}; "
            f"{percent(ENOUGH)} of that at the end ({number(prior.later['prior'], 3)}) is reached after "
            f"{'no number of' if prior.first is None else format(prior.first, ',')} rows. One that starts from nothing "
            f"{beside} then, and {number(prior.later['cold'], 3)} at the end.",
        )
    attacked = {name: _mean(results, "auc_reference", learner=name) for name in LEARNERS}
    plain, bounded = attacked["paper"], attacked["bounded"]
    if plain is not None and bounded is not None:
        yield Finding(
            "note",
            "A model file tells something about which rows it learned",
            f"An attacker with a second model ranks learned rows above others with ROC-AUC {number(plain, 2)}, or "
            f"{number(bounded, 2)} where each row's influence is bounded; 0.50 is a guess.",
        )


def _of_merging(results: Results) -> Iterator[Finding]:
    one = digits(results, split="none")
    for split, near in NEAR.items():
        merged = digits(results, split=split, **ONCE)
        if one is None or merged is None:
            continue
        lost = one["hub"][-1]["nats"] - merged["hub"][-1]["nats"]
        average, doubts = merged["averaged"], merged["hub"][-1]["doubt"] or one["hub"][-1]["doubt"]
        what = {"digit": "ten nodes with a digit each", "random": "ten nodes with rows at random"}[split]
        shown = split != "digit" or min(merged["digits"]) >= LEAST_SHARE
        yield finding(
            lost <= near and shown and not doubts,
            f"Models of {what} can be merged through their dreams",
            f"Models of {what} lose much when they are merged through their dreams",
            f"The merged model has {_nats(merged['hub'][-1])} test nats, one model on all rows "
            f"{_nats(one['hub'][-1])}, averaged parameters {_nats(average)}."
            + (f" The rarest digit has {percent(min(merged['digits']))} of its dreams." if split == "digit" else ""),
        )


def table(results: Results) -> str:
    """The nats in Markdown."""
    rows = _rows(results)
    lines = ["| one model from ten nodes | a digit each | at random | sent |", "|---|---:|---:|---:|"]
    lines += ["| " + " | ".join([row.title, *row.cells, row.sent]) + " |" for row in rows]
    return "\n".join(lines) + "\n" if rows else ""


def membership_table(results: Results) -> str:
    """The attack in Markdown."""
    rows = _attacked(results)
    lines = [
        "| learned by | ROC-AUC by score | with a second model | nats of new rows | epsilon |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n" if rows else ""


def machines_table(results: Results) -> str:
    """Detection in Markdown."""
    rows = _detected(results)
    lines = ["| who watches a machine | ROC-AUC | alarms on usual rows, asked for 1 % |", "|---|---:|---:|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n" if rows else ""


def digits(results: Results, **settings: object) -> dict[str, Any] | None:
    """The figures of MNIST over ten nodes with some settings, if they are there."""
    records = results.find("fleet", kind=DigitsRun.kind, **settings)
    return records[0]["figures"] if records else None


def _rows(results: Results) -> list[Row]:
    one = digits(results, split="none")
    by_split = [digits(results, split=split, **ONCE) for split in NEAR]
    rounds = {
        method: digits(results, split="digit", method=method, n_rounds=N_ROUNDS) for method in ("dreams", "averaged")
    }
    found = []
    if one is not None:
        found.append(Row("one model, all rows", [_nats(one["hub"][-1])] * 2, "all rows"))
    once = next((each for each in by_split if each is not None), None)
    if once is not None:
        sent = size(once["sent"])
        found.append(Row("merged by dreams", [_nats(each and each["hub"][-1]) for each in by_split], sent))
        if (more := digits(results, split="random", times_dreams=MORE_DREAMS)) is not None:
            found.append(Row(f"{MORE_DREAMS} times as many dreams", ["", _nats(more["hub"][-1])], sent))
        if (several := rounds["dreams"]) is not None:
            cells = [" → ".join(_nats(each) for each in several["hub"]), ""]
            found.append(Row(f"merged by dreams, {N_ROUNDS} rounds", cells, size(several["sent"])))
        found.append(Row("averaged parameters", [_nats(each and each["averaged"]) for each in by_split], sent))
        if (several := rounds["averaged"]) is not None:
            cells = [" → ".join(_nats(each) for each in several["hub"]), ""]
            found.append(Row(f"averaged parameters, {N_ROUNDS} rounds", cells, size(several["sent"])))
        best = [each and max(each["nodes"], key=lambda node: node["nats"]) for each in by_split]
        found.append(Row("the best node", [_nats(each) for each in best], "nothing"))
    return found


def _nats(judged: dict[str, Any] | None) -> str:
    if judged is None:
        return ""
    return f"{number(judged['nats'])}{' (log Z is in doubt)' if judged['doubt'] else ''}"


def _sheet(merged: dict[str, Any] | None) -> str | None:
    """The dreams as a picture; none in the quick form, whose digits are smaller."""
    if merged is None or len(merged["sheet"]) % (2 * sheets.SIDE * sheets.SIDE // 8):
        return None
    return sheets.png(sheets.unpack(merged["sheet"]))


def _ideas(results: Results) -> list[tuple[str, list[float | None]]]:
    found = [results.find("fleet", kind="fleet ideas", split=split) for split in NEAR]
    if not any(found):
        return []
    nats = [records[0]["figures"]["nats"] if records else {} for records in found]
    return [(title, [each.get(idea) for each in nats]) for idea, title in (WITHOUT_IDEAS | IDEAS).items()]


def _machines(results: Results) -> list[dict[str, Any]]:
    return [record["figures"] for record in results.find("fleet", kind="fleet machines")]


def _detected(results: Results) -> list[Detected]:
    found = _machines(results)
    if not found:
        return []
    return [
        Detected(
            title,
            _spread([each["detection"][title]["auc"] for each in found], 3),
            fine_percent(float(np.mean([each["detection"][title]["false_alarms"] for each in found]))),
        )
        for title in found[0]["detection"]
    ]


def _prior(results: Results) -> Prior | None:
    found = _machines(results)
    if not found:
        return None
    checks = found[0]["checks"]
    curves = {start: _curve(found, start) for start in STARTS}
    later = {start: float(curve[-1]) for start, curve in curves.items() if curve[-1] is not None}
    place = max(i for i, check in enumerate(checks) if check <= SOON)
    enough = [auc is not None and auc >= ENOUGH * later["prior"] for auc in curves["prior"]]
    first = next((checks[i] for i in range(len(checks)) if all(enough[i:])), None)
    at = {start: curve[place] for start, curve in curves.items()}
    return Prior(_draw(checks, found), checks[place], at, later, first)


def _curve(found: Sequence[dict[str, Any]], start: str) -> list[float | None]:
    """The mean over seeds; None where a model was not ready."""
    columns = zip(*(each["curves"][start]["auc"] for each in found), strict=True)
    return [None if None in column else float(np.mean(column)) for column in columns]


def _draw(checks: Sequence[int], found: Sequence[dict[str, Any]]) -> Markup:
    """ROC-AUC over the rows of a new machine: means over seeds, and the range of all seeds."""
    figure, ax = svg.panel(6.4, 3.2)
    for start, ink in INKS.items():
        curves = np.array([each["curves"][start]["auc"] for each in found], dtype=np.float64)
        ready = ~np.isnan(curves).any(axis=0)
        rows, curves = np.array(checks)[ready], curves[:, ready]
        ax.fill_between(rows, curves.min(axis=0), curves.max(axis=0), color=svg.INKS[ink], alpha=0.15, linewidth=0)
        ax.plot(rows, curves.mean(axis=0), ".-", color=svg.INKS[ink])
    ax.set_xscale("symlog", linthresh=100)
    ax.set(xlabel="rows of the new machine", ylabel="ROC-AUC")
    svg.plain_log(ax.xaxis, [tick for tick in (0, 100, 500, 1_000, 5_000, 20_000) if tick <= max(checks)])
    return svg.to_svg(figure, "fleet-prior", "ROC-AUC over the rows of a new machine, with a prior and without.")


def _attacked(results: Results) -> list[Attacked]:
    found = []
    for name, title in TITLES.items():
        records = results.find("fleet", kind="fleet membership", learner=name)
        if records:
            figures = [record["figures"] for record in records]
            known = [each["nats"] for each in figures if each["nats"] is not None]
            epsilon = figures[0]["epsilon"]
            found.append(
                Attacked(
                    title,
                    _spread([each["auc"] for each in figures], 3),
                    _spread([each["auc_reference"] for each in figures], 3),
                    _spread(known, 1) if len(known) == len(figures) else "log Z is in doubt",
                    "none" if epsilon is None else number(epsilon),
                )
            )
    return found


def _mean(results: Results, figure: str, **settings: object) -> float | None:
    records = results.find("fleet", **settings)
    return float(np.mean([record["figures"][figure] for record in records])) if records else None


def _spread(values: Sequence[float], digits: int) -> str:
    spread = f" ± {number(float(np.std(values, ddof=1)), digits)}" if len(values) > 1 else ""
    return f"{number(float(np.mean(values)), digits)}{spread}"
