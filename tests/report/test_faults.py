from __future__ import annotations

import re
from typing import Any

import pytest

from genreplay.experiments.faults import METHODS
from genreplay.experiments.results import Results
from genreplay.experiments.run import Run
from genreplay.report.faults import Spread, content, sentences
from genreplay.report.markdown import faults_table
from tests.report.made_up import World, records, right, wrong
from tests.report.reader import page_of


def results(world: World = right, n_seeds: int = 3, quick: bool = False, **settings: object) -> Results:
    """Made-up results of the runs that have these settings."""

    def wanted(run: object) -> bool:
        return all(getattr(run, name) == value for name, value in settings.items())

    return Results(records(world, ["faults"], n_seeds, quick, wanted))


def test_a_row_for_each_kind_has_means_and_deviations_over_seeds_and_the_best_method() -> None:
    section = content(results())
    assert section is not None
    in_time, shuffled = section.orders
    assert (in_time.title, shuffled.title) == ("in the order of time", "shuffled")
    whole = in_time.auc[0]
    assert whole.title == "all faults"
    assert whole.cells["RBM"].mean == pytest.approx(0.9)
    assert whole.cells["RBM"].deviation == pytest.approx(0.01)
    assert whole.best == "RBM"
    assert [row.title for row in in_time.auc[1:3]] == ["single cell", "contextual"]
    assert in_time.found[2].blamed_right == Spread(pytest.approx(0.65), pytest.approx(0))
    assert in_time.found[0].blamed_right is None, "blame is asked by kind"


def test_one_seed_has_no_deviation_and_some_methods_no_best() -> None:
    section = content(results(n_seeds=1, method="LODA"))
    assert section is not None
    assert section.orders[0].auc[0].cells["LODA"].deviation is None
    assert section.orders[0].auc[0].best is None
    assert section.orders[0].found == section.orders[0].answers == []


def test_the_sentences_say_what_the_figures_say() -> None:
    said = sentences(results(order="time"))
    assert said == [
        "ROC-AUC over all faults, rows in the order of time: RBM 0.900, histograms 0.700, HalfSpaceTrees 0.700, "
        "LODA 0.700, IsolationForest 0.700. At a nominal 1 %, the RBM raises an alarm for 60 % of the faults and for "
        "1 % of the usual rows."
    ]
    assert "RBM 0.500" in sentences(results(wrong))[0]
    assert "nominal" not in sentences(results(method="LODA"))[0]


def test_answers_are_shares_and_errors() -> None:
    section = content(results())
    assert section is not None
    answers = dict(section.orders[0].answers)
    assert answers["usual rows that raise an alarm at a nominal 1 %"] == "1 %"
    assert answers["dreams of an idle machine that turns"] == "0.4 %"
    assert answers["dreams without a time"] == "0 %"
    assert answers["error of filled cells, KNNImputer, in standard deviations"] == "0.30"


def test_a_kind_without_a_counted_fault_leaves_a_gap() -> None:
    def world(run: Run, seed: int) -> dict[str, Any]:
        figures = right(run, seed)
        for name in ("auc", "average_precision", "recall", "blamed_right"):
            figures.get(name, {}).pop("stuck", None)
        return figures

    section = content(results(world))
    assert section is not None
    assert section.orders[0].auc[4].cells == {}
    assert "</html>" in page_of(results(world), "faults")


def test_the_page_has_pictures_and_tables() -> None:
    page = page_of(results(), "faults")
    assert page.count("<svg") == 2
    assert page.count("<table") == 2 * 4
    assert '<strong>0.900</strong> <span class="spread">± 0.010</span>' in page
    assert all(re.search(rf"--swatch: var\(--{method.lower()}\)", page) for method in METHODS)
    assert "of the numbers in the last rows, 10 % are hidden" in page
    assert "Not run" not in page


def test_without_the_rbm_the_page_says_what_is_missing() -> None:
    page = page_of(results(method="LODA", order="time"), "faults")
    assert "Not run: the RBM on rows in the order of time." in page


def test_what_was_not_run_makes_no_section() -> None:
    nothing = Results(records(right, ["fig5"], n_seeds=1))
    assert content(nothing) is None
    assert sentences(nothing) == []
    assert faults_table(nothing) == ""


def test_quick_runs_make_a_section() -> None:
    assert content(results(quick=True, n_seeds=1)) is not None


def test_the_markdown_table() -> None:
    lines = faults_table(results(order="time")).splitlines()
    assert lines[0] == f"| rows in the order of time | {' | '.join(METHODS)} |"
    assert lines[2].startswith("| all faults | **0.900** ± 0.010 | 0.700 ± 0.010 |")
    assert "Quick runs" not in lines[-1]
    assert "**Quick runs" in faults_table(results(quick=True))
    assert "| not run |" in faults_table(results(method="LODA"))
