"""The page in a few plain sentences, each made from the figures and left out where they are missing."""

from __future__ import annotations

from genreplay.experiments.paper.claims import tables as table_claims
from genreplay.experiments.paper.claims import toy
from genreplay.experiments.paper.claims.mnist import nats
from genreplay.experiments.paper.claims.verdict import beats
from genreplay.experiments.paper.table2 import PAPER
from genreplay.experiments.results import MAX_GAP, Estimate, Results
from genreplay.formatting import number
from genreplay.report import anomaly
from genreplay.report.tables import table2


def headlines(results: Results) -> list[str]:
    """What a reader should take away; nothing from quick runs."""
    if results.quick:
        return []
    found = [_mnist(results), _sorted(results), _offline(results), _uci(results), _toy(results), _ais(results)]
    return [sentence for sentence in (*found, *anomaly.sentences(results)[:1]) if sentence]


def _say(estimate: Estimate) -> str:
    deviation = "" if estimate.deviation is None else f" ± {estimate.deviation:.1f}"
    return f"{number(estimate.mean)}{deviation}"


def _mnist(results: Results) -> str | None:
    ours = {method: nats(results, "random", 500, method) for method in ("OCD_GR", "ER-IM", "ER-ML")}
    if ours["OCD_GR"] is None:
        return None
    said = [
        f"{method} {_say(estimate)} (paper: {number(PAPER['mnist'][method], 2)})"
        for method, estimate in ours.items()
        if estimate is not None
    ]
    return f"MNIST in random order, 500 hidden units, test nats: {', '.join(said)}."


def _sorted(results: Results) -> str | None:
    ours, rival, limited = (nats(results, "sorted", 500, method) for method in ("OCD_GR", "ER-IM", "ER-ML"))
    if ours is None or rival is None or limited is None:
        return None
    return (
        f"MNIST in sorted order, the worst case: OCD_GR {_say(ours)}, a memory of all rows {_say(rival)}, a memory as "
        f"large as the model {_say(limited)}."
    )


def _offline(results: Results) -> str | None:
    online = results.nats("table2", kind="online", dataset="mnist", method="OCD_GR", binarisation="stochastic")
    offline = table_claims.offline(results, "mnist", "stochastic")
    if online is None or offline is None:
        return None
    return (
        "The paper's comparison with an offline RBM mixes two kinds of digits. On the same stochastic digits OCD_GR "
        f"has {_say(online)}, our offline CD-1 {_say(offline)}, the literature's \N{MINUS SIGN}125.53."
    )


def _uci(results: Results) -> str | None:
    n_won = 0
    for name in table_claims.UCI:
        cases = [
            beats(table_claims.online(results, name, "OCD_GR"), table_claims.online(results, name, rival), name)
            for rival in table_claims.RIVALS
        ]
        if any(case.holds is None for case in cases):
            return None
        n_won += all(case.holds for case in cases)
    return f"Of the eight UCI sets OCD_GR is clearly the best of the three online models on {n_won}; in the paper on 5."


def _toy(results: Results) -> str | None:
    said = []
    for n_epochs, how in ((10, "with the settings of section 4"), (1, "trained gently")):
        records = results.find("fig3", dataset="toy", method="OCD_GR", n_epochs=n_epochs)
        if not records:
            return None
        last = toy.shares(records)[-1]
        said.append(
            f"{how}, {int((last >= 0.5).sum())} of {len(last)} classes keep at least half their share of dreams"
        )
    return f"Toy classes one after the other: {'; '.join(said)}."


def _ais(results: Results) -> str | None:
    figures = [cell.nats for row in table2(results) for cell in row.ours.values() if cell.nats is not None]
    if not figures:
        return None
    n_doubtful = sum(each.doubtful for each in figures)
    return (
        f"In Table 2, {n_doubtful} of our {len(figures)} log-likelihoods are marked †: forward and reverse AIS differ "
        f"by more than {MAX_GAP:.0f} nats. The paper used forward AIS alone, which is too high on average."
    )
