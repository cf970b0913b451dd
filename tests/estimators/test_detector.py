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

from genreplay import CheckpointError, Dreams, Nothing, OnlineRBM, OnlineRBMDetector, Stored, TableEncoder, TableRBM
from genreplay.core.grouped import State, learner

Objects = npt.NDArray[np.object_]


def cheap(**params: Any) -> OnlineRBMDetector:
    rbm = TableRBM(4, n_first=2, batch_size=25, replay=Dreams(size=50, n_rows=25))
    return OnlineRBMDetector(**{"rbm": rbm, "warm_up": 60, "random_state": 0, **params})


@parametrize_with_checks(
    [
        OnlineRBMDetector(),
        OnlineRBMDetector(rbm=TableRBM(3, batch_size=5), contamination=0.2),
        OnlineRBMDetector(TableEncoder(n_bins=3), TableRBM(40, batch_size=5, replay=Stored(size=30))),
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


@pytest.mark.parametrize("warm_up", [1, 10, 60])
def test_the_rows_of_the_warm_up_have_no_score_and_all_others_do(warm_up: int) -> None:
    scores = cheap(warm_up=warm_up).learn_scored(ROWS)
    assert np.isnan(scores[:warm_up]).all()
    assert np.isfinite(scores[warm_up:]).all()


def test_a_row_is_scored_before_it_is_learned() -> None:
    model = cheap().partial_fit(ROWS[:200])
    expected = model.surprise(ROWS[200:224])
    np.testing.assert_allclose(expected, -np.log(model.p_values(ROWS[200:224])), rtol=1e-9)
    np.testing.assert_array_equal(model.learn_scored(ROWS[200:250])[:10], expected[:10])  # 15 of 25 rows waited


def test_every_row_is_accounted_for() -> None:
    model = cheap()
    for n in range(0, 250, 10):
        model.partial_fit(ROWS[n : n + 10])
        assert model.n_rows_seen_ == n + 10 == model.n_learned_ + model.n_waiting_
    assert (model.n_learned_, model.n_updates_) == (60 + 175, 1 + 7)
    assert model.partial_fit(ROWS[:7]).n_waiting_ == 22
    assert model.flush().n_waiting_ == 0
    assert model.n_learned_ == 257


def test_strange_rows_have_small_p_values_and_are_outliers() -> None:
    model = OnlineRBMDetector(random_state=0).partial_fit(table(6000))
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
    usual = model.explain(table(2000, seed=1)).mean(axis=0)
    assert np.abs(usual).max() < 0.1, "nats above what is usual in the column"


def test_dreams_come_back_as_rows_of_the_table() -> None:
    model = OnlineRBMDetector(random_state=0).partial_fit(table(6000))
    dreams = model.sample(300)
    assert dreams.shape == (300, 4)
    assert set(dreams[:, 0]) <= {"rain", "sun"}
    assert np.mean((dreams[:, 0] == "rain") == (dreams[:, 2] == True)) > 0.9  # noqa: E712 (a cell may be None)
    assert 10 < np.nanmean(dreams[:, 1].astype(float)) < 27
    assert pd.DataFrame(dreams).equals(pd.DataFrame(model.sample(300)))  # the model is not touched


def test_missing_cells_are_filled_and_others_left() -> None:
    model = OnlineRBMDetector(random_state=0).partial_fit(table(6000))
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
    assert model.nbytes._replace(codes=0, batch=0) == before._replace(codes=0, batch=0)
    assert model.nbytes.batch <= 2 * before.batch
    assert before.replay == 50 * 4, "a byte for each group of a dream"


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


@pytest.mark.parametrize(
    ("on_drift", "answer"), [("nothing", (0.005, 100)), ("faster", (0.015, 100)), ("fewer-dreams", (0.005, 25))]
)
def test_a_drift_is_noticed_and_answered_as_asked_for_twenty_updates(
    on_drift: str, answer: tuple[float, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, taken, update = np.random.default_rng(0), [], learner.update

    def noting(state: State, settings: TableRBM, *more: Any) -> State:
        taken.append((settings.learning_rate, settings.replay.n_rows))
        return update(state, settings, *more)

    rbm = TableRBM(8, learning_rate=0.005, replay=Dreams(n_rows=100))
    model = OnlineRBMDetector(rbm=rbm, on_drift=on_drift, random_state=0)  # type: ignore[arg-type]
    model.partial_fit(rng.normal(size=(6000, 4)))
    monkeypatch.setattr(learner, "update", noting)
    while model.drift_.n_drifts == 0 and len(taken) < 30:
        model.partial_fit(rng.normal(1, 1.3, size=(100, 4)))
    n_before = len(taken)
    assert n_before <= 10
    for _ in range(21):
        model.partial_fit(rng.normal(1, 1.3, size=(100, 4)))
    assert model.n_renewals_ == 0
    assert taken == [(0.005, 100)] * n_before + [pytest.approx(answer)] * 20 + [(0.005, 100)]
    assert model.rbm == rbm, "the answer is not written into the settings"


def test_the_objects_that_were_given_are_only_descriptions() -> None:
    encoder, rbm = TableEncoder(n_bins=3), TableRBM(4, batch_size=25)
    model = OnlineRBMDetector(encoder, rbm, warm_up=60, random_state=7).partial_fit(ROWS)
    assert encoder.warm_up == 500
    assert not encoder.frozen_
    assert model.encoder_.warm_up == 60
    assert rbm == TableRBM(4, batch_size=25)


def test_dreams_are_those_that_are_rehearsed() -> None:
    model = cheap().partial_fit(ROWS)
    assert model.dreams_ is model.judge_.state.rehearsed  # type: ignore[union-attr]
    assert model.dreams_.shape == (50, 4)
    assert len(cheap(rbm=TableRBM(4, replay=Nothing())).partial_fit(ROWS).dreams_) == 0


def test_rows_of_cells_one_by_one_give_what_a_table_gives() -> None:
    at_once, one_by_one = cheap().partial_fit(ROWS), cheap().partial_fit(ROWS[:60])
    for row in ROWS[60:]:
        expected = one_by_one.surprise(row[np.newaxis])[0]
        assert one_by_one.surprise_one(row) == pytest.approx(expected, rel=1e-9)
        one_by_one.learn_one(row)
    assert whole(one_by_one) == whole(at_once)
