"""What holds beyond the paper: the recipe "modern", and rows that are stored in place of dreams."""

from __future__ import annotations

from collections.abc import Iterator

from genreplay.experiments.results import Results
from genreplay.formatting import number
from genreplay.report import beyond as page
from genreplay.report.section import Finding, finding


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
