from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from genreplay.experiments.anomaly import AnomalyRun
from genreplay.experiments.results import Results
from genreplay.experiments.run import Run
from genreplay.report import calibration
from genreplay.report.alarms import Alarms
from genreplay.report.anomaly import content, sentences, table
from genreplay.report.markdown import anomaly_table
from tests.report.made_up import World, records, right, wrong
from tests.report.reader import page_of


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
    assert row.title == "aloi"
    assert row.note == "10,000 rows, 1 % anomalies"
    assert row.cells["RBM"].mean == pytest.approx(0.9)
    assert row.cells["RBM"].deviation == pytest.approx(0.01)
    assert [method for method, cell in row.cells.items() if cell.best] == ["RBM"], "ceilings do not compete"


def test_one_seed_has_no_deviation() -> None:
    assert table(results(n_seeds=1), "auc")[0].cells["LODA"].deviation is None


def test_the_mean_is_over_the_sets_on_which_every_method_has_a_figure() -> None:
    rows = table(results(changed("smtp", "LODA", auc=None)), "auc")
    assert rows[-1].title == "mean of 28 sets"
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
    assert notes["skin"] == "10,000 rows, 1 % anomalies"


def test_the_sentences_say_what_the_figures_say() -> None:
    assert [*sentences(results()), *calibration.sentences(results())] == [
        "Mean ROC-AUC over 29 sets: RBM 0.900, histograms 0.820, HalfSpaceTrees 0.800, LODA 0.850; fitted offline, "
        "IsolationForest 0.950, LocalOutlierFactor 0.950.",
        "Best of the online methods: RBM on 29, histograms on 0, HalfSpaceTrees on 0, LODA on 0 of 29 sets.",
        "False alarms with the anomalies in the stream, thresholds from p-values: in the mean over orders, within a "
        "factor of 1.5 of the nominal rate on 29 sets at 1 % and 29 sets at 5 %, on 29 of 29 at both.",
        "False alarms with the anomalies in the stream, thresholds from stored quantiles: in the mean over orders, "
        "within a factor of 1.5 of the nominal rate on 0 sets at 1 % and 29 sets at 5 %, on 0 of 29 at both.",
    ]
    assert "within a factor of 1.5 of the nominal rate on 0 sets" in calibration.sentences(results(wrong))[0]


def test_sets_where_few_rows_decide_are_named_with_their_rows() -> None:
    small = calibration.sentences(results(changed("wdbc", "RBM", n_usual=107)))[-1]
    assert small == (
        "Few rows decide this on 1 of these sets, where fewer than 10 alarms are expected at 1 % over all orders "
        "together (in brackets, the usual rows that were judged): wdbc (321)."
    )
    page = page_of(results(changed("wdbc", "RBM", n_usual=107)), "calibration")
    assert re.search(r'<th scope="row">wdbc</th><td>321</td><td><strong>0.9 %</strong></td>', page)


def test_a_rate_is_right_within_a_factor_of_one_and_a_half_in_the_mean_over_seeds() -> None:
    def is_right(*rates: float) -> bool:
        return Alarms("a set", {"p-values": np.array(rates)[:, None]}, 1_000).is_right("p-values", 0)

    assert is_right(0.0067)
    assert is_right(0.015)
    assert is_right(0.001, 0.019)
    assert not is_right(0.0151)
    assert not is_right(0.0066)
    assert not is_right(0.0)


def test_the_page_has_a_picture_tables_and_costs() -> None:
    page = page_of(results(), "anomaly")
    assert page.count("<svg") == 1
    assert page.count("<table") == 3
    assert '<strong>0.900</strong> <span class="spread">± 0.010</span>' in page
    assert "River 0.0" in page
    assert re.search(r">5,000</td>.*>500</td>", page), "rows a second and kB"
    assert page.count("Not run") == 1
    assert "Not run: the RBM with other settings." in page


def test_the_page_of_alarm_rates_has_pictures_and_says_what_is_missing() -> None:
    page = page_of(results(), "calibration")
    assert page.count("<svg") == 2
    assert page.count("<table") == 1
    assert page.count("Not run") == 1
    assert "Not run: the alarm rates on usual rows alone." in page


def test_the_page_of_alarm_rates_has_those_of_usual_rows_alone() -> None:
    page = page_of(Results(records(right, ["anomaly", "calibration"])), "calibration")
    assert page.count("<table") == 2
    assert '<th scope="row">made-up</th><td>1,000,000</td><td>60,000</td><td><strong>1.1 %</strong></td>' in page


def test_without_the_rbm_the_pages_say_what_is_missing() -> None:
    of_loda = records(right, ["anomaly"], only=lambda run: run.method == "LODA")
    found = Results([*of_loda, *records(right, ["calibration"])])
    assert "Not run: the RBM, and so its alarm rates." in page_of(found, "calibration")
    assert page_of(found, "anomaly").count('<span class="nothing">not run</span>') > 5 * 29


def test_rates_of_nothing_and_of_all_rows_can_be_drawn() -> None:
    found = results(changed("cover", "RBM", dream_alarms=[0.0, 0.0], stored_alarms=[1.0, 1.0]))
    page = calibration.content(found)
    assert page is not None
    assert list(page.pictures) == ["1 %", "5 %"]


def test_what_was_not_run_makes_no_section_no_sentence_and_no_table() -> None:
    nothing = Results(records(right, ["fig5"]))
    assert content(nothing) is None
    assert calibration.content(nothing) is None
    assert table(nothing, "auc") == []
    assert sentences(nothing) == []
    assert anomaly_table(nothing) == ""


def test_the_markdown_table() -> None:
    lines = anomaly_table(results(changed("smtp", "LODA", auc=None), dataset="smtp")).splitlines()
    seeds = " ± 0.010"
    assert lines[0] == "| data set | RBM | histograms | HalfSpaceTrees | LODA | IsolationForest | LocalOutlierFactor |"
    assert (
        lines[2] == f"| smtp | 0.900{seeds} | 0.820{seeds} | 0.800{seeds} | no anomaly | 0.950{seeds} | 0.950{seeds} |"
    )
    assert "**0.900** ± 0.010" in anomaly_table(results())
    assert "Quick runs" not in anomaly_table(results())
    assert "**Quick runs" in anomaly_table(results(quick=True))
