"""Parts of the report for other pages, such as those of the documentation: tables, sentences and pictures by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import TypeVar

from markupsafe import Markup, escape

from genreplay.experiments.results import Results
from genreplay.formatting import number, slug
from genreplay.report import (
    beyond,
    claims,
    device,
    faults,
    fig3,
    fig4,
    fig5,
    fleet,
    incremental,
    log_z,
    markdown,
    readings,
    regimes,
    rl,
    sections,
    sheets,
    study,
    summary,
    svg,
)
from genreplay.report.section import LISTS

T = TypeVar("T")
SHOWN = ("OCD_GR", "ER-IM", "ER-ML", "no replay")


class MissingResultsError(ValueError):
    """A part is asked for whose experiment is not in the results; the message names it."""


# Several parts come from each of these, and drawing takes most of the time.
@cache
def _contests(results: Results) -> list[fig3.Contest]:
    return fig3.contests(results)


@cache
def _beyond_content(results: Results) -> beyond.Content:
    return _need(beyond.content(results), "beyond")


@cache
def _faults_content(results: Results) -> faults.Content:
    return _need(faults.content(results), "faults")


def _bullets(sentences: Iterable[str]) -> str:
    return "".join(f"- {sentence}\n" for sentence in sentences)


def _claims(results: Results, section: str) -> str:
    """An item for each claim of a section: the verdict, what the paper says, what was found."""
    return _bullets(
        f"{each.mark} **{each.judgement.verdict}**: {each.claim.statement}<br>Found: {each.judgement.evidence}"
        for each in claims.judged(results, [section])
    )


def _findings(results: Results) -> str:
    """What holds of the paper, and what does not."""
    of_paper = [section for section in sections.SECTIONS if section.group == sections.PAPER]
    said = [each for section in of_paper for each in section.found(results)]
    return "\n".join(
        f"{LISTS[kind]}:\n\n{_bullets(each.text for each in said if each.kind == kind)}"
        for kind in LISTS
        if any(each.kind == kind for each in said)
    )


def _found(results: Results, order: str) -> str:
    """What the RBM finds, blames, dreams and fills in on the table of a factory, in one order of its rows."""
    section = _faults_content(results)
    (there,) = (each for each in section.orders if each.title == faults.ORDER_TITLES[order])
    lines = ["| kind of fault | raises an alarm | the blamed column is right |", "|---|---:|---:|"]
    for row in there.found:
        lines.append(f"| {row.title} | {_share(row.recall)} | {_share(row.blamed_right)} |")
    lines += ["", "| asked of the RBM | answer |", "|---|---:|"]
    lines += [f"| {answer.question} | {answer.value} |" for answer in there.answers]
    return "\n".join(lines) + "\n"


def _share(spread: faults.Spread | None) -> str:
    if spread is None:
        return ""
    return f"{spread.mean:.3f}" + ("" if spread.deviation is None else f" ± {spread.deviation:.3f}")


TABLES: dict[str, Callable[[Results], str]] = {
    "verdicts": lambda results: claims.said(results) + "\n",
    "findings-paper": _findings,
    "claims-fig3": lambda results: _claims(results, "fig3"),
    "claims-fig4": lambda results: _claims(results, "fig4"),
    "claims-fig5": lambda results: _claims(results, "fig5"),
    "claims-table2": lambda results: _claims(results, "table2"),
    "claims-cost": lambda results: _claims(results, "cost"),
    "claims-study": lambda results: _claims(results, "study"),
    "summary": summary.table,
    "table2": markdown.table,
    "beyond": markdown.beyond_table,
    "anomaly": markdown.anomaly_table,
    "faults": markdown.faults_table,
    "faults-found": lambda results: _found(results, "time"),
    "regimes": markdown.regimes_table,
    "nab": markdown.nab_table,
    "sensors": markdown.sensors_table,
    "incremental": incremental.table,
    "rl": rl.table,
    "fleet": fleet.table,
    "fleet-machines": fleet.machines_table,
    "fleet-membership": fleet.membership_table,
    "log-z": lambda results: _bullets(_need(log_z.sentences(results) or None, "log-z")),
    "readings": lambda results: f"{readings.verdict(results)}\n{readings.table(results)}",
    "device": device.table,
    "device-sizes": lambda results: device.sizes(),
}
"""Markdown by name"""


def _figure(panels: Iterable[tuple[str, str | None]], kind: str, legend: Iterable[str] = ()) -> str:
    """Pictures side by side, each below its title, and the inks of the methods."""
    there = [(title, picture) for title, picture in panels if picture]
    drawn = "".join(f'<div class="panel"><p>{escape(title)}</p>{picture}</div>' for title, picture in there)
    inks = "".join(f'<span><i style="--swatch: var(--{slug(each)})"></i>{escape(each)}</span>' for each in legend)
    named = f'<div class="legend">{inks}</div>' if inks else ""
    return f'<div class="{kind}">{drawn}</div>{named}' if there else ""


def _contest(results: Results, name: str) -> str:
    title = fig3.CONTESTS[name][0]
    (contest,) = (each for each in _contests(results) if each.title == title)
    said = [(model, "" if model.nats is None else f": {number(model.nats.mean)} nats") for model in contest.models]
    return _figure([(f"{model.method}{nats}", model.picture) for model, nats in said], "panels-4")


def _fig4(results: Results) -> str:
    drawn = fig4.draw(results)
    return _figure([(f"{order} order", drawn.get(order)) for order in ("sorted", "random")], "panels-2", SHOWN[:3])


def _study(results: Results) -> str:
    drawn = _need(study.content(results), "study")
    panels = [("number of dreams", drawn.ratio), ("depth of dreams", drawn.steps), ("random search", drawn.search)]
    return _figure(panels, "panels-3", ("random", "sorted"))


def _image(sheet: sheets.Sheet, what: str) -> Markup:
    return Markup('<img src="{}" width="224" height="140" alt="{}">').format(sheet.picture, f"{what}: {sheet.title}")


def _dreams(results: Results) -> str:
    """What OCD_GR dreams, samples and fills in, after MNIST in random order."""
    (found,) = (each for each in sheets.sheet_sets(results) if each.order == "random")
    shown = [(title, _image(by_model[0], title)) for title, by_model in found.kinds.items()]
    return _figure(shown, "panels-3 sheets")


def _through_the_stream(results: Results) -> str:
    section = _beyond_content(results)
    return _figure([(each.title, _image(each, "dreams")) for each in section.sheets], "panels-4 sheets")


def _faults(results: Results) -> str:
    section = _faults_content(results)
    return _figure([(f"rows {each.title}", each.picture) for each in section.orders], "panels-2", section.methods)


def _regimes(results: Results) -> str:
    section = _need(regimes.content(results), "regimes")
    return _figure([(f"rehearses {each.title}", each.picture) for each in section.panels], "panels-3")


def _ablation(results: Results) -> str:
    section = _beyond_content(results)
    return _figure([("nats lost without each ingredient", section.ablation)], "panels-1", ("random", "sorted"))


def _rl(results: Results) -> str:
    section = _need(rl.content(results), "rl")
    drawn = _figure([(world.name, world.picture) for world in section.worlds], "panels-3")
    return drawn + _legend(section.inks)


def _fleet_prior(results: Results) -> str:
    section = _need(fleet.content(results), "fleet-prior")
    prior = _need(section.prior, "fleet-prior")
    return _figure([("a new machine", prior.picture)], "panels-1") + _legend(section.inks)


def _legend(inks: Mapping[str, str]) -> str:
    """Inks by the titles that they stand for."""
    named = (f'<span><i style="--swatch: var(--{ink})"></i>{escape(title)}</span>' for title, ink in inks.items())
    return f'<div class="legend">{"".join(named)}</div>'


PICTURES: dict[str, Callable[[Results], str]] = {
    "fig3-toy": lambda results: _contest(results, "toy-gentle"),
    "fig3-section-4": lambda results: _contest(results, "toy-section-4"),
    "fig3-digits": lambda results: _contest(results, "digits"),
    "fig4": _fig4,
    "fig5": lambda results: _figure([("MNIST, random order", fig5.draw(results))], "panels-1", SHOWN[:3]),
    "study": _study,
    "dreams": _dreams,
    "through-the-stream": _through_the_stream,
    "ablation": _ablation,
    "faults-picture": _faults,
    "regimes-picture": _regimes,
    "rl-picture": _rl,
    "fleet-prior": _fleet_prior,
}
"""HTML by name; its inks are those of ``inks``"""


def piece(name: str, results: Results) -> str:
    """A part of the report by its name: Markdown of ``TABLES``, or HTML of ``PICTURES``."""
    text = {**TABLES, **PICTURES}[name](results)
    return _need(text or None, name)


def _need(found: T | None, name: str) -> T:
    if found is None:
        raise MissingResultsError(f"The results have nothing for {name!r}: run `genreplay reproduce` first.")
    return found


def inks(light: str, dark: str) -> str:
    """The colours of the drawings as CSS variables, under one selector each for a light and for a dark page.

    >>> print(inks("body", "body.dark")[:27])
    body {
      --ink: #1f2328;
    """
    style = files("genreplay.report").joinpath("templates/style.css").read_text("utf-8")
    of_light, of_dark = re.findall(r":root \{(.*?)\}", style, flags=re.DOTALL)
    blocks = []
    for selector, text in ((light, of_light), (dark, of_dark)):
        named = [each for each in re.findall(r"--([\w-]+): ([^;]+);", text) if each[0] in svg.NAMES]
        blocks.append(f"{selector} {{\n" + "".join(f"  --{name}: {colour};\n" for name, colour in named) + "}\n")
    return "".join(blocks)
