"""Settings that change in mid-stream: which may, that they take effect, and that the others are refused."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genreplay import (
    MODERN,
    PAPER,
    DreamPool,
    Dreams,
    GenerativeReplay,
    Nothing,
    OnlineRBM,
    OnlineRBMDetector,
    TableEncoder,
    TableRBM,
)
from genreplay.core.contrastive import FromChains
from genreplay.core.schedules import Falling
from genreplay.core.start import RandomStart
from tests.estimators.snapshot import snapshot, table_snapshot

ROWS = (np.random.default_rng(0).random((400, 6)) < 0.3).astype(np.float64)
NUMBERS = np.random.default_rng(0).normal(size=(400, 3))
QUICK = MODERN.replace(n_epochs=2, negative__n_chains=20, replay__size=50)


def model(**params: Any) -> OnlineRBM:
    return OnlineRBM(**{"n_hidden": 4, "recipe": QUICK, "batch_size": 20, "random_state": 0, **params})


def detector(**params: Any) -> OnlineRBMDetector:
    rbm = TableRBM(**{"n_hidden": 4, "n_first": 2, "batch_size": 20, "replay": Dreams(size=30, n_rows=20), **params})
    return OnlineRBMDetector(TableEncoder(n_bins=3), rbm, warm_up=40, random_state=0)


FIXED: list[tuple[str, dict[str, Any]]] = [
    ("n_hidden", {"n_hidden": 5}),
    ("dtype", {"dtype": "float64"}),
    ("replay", {"replay": "generative"}),
    ("replay", {"replay": DreamPool(size=51)}),
    ("replay", {"recipe__replay__size": 51}),
    ("replay", {"recipe": QUICK.replace(replay=GenerativeReplay())}),
    ("recipe__start", {"recipe__start__sigma": 0.5}),
    ("recipe__start", {"recipe__start": RandomStart()}),
    ("recipe__negative__n_chains", {"recipe__negative__n_chains": 7}),
    ("recipe__negative__n_chains", {"recipe__negative": FromChains()}),
]


@pytest.mark.parametrize(("name", "change"), FIXED, ids=str)
def test_what_the_model_started_with_cannot_change(name: str, change: dict[str, Any]) -> None:
    learner, undisturbed = model().partial_fit(ROWS[:110]), model().partial_fit(ROWS[:110])
    before = snapshot(learner)
    learner.set_params(**change)
    message = (
        f"The '{name}' parameter of OnlineRBM cannot change while it learns: set it back, or call fit to start anew."
    )
    for learn in (lambda: learner.partial_fit(ROWS), learner.flush):
        with pytest.raises(ValueError) as caught:
            learn()
        assert str(caught.value) == message
        assert snapshot(learner) == before
    learner.set_params(**model().get_params(deep=False)).partial_fit(ROWS)
    assert snapshot(learner) == snapshot(undisturbed.partial_fit(ROWS))


def test_a_new_start_takes_every_change() -> None:
    for _, change in FIXED:
        learner = model().fit(ROWS).set_params(**change).fit(ROWS)
        assert snapshot(learner) == snapshot(model().set_params(**change).fit(ROWS))


FIXED_IN_DETECTOR: list[tuple[str, dict[str, Any]]] = [
    ("cannot change n_hidden or replay of its rbm", {"rbm__n_hidden": 5}),
    ("cannot change n_hidden or replay of its rbm", {"rbm__replay": Nothing()}),
    ("cannot change n_hidden or replay of its rbm", {"rbm__replay__size": 31}),
    ("cannot change n_hidden or replay of its rbm", {"rbm": None}),
    ("cannot change its warm_up, nor its encoder", {"encoder__n_bins": 4}),
    ("cannot change its warm_up, nor its encoder", {"encoder": None}),
    ("cannot change its warm_up, nor its encoder", {"warm_up": 50}),
]


@pytest.mark.parametrize(("message", "change"), FIXED_IN_DETECTOR, ids=str)
def test_what_the_detector_started_with_cannot_change(message: str, change: dict[str, Any]) -> None:
    learner, undisturbed = detector().partial_fit(NUMBERS[:110]), detector().partial_fit(NUMBERS[:110])
    before = table_snapshot(learner)
    learner.set_params(**change)
    for learn in (lambda: learner.partial_fit(NUMBERS), learner.flush):
        with pytest.raises(ValueError, match=message) as caught:
            learn()
        assert str(caught.value).endswith("back, or call fit to start anew.")
        assert table_snapshot(learner) == before
    learner.set_params(**detector().get_params(deep=False)).partial_fit(NUMBERS)
    assert table_snapshot(learner) == table_snapshot(undisturbed.partial_fit(NUMBERS))


def test_a_new_start_of_the_detector_takes_every_change() -> None:
    for _, change in FIXED_IN_DETECTOR:
        learner = detector().fit(NUMBERS).set_params(**change).fit(NUMBERS)
        assert table_snapshot(learner) == table_snapshot(detector().set_params(**change).fit(NUMBERS))


def test_before_the_end_of_the_warm_up_the_settings_of_the_detector_can_change() -> None:
    changes: dict[str, Any] = {"encoder__n_bins": 5, "rbm__n_hidden": 3, "rbm__replay": Nothing()}
    learner = detector().partial_fit(NUMBERS[:30]).set_params(**changes).partial_fit(NUMBERS[30:])
    assert table_snapshot(learner) == table_snapshot(detector().set_params(**changes).partial_fit(NUMBERS))


def test_a_new_learning_rate_is_that_of_the_next_update() -> None:
    learner, undisturbed = model(recipe=PAPER), model(recipe=PAPER)
    for each in (learner, undisturbed):
        each.partial_fit(ROWS[:110])
    learner.set_params(recipe__learning_rate=0.2).partial_fit(ROWS[110:120])
    assert learner.info_ is not None
    assert learner.info_.learning_rate == 0.2
    assert snapshot(learner) != snapshot(undisturbed.partial_fit(ROWS[110:120]))
    learner.set_params(recipe__learning_rate=Falling(0.3, 0.1, n_first=6)).partial_fit(ROWS[120:160])
    assert learner.info_.learning_rate == pytest.approx(0.3 * 6 / 8)  # t counts on


def with_rate(rows: Any, rate: float) -> dict[str, object]:
    """A detector whose updates from row 100 on have this learning rate."""
    learner = detector().partial_fit(NUMBERS[:100]).set_params(rbm__learning_rate=rate)
    return table_snapshot(learner.partial_fit(rows))


def test_a_new_learning_rate_is_that_of_the_detectors_next_update() -> None:
    learner = detector().partial_fit(NUMBERS[:110]).set_params(rbm__learning_rate=0.2).partial_fit(NUMBERS[110:120])
    assert table_snapshot(learner) == with_rate(NUMBERS[100:120], 0.2)
    assert table_snapshot(learner) != with_rate(NUMBERS[100:120], 0.005)


def test_rows_that_come_one_by_one_are_learned_at_the_new_learning_rate() -> None:
    learner = detector().partial_fit(NUMBERS[:110]).set_params(rbm__learning_rate=0.2)
    for row in NUMBERS[110:120].tolist():
        learner.learn_one(row)
    assert table_snapshot(learner) == with_rate(NUMBERS[100:120], 0.2)


def test_the_last_rows_are_learned_at_the_new_learning_rate() -> None:
    learner = model(recipe=PAPER).partial_fit(ROWS[:110])
    assert learner.set_params(recipe__learning_rate=0.2).flush().info_.learning_rate == 0.2  # type: ignore[union-attr]
    early, late = detector().partial_fit(NUMBERS[:100]), detector().partial_fit(NUMBERS[:110])
    early.set_params(rbm__learning_rate=0.2).partial_fit(NUMBERS[100:110]).flush()
    late.set_params(rbm__learning_rate=0.2).flush()
    assert table_snapshot(late) == table_snapshot(early)


@pytest.mark.parametrize("batch_size", [3, 5, 10, 19, 30, 200])
def test_a_new_batch_size_takes_effect_in_the_detector_and_no_row_is_lost(batch_size: int) -> None:
    learner = detector().partial_fit(NUMBERS[:119])
    n_updates = learner.n_updates_
    assert (learner.n_learned_, learner.n_waiting_) == (100, 19)
    learner.set_params(rbm__batch_size=batch_size).partial_fit(NUMBERS[119:150])
    n_waiting = 50 % batch_size if batch_size <= 50 else 50
    assert (learner.n_learned_, learner.n_waiting_) == (150 - n_waiting, n_waiting)
    assert learner.n_updates_ == n_updates + 50 // batch_size
    codes = learner.encoder_.codes(NUMBERS[:150])
    assert learner._waiting.codes.tolist() == codes[150 - n_waiting :].tolist()


def test_a_lowered_batch_size_leaves_less_than_a_batch_waiting() -> None:
    learner, finder = model().partial_fit(ROWS[:119]), detector().partial_fit(NUMBERS[:119])
    assert learner.set_params(batch_size=5).partial_fit(ROWS[119:120]).state_.n_waiting < 5
    assert finder.set_params(rbm__batch_size=5).partial_fit(NUMBERS[119:120]).n_waiting_ < 5


@pytest.mark.parametrize(("name", "change"), FIXED, ids=str)
def test_a_file_saved_after_a_change_that_is_refused_holds_the_model_as_it_is(
    name: str, change: dict[str, Any], tmp_path: Path
) -> None:
    learner, undisturbed = model().partial_fit(ROWS[:110]), model().partial_fit(ROWS[:110]).partial_fit(ROWS)
    learner.set_params(**change)
    with contextlib.suppress(ValueError):  # to refuse is fine, to lose what was learned is not
        learner.save(tmp_path / "model")
    if (tmp_path / "model").exists():
        loaded = OnlineRBM.load(tmp_path / "model")
        loaded.set_params(**model().get_params(deep=False)).partial_fit(ROWS)
        assert snapshot(loaded) == snapshot(undisturbed)


@pytest.mark.parametrize(("message", "change"), FIXED_IN_DETECTOR, ids=str)
def test_a_change_that_a_detector_refuses_is_not_smuggled_in_by_a_file(
    message: str, change: dict[str, Any], tmp_path: Path
) -> None:
    learner = detector().partial_fit(NUMBERS[:110]).set_params(**change)
    with pytest.raises(ValueError, match=message):
        learner.save(tmp_path / "model")
        OnlineRBMDetector.load(tmp_path / "model").partial_fit(NUMBERS)


@pytest.mark.parametrize(
    "dtype", ["float64", np.dtype("float64"), np.dtype("float32"), np.float64, np.float32], ids=str
)
def test_a_detector_from_a_file_goes_on_whatever_names_the_type_of_its_bits(dtype: object, tmp_path: Path) -> None:
    learner = OnlineRBMDetector(TableEncoder(dtype=dtype), TableRBM(4), warm_up=40, random_state=0)
    learner.partial_fit(NUMBERS[:110]).save(tmp_path / "model")
    loaded = OnlineRBMDetector.load(tmp_path / "model").partial_fit(NUMBERS)
    assert table_snapshot(loaded) == table_snapshot(learner.partial_fit(NUMBERS))
