from __future__ import annotations

import pickle
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from genreplay import MODERN, PAPER, TABLES, CheckpointError, OnlineRBM, OnlineRBMDetector, TableEncoder

Objects = npt.NDArray[np.object_]
SMALL_MODERN = MODERN.replace(n_epochs=2, negative__n_chains=20, replay__size=50)


def cheap(**params: Any) -> OnlineRBMDetector:
    rbm = OnlineRBM(4, recipe=TABLES.replace(negative__n_chains=50), batch_size=25)
    return OnlineRBMDetector(**{"rbm": rbm, "warm_up": 60, "random_state": 0, **params})


@parametrize_with_checks(
    [
        OnlineRBMDetector(),
        OnlineRBMDetector(rbm=OnlineRBM(3, recipe="tables", batch_size=5), contamination=0.2),
        OnlineRBMDetector(TableEncoder(n_bins=3), OnlineRBM(3, recipe=SMALL_MODERN, batch_size=5)),
    ]
)
def test_scikit_learns_checks_pass(estimator: OnlineRBMDetector, check: object) -> None:
    check(estimator)  # type: ignore[operator]


def table(n: int, seed: int = 0) -> Objects:
    """Weather: three columns that hang together, one that does not, some cells missing."""
    rng = np.random.default_rng(seed)
    wet = rng.random(n) < 0.4
    rows = np.empty((n, 4), dtype=object)
    rows[:, 0] = np.where(wet, "rain", "sun")
    rows[:, 1] = np.where(wet, rng.normal(12, 2, n), rng.normal(25, 3, n))
    rows[:, 2] = wet
    rows[:, 3] = rng.normal(size=n)
    rows[rng.random(n) < 0.05, 1] = np.nan
    return rows


def whole(model: OnlineRBMDetector) -> bytes:
    """The model's file, which holds all that it is."""
    path = Path(f"{id(model)}.tmp")
    try:
        model.save(path)
        return path.read_bytes()
    finally:
        path.unlink(missing_ok=True)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


ROWS = table(250)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(1, 249), max_size=8))
def test_however_a_stream_is_cut_the_model_and_the_scores_are_the_same(cuts: list[int]) -> None:
    at_once = cheap()
    expected = at_once.learn_scored(ROWS)
    in_pieces = cheap()
    edges = [0, *sorted(set(cuts)), len(ROWS)]
    scores = [in_pieces.learn_scored(ROWS[a:b]) for a, b in pairwise(edges)]
    np.testing.assert_array_equal(np.concatenate(scores), expected)
    assert whole(in_pieces) == whole(at_once)


@pytest.mark.parametrize("n_before", [1, 59, 60, 130, 199])
def test_a_saved_model_goes_on_to_the_bit_from_any_phase(n_before: int) -> None:
    undisturbed = cheap().partial_fit(ROWS)
    first = cheap().partial_fit(ROWS[:n_before])
    first.save("model", extra={"note": ["kept", 1.5]})
    again = OnlineRBMDetector.load("model")
    assert again.extra_ == {"note": ["kept", 1.5]}
    assert again.n_rows_seen_ == n_before
    assert whole(again.partial_fit(ROWS[n_before:])) == whole(undisturbed)


def test_scores_before_the_first_update_are_nan_and_then_are_not() -> None:
    scores = cheap().learn_scored(ROWS)
    assert np.isnan(scores[:60]).all()
    assert np.isfinite(scores[60:]).all()
    late = cheap(warm_up=10).learn_scored(ROWS)  # the codes stand, but no batch is full
    assert np.isnan(late[:25]).all()
    assert np.isfinite(late[25:]).all()


def test_a_row_is_scored_before_it_is_learned() -> None:
    model = cheap().partial_fit(ROWS[:200])
    expected = model.surprise(ROWS[200:224])
    np.testing.assert_allclose(expected, -np.log(model.p_values(ROWS[200:224])), rtol=1e-9)
    np.testing.assert_allclose(model.learn_scored(ROWS[200:250])[:24], expected, rtol=1e-4)


def test_every_row_is_accounted_for() -> None:
    model = cheap()
    for n in range(0, 250, 10):
        model.partial_fit(ROWS[n : n + 10])
        assert model.n_rows_seen_ == n + 10 == model.n_learned_ + model.n_waiting_
    assert model.n_learned_ == 250 == 25 * model.n_updates_
    assert model.partial_fit(ROWS[:7]).n_waiting_ == 7
    assert model.flush().n_waiting_ == 0
    assert model.n_learned_ == 257


