"""What holds of the paper: its figures, its rivals, and what they cost."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from genreplay.experiments.paper.claims import cost as cost_claims
from genreplay.experiments.paper.claims import tables as table_claims
from genreplay.experiments.paper.claims import toy
from genreplay.experiments.paper.claims.mnist import nats
from genreplay.experiments.paper.online import OnlineRun
from genreplay.experiments.paper.table2 import PAPER
from genreplay.experiments.results import Estimate, Results, estimate
from genreplay.formatting import number, size, thousands
from genreplay.report import table2 as table
from genreplay.report.claims import judgement_of
from genreplay.report.section import Finding, finding

LARGE = 500
"""hidden units of the paper's largest models"""


def fig3(results: Results) -> Iterator[Finding]:
    """Whether the dreams keep the classes that came first."""
    for n_epochs, when in ((1, "when the model learns gently"), (10, "with the paper's settings")):
        records = results.find("fig3", dataset="toy", method="OCD_GR", n_epochs=n_epochs)
        if records:
            last = toy.shares(records)[-1]
            n_kept = int((last >= 0.5).sum())
            yield finding(
                n_kept == len(last),
                f"Dreams keep every class {when}",
                f"Dreams lose classes {when}",
                f"Toy classes that keep at least half their equal share of the dreams: {n_kept} of {len(last)}.",
            )


def fig4(results: Results) -> Iterator[Finding]:
    """MNIST: the paper's own figure, and dreams against memories."""
    ours = nats(results, "random", LARGE, "OCD_GR")
    if ours is not None:
        yield finding(
            judgement_of(results, "random-value").verdict == "reproduced",
            "The paper's log-likelihood on MNIST is reached",
            "The paper's log-likelihood on MNIST is not reached",
            f"Random order, {LARGE} hidden units: {_say(ours)} nats; the paper has "
            f"{number(PAPER['mnist']['OCD_GR'], 2)}.",
        )
    ours, limited, stored = (nats(results, "sorted", LARGE, method) for method in ("OCD_GR", "ER-ML", "ER-IM"))
    where = f"MNIST, {LARGE} hidden units: dreams"
    if ours and limited:
        yield finding(
            judgement_of(results, "sorted-er-ml").verdict == "reproduced",
            "In sorted order, dreams beat a memory as large as the model",
            "In sorted order, dreams do not beat a memory as large as the model",
            f"{where} {_say(ours)} nats, that memory (ER-ML) {_say(limited)}.",
        )
    if ours and stored:
        better = judgement_of(results, "sorted-er-im").verdict == "reproduced"
        beat = "beat" if better else "do not beat"
        said = f"In sorted order, dreams {beat} a memory of all rows"
        yield Finding("note", said, f"{where} {_say(ours)} nats, that memory (ER-IM) {_say(stored)}.")


def fig5(results: Results) -> Iterator[Finding]:
    """The learning curves."""
    verdict, evidence = judgement_of(results, "curve-above")
    if verdict != "not run":
        said = "OCD_GR soon leads both memories" if verdict == "reproduced" else "OCD_GR does not soon lead"
        yield Finding("note", said, evidence)


