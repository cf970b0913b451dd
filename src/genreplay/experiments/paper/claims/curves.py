"""Fig. 5: how the three models learn over time."""

from __future__ import annotations

import numpy as np

from genreplay.experiments.paper.claims.verdict import Case, Claim, Judgement, by_cases
from genreplay.experiments.results import Results
from genreplay.formatting import number

MAX_FALL = 2.0
"""nats that a steady curve may fall below its highest point so far"""
WINDOW = 5
"""neighbouring points that are averaged: with the few temperatures of the curves, AIS errs by nats at a point"""


def smooth_curve(results: Results, method: str) -> tuple[np.ndarray, np.ndarray] | None:
    """Rows seen, and test nats in the mean over seeds and neighbouring points."""
    records = results.find("fig5", method=method)
    if not records:
        return None
    window = np.ones(WINDOW) / WINDOW
    curve = np.mean([record["figures"]["curve_nats"] for record in records], axis=0)
    rows = np.array(records[0]["figures"]["curve_rows"], dtype=float)
    return np.convolve(rows, window, "valid").round(), np.convolve(curve, window, "valid")


def fall(curve: np.ndarray) -> float:
    """How far a curve falls below its highest point so far, at worst.

    >>> fall(np.array([-200.0, -120.0, -125.0, -121.0, -119.0]))
    5.0
    """
    return float(np.max(np.maximum.accumulate(curve) - curve))


def _fall_case(results: Results, method: str, steady: bool) -> Case:
    found = smooth_curve(results, method)
    if found is None:
        return Case(None, f"{method}'s curve")
    rows, curve = found
    worst = fall(curve)
    said = f"{method} falls by up to {worst:.1f} nats"
    if steady:
        said = f"from {number(curve[0])} nats at {rows[0]:,.0f} rows to {number(curve[-1])} at {rows[-1]:,.0f}, {said}"
        return Case(worst <= MAX_FALL and curve[-1] > curve[0], said)
    return Case(worst > MAX_FALL, said)


def _above(results: Results) -> Judgement:
    ours = smooth_curve(results, "OCD_GR")
    rivals = {method: smooth_curve(results, method) for method in ("ER-IM", "ER-ML")}
    missing = [Case(None, f"{method}'s curve") for method, curve in {"OCD_GR": ours, **rivals}.items() if curve is None]
    if ours is None or missing:
        return by_cases(missing)
    rows, curve = ours
    best = np.max([found[1] for found in rivals.values() if found is not None], axis=0)
    above = curve > best
    if not above[-1]:
        return Judgement(
            "not reproduced",
            f"At the end OCD_GR has {number(curve[-1])} nats and the better rival {number(best[-1])}.",
        )
    behind = np.flatnonzero(~above)
    since = int(rows[behind[-1] + 1]) if len(behind) else int(rows[0])
    margin = f"{curve[-1] - best[-1]:.1f} nats ahead at the end"
    return Judgement("reproduced" if since <= 9_000 else "partly", f"Above both from {since:,} rows on, {margin}.")


SMOOTHED = f"Curves are averaged over seeds and {WINDOW} neighbouring points, since AIS errs by nats at a single one."

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
