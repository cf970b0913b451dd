"""What a claim is, and the rules by which one is judged."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from genreplay.experiments.results import Estimate, Results
from genreplay.formatting import number, signed

Verdict = Literal["reproduced", "partly", "not reproduced", "not run", "not judged"]
VERDICTS: tuple[Verdict, ...] = ("reproduced", "partly", "not reproduced", "not run", "not judged")

GENERAL_RULE = (
    "A claim is reproduced when its rule holds in all cases that it names, partly when in some, not reproduced when in "
    "none. It counts as not run while a case has no result, or a comparison has fewer than two seeds. Quick runs are "
    "too small to judge any claim."
)
BEATS_RULE = (
    "A beats B when A's mean over seeds exceeds B's by more than twice the standard error of the difference (the "
    "deviation over seeds and the error of log Z combined). A figure whose log Z is unknown for a seed neither beats "
    "another nor is beaten."
)


class Judgement(NamedTuple):
    """A verdict and the sentence that supports it."""

    verdict: Verdict
    evidence: str


@dataclass(frozen=True)
class Claim:
    """Something that the paper says and the experiments can judge."""

    name: str
    """unique and short: the anchor in the report"""
    section: str
    """of the report, where it is shown"""
    where: str
    """in the paper"""
    statement: str
    rule: str
    """in words"""
    decide: Callable[[Results], Judgement]
    """the rule as a function"""

    def judge(self, results: Results) -> Judgement:
        """Apply the rule, unless the results are quick runs: they are there, but too small to judge anything."""
        if results.quick:
            return Judgement("not judged", "Quick runs are too small to judge it: small models and few rows.")
        return self.decide(results)


class Case(NamedTuple):
    """One of the comparisons that a claim names."""

    holds: bool | None
    """None: not known yet"""
    said: str


def by_cases(cases: Sequence[Case]) -> Judgement:
    """The general rule.

    >>> by_cases([Case(True, "at 25 units"), Case(False, "at 250 units")])
    Judgement(verdict='partly', evidence='In 1 of 2 cases. Holds: at 25 units. Fails: at 250 units.')
    """
    unknown = [case.said for case in cases if case.holds is None]
    if unknown:
        return Judgement("not run", f"Missing: {'; '.join(unknown)}.")
    held = [case.said for case in cases if case.holds]
    failed = [case.said for case in cases if not case.holds]
    verdict: Verdict = "reproduced" if not failed else "partly" if held else "not reproduced"
    if len(cases) == 1:
        said = cases[0].said
        return Judgement(verdict, f"{said[0].upper()}{said[1:]}.")
    parts = [f"In {len(held)} of {len(cases)} cases."]
    parts += [f"Holds: {'; '.join(held)}."] if held else []
    parts += [f"Fails: {'; '.join(failed)}."] if failed else []
    return Judgement(verdict, " ".join(parts))


def beats(a: Estimate | None, b: Estimate | float | None, name: str) -> Case:
    """Whether A beats B, an estimate or a number of the literature."""
    b = exactly(b) if isinstance(b, float) else b
    if a is None or b is None:
        return Case(None, name)
    if unknown := a.doubt or b.doubt:
        return Case(False, f"{name}: {unknown}")
    if a.error is None or b.error is None:
        return Case(None, f"{name} (a second seed)")
    error = math.hypot(a.error, b.error)
    said = f"{name}: {number(a.mean)} against {number(b.mean)} ({signed(a.mean - b.mean)} ± {error:.1f})"
    return Case(a.mean - b.mean > 2 * error, said)


def near(a: Estimate | None, value: float, tolerance: float, name: str) -> Case:
    """Whether the mean over seeds is within some nats of the paper's value."""
    if a is None:
        return Case(None, name)
    if a.doubt:
        return Case(False, f"{name}: {a.doubt}")
    difference = a.mean - value
    said = f"{name}: {number(a.mean)} against the paper's {number(value, 2)} ({signed(difference)})"
    return Case(abs(difference) <= tolerance, said)


def exactly(value: float) -> Estimate:
    """A number of the literature, taken without error.

    >>> exactly(-125.53).error
    0.0
    """
    return Estimate(value, 0.0, 1, 0.0, None)
