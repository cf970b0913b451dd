"""A section of the report: one page, and the few sentences of it that belong to the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from genreplay.experiments.results import Results

Kind = Literal["holds", "fails", "use", "note"]
"""the list of the first page that a finding belongs to; a note is shown on the page of its section only"""
LISTS: dict[Kind, str] = {"holds": "What holds", "fails": "What does not hold", "use": "What to use"}
"""of the first page"""


class Finding(NamedTuple):
    """What a reader should take away, in words, and the figures behind it."""

    kind: Kind
    said: str
    """without its full stop; names between backticks are code"""
    figures: str
    """a sentence, filled from the results"""

    @property
    def text(self) -> str:
        """Both as Markdown."""
        return f"**{self.said}.** {self.figures}"


def finding(holds: bool, yes: str, no: str, figures: str) -> Finding:
    """A finding that holds or fails, in the words for it.

    >>> finding(False, "It works", "It does not work", "0 of 3 cases.").text
    '**It does not work.** 0 of 3 cases.'
    """
    return Finding("holds" if holds else "fails", yes if holds else no, figures)


def _no_findings(_: Results) -> Iterable[Finding]:
    return ()


@dataclass(frozen=True)
class Section:
    """A page of the report."""

    name: str
    """of its file and of its template in ``templates/sections``"""
    group: str
    """heading in the list of pages"""
    title: str
    summary: str
    """what it asks, in one sentence"""
    experiments: tuple[str, ...]
    """that its results come from; none where the page is about all of them"""
    content: Callable[[Results], object | None]
    """what its template shows; None where nothing was run"""
    findings: Callable[[Results], Iterable[Finding]] = _no_findings
    """what it adds to the verdict; a finding whose runs are missing is left out"""

    @property
    def file(self) -> str:
        """The name of its page."""
        return f"{self.name}.html"

    @property
    def template(self) -> str:
        """The name of its template."""
        return f"sections/{self.name}.html"

    def found(self, results: Results) -> list[Finding]:
        """What it adds to the verdict; nothing from quick runs, which are too small to say anything."""
        return [] if results.quick else list(self.findings(results))

    def was_run(self, results: Results) -> bool:
        """Whether there are any results of its experiments."""
        return not self.experiments or any(results.of(run) for name in self.experiments for run in results.runs(name))
