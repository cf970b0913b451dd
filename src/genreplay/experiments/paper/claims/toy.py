"""Fig. 3: the dreams are distributed equally among all observed classes."""

from __future__ import annotations

import numpy as np

from genreplay.experiments.paper.claims.verdict import Case, Claim, Judgement, by_cases
from genreplay.experiments.results import Results
from genreplay.experiments.runner import Record

STATEMENT = "At any time, the samples generated are distributed equally among all observed classes"
RULE = (
    "After the last class, in the mean over seeds, each of the ten classes has at least half and at most twice its "
    "equal share of the dreams; a case is a class."
)


def shares(records: list[Record]) -> np.ndarray:
    """Dreams by stage and class, in the mean over seeds, relative to equal shares among the classes seen."""
    counts = np.mean([record["figures"]["counts"] for record in records], axis=0)
    n_seen = np.arange(1, len(counts) + 1)[:, None]
    relative: np.ndarray = counts / counts.sum(axis=1, keepdims=True) * n_seen
    return relative


def _equal_shares(results: Results, n_epochs: int) -> Judgement:
    records = results.find("fig3", dataset="toy", method="OCD_GR", n_epochs=n_epochs)
    if not records:
        return by_cases([Case(None, "the toy scenario with OCD_GR")])
    relative = shares(records)
    fair = (relative >= 0.5) & (relative <= 2.0)
    last, n_classes = relative[-1], len(relative)
    n_fair = int(fair[-1].sum())
    n_stages = sum(bool(fair[stage, : stage + 1].all()) for stage in range(n_classes))
    verdict = by_cases([Case(bool(each), "") for each in fair[-1]]).verdict
    return Judgement(
        verdict,
        f"{n_fair} of {n_classes} classes are within the bounds, with {last.min():.2f} to {last.max():.2f} times their "
        f"equal share; along the way, all observed classes were so after {n_stages} of {n_classes} classes.",
    )


CLAIMS = [
    Claim(
        "toy-section-4",
        "fig3",
        "Fig. 3, section 4.1",
        f"{STATEMENT}: with the settings that section 4 gives (n_E = 10, alpha = 0.05).",
        RULE,
        lambda results: _equal_shares(results, n_epochs=10),
    ),
    Claim(
        "toy-gentle",
        "fig3",
        "Fig. 3, section 4.1",
        f"{STATEMENT}: with gentle settings, not the paper's (n_E = 1, alpha = 0.01).",
        RULE,
        lambda results: _equal_shares(results, n_epochs=1),
    ),
]
