"""NAB's scores, in the tables of the report."""

from __future__ import annotations

from genreplay.experiments.results import Results
from genreplay.report.markdown import nab_table
from genreplay.report.nab import nab
from tests.report.made_up import records, right


def test_every_method_has_its_scores_and_those_of_settings_chosen_by_halves() -> None:
    rows = nab(Results(records(right, ["nab"])))
    assert [(row.method, row.n_settings) for row in rows] == [("RBM", 24), ("histograms", 8), ("histograms by hour", 8)]
    assert [round(row.defaults["standard"]) for row in rows] == [70, 60, 60]
    assert [round(row.halves.chosen["standard"]) for row in rows] == [70, 60, 60]


def test_a_learning_rate_without_all_seeds_is_not_among_the_choices() -> None:
    found = [each for each in records(right, ["nab"]) if not (each["settings"].get("learning_rate") and each["seed"])]
    assert nab(Results(found))[0].n_settings == 8


def test_the_table_has_a_line_for_each_method() -> None:
    lines = nab_table(Results(records(right, ["nab"]))).splitlines()
    assert lines[2] == "| RBM | 70.0 | 70.0 | 70.0 | 70.0 | 70.0 | 70.0 |"
    assert "settings to choose from: 24 (RBM), 8 (histograms), 8 (histograms by hour)." in lines[-1]
    assert nab_table(Results([])) == ""
    assert "**Quick runs" in nab_table(Results(records(right, ["nab"], quick=True)))
