"""The claims of the paper as pages show them: judged, counted and marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

from genreplay.experiments.paper.claims import CLAIMS, VERDICTS, Claim, Judgement, Verdict
from genreplay.experiments.results import Results

MARKS: dict[Verdict, str] = {
    "reproduced": "✓",
    "partly": "~",
    "not reproduced": "✗",
    "not run": "·",
    "not judged": "·",
}
_JUDGED: tuple[Verdict, ...] = ("reproduced", "partly", "not reproduced")
"""verdicts that are counted together, even where no claim has one of them"""


class Judged(NamedTuple):
    """A claim and its judgement."""

    claim: Claim
    judgement: Judgement

    @property
    def mark(self) -> str:
        """The sign of its verdict."""
        return MARKS[self.judgement.verdict]


def judged(results: Results, sections: Collection[str] | None = None) -> list[Judged]:
    """The claims that these sections of the report show, or all."""
    shown = [claim for claim in CLAIMS if sections is None or claim.section in sections]
    return [Judged(claim, claim.judge(results)) for claim in shown]


def counts(results: Results) -> dict[Verdict, int]:
    """How many claims have each verdict; where none is judged, only why."""
    found = Counter(each.judgement.verdict for each in judged(results))
    any_judged = any(found[verdict] for verdict in _JUDGED)
    return {verdict: found[verdict] for verdict in VERDICTS if found[verdict] or (any_judged and verdict in _JUDGED)}


def said(results: Results) -> str:
    """The counts as a sentence in Markdown."""
    return f"Of the paper's {len(CLAIMS)} claims: {', '.join(f'**{n}** {v}' for v, n in counts(results).items())}."


def judgement_of(results: Results, name: str) -> Judgement:
    """The judgement of a claim by its name."""
    (claim,) = (each for each in CLAIMS if each.name == name)
    return claim.judge(results)
