"""False alarms on fresh usual rows, in the report."""

from __future__ import annotations

from genreplay.experiments.results import Results
from genreplay.report.calibration import sentences, table
from tests.report.made_up import records, right, wrong


def test_every_table_has_a_row_and_right_rates_are_counted() -> None:
    rows = table(Results(records(right, ["calibration"])))
    assert len(rows) == 30
    assert all(row.is_right(at) for row in rows for at in range(2))
    assert (rows[0].n_learned, rows[0].n_judged) == (8_000, 3 * 2_000)


def test_the_sentences_count_the_tables_and_name_those_that_are_off() -> None:
    def one_off(run, seed):  # type: ignore[no-untyped-def]
        return (wrong if run.dataset == "pima" else right)(run, seed)

    said = sentences(Results(records(one_off, ["calibration"])))
    assert "28 at 1 % and 28 at 5 % of 29 sets, on 28 at both (not on pima)." in said[0]
    assert said[1] == "After 1,000,000 made-up rows: 1.1 % at 1 % and 5.5 % at 5 %."
    none = sentences(Results(records(wrong, ["calibration"])))
    assert "0 at 1 % and 0 at 5 % of 29 sets, on 0 at both." in none[0]
    assert sentences(Results([])) == []
