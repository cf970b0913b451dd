from __future__ import annotations

from typing import Any

from genreplay.experiments.results import Results
from genreplay.experiments.run import Run
from genreplay.experiments.sensors import METHODS
from genreplay.report.markdown import sensors_table
from genreplay.report.sensors import content
from tests.report.made_up import World, records, right
from tests.report.reader import page_of


def results(world: World = right, n_seeds: int = 3, quick: bool = False, **settings: object) -> Results:
    """Made-up results of the runs that have these settings."""

    def wanted(run: object) -> bool:
        return all(getattr(run, name) == value for name, value in settings.items())

    return Results(records(world, ["sensors"], n_seeds, quick, wanted))


def test_the_sentences_say_what_the_figures_say() -> None:
    section = content(results())
    assert section is not None
    assert section.sentences[0].startswith("ROC-AUC over all faulty rows: RBM 0.920, histograms by hour 0.800,")
    assert section.sentences[1] == (
        "RBM: 75 % of the faults raise an alarm, with 1.2 false alarms a week; the sensor at fault is named in 85 % of "
        "the faults."
    )
    assert len(section.sentences) == 3, "only methods with alarms"


def test_the_best_is_an_online_method() -> None:
    section = content(results())
    assert section is not None
    assert {row.best for row in section.auc} == {"RBM"}
    assert section.auc[0].cells["regression"].mean > section.auc[0].cells["RBM"].mean


def test_the_page_has_a_week_and_tables() -> None:
    section = page_of(results(), "sensors")
    assert section.count("<svg") == 1
    assert section.count("<table") == 4
    assert ">stuck</text>" in section, "the fault of the week"
    assert '<strong>0.920</strong> <span class="spread">± 0.010</span>' in section
    assert "False alarms a week: 1.25." in section
    assert "an anomaly of at least 4, the sensor is named in 90.0 %" in section
    assert "Not run" not in section


def test_without_the_rbm_the_page_says_what_is_missing() -> None:
    page = page_of(results(method="LODA"), "sensors")
    assert "Not run: the detector of a series on the first seed." in page


def test_no_row_that_is_anomalous_enough_leaves_out_the_share_by_row() -> None:
    def world(run: Run, seed: int) -> dict[str, Any]:
        figures = right(run, seed)
        return {**figures, "named_by_row": None} if "named_by_row" in figures else figures

    page = page_of(results(world), "sensors")
    assert "an anomaly of at least" not in page


def test_what_was_not_run_makes_no_section() -> None:
    nothing = Results(records(right, ["fig5"], n_seeds=1))
    assert content(nothing) is None
    assert sensors_table(nothing) == ""
    assert "Not run" in page_of(nothing, "sensors")


def test_quick_runs_make_a_section() -> None:
    assert content(results(quick=True, n_seeds=1)) is not None


def test_the_markdown_table() -> None:
    lines = sensors_table(results()).splitlines()
    assert lines[0] == f"| faults of sensors | {' | '.join(METHODS)} |"
    assert lines[2].startswith("| all faults | **0.920** ± 0.010 | 0.800 ± 0.010 |")
    assert lines[7].startswith("| lost cycle |")
    assert "RBM: 75 % of the faults" in lines[-1]
    assert "**Quick runs" in sensors_table(results(quick=True))
    assert "| not run |" in sensors_table(results(method="LODA"))
