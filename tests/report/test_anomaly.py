from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from genreplay.experiments.anomaly import AnomalyRun
from genreplay.experiments.results import Results
from genreplay.experiments.run import Run
from genreplay.report.anomaly import Alarms, anomalies, sentences, table
from genreplay.report.headlines import headlines
from genreplay.report.markdown import anomaly_table
from genreplay.report.page import build
from tests.report.made_up import World, records, right, wrong


def results(world: World = right, n_seeds: int = 3, quick: bool = False, **settings: object) -> Results:
    """Made-up results of the runs that have these settings."""

    def wanted(run: object) -> bool:
        return all(getattr(run, name) == value for name, value in settings.items())

    return Results(records(world, ["anomaly"], n_seeds, quick, wanted))


def changed(dataset: str, method: str, **figures: object) -> World:
    """Right, but for these figures of one run."""

    def world(run: Run, seed: int) -> dict[str, Any]:
        assert isinstance(run, AnomalyRun)
        return right(run, seed) | (figures if (run.dataset, run.method) == (dataset, method) else {})

    return world


def test_a_row_has_means_and_deviations_over_seeds_and_the_best_online_method() -> None:
    row = table(results(), "auc")[0]
    assert row.title == "campaign"
    assert row.note == "10,000 rows, 1 % anomalies"
    assert row.cells["RBM"].mean == pytest.approx(0.9)
    assert row.cells["RBM"].deviation == pytest.approx(0.01)
    assert [method for method, cell in row.cells.items() if cell.best] == ["RBM"], "ceilings do not compete"


def test_one_seed_has_no_deviation() -> None:
    assert table(results(n_seeds=1), "auc")[0].cells["LODA"].deviation is None


def test_the_mean_is_over_the_sets_on_which_every_method_has_a_figure() -> None:
    rows = table(results(changed("smtp", "LODA", auc=None)), "auc")
    assert rows[-1].title == "mean of 13 sets"
    assert rows[-1].cells["RBM"].mean == pytest.approx(0.9)
    assert rows[-1].cells["RBM"].best
    assert rows[-1].cells["RBM"].deviation == pytest.approx(0.01), "seeds are averaged over sets, then compared"
    smtp = next(row for row in rows if row.title == "smtp")
    assert "LODA" not in smtp.cells
    assert "LODA" in smtp.run
    assert not any(cell.best for cell in smtp.cells.values()), "no best among some"


def test_a_shortened_stream_is_said_to_be_one() -> None:
    shortened = changed("http", "RBM", n_rows=2_000, n_total=567_498)
    notes = {row.title: row.note for row in table(results(shortened), "auc")}
    assert notes["http"] == "first 2,000 of 567,498 rows, 1 % anomalies"
    assert notes["shuttle of River"].endswith("the same rows as shuttle")


def test_the_sentences_say_what_the_figures_say() -> None:
    assert sentences(results()) == [
        "Mean ROC-AUC over 14 sets: RBM 0.900, HalfSpaceTrees 0.800, LODA 0.850; fitted offline, IsolationForest "
        "0.950, LocalOutlierFactor 0.950. Two of these sets have Shuttle's rows; with one of them left out, over 13 "
        "sets: RBM 0.900, HalfSpaceTrees 0.800, LODA 0.850.",
        "Best of the online methods: RBM on 14, HalfSpaceTrees on 0, LODA on 0 of 14 sets.",
        "False alarms, thresholds from dreams: within a factor of 2 of the nominal rate on 14 sets at 1 % and 14 sets "
        "at 5 %, on 14 of 14 at both.",
        "False alarms, thresholds from stored quantiles: within a factor of 2 of the nominal rate on 0 sets at 1 % and "
        "14 sets at 5 %, on 0 of 14 at both.",
    ]
    assert "from dreams: within a factor of 2 of the nominal rate on 0 sets" in sentences(results(wrong))[2]


def test_a_rate_is_right_within_a_factor_of_two_in_the_mean_over_seeds() -> None:
    def is_right(*rates: float) -> bool:
        return Alarms("a set", {"dreams": np.array(rates)[:, None]}).is_right("dreams", 0)

    assert is_right(0.005)
    assert is_right(0.02)
    assert is_right(0.001, 0.019)
    assert not is_right(0.0201)
    assert not is_right(0.0049)
    assert not is_right(0.0)


def test_the_page_has_tables_costs_and_pictures() -> None:
    page = build(results())
    section = page[page.index('<h2 id="anomaly">') : page.index('<h2 id="faults">')]
    assert section.count("<svg") == 2
    assert section.count("<table") == 3
    assert "<strong>0.900</strong> ± 0.010" in section
    assert "River 0.0" in section
    assert re.search(r"<td>5,000</td>.*<td>500</td>", section), "rows a second and kB"
    assert "Not run" not in section


def test_without_the_rbm_the_page_says_what_is_missing() -> None:
    page = build(results(method="LODA"))
    assert "Not run: the RBM, and so its alarm rates." in page
    assert page.count('<span class="nothing">not run</span>') > 4 * 14


def test_rates_of_nothing_and_of_all_rows_can_be_drawn() -> None:
    section = anomalies(results(changed("cover", "RBM", dream_alarms=[0.0, 0.0], stored_alarms=[1.0, 1.0])))
    assert section is not None
    assert list(section.pictures) == ["1 %", "5 %"]


def test_what_was_not_run_makes_no_section_no_sentence_and_no_table() -> None:
    nothing = Results(records(right, ["fig5"]))
    assert anomalies(nothing) is None
    assert table(nothing, "auc") == []
    assert sentences(nothing) == []
    assert anomaly_table(nothing) == ""
    assert not any("ROC-AUC" in each for each in headlines(nothing))


def test_the_page_begins_with_the_means_of_full_runs() -> None:
    assert any("ROC-AUC over 14 sets" in each for each in headlines(results()))
    assert headlines(results(quick=True)) == []


def test_the_markdown_table() -> None:
    lines = anomaly_table(results(changed("smtp", "LODA", auc=None), dataset="smtp")).splitlines()
    assert lines[0] == "| data set | RBM | HalfSpaceTrees | LODA | IsolationForest | LocalOutlierFactor |"
    assert lines[2] == "| smtp | 0.900 ± 0.010 | 0.800 ± 0.010 | no anomaly | 0.950 ± 0.010 | 0.950 ± 0.010 |"
    assert "**0.900** ± 0.010" in anomaly_table(results())
    assert "Quick runs" not in anomaly_table(results())
    assert "**Quick runs" in anomaly_table(results(quick=True))
