from __future__ import annotations

import pytest

from genreplay.experiments.rl import BUFFERS, ENVIRONMENTS, IDEAS, KINDS, IdeaRun, RLRun, runs
from genreplay.experiments.rl.ideas import model_of

pytest.importorskip("stable_baselines3", reason="the extra rl is not installed")

from genreplay.experiments.rl.run import consistency, probe
from genreplay.rl.transitions import Transitions


def silent(share: float, doing: str) -> None:
    pass


def test_every_environment_has_every_buffer() -> None:
    agents = [run for run in runs() if isinstance(run, RLRun)]
    assert len(agents) == len(ENVIRONMENTS) * len(BUFFERS)
    assert {run.environment for run in runs(quick=True) if isinstance(run, RLRun)} == {"FrozenLake"}


def test_a_model_is_asked_for_every_kind_of_step_and_learns_no_ending_by_it() -> None:
    found = IdeaRun("divided", n_steps=600).execute(0, silent)["right"]
    assert list(found) == list(KINDS)
    assert found["illegal"] > 0.8
    assert found["home"] < 0.5, "600 steps bring hardly anyone home"
    assert len({model_of(idea).most_often for idea in IDEAS}) == 3


def test_a_run_reports_returns_bytes_and_how_true_its_dreams_are() -> None:
    found = RLRun("FrozenLake", "generative", n_steps=400).execute(0, silent)
    assert found["steps"] == list(range(20, 401, 20))
    assert set(found["returns"]) <= {0.0, 1.0}
    assert found["true"][0] is None, "before the first batch there are no dreams"
    assert 0 < found["true"][-1]["all"] <= found["true"][-1]["ends"] <= 1
    assert found["n_stored"] == 100


def test_stored_buffers_have_the_sizes_that_their_names_say() -> None:
    full, same, small = (RLRun("FrozenLake", name, 300).execute(0, silent) for name in ("full", "same bytes", "1 %"))
    assert (full["n_stored"], full["bytes"]) == (300, 300 * 36)
    assert small["n_stored"] == 3
    assert same["n_stored"] == 300, "no more than there are steps"
    assert full["true"] == [None] * 20


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_transitions_of_the_environment_itself_are_all_true(name: str) -> None:
    game, buffer = ENVIRONMENTS[name].make(), probe(name, seed=0)
    game.reset(seed=0)

    class Held:
        dreams = Transitions(*buffer._newest)

    assert consistency(Held(), game) == {"ends": 1.0, "all": 1.0}
    Held.dreams = Held.dreams._replace(reward=Held.dreams.reward + 1)
    assert consistency(Held(), game) == {"ends": 0.0, "all": 0.0}