def trained_hard() -> OnlineRBMDetector:
    rbm = OnlineRBM(32, recipe=TABLES.replace(n_epochs=5, learning_rate=0.05))
    return OnlineRBMDetector(rbm=rbm, random_state=0)


def test_strange_rows_have_small_p_values_and_are_outliers() -> None:
    model = trained_hard().partial_fit(table(6000))
    strange = np.array([["rain", 31.0, False, 40.0], ["hail", 35.0, False, 0.0]], dtype=object)
    usual = table(2000, seed=1)
    assert (model.p_values(strange) < 0.01).all()
    assert (model.predict(strange) == -1).all()
    assert np.mean(model.predict(usual) == -1) < 0.02
    assert np.mean(model.p_values(usual) < 0.05) < 0.1
    assert model.score_samples(strange).max() < np.median(model.score_samples(usual))


def test_predict_draws_the_line_where_the_p_value_is_the_contamination() -> None:
    for contamination in (0.01, 0.1, 0.5):
        model = cheap(contamination=contamination).partial_fit(ROWS)
        np.testing.assert_array_equal(model.predict(ROWS) == -1, model.p_values(ROWS) <= contamination)
        np.testing.assert_array_equal(model.decision_function(ROWS), model.score_samples(ROWS) - model.offset_)


def test_the_column_that_makes_a_row_strange_explains_it() -> None:
    model = OnlineRBMDetector(random_state=0).partial_fit(table(6000))
    strange = np.array([["rain", 12.0, True, 40.0], ["hail", 12.0, True, 0.0]], dtype=object)
    assert model.explain(strange).argmax(axis=1).tolist() == [3, 0]
    assert (model.explain(strange) >= 0).all()


def test_dreams_come_back_as_rows_of_the_table() -> None:
    model = trained_hard().partial_fit(table(6000))
    dreams = model.sample(300)
    assert dreams.shape == (300, 4)
    assert set(dreams[:, 0]) <= {"rain", "sun"}
    assert np.mean((dreams[:, 0] == "rain") == (dreams[:, 2] == True)) > 0.9  # noqa: E712 (a cell may be None)
    assert 10 < np.nanmean(dreams[:, 1].astype(float)) < 27
    assert pd.DataFrame(dreams).equals(pd.DataFrame(model.sample(300)))  # the model is not touched


def test_missing_cells_are_filled_and_others_left() -> None:
    model = trained_hard().partial_fit(table(6000))
    rows = np.array([["rain", np.nan, None, 0.25], [None, 26.0, False, 0.5], ["sun", 24.0, False, 1.0]], dtype=object)
    filled = model.impute(rows)
    assert filled[0, 2] is True
    assert filled[0, 1] < 20
    assert filled[1, 0] == "sun"
    for place in [(0, 0), (0, 3), (1, 1), (1, 2), (1, 3), *((2, i) for i in range(4))]:
        assert filled[place] == rows[place]
    assert rows[1, 0] is None  # the caller's rows are left alone


def test_data_frames_keep_their_column_names() -> None:
    frame = pd.DataFrame(ROWS, columns=["sky", "warm", "wet", "noise"]).astype({"noise": float})
    model = cheap().partial_fit(frame)
    assert model.encoder_.column_names_ == ["sky", "warm", "wet", "noise"]
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"sky": "cloud"}))
    model.save("model")
    assert OnlineRBMDetector.load("model").feature_names_in_.tolist() == ["sky", "warm", "wet", "noise"]


def test_it_works_in_a_pipeline_and_as_a_clone_and_as_a_pickle() -> None:
    numbers = np.random.default_rng(0).normal(size=(300, 3))
    pipeline = make_pipeline(StandardScaler(), cheap()).fit(numbers)
    assert set(pipeline.predict(numbers)) <= {-1, 1}
    model = cheap().fit(numbers)
    assert whole(clone(model).fit(numbers)) == whole(model)
    assert whole(pickle.loads(pickle.dumps(model)).partial_fit(numbers)) == whole(model.partial_fit(numbers))


def test_bytes_held_do_not_grow_with_the_stream() -> None:
    model = cheap().partial_fit(ROWS)
    before = model.nbytes
    for _ in range(5):
        model.partial_fit(ROWS)
    assert model.nbytes == before
    assert before.replay == 0


