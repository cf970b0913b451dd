"""The section beyond the paper, from results that nobody measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from genreplay.experiments.beyond import BeyondRun
from genreplay.experiments.results import Results
from genreplay.report.beyond import STREAMS, ablation, content, contest, price, table
from genreplay.report.markdown import beyond_table
from tests.report.made_up import mostly_right, records, right
from tests.report.reader import page_of

NEEDED = ["beyond", "table2", "fig4"]
RESULTS = Path(__file__).parents[2] / "results/runs.jsonl"


def test_rows_have_the_preset_and_what_it_is_measured_against() -> None:
    rows = {row.title: row for row in table(Results(records(right, NEEDED)))}
    adult = rows["ADULT"]
    assert adult.modern is not None
    assert adult.modern.mean == pytest.approx(-15.26)
    assert adult.stored is not None
    assert adult.stored.mean == pytest.approx(-10.26)
    assert adult.protocol is not None
    assert adult.protocol.mean == pytest.approx(-19.64)
    assert len(rows) == 9


def test_the_closed_share_is_of_the_way_from_the_protocol_to_a_memory() -> None:
    by_order = {each.order: each for each in contest(Results(records(right, NEEDED)))}
    assert by_order["sorted"].closed == pytest.approx((-90 + 150) / (-85 + 150))


def test_prices_are_ratios_of_what_took_turns() -> None:
    for each in price(Results(records(right, NEEDED))):
        assert each.time_ratio == pytest.approx(1.2)
        assert each.bytes_ratio == pytest.approx(1.2)


def test_ingredients_are_weighed_on_every_set_against_the_whole_preset() -> None:
    gains = ablation(Results(records(right, NEEDED)))
    assert "modern" not in gains
    for variant, expected in {"without centring": -10, "paper": -40, "paper + chains": -40}.items():
        assert set(gains[variant]) == set(STREAMS)
        for gain in gains[variant].values():
            assert gain.nats == pytest.approx(expected)
            assert gain.error is not None
            assert gain.error > 0
            assert not gain.doubt


def test_sentences_count_the_sets() -> None:
    section = content(Results(records(mostly_right(lambda run: run == replace(BeyondRun(), dataset="web")), NEEDED)))
    assert section is not None
    assert "the paper's OCD_GR on 8 of 9 sets" in section.sentences[0]
    assert any("sorted order, with the same ingredients: dream pool -90.0, ER-IM -85.0" in s for s in section.sentences)


def test_the_page_shows_ablation_and_dreams_and_says_what_was_not_run() -> None:
    page = page_of(Results(records(right, NEEDED)), "beyond")
    assert "without centring" in page
    assert "paper + chains" in page
    assert "10.00 <small>±" in page
    assert page.count("<img") == 10
    assert "not run" not in page
    assert "Not run" in page_of(Results(records(right, ["table2"])), "beyond")


def test_markdown_has_a_line_for_each_set_and_order() -> None:
    lines = beyond_table(Results(records(right, NEEDED))).splitlines()
    assert len([line for line in lines if line.startswith("|")]) == 2 + 9 + 1
    assert beyond_table(Results(records(right, ["table2"]))) == ""
