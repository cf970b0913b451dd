from __future__ import annotations

import pytest

from genreplay.experiments.results import Results
from genreplay.report.log_z import content, estimated_again, sentences, summarise
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


def test_estimates_of_the_same_model_are_held_against_their_errors() -> None:
    """Two errors of 0.2 are 0.28 together: 0.1 nats apart is as stated, 5 nats are not."""
    for world, apart, n_agree in ((right, 0.1, 3), (wrong, 5.0, 1)):
        first, *_ = estimated_again(results(world))
        assert first.title == "MNIST, reading paper, OCD_GR"
        assert len(first.nats) == 3
        assert first.n_unknown == 1
        assert first.apart == pytest.approx(apart)
        assert sum(first.pairs_agree) == n_agree
        said = " ".join(sentences(results(world)))
        assert f"{4 * n_agree} of 12 pairs differ by no more" in said
    assert "The same models estimated again" in page_of(results(), "log-z")
