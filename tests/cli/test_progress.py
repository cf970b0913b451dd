"""What a progress line says of a learner."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from genreplay import OnlineRBMDetector
from genreplay.cli.progress import Status
from genreplay.core.grouped import Dreams, Nothing, Rehearsed, Stored, TableRBM

NUMBERS = np.random.default_rng(0).normal(size=(200, 3))


def learner(replay: Rehearsed, **params: Any) -> OnlineRBMDetector:
    return OnlineRBMDetector(rbm=TableRBM(4, batch_size=25, replay=replay), warm_up=50, random_state=0, **params)


def status(model: OnlineRBMDetector, surprise: float | None = None) -> Status:
    return Status(model, ["a", "b", "c"], NUMBERS[:10], surprise, 1200, 60.0, 0)


@pytest.mark.parametrize("replay", [Dreams(n_rows=75), Stored(n_rows=75)])
def test_the_share_of_replay_is_that_of_the_rows_really_rehearsed(replay: Rehearsed) -> None:
    model = learner(replay).partial_fit(NUMBERS[:25])
    assert status(model).replay_share == 0, "in its warm-up"
    model.partial_fit(NUMBERS[25:])
    assert status(model).replay_share == 75 / (25 + 75)
    assert "75% replay" in str(status(model))


def test_there_is_no_share_of_replay_without_replay() -> None:
    model = learner(Nothing()).partial_fit(NUMBERS)
    assert status(model).replay_share == 0
    assert "0% replay" in str(status(model))


def test_the_share_of_replay_follows_the_response_to_a_drift() -> None:
    model = learner(Dreams(n_rows=100), on_drift="fewer-dreams").partial_fit(NUMBERS)
    assert status(model).replay_share == 100 / 125
    model._n_responding = 3
    assert status(model).replay_share == 25 / 50


def test_surprise_is_told_of_once_there_is_some() -> None:
    model = learner(Dreams()).partial_fit(NUMBERS)
    assert "surprise" not in str(status(model))
    assert "surprise 1.02 nats" in str(status(model, surprise=1.0234))


@pytest.mark.parametrize("n", [0, 2])
def test_drifts_and_new_codes_are_told_of_only_if_there_were_any(n: int) -> None:
    model = learner(Nothing()).partial_fit(NUMBERS)
    model.drift_, model.n_renewals_ = model.drift_._replace(n_drifts=n), n
    assert ("drifts: 2" in str(status(model))) == (n > 0)
    assert ("new codes: 2" in str(status(model))) == (n > 0)
