"""Every claim of the paper that the experiments can judge: what it says, the rule, and the rule as a function."""

from __future__ import annotations

from genreplay.experiments.paper.claims import cost, curves, mnist, study, tables, toy
from genreplay.experiments.paper.claims.verdict import (
    BEATS_RULE,
    GENERAL_RULE,
    VERDICTS,
    Claim,
    Judgement,
    Verdict,
)

CLAIMS: list[Claim] = [
    *toy.CLAIMS,
    *mnist.CLAIMS,
    *curves.CLAIMS,
    *tables.CLAIMS,
    *cost.CLAIMS,
    *study.CLAIMS,
]

__all__ = ["BEATS_RULE", "CLAIMS", "GENERAL_RULE", "VERDICTS", "Claim", "Judgement", "Verdict"]
