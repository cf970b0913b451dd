from __future__ import annotations

from genreplay.experiments.results import Results
from genreplay.report.log_z import content, sentences, summarise
from tests.report.made_up import World, records, right, wrong
from tests.report.reader import page_of


def results(world: World = right) -> Results:
    return Results(records(world, ["log-z"], n_seeds=1))


def test_models_are_counted_by_whether_their_estimates_are_right() -> None:
    found = summarise(results())
    assert found is not None
    assert (found.n_models, found.n_known, found.n_inside, found.n_fooled) == (3, 2, 2, 1)
    assert (found.worst_ais, found.worst, found.n_unknown_right) == (-32.5, 0.1, 0)
    other = summarise(results(wrong))
    assert other is not None
    assert other.n_inside == 0


def test_the_page_names_the_worst_models_first() -> None:
    found = content(results())
    assert found is not None
    assert [row.ais for row in found.rows] == [-32.5, -4.0, 0.1]
    page = page_of(results(), "log-z")
    assert "The models on which AIS is worst" in page
    assert "for 2 of the 2 models (100 %)" in " ".join(sentences(results()))


def test_nothing_is_said_where_nothing_was_run() -> None:
    nothing = Results([])
    assert content(nothing) is None
    assert sentences(nothing) == []
