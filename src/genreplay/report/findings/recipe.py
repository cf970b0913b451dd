"""What holds beyond the paper: the recipe "modern", and rows that are stored in place of dreams."""

from __future__ import annotations

from collections.abc import Iterator

from genreplay.experiments.results import Results
from genreplay.formatting import number
from genreplay.report import beyond as page
from genreplay.report import log_z as log_z_page
from genreplay.report.section import Finding, finding

_ENOUGH = 0.95
"""share of the intervals that should hold the truth"""


def beyond(results: Results) -> Iterator[Finding]:
    """Whether a better recipe reaches the paper, what to use, and what stored rows are worth."""
    reached = page.reached(page.table(results))
    if reached is not None:
        surrogates = f", {reached.n_surrogates} of them a surrogate" if reached.n_surrogates else ""
        yield finding(
            reached.n_above == reached.n_sets,
            "With a better recipe, dreams reach the paper's log-likelihoods",
            "Even with a better recipe, dreams do not reach all of the paper's log-likelihoods",
            f"The recipe `modern` is at or above the paper's OCD_GR on {reached.n_above} of {reached.n_sets} data "
            f"sets{surrogates}, in one pass.",
        )
    for contest in page.contest(results):
        modern, stored, protocol = contest.methods["dream pool"], contest.methods["ER-IM"], contest.protocol
        if contest.order == "random" and modern and protocol:
            better = modern.mean > protocol.mean
            yield Finding(
                "use",
                "`OnlineRBM()` for densities" if better else '`OnlineRBM(recipe="paper")` for densities',
                f"MNIST in random order: {number(modern.mean)} nats with its default recipe `modern`, "
                f"{number(protocol.mean)} with the paper's.",
            )
        if contest.order == "sorted" and modern and stored:
            better = stored.mean > modern.mean
            yield Finding(
                "use",
                "A memory of rows, where you may keep one" if better else "Dreams, even where you may keep rows",
                f"MNIST in sorted order with the same recipe: {number(stored.mean)} nats with every row stored, "
                f"{number(modern.mean)} with dreams.",
            )


def log_z(results: Results) -> Iterator[Finding]:
    """Whether the stated intervals of log Z hold the truth."""
    found = log_z_page.summarise(results)
    if found is not None:
        yield finding(
            found.n_inside >= _ENOUGH * found.n_known,
            "Log Z by annealing both ways lies where it says",
            "Log Z by annealing both ways does not always lie where it says",
            f"The truth is inside the stated interval for {found.n_inside} of {found.n_known} models with planted "
            f"modes; AIS and reverse AIS agree on a wrong answer for {found.n_fooled}, by {number(found.worst_ais)} "
            "nats at worst.",
        )
