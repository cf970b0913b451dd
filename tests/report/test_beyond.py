"""The section beyond the paper, from results that nobody measured."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from genreplay.experiments import runner
from genreplay.experiments.beyond import BeyondRun
from genreplay.experiments.paper.online import OnlineRun
from genreplay.experiments.results import Results
from genreplay.experiments.run import Run
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


def largest_gaps(markdown: str) -> list[float]:
    """Of the columns whose log Z is by forward and reverse AIS."""
    lines = [line.split(" | ")[1:4] for line in markdown.splitlines() if line.startswith("|") and "gap" in line]
    by_column = [
        [float(gap) for cell in column for gap in re.findall(r"gap (-?[\d.]+)", cell)]
        for column in zip(*lines, strict=True)
    ]
    return [max(map(abs, gaps)) for gaps in by_column if gaps]


def said_gaps(markdown: str) -> list[float]:
    (sentence,) = re.findall(r"Largest gap .*?, in nats: (.*)\.$", markdown, flags=re.MULTILINE)
    return [float(gap) for gap in re.findall(r" ([\d.]+)(?:,|$)", sentence)]


@pytest.mark.parametrize("odd", [OnlineRun(dataset="nips"), OnlineRun(order="sorted")])
def test_the_largest_gaps_in_words_are_those_of_the_table(odd: Run) -> None:
    def world(run: Run, seed: int) -> dict[str, Any]:
        return right(run, seed) | ({"gap": -8.84} if run == odd and seed == 1 else {})

    text = beyond_table(Results(records(world, NEEDED)))
    assert largest_gaps(text) == [8.84], "of the paper's protocol"
    assert said_gaps(text) == largest_gaps(text)


@pytest.mark.skipif(not RESULTS.exists(), reason="the full results are not here")
def test_the_largest_gaps_of_the_stored_results_are_those_of_the_table() -> None:
    text = beyond_table(Results(runner.read(RESULTS)))
    assert said_gaps(text) == largest_gaps(text)


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
