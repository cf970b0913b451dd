"""The report: a folder of self-contained pages, the verdict first, then one page for each section."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from genreplay.experiments.paper.claims import BEATS_RULE, GENERAL_RULE
from genreplay.experiments.results import Results
from genreplay.report import claims, summary
from genreplay.report.html import render
from genreplay.report.section import LISTS, Finding, Section
from genreplay.report.sections import SECTIONS

FIRST = "index.html"


class Said(NamedTuple):
    """A finding, and the section whose page shows it."""

    section: Section
    finding: Finding


def pages(results: Results) -> Iterator[tuple[str, str]]:
    """The name of each file, and its page."""
    yield FIRST, first_page(results)
    for section in SECTIONS:
        yield section.file, section_page(results, section)


def first_page(results: Results) -> str:
    """The verdict in words, the counts of claims, the main results, and the list of sections."""
    said = [Said(section, each) for section in SECTIONS for each in section.found(results)]
    return render(
        "verdict.html",
        **_frame(results, None),
        lists={title: [each for each in said if each.finding.kind == kind] for kind, title in LISTS.items()},
        counts=claims.counts(results),
        judged={section: claims.judged(results, [section.name]) for section in SECTIONS},
        lines=[] if results.quick else summary.lines(results),
        was_run={section.name: section.was_run(results) for section in SECTIONS},
    )


def section_page(results: Results, section: Section) -> str:
    """A section; it says what was not run."""
    content = section.content(results)
    return render(
        "section.html" if content is None else section.template,
        **_frame(results, section),
        content=content,
        findings=section.found(results),
        judged=claims.judged(results, [section.name]),
        rules=(GENERAL_RULE, BEATS_RULE),
    )


def _frame(results: Results, here: Section | None) -> dict[str, object]:
    """What every page has: the list of pages, and the pages before and after it; None is the first page."""
    groups = dict.fromkeys(each.group for each in SECTIONS)
    order = [None, *SECTIONS]
    place = order.index(here)
    return {
        "section": here,
        "groups": {group: [each for each in SECTIONS if each.group == group] for group in groups},
        "first": FIRST,
        "has_previous": place > 0,
        "previous": order[place - 1],
        "next": order[place + 1] if place + 1 < len(order) else None,
        "quick": results.quick,
    }
