from __future__ import annotations

import re

import pytest

from genreplay.experiments.results import Results
from genreplay.report.markdown import regimes_table
from genreplay.report.regimes import content, sentences, table
from tests.report.made_up import World, records, right, wrong
from tests.report.reader import page_of


def results(world: World = right, n_seeds: int = 3, quick: bool = False, **settings: object) -> Results:
    """Made-up results of the runs that have these settings."""

    def wanted(run: object) -> bool:
        return all(getattr(run, name) == value for name, value in settings.items())

    return Results(records(world, ["regimes"], n_seeds, quick, wanted))


def test_a_row_for_each_way_of_rehearsal_tells_frequent_and_rare_regimes_apart() -> None:
    rows = {row.title: row for row in table(results())}
    assert list(rows) == ["nothing", "dreams", "reservoir of rows"]
    assert rows["nothing"].often == pytest.approx(0.2)
    assert rows["nothing"].rare == pytest.approx(0.3)
    assert rows["nothing"].stay == pytest.approx([0.5, 0.1, *[0.01] * 8])
    assert rows["nothing"].replay_bytes == "0 bytes"
    assert rows["dreams"].replay_bytes == rows["reservoir of rows"].replay_bytes == "64.0 kB"


def test_the_sentences_say_what_the_figures_say() -> None:
    said = sentences(results())
    assert said[0] == (
        "Alarms in the first 500 rows when a frequent regime returns (nominal 1 %): nothing 20 %, dreams 2 %, "
        "reservoir of rows 2 %."
    )
    assert said[1].startswith("The same for the rare regime: nothing 30 %, dreams 3 %")
    assert said[2].startswith(
        "Alarms in the first 500 rows of the new regime, and in the last 500 of 5,000: nothing 50 %, then 1 %"
    )
    assert "nothing 2 %, dreams 20 %" in sentences(results(wrong))[0]


def test_the_page_has_a_time_line_for_each_way_of_rehearsal_and_a_table() -> None:
    page = page_of(results(), "regimes")
    assert page.count("<svg") == 3
    assert page.count("<table") == 1
    cells = re.findall(r'<td data-label="([^"]+)">([^<]+)</td>', page)[:6]
    assert [value for _, value in cells] == ["20.0 %", "30.0 %", "50.0 %", "10.0 %", "1.0 %", "0 bytes"]
    heads = re.findall(r'<th scope="col">([^<]+)</th>', page)[1:]
    assert [label for label, _ in cells] == heads, "a stacked cell has the heading of its column"
    assert "Not run" not in page


def test_ways_of_rehearsal_that_were_not_run_are_named() -> None:
    page = page_of(results(replay="none"), "regimes")
    assert "Not run: the detector that rehearses dreams." in page
    assert "Not run: the detector that rehearses nothing." not in page


def test_what_was_not_run_makes_no_section() -> None:
    nothing = Results(records(right, ["fig5"], n_seeds=1))
    assert content(nothing) is None
    assert table(nothing) == sentences(nothing) == []
    assert regimes_table(nothing) == ""


def test_quick_runs_make_a_section() -> None:
    section = content(results(quick=True, n_seeds=1))
    assert section is not None
    assert len(section.panels) == 3


def test_the_markdown_table() -> None:
    lines = regimes_table(results()).splitlines()
    assert lines[2] == "| nothing | 20 % | 30 % | 50 % | 1 % | 0 bytes |"
    assert "**Quick runs" in regimes_table(results(quick=True))
