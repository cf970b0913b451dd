"""Section 4: the number of dreams and of their Gibbs steps that the paper settled on."""

from __future__ import annotations

from genreplay.experiments.paper.claims.verdict import Case, Claim, Judgement, beats, by_cases
from genreplay.experiments.paper.replay_study import RATIOS, STEPS
from genreplay.experiments.results import Results
from genreplay.formatting import number


def _best(results: Results) -> Judgement:
    fixed = {"order": "random", "method": "OCD_GR"}
    chosen = results.nats("study", n_replay=300, n_gibbs=1, **fixed)
    rivals = {f"n_Bhat = {int(100 * r)}": {"n_replay": int(100 * r), "n_gibbs": 1} for r in RATIOS if r != 3}
    rivals |= {f"n_Gs = {n}": {"n_replay": 300, "n_gibbs": n} for n in STEPS if n != 1}
    cases = []
    for name, settings in rivals.items():
        found = results.nats("study", **settings, **fixed)
        case = beats(found, chosen, name)
        said = name if found is None or case.holds is None else f"{name}: {number(found.mean)}"
        cases.append(Case(None if case.holds is None else not case.holds, said))
    judged = by_cases(cases)
    if judged.verdict == "not run" or chosen is None:
        return judged
    return Judgement(judged.verdict, f"The paper's choice has {number(chosen.mean)} nats. {judged.evidence}")


CLAIMS = [
    Claim(
        "search",
        "study",
        "Section 4",
        "A random search found n_Bhat = 300 and n_Gs = 1 to be best.",
        "In random order no other number of dreams or of Gibbs steps in our study beats them.",
        _best,
    ),
]
