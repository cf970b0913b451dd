"""Sections 3.1, 3.3 and the last paragraph of section 4: time and memory."""

from __future__ import annotations

import math

import numpy as np

from genreplay.experiments.paper.claims.verdict import Case, Claim, Judgement, by_cases
from genreplay.experiments.paper.cost import CostRun
from genreplay.experiments.results import Results
from genreplay.formatting import percent, signed

SAME_TIME = 0.15
"""the share by which times may differ and count as about the same"""


def seconds(results: Results, method: str, n_epochs: int) -> np.ndarray | None:
    """Seconds of an update by seed and number of rows seen."""
    records = results.find("cost", n_epochs=n_epochs)
    return np.array([record["figures"]["update_seconds"][method] for record in records]) if records else None


def ratios(results: Results, method: str, n_epochs: int) -> np.ndarray | None:
    """Time of an update relative to OCD_GR's, by seed and number of rows seen."""
    ours, other = seconds(results, "OCD_GR", n_epochs), seconds(results, method, n_epochs)
    return None if ours is None or other is None else other / ours


def _exceeds(values: np.ndarray, threshold: float) -> bool:
    """Whether the mean over seeds exceeds a threshold by more than twice its standard error."""
    return float(values.mean() - threshold) > 2 * float(values.std(ddof=1)) / math.sqrt(len(values))


def _same_time(results: Results) -> Judgement:
    cases = []
    for method in ("ER-IM", "ER-ML"):
        found = ratios(results, method, n_epochs=10)
        if found is None:
            cases.append(Case(None, f"{method}'s time"))
            continue
        medians = np.median(found, axis=0)
        said = f"{method} takes {medians.min():.2f} to {medians.max():.2f} times as long as OCD_GR"
        cases.append(Case(bool(np.all(np.abs(medians - 1) <= SAME_TIME)), said))
    return by_cases(cases)


def _order(results: Results) -> Judgement:
    cases = []
    for method, slower in (("ER-IM", True), ("ER-ML", False)):
        found = ratios(results, method, n_epochs=10)
        if found is None or len(found) < 2:
            cases.append(Case(None, f"{method}'s time with two seeds"))
            continue
        by_seed = found.mean(axis=1)
        holds = _exceeds(by_seed, 1.0) if slower else _exceeds(-by_seed, -1.0)
        cases.append(Case(holds, f"{method} takes {by_seed.mean():.3f} times as long as OCD_GR"))
    return by_cases(cases)


def _grows(results: Results) -> Judgement:
    theirs, ours = seconds(results, "ER-IM", 1), seconds(results, "OCD_GR", 1)
    if theirs is None or ours is None or len(ours) < 2:
        return by_cases([Case(None, "ER-IM's time with two seeds")])
    difference = 1e3 * (theirs - ours)
    first, last = difference[:, 0], difference[:, -1]
    said = f"the difference is {signed(first.mean(), 2)} ms at first and {signed(last.mean(), 2)} ms at the end"
    return by_cases([Case(_exceeds(last - first, 0.0), said)])


def _memory(results: Results) -> Judgement:
    listed = (run for run in results.runs("cost") if isinstance(run, CostRun) and run.n_epochs == 1)
    run = next((run for run in listed if results.of(run)), None)
    if run is None:
        return by_cases([Case(None, "bytes held")])
    figures = results.of(run)[0]["figures"]
    held = figures["replay_bytes"]
    # the bytes are taken after the turns of a checkpoint, 100 rows each
    rows = np.array(figures["rows_seen"]) + 100 * run.n_turns
    per_row = np.array(held["ER-IM"]) / (rows * run.n_visible * 4)
    return by_cases(
        [
            Case(len(set(held["OCD_GR"])) == 1, f"OCD_GR holds {held['OCD_GR'][-1]:,} bytes of the past throughout"),
            Case(
                bool(np.all((per_row >= 0.99) & (per_row <= 2.01))),
                f"ER-IM holds {held['ER-IM'][0] / 1e6:.0f} MB at first, {held['ER-IM'][-1] / 1e6:.0f} MB at the end: "
                f"{per_row.min():.1f} to {per_row.max():.1f} times the bytes of its rows",
            ),
        ]
    )


def _double(results: Results) -> Judgement:
    records = results.find("cost", n_epochs=1)
    if not records:
        return by_cases([Case(None, "bytes held")])
    figures = records[0]["figures"]
    memory, parameters = figures["replay_bytes"]["ER-ML"][-1], figures["parameter_bytes"]
    said = f"a memory of {memory:,} bytes beside {parameters:,} bytes of parameters"
    return by_cases([Case(abs(memory / parameters - 1) <= 0.01, said)])


CLAIMS = [
    Claim(
        "same-time",
        "cost",
        "Section 4, last paragraph",
        "All algorithms run in approximately the same time.",
        f"With n_E = 10, in the median over seeds, ER-IM and ER-ML take within {percent(SAME_TIME)} of the "
        "time of OCD_GR's update at every length of the stream.",
        _same_time,
    ),
    Claim(
        "time-order",
        "cost",
        "Section 4, last paragraph",
        "ER-IM is slightly slower than OCD_GR, which is slightly slower than ER-ML.",
        "With n_E = 10, averaged over the stream, the ratio of times differs from 1 in this direction, by more than "
        "twice its standard error over seeds.",
        _order,
    ),
    Claim(
        "time-grows",
        "cost",
        "Section 4, last paragraph",
        "ER-IM's difference increases with the number of data points saved in memory.",
        "With n_E = 1, ER-IM's time of an update minus OCD_GR's is larger after the longest stream than after the "
        "shortest, by more than twice the standard error over seeds.",
        _grows,
    ),
    Claim(
        "memory",
        "cost",
        "Section 3.1",
        "The memory used by ER increases linearly with the data observed, while OCD_GR's stays the same.",
        "OCD_GR holds the same bytes at every length of the stream; ER-IM holds 1 to 2 times the bytes of the rows "
        "seen (its buffer doubles when full).",
        _memory,
    ),
    Claim(
        "double-memory",
        "cost",
        "Section 4.2",
        "ER-ML needs double the memory of OCD_GR: its experiences occupy as many bytes as the parameters.",
        "The bytes of its full memory are within 1 % of those of the parameters.",
        _double,
    ),
]
