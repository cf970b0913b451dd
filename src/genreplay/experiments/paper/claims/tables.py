"""Table 2 and the abstract: nine data sets in random order."""

from __future__ import annotations

from typing import NamedTuple

from scipy.stats import spearmanr

from genreplay.datasets.registry import spec_of
from genreplay.experiments.paper.claims.mnist import nats as mnist_nats
from genreplay.experiments.paper.claims.verdict import Case, Claim, Judgement, beats, by_cases
from genreplay.experiments.paper.fig4 import SIZES
from genreplay.experiments.paper.table2 import DATASET_TITLES, DATASETS, PAPER
from genreplay.experiments.results import Estimate, Results
from genreplay.formatting import number, signed

UCI = DATASETS[1:]
RIVALS = ("ER-IM", "ER-ML")
WON = tuple(name for name in UCI if PAPER[name]["OCD_GR"] > max(PAPER[name][rival] for rival in RIVALS))
"""the five sets of the suite on which the paper's OCD_GR is the best online model"""
LOST = tuple(name for name in UCI if name not in WON)
PAPER_MARGINS = [PAPER[name]["OCD_GR"] - max(PAPER[name][rival] for rival in RIVALS) for name in DATASETS]
CLOSE = 2.36
"""nats by which the paper's OCD_GR is behind on ADULT, the largest of the three differences that it calls very close"""
PAPER_WON, PAPER_PARTLY = 9, 5
"""of 14 cases: those that 64.28 % must mean, and the fewest that count as partly"""
SPEARMAN_9 = 0.600
"""rank correlation of nine pairs that is exceeded by chance in one case of twenty"""


def _titles(names: tuple[str, ...]) -> str:
    return ", ".join(DATASET_TITLES[name] for name in names)


def online(results: Results, dataset: str, method: str) -> Estimate | None:
    """The test nats of an online model of Table 2."""
    return results.nats("table2", kind="online", dataset=dataset, method=method, binarisation="threshold")


def offline(results: Results, dataset: str, binarisation: str = "threshold") -> Estimate | None:
    """The test nats of our offline model."""
    return results.nats("table2", kind="offline", dataset=dataset, binarisation=binarisation)


Contest = tuple[str, Estimate | None, list[Estimate | None]]
"""a name, OCD_GR, and its two rivals"""


def _uci(results: Results, names: tuple[str, ...]) -> list[Contest]:
    return [
        (DATASET_TITLES[name], online(results, name, "OCD_GR"), [online(results, name, r) for r in RIVALS])
        for name in names
    ]


def _all_cases(results: Results) -> list[Contest]:
    """The 14 cases that 64.28 % must mean: three sizes in two orders on MNIST, and eight UCI sets."""
    mnist = [
        (
            f"{order} order at {size}",
            mnist_nats(results, order, size, "OCD_GR"),
            [mnist_nats(results, order, size, r) for r in RIVALS],
        )
        for order in ("sorted", "random")
        for size in SIZES
    ]
    return [*mnist, *_uci(results, UCI)]


def _wins(contest: Contest) -> Case:
    """Whether OCD_GR beats both rivals; said with the better of them."""
    name, ours, rivals = contest
    cases = [beats(ours, rival, name) for rival in rivals]
    if any(case.holds is None for case in cases):
        return Case(None, name)
    strongest = max(range(len(rivals)), key=lambda i: rivals[i].mean)  # type: ignore[union-attr]
    return Case(all(case.holds for case in cases), cases[strongest].said)


def _close(contest: Contest) -> Case:
    name, ours, rivals = contest
    known = [rival.mean for rival in rivals if rival is not None]
    if ours is None or len(known) < len(rivals):
        return Case(None, name)
    behind = max(known) - ours.mean
    return Case(behind <= CLOSE, f"{name}: {signed(-behind)} nats")


class Won(NamedTuple):
    """How often OCD_GR beats both rivals."""

    n_won: int
    n_cases: int


def cases_won(results: Results) -> Won | None:
    """In how many of the 14 cases OCD_GR beats both rivals; None while a case is not known."""
    holds = [_wins(contest).holds for contest in _all_cases(results)]
    return None if None in holds else Won(holds.count(True), len(holds))


def _count(results: Results) -> Judgement:
    cases = [(contest[0], _wins(contest)) for contest in _all_cases(results)]
    missing = [name for name, case in cases if case.holds is None]
    if missing:
        return Judgement("not run", f"Missing: {'; '.join(missing)}.")
    won = [name for name, case in cases if case.holds]
    verdict = by_cases([Case(len(won) >= PAPER_WON, "all"), Case(len(won) >= PAPER_PARTLY, "half")]).verdict
    said = f"{len(won)} of {len(cases)} ({len(won) / len(cases):.1%}): {', '.join(won) or 'none'}."
    return Judgement(verdict, said)


