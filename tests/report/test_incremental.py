from __future__ import annotations

from genreplay.experiments.incremental import METHODS
from genreplay.experiments.results import Results
from genreplay.report.incremental import content, findings, table
from tests.report.made_up import records, right, wrong
from tests.report.reader import page_of

RIGHT = Results(records(right, ["incremental"]))


def test_the_table_has_every_method_with_its_accuracy_forgetting_and_bytes() -> None:
    found = content(RIGHT)
    assert found is not None
    assert [row.title for row in found.rows] == list(METHODS.values())
    assert found.rows[0].cells == ["97.50 ± 0.10 %", "97.40 %", "97.40 %"]  # one seed of the other orders
    assert (found.rows[0].forgetting, found.n_seeds) == ("1 %", 3)
    assert "| network, no replay | 19.00 ± 0.10 % |" in table(RIGHT)


def test_the_page_shows_published_figures_and_says_how_the_settings_differ() -> None:
    page = page_of(RIGHT, "incremental")
    assert "brain-inspired replay" in page
    assert "94.4" in page
    assert "The settings differ" in page


def test_the_verdict_follows_the_figures() -> None:
    assert [each.kind for each in findings(RIGHT)] == ["holds"]
    assert [each.kind for each in findings(Results(records(wrong, ["incremental"])))] == ["fails"]
    assert content(Results([])) is None
    assert table(Results([])) == ""
    assert list(findings(Results([]))) == []
