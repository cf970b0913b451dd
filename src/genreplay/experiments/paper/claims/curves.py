"""Fig. 5: how the three models learn over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.experiments.paper.claims.verdict import Case, Claim, Judgement, by_cases
from genreplay.experiments.paper.online import PAPER_METHODS
from genreplay.experiments.results import Results
from genreplay.formatting import number

Float64 = npt.NDArray[np.float64]

MAX_FALL = 2.0
"""nats that a steady curve may fall below its highest point so far"""
WINDOW = 5
"""neighbouring points that are averaged: with the few temperatures of the curves, log Z errs at a point"""


class Curve(NamedTuple):
    """A method's learning curve, in the mean over the seeds whose log Z is known."""

    rows: Float64
    nats: Float64
    """not a number where log Z is unknown for all seeds"""
    class_std: Float64
    """standard deviation of the classes' means"""

    def smooth(self) -> tuple[Float64, Float64]:
        """Rows and nats in the mean over neighbouring points; a point that is unknown lies between its neighbours."""
        window, known = np.ones(WINDOW) / WINDOW, np.isfinite(self.nats)
        nats = np.interp(self.rows, self.rows[known], self.nats[known])
        return np.convolve(self.rows, window, "valid").round(), np.convolve(nats, window, "valid")


def curve(results: Results, method: str) -> Curve | None:
    """The curve of a method; None where it was not run, or no point of it is known."""
    figures = [record["figures"] for record in results.find("fig5", method=method)]
    if not figures:
        return None
    found = Curve(*(_over_seeds([each[f"curve_{name}"] for each in figures]) for name in Curve._fields))
    return found if np.isfinite(found.nats).any() else None


def _over_seeds(values: Sequence[Sequence[float | None]]) -> Float64:
    found = np.ma.masked_invalid(np.array(values, dtype=np.float64)).mean(axis=0)
    return np.asarray(np.ma.filled(found, np.nan))


def fall(curve: Float64) -> float:
    """How far a curve falls below its highest point so far, at worst.

    >>> fall(np.array([-200.0, -120.0, -125.0, -121.0, -119.0]))
    5.0
    """
    return float(np.max(np.maximum.accumulate(curve) - curve))


def _fall_case(results: Results, method: str, steady: bool) -> Case:
    found = curve(results, method)
    if found is None:
        return Case(None, f"{method}'s curve")
    rows, nats = found.smooth()
    worst = fall(nats)
    said = f"{method} falls by up to {worst:.1f} nats"
    if steady:
        said = f"from {number(nats[0])} nats at {rows[0]:,.0f} rows to {number(nats[-1])} at {rows[-1]:,.0f}, {said}"
        return Case(worst <= MAX_FALL and nats[-1] > nats[0], said)
    return Case(worst > MAX_FALL, said)


def _above(results: Results) -> Judgement:
    curves = {method: curve(results, method) for method in PAPER_METHODS}
    found = [each.smooth() for each in curves.values() if each is not None]
    if len(found) < len(curves):
        return by_cases([Case(None, f"{method}'s curve") for method, each in curves.items() if each is None])
    (rows, ours), *rivals = found
    best = np.max([nats for _, nats in rivals], axis=0)
    above = ours > best
    if not above[-1]:
        return Judgement(
            "not reproduced",
            f"At the end OCD_GR has {number(ours[-1])} nats and the better rival {number(best[-1])}.",
        )
    behind = np.flatnonzero(~above)
    since = int(rows[behind[-1] + 1]) if len(behind) else int(rows[0])
    margin = f"{ours[-1] - best[-1]:.1f} nats ahead at the end"
    return Judgement("reproduced" if since <= 9_000 else "partly", f"Above both from {since:,} rows on, {margin}.")


SMOOTHED = f"Curves are averaged over seeds and {WINDOW} neighbouring points, since log Z errs at a single one."

CLAIMS = [
    Claim(
        "curve-steady",
        "fig5",
        "Fig. 5, section 4.2.2",
        "OCD_GR has a very stable learning curve which increases over time.",
        f"The curve ends higher than it starts, and never falls more than {MAX_FALL:.0f} nats below its highest point "
        f"so far. {SMOOTHED}",
        lambda results: by_cases([_fall_case(results, "OCD_GR", steady=True)]),
    ),
    Claim(
        "curve-unstable",
        "fig5",
        "Fig. 5, section 4.2.2",
        "ER-ML and ER-IM show unstable learning curves.",
        f"Each of them falls more than {MAX_FALL:.0f} nats below its highest point so far. {SMOOTHED}",
        lambda results: by_cases([_fall_case(results, method, steady=False) for method in ("ER-IM", "ER-ML")]),
    ),
    Claim(
        "curve-above",
        "fig5",
        "Fig. 5, section 4.2.2",
        "OCD_GR outperforms ER-ML and ER-IM after observing approximately 8,000 instances.",
        "OCD_GR's curve is above both at every point after 8,000 rows; partly, if only from a later point on; not, if "
        f"it is not above both at the end. {SMOOTHED}",
        _above,
    ),
]