def _rest_is_close(results: Results) -> Judgement:
    contests = _all_cases(results)
    missing = [Case(None, contest[0]) for contest in contests if _wins(contest).holds is None]
    return by_cases(missing or [_close(contest) for contest in contests if not _wins(contest).holds])


def _grows_with_size(results: Results) -> Judgement:
    margins: list[float] = []
    rows: list[float] = []
    features: list[float] = []
    for name, (title, ours, rivals) in zip(DATASETS, _uci(results, DATASETS), strict=True):
        known = [rival.mean for rival in rivals if rival is not None]
        if ours is None or len(known) < len(rivals):
            return by_cases([Case(None, title)])
        figures = results.find("table2", kind="online", dataset=name, method="OCD_GR")[0]["figures"]
        margins.append(ours.mean - max(known))
        rows.append(figures["n_rows"])
        features.append(spec_of(name).n_features)
    cases = []
    for size, what in ((rows, "training rows"), (features, "features")):
        ours_r, paper_r = (float(spearmanr(size, each).statistic) for each in (margins, PAPER_MARGINS))
        said = f"rank correlation with {what} {number(ours_r, 2)} ({number(paper_r, 2)} by the paper's own margins)"
        cases.append(Case(ours_r > SPEARMAN_9, said))
    return by_cases(cases)


def _beats_literature(results: Results) -> Judgement:
    names = ("mnist", "connect4")
    return by_cases(
        [beats(online(results, name, "OCD_GR"), PAPER[name]["offline"], DATASET_TITLES[name]) for name in names]
    )


def _like_for_like(results: Results) -> Judgement:
    stochastic = results.nats("table2", kind="online", dataset="mnist", method="OCD_GR", binarisation="stochastic")
    return by_cases(
        [
            beats(online(results, "mnist", "OCD_GR"), offline(results, "mnist"), "MNIST, threshold"),
            beats(stochastic, offline(results, "mnist", "stochastic"), "MNIST, stochastic"),
            beats(stochastic, PAPER["mnist"]["offline"], "MNIST, stochastic, against the literature"),
            beats(online(results, "connect4", "OCD_GR"), offline(results, "connect4"), "Connect4"),
        ]
    )


CLAIMS = [
    Claim(
        "uci-wins",
        "table2",
        "Table 2, section 4.2.2",
        "OCD_GR outperforms ER-ML and ER-IM on 5 out of 8 data sets of the UCI suite.",
        f"OCD_GR beats both on the five sets where it does so in the paper: {_titles(WON)}.",
        lambda results: by_cases([_wins(contest) for contest in _uci(results, WON)]),
    ),
    Claim(
        "uci-close",
        "table2",
        "Table 2, section 4.2.2",
        "On the other 3 it has a very close generative performance to the top performer.",
        f"On {_titles(LOST)} it is at most {CLOSE} nats behind the better of ER-IM and "
        "ER-ML, the most that it is in the paper.",
        lambda results: by_cases([_close(contest) for contest in _uci(results, LOST)]),
    ),
    Claim(
        "share-of-cases",
        "table2",
        "Abstract",
        "In 64.28 % of the cases OCD_GR outperforms ER.",
        "The paper does not say what a case is; 64.28 % is 9 of 14, and 14 are the three sizes in two orders of Fig. 4 "
        f"and the eight UCI sets. Reproduced when OCD_GR beats both rivals in at least {PAPER_WON} of them, partly "
        f"when in at least {PAPER_PARTLY}.",
        _count,
    ),
    Claim(
        "rest-of-cases",
        "table2",
        "Abstract",
        "In the remaining 35.72 % it has an almost equal performance.",
        f"In those of the 14 cases where it does not beat both, it is at most {CLOSE} nats behind the better of them.",
        _rest_is_close,
    ),
    Claim(
        "size",
        "table2",
        "Section 4.2.2",
        "As the size of the data set or the complexity of the distribution increases, OCD_GR has a clear advantage.",
        "Over the nine sets, OCD_GR's margin over the better of ER-IM and ER-ML has a rank correlation above "
        f"{SPEARMAN_9:.1f} (one in twenty by chance) with the number of training rows, and of features.",
        _grows_with_size,
    ),
    Claim(
        "beats-offline",
        "table2",
        "Section 5, Table 2",
        "In some cases OCD_GR even outperforms RBMs trained offline: MNIST and Connect4 in Table 2.",
        "OCD_GR beats the literature's figures that the paper quotes.",
        _beats_literature,
    ),
    Claim(
        "like-for-like",
        "table2",
        "Section 5, Table 2",
        "The same, like for like: same rows, same size, same evaluation.",
        "OCD_GR beats the offline CD-1 RBM that we train on the same rows (MNIST in both binarisations, Connect4), and "
        "on stochastically binarised MNIST the literature's figure too.",
        _like_for_like,
    ),
]
