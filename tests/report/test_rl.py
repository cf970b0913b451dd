from __future__ import annotations

from typing import Any

import pytest

from genreplay.experiments.results import Results
from genreplay.experiments.run import Run
from genreplay.report.rl import content, findings, sentences, table, worlds
from tests.report.made_up import World, records, right, wrong
from tests.report.reader import page_of


def results(world: World = right, n_seeds: int = 3, quick: bool = False, **settings: object) -> Results:
    """Made-up results of the runs that have these settings."""

    def wanted(run: object) -> bool:
        return all(getattr(run, name, None) == value for name, value in settings.items())

    return Results(records(world, ["rl"], n_seeds, quick, wanted))


def test_returns_are_held_against_those_of_the_full_buffer() -> None:
    lake = worlds(results())[0]
    rows = {row.title: row for row in lake.rows}
    assert list(rows) == ["all stored", "dreams", "stored, same bytes", "stored, 1 %"]
    assert rows["dreams"].mean == pytest.approx(9.5)
    assert rows["dreams"].deviation == pytest.approx(0.1)
    assert rows["dreams"].share == pytest.approx(0.95)
    assert (rows["dreams"].held, rows["dreams"].n_stored) == ("200.0 kB", 100)
    assert (lake.ends, lake.true) == (pytest.approx(0.98), pytest.approx(0.9))


def test_without_the_full_buffer_there_is_no_share() -> None:
    (lake, *_) = worlds(results(buffer="generative"))
    assert [row.share for row in lake.rows] == [None]
    assert list(findings(results(buffer="generative"))) == []


def test_the_verdict_says_where_dreams_are_enough() -> None:
    assert {each.kind for each in findings(results())} == {"holds"}
    failed = list(findings(results(wrong)))
    assert {each.kind for each in failed} == {"fails"}
    assert failed[0].figures == (
        "The return after 2,000 steps is 5.00 with dreams (200.0 kB), 10.00 with all transitions stored (4.0 MB), 8.00 "
        "with the newest ones in as many bytes."
    )


def test_the_verdict_holds_for_returns_below_zero() -> None:
    def less(run: Run, seed: int) -> dict[str, Any]:
        figures = right(run, seed)
        return figures | {"return": figures["return"] - 20} if "return" in figures else figures

    taxi = list(findings(results(less)))[1]  # -10 with all transitions, -10.5 with dreams
    assert taxi.kind == "holds"
    assert "is -10.50 with dreams" in taxi.figures.replace("\N{MINUS SIGN}", "-")
    assert worlds(results(less))[1].rows[1].share is None


def test_the_page_has_a_picture_and_a_table_for_each_environment() -> None:
    page = page_of(results(), "rl")
    assert (page.count("<svg"), page.count("<table")) == (3, 4), "the last table is that of the ideas"
    assert "90 %" in page.partition("rare endings learned once")[0].rpartition("as it is")[2]
    assert "98 % have the reward and the end" in page
    assert "within a tenth of a standard deviation" in page


def test_what_was_not_run_makes_no_section() -> None:
    nothing = Results(records(right, ["fig5"], n_seeds=1))
    assert content(nothing) is None
    assert table(nothing) == ""


def test_quick_runs_make_a_section_of_one_environment() -> None:
    section = content(results(quick=True, n_seeds=1))
    assert section is not None
    assert [world.name for world in section.worlds] == ["FrozenLake"]


def test_the_table_and_the_sentences_say_the_same() -> None:
    assert table(results()).splitlines()[3] == "| FrozenLake | dreams | 9.50 ± 0.10 | 95 % | 200.0 kB |"
    said = sentences(worlds(results()))
    assert said[0].startswith("FrozenLake, 2,000 steps: all stored 10.00 (4.0 MB), dreams 9.50 (200.0 kB)")
