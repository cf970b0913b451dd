"""What a progress line says of a learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from genreplay import MODERN, TABLES, GenerativeReplay, NoReplay, OnlineRBM, OnlineRBMDetector, Replay
from genreplay.cli.progress import Status
from genreplay.core.kernels import Array
from genreplay.core.rbm import RBM, dream

NUMBERS = np.random.default_rng(0).normal(size=(200, 3))
RECALLED: list[int] = []


@dataclass(frozen=True, repr=False)
class HalfOfWhatIsAsked(Replay):
    """Notes how many rows it gives, which are fewer than the recipe asks for."""

    def recall(self, n: int, model: RBM, rng: np.random.Generator) -> Array:
        RECALLED.append(n // 2)
        return dream(model, n // 2, 1, rng)


def learner(replay: Replay, recipe: Any = TABLES, **params: Any) -> OnlineRBMDetector:
    rbm = OnlineRBM(4, recipe=recipe.replace(replay=replay), batch_size=25)
    return OnlineRBMDetector(rbm=rbm, warm_up=50, random_state=0, **params)


def status(model: OnlineRBMDetector) -> Status:
    return Status(model, ["a", "b", "c"], NUMBERS[:10], 1200, 60.0, 0)


def test_the_share_of_replay_is_that_of_the_rows_really_rehearsed() -> None:
    model = learner(HalfOfWhatIsAsked(), recipe=TABLES.replace(rehearsal__n_rows=150)).partial_fit(NUMBERS[:25])
    assert status(model).replay_share == 0  # in its warm-up
    RECALLED.clear()
    model.partial_fit(NUMBERS[25:75])
    assert RECALLED == [75, 75]  # updates 2 and 3
    assert status(model).replay_share == 75 / (25 + 75)
    assert "75% replay" in str(status(model))


def test_there_is_no_share_of_replay_before_the_second_update_and_without_replay() -> None:
    assert status(OnlineRBMDetector(random_state=0).partial_fit(NUMBERS[:3])).replay_share == 0
    rbm = OnlineRBM(4, recipe=TABLES, replay=GenerativeReplay(), batch_size=50)
    first = OnlineRBMDetector(rbm=rbm, warm_up=50, random_state=0).partial_fit(NUMBERS[:50])
    assert (first.n_updates_, status(first).replay_share) == (1, 0)
    assert status(learner(NoReplay()).partial_fit(NUMBERS)).replay_share == 0
    assert "0% replay" in str(status(learner(NoReplay()).partial_fit(NUMBERS)))


def test_the_share_of_replay_follows_the_drift_where_the_recipe_does() -> None:
    recipe = MODERN.replace(n_epochs=1, rehearsal__redraw=False)
    model = learner(HalfOfWhatIsAsked(), recipe=recipe).partial_fit(NUMBERS[:150])
    assert status(model).replay_share == 0  # rows in random order
    RECALLED.clear()
    model.partial_fit(NUMBERS[150:175] + 9)
    (n,) = RECALLED
    assert n > 10
    assert status(model).replay_share == n / (25 + n)


@pytest.mark.parametrize("n_drifts", [0, 2])
def test_drifts_are_told_of_only_if_there_were_any(n_drifts: int) -> None:
    model = learner(NoReplay()).partial_fit(NUMBERS)
    model.drift_ = model.drift_._replace(n_drifts=n_drifts)
    assert ("drifts: 2" in str(status(model))) == (n_drifts > 0)
