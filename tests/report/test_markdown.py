from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from genreplay.experiments import runner
from genreplay.experiments.paper.online import OnlineRun
from genreplay.experiments.results import Results
from genreplay.experiments.run import Run
from genreplay.report import readings
from genreplay.report.markdown import TABLES, table
from tests.report.made_up import records, right

ROOT = Path(__file__).parents[2]

EXPECTED = """\
| data set | | OCD_GR | ER-IM | ER-ML | ER-ML packed | offline CD-1 | independent bits |
|---|---|---:|---:|---:|---:|---:|---:|
| MNIST, threshold | paper | **-114.52** | -151.67 | -167.11 |  | -125.53 |  |
| | ours | -114.57 ± 0.07<br><sub>log Z is unknown for 1 of 3 seeds†</sub> | \
-151.67 ± 0.10<br><sub>log Z ± 0.10</sub> | \
-167.11 ± 0.10<br><sub>log Z ± 0.10</sub> | -150.00 ± 0.10<br><sub>log Z ± 0.10</sub> | \
-124.00 ± 0.10<br><sub>log Z ± 0.10</sub> | -200.00 |
| MNIST, stochastic | paper |  |  |  |  | -125.53 |  |
| | ours | -120.00 ± 0.10<br><sub>log Z ± 0.10</sub> |  |  |  | \
-124.00 ± 0.10<br><sub>log Z ± 0.10</sub> | -200.00 |
| ADULT | paper | -19.64 | -18.08 | **-17.28** |  | -16.26 |  |
| | ours | not run | not run | not run | not run | not run | not run |
"""
RCV1 = """\
| RCV1 (surrogate) | paper | **-53.28** | -56.34 | -79.06 |  | -48.88 |  |
| | ours | -53.28<br><sub>log Z ± 0.10</sub> | not run | not run | not run | not run | not run |
"""


def world(run: Run, seed: int) -> dict[str, Any]:
    figures = right(run, seed)
    if seed == 2 and getattr(run, "curve_every", 0) and run.method == "OCD_GR":  # type: ignore[attr-defined]
        figures["doubt"] = "the weights of only 1.4 chains overlap"
    return figures


def test_the_table_to_the_last_digit() -> None:
    mnist = records(world, ["table2"], only=lambda run: run.dataset == "mnist")
    rcv1 = records(world, ["table2"], only=lambda run: run == OnlineRun(dataset="rcv1"))
    text = table(Results([*mnist, *(record for record in rcv1 if record["seed"] == 1)]))
    assert text.startswith(EXPECTED)
    assert RCV1 in text
    assert "over seeds (1 to 3)" in text
    assert "RCV1 (surrogate): 8,000 training and 500 test rows in place of Table 1's." in text
    assert text.endswith("\n")


def test_the_table_does_not_depend_on_the_order_of_the_lines() -> None:
    found = records(right)
    assert table(Results(found)) == table(Results(reversed(found)))


def test_quick_runs_say_so() -> None:
    def small(run: Run, seed: int) -> dict[str, Any]:
        return right(type(run)(), seed) | {"n_rows": 500}  # as if it were of the full size

    text = table(Results(records(small, ["cd-steps"], n_seeds=1, quick=True)))
    assert "**Quick runs" in text


@pytest.mark.skipif(not (ROOT / "results/runs.jsonl").exists(), reason="the full results are not here")
def test_the_readme_has_the_small_table_of_the_results() -> None:
    results = Results(runner.read(ROOT / "results/runs.jsonl"))
    assert TABLES[0](results) in (ROOT / "README.md").read_text("utf-8"), "genreplay report --format md"


@pytest.mark.skipif(not (ROOT / "results/runs.jsonl").exists(), reason="the full results are not here")
def test_the_readme_says_whether_the_papers_results_can_be_had() -> None:
    said = readings.verdict(Results(runner.read(ROOT / "results/runs.jsonl")))
    assert " ".join(said.split()) in " ".join((ROOT / "README.md").read_text("utf-8").split()), said