def test_nothing_learned_is_said_in_one_sentence() -> None:
    for model in (cheap(), cheap().partial_fit(ROWS[:20])):
        with pytest.raises(NotFittedError, match="has learned nothing yet"):
            model.predict(ROWS)
    with pytest.raises(NotFittedError, match="has seen no rows"):
        OnlineRBMDetector().save("model")


def test_a_file_of_another_model_is_refused() -> None:
    OnlineRBM(n_hidden=2, batch_size=5).partial_fit(np.eye(5)).save("other")
    with pytest.raises(CheckpointError, match="holds a OnlineRBM, not an OnlineRBMDetector"):
        OnlineRBMDetector.load("other")


def test_a_chunk_that_cannot_be_read_leaves_the_model_as_it_was() -> None:
    for n in (30, 130):
        model = cheap(encoder=TableEncoder(kinds={3: "number"})).partial_fit(ROWS[:n])
        before = whole(model)
        bad = ROWS[:3].copy()
        bad[1, 3] = "north"
        with pytest.raises(ValueError, match="north"):
            model.partial_fit(bad)
        assert whole(model) == before


USUAL = (pytest.approx(0.003), 300)


@pytest.mark.parametrize(
    ("on_drift", "answer"),
    [("nothing", USUAL), ("faster", (pytest.approx(0.009), 300)), ("fewer-dreams", (pytest.approx(0.003), 75))],
)
def test_a_drift_is_noticed_and_answered_as_asked_for_twenty_updates(on_drift: str, answer: object) -> None:
    rng = np.random.default_rng(0)
    rbm = OnlineRBM(32, recipe="tables", replay="generative")
    model = OnlineRBMDetector(rbm=rbm, on_drift=on_drift, random_state=0)  # type: ignore[arg-type]

    def next_update(mean: float, spread: float) -> tuple[float, int]:
        model.partial_fit(rng.normal(mean, spread, size=(100, 4)))
        assert model.rbm_.info_ is not None
        return model.rbm_.info_.learning_rate, model.rbm_.info_.n_replayed

    model.partial_fit(rng.normal(size=(5900, 4)))
    assert next_update(0, 1) == USUAL
    assert model.drift_.n_drifts == 0
    n_updates = 0
    while model.drift_.n_drifts == 0 and n_updates < 30:
        assert next_update(1.5, 1.5) == USUAL
        n_updates += 1
    assert n_updates <= 10
    assert [next_update(1.5, 1.5) for _ in range(20)] == [answer] * 20
    assert next_update(1.5, 1.5) == USUAL
    assert model.rbm_.recipe_ == rbm.recipe_  # the answer is not written into the model


@pytest.mark.parametrize("rbm", [OnlineRBM(4, recipe="paper"), OnlineRBM(4, recipe=PAPER.replace(n_cd=2))], ids=str)
def test_a_model_without_chains_is_refused_before_anything_is_learned(rbm: OnlineRBM) -> None:
    model = OnlineRBMDetector(rbm=rbm)
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match="persistent chains of its rbm, which has none"):
            learn(ROWS)
    assert not hasattr(model, "rbm_")


def test_the_objects_that_were_given_are_only_descriptions() -> None:
    encoder, rbm = TableEncoder(n_bins=3), OnlineRBM(4, recipe=SMALL_MODERN, batch_size=25)
    model = OnlineRBMDetector(encoder, rbm, warm_up=60, random_state=7).partial_fit(ROWS)
    assert (encoder.warm_up, rbm.random_state) == (500, None)
    assert not encoder.frozen_
    assert not hasattr(rbm, "state_")
    assert (model.encoder_.warm_up, model.rbm_.random_state) == (60, 7)
    assert model.dreams_ is model.rbm_.state_.chains


def test_rows_of_cells_one_by_one_give_what_a_table_gives() -> None:
    at_once, one_by_one = cheap().partial_fit(ROWS), cheap().partial_fit(ROWS[:60])
    for row in ROWS[60:]:
        expected = one_by_one.surprise(row[np.newaxis])[0]
        assert one_by_one.surprise_one(row) == pytest.approx(expected, rel=1e-9)
        one_by_one.learn_one(row)
    assert whole(one_by_one) == whole(at_once)
