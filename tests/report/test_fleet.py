"""The page on models that meet: what it says of figures that nobody measured."""

from __future__ import annotations

from genreplay.experiments.results import Results
from genreplay.report.fleet import content, findings, machines_table, membership_table, table
from genreplay.report.pieces import piece
from tests.report.made_up import records, right, wrong
from tests.report.reader import page_of

RIGHT = Results(records(right, ["fleet"]))


def plain(text: str) -> str:
    """Text with hyphens for minus signs."""
    return text.replace("\N{MINUS SIGN}", "-")


def test_the_table_has_every_way_to_make_one_model() -> None:
    found = content(RIGHT)
    assert found is not None
    assert [(row.title, *map(plain, row.cells)) for row in found.rows] == [
        ("one model, all rows", "-77.0", "-77.0"),
        ("merged by dreams", "-80.0", "-80.0"),
        ("3 times as many dreams", "", "-80.0"),
        ("merged by dreams, 3 rounds", "-82.0 → -81.0 → -80.0", ""),
        ("averaged parameters", "-200.0", "-200.0"),
        ("averaged parameters, 3 rounds", "-202.0 → -201.0 → -200.0", ""),
        ("the best node", "-300.0", "-300.0"),
    ]
    assert found.rows[1].sent == "50.0 MB"
    assert "| merged by dreams | -80.0 | -80.0 | 50.0 MB |" in plain(table(RIGHT))


def test_a_prior_counts_from_where_it_stays_good_enough() -> None:
    found = content(RIGHT)
    assert found is not None
    assert found.prior is not None
    assert (found.prior.at, found.prior.first) == (500, 0)
    assert found.prior.auc == {"cold": 0.5, "prior": 0.85}
    worse = content(Results(records(wrong, ["fleet"])))
    assert worse is not None
    assert worse.prior is not None
    assert worse.prior.first == 20_000


def test_the_attack_is_shown_with_its_spread_and_epsilon() -> None:
    text = plain(membership_table(RIGHT))
    assert "| paper | 0.510 ± 0.000 | 0.600 ± 0.010 | -120.0 ± 0.0 | none |" in text
    assert "| bounded, noise 1 | 0.510 ± 0.000 | 0.510 ± 0.010 | log Z is in doubt | 4.4 |" in text
    assert "| merged | 0.850 ± 0.000 | 1 % |" in machines_table(RIGHT)


def test_the_page_shows_dreams_and_a_curve() -> None:
    page = page_of(RIGHT, "fleet")
    assert "data:image/png" in page
    assert "chains of parameters that stand still" in page
    assert page.count("<table") == 4
    assert "<svg" in piece("fleet-prior", RIGHT)


def test_the_verdict_follows_the_figures() -> None:
    assert [each.kind for each in findings(RIGHT)] == ["holds", "holds", "holds", "note"]
    assert [each.kind for each in findings(Results(records(wrong, ["fleet"])))] == ["fails", "fails", "fails", "note"]
    assert content(Results([])) is None
    assert table(Results([])) == machines_table(Results([])) == membership_table(Results([])) == ""
    assert list(findings(Results([]))) == []