def table2(results: Results) -> Iterator[Finding]:
    """Dreams against memories and against offline training; how far to trust the figures."""
    won = table_claims.cases_won(results)
    if won is not None:
        yield finding(
            judgement_of(results, "share-of-cases").verdict == "reproduced",
            "Dreams mostly beat stored rows",
            "Dreams rarely beat stored rows",
            f"OCD_GR beats both memories in {won.n_won} of {won.n_cases} cases: MNIST in two orders and three sizes, "
            f"and {len(table_claims.UCI)} more data sets. The paper says {table_claims.PAPER_WON}.",
        )
    online, offline = table_claims.online(results, "mnist", "OCD_GR"), table_claims.offline(results, "mnist")
    if online and offline:
        yield finding(
            judgement_of(results, "like-for-like").verdict == "reproduced",
            "Dreams beat offline training on the same rows",
            "Offline training is better on the same rows",
            f"MNIST: OCD_GR {_say(online)} nats, our offline CD-1 {_say(offline)}.",
        )
    other, literature = _stochastic(results), PAPER["mnist"]["offline"]
    if other is not None:
        yield Finding(
            "note",
            "The paper's comparison with offline training mixes two kinds of digits",
            f"On the same stochastic digits OCD_GR has {_say(other[0])} nats, our offline CD-1 {_say(other[1])}, the "
            f"literature's {number(literature, 2)}.",
        )
    figures = [cell.nats for row in table.rows(results) for cell in row.ours.values() if cell.nats is not None]
    if figures:
        n_doubtful = sum(bool(each.doubt) for each in figures)
        yield Finding(
            "note",
            "Some log-likelihoods are uncertain" if n_doubtful else "All log-likelihoods stand",
            f"Log-likelihoods that are marked †, because log Z is unknown for a seed: {n_doubtful} of {len(figures)}. "
            "The paper used forward AIS alone, which is too high on average.",
        )


def _stochastic(results: Results) -> tuple[Estimate, Estimate] | None:
    """OCD_GR and offline training on digits that are drawn from their grey values."""
    online = results.nats("table2", kind="online", dataset="mnist", method="OCD_GR", binarisation="stochastic")
    offline = table_claims.offline(results, "mnist", "stochastic")
    return (online, offline) if online and offline else None


def cost(results: Results) -> Iterator[Finding]:
    """Memory and time."""
    records = results.find("cost", n_epochs=1)
    if records:
        figures = records[0]["figures"]
        held = {method: figures["replay_bytes"][method][-1] for method in ("OCD_GR", "ER-IM")}
        yield finding(
            held["OCD_GR"] == 0,
            "Nothing of the past is stored",
            "Something of the past is stored",
            f"After {thousands(figures['rows_seen'][-1])} rows OCD_GR keeps {size(held['OCD_GR'])} of the past, a "
            f"memory of every row {size(held['ER-IM'])}.",
        )
    ratios = {method: cost_claims.ratios(results, method, n_epochs=10) for method in ("ER-IM", "ER-ML")}
    times = [f"{method} {np.median(each[:, -1]):.2f}" for method, each in ratios.items() if each is not None]
    if times:
        same = judgement_of(results, "same-time").verdict == "reproduced"
        yield Finding(
            "note",
            "Dreams and memories take about the same time" if same else "Dreams and memories take different times",
            f"With the paper's 10 epochs, at the end of the stream, an update takes so many times as long as with "
            f"dreams: {', '.join(times)}.",
        )


def study(results: Results) -> Iterator[Finding]:
    """The number of dreams, and their depth."""
    runs = [run for run in results.runs("study") if isinstance(run, OnlineRun)]
    found = {run: nats for run in runs if run.order == "random" and (nats := estimate(results.of(run))) is not None}
    verdict = judgement_of(results, "search").verdict
    if verdict != "not run":
        best = max(found, key=lambda run: found[run].mean)
        (chosen,) = (run for run in found if (run.method, run.n_replay, run.n_gibbs) == ("OCD_GR", 300, 1))
        is_best = verdict == "reproduced"
        yield Finding(
            "note",
            "No other choice clearly beats the paper's" if is_best else "There are better choices than the paper's",
            f"MNIST in random order: {_dreams(chosen)} give {_say(found[chosen])} nats, {_dreams(best)} "
            f"{_say(found[best])}, the most.",
        )


def _dreams(run: OnlineRun) -> str:
    return f"{run.n_replay} dreams of {run.n_gibbs} Gibbs step{'s' if run.n_gibbs > 1 else ''}"


def _say(nats: Estimate) -> str:
    deviation = "" if nats.deviation is None else f" ± {nats.deviation:.1f}"
    return f"{number(nats.mean)}{deviation}"
