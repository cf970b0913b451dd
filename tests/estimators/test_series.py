"""A detector with alarms: what it returns, and that cuts, copies, files and single rows change nothing."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from genreplay import Deviations, OnlineRBMDetector, SeriesEncoder, TableEncoder, TableRBM, series_detector
from genreplay.core.grouped import learner
from genreplay.estimators import alarms
from genreplay.estimators import plain_detector as detector_module
from genreplay.estimators.calibration import Float64
from genreplay.estimators.judge import cell_surprise
from tests.estimators.snapshot import table_snapshot

N_ROWS, WARM_UP = 500, 150


def rows_of_a_series() -> pd.DataFrame:
    """A load with a daily rhythm that fails twice, noise, and a label."""
    rng, t = np.random.default_rng(0), np.arange(N_ROWS)
    load = 50 + 20 * np.sin(t * 2 * np.pi / 48) + rng.normal(size=N_ROWS)
    load[300:312] = 120
    load[450:] = -40
    times = np.datetime64("2014-04-01T00:00:00") + 1800 * t
    return pd.DataFrame({"when": times, "load": load, "noise": rng.uniform(size=N_ROWS), "shop": ["a", "b"] * 250})


ROWS = rows_of_a_series()


def cheap(**params: Any) -> OnlineRBMDetector:
    model = series_detector(warm_up=WARM_UP, alarms=Deviations(threshold=6.0), random_state=0)
    return model.set_params(rbm__n_hidden=4, rbm__n_first=2, **params)


LEARNED = cheap().partial_fit(ROWS[:WARM_UP])


def state(model: OnlineRBMDetector) -> dict[str, object]:
    """All that the detector has learned and follows."""
    return {**table_snapshot(model), "running": None if model._running is None else model._running.to_json()}


@parametrize_with_checks([series_detector(), OnlineRBMDetector(rbm=TableRBM(3, batch_size=5), alarms=Deviations((2,)))])
def test_scikit_learns_checks_pass(estimator: OnlineRBMDetector, check: Callable[[OnlineRBMDetector], None]) -> None:
    check(estimator)


def test_the_anomaly_is_that_of_the_policy_from_the_surprise_of_cells_before_they_are_learned(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cells: list[Float64] = []
    record = OnlineRBMDetector._cells_of

    def recorded(self: OnlineRBMDetector, rows: Any) -> Float64:
        cells.append(record(self, rows))
        return cells[-1]

    monkeypatch.setattr(OnlineRBMDetector, "_cells_of", recorded)
    model, policy = cheap(encoder__combinations=False), Deviations(threshold=6.0)
    model.partial_fit(ROWS[:WARM_UP])
    first = cell_surprise(model._judge().state, model.encoder_.codes(ROWS[:WARM_UP]))
    judged = model.learn_judged(ROWS[WARM_UP:])
    numbers = ROWS[["load", "noise"]].to_numpy()
    running = policy.warmed_up(first[:, 1:], numbers[:WARM_UP])  # behind the group of the time
    wanted, _ = policy.followed(running, np.concatenate(cells)[:, 1:], numbers[WARM_UP:])
    np.testing.assert_array_equal(judged.anomaly, wanted.anomaly)
    np.testing.assert_array_equal(judged.alarm, wanted.alarm)
    np.testing.assert_array_equal(judged.column, np.array([1, 2, 3, 1, 2])[wanted.column])


def test_the_surprise_of_a_number_has_that_of_its_residual_added() -> None:
    model = cheap().partial_fit(ROWS)
    judge, encoder = model._judge(), model.encoder_
    codes = encoder.codes(ROWS[:50])
    cells = cell_surprise(judge.state, codes)
    found = model._surprise(codes, cells)
    shares = -np.log(judge.state.counts + judge.state.prior)
    for number, (column, residual) in enumerate([(1, 4), (2, 5)]):  # groups: time, two numbers, shop, two residuals
        first, last = judge.state.offsets[[residual, residual + 1]]
        total = np.exp(-shares[first:last]).sum()
        rarity = shares[first + codes[:, residual]] + np.log(total)
        np.testing.assert_allclose(found[:, number], cells[:, column] + rarity)
    np.testing.assert_array_equal(found[:, 2], cells[:, 3])


def test_a_sensor_that_no_longer_goes_with_the_others_is_named_though_its_values_are_usual() -> None:
    rng = np.random.default_rng(0)
    x = np.cumsum(rng.normal(size=4000)) % 10
    rows = np.stack([x, 2 * x + 0.1 * rng.normal(size=4000), rng.normal(size=4000)], axis=1)
    rows[3000:3050, 1] = rows[1000:1050, 1]
    found = series_detector(random_state=0).learn_judged(rows)
    [alarms] = np.nonzero(found.alarm[3000:3050])
    assert len(alarms) == 1
    assert found.column[3000 + alarms[0]] in (0, 1)
    without = series_detector(random_state=0).set_params(encoder__combinations=False).learn_judged(rows)
    assert without.anomaly[3000:3050].max() < found.anomaly[3000:3050].max()


@settings(deadline=None, max_examples=15)
@given(st.lists(st.integers(1, N_ROWS - WARM_UP - 1), max_size=6))
def test_however_later_rows_are_cut_they_are_judged_alike_and_change_nothing(cuts: list[int]) -> None:
    later = ROWS[WARM_UP:]
    before, expected = state(LEARNED), LEARNED.judged(later)
    following = LEARNED.continuation()
    parts = [following.judged(later[a:b]) for a, b in pairwise([0, *sorted(set(cuts)), len(later)])]
    for found, wanted in zip(map(np.concatenate, zip(*parts, strict=True)), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert state(LEARNED) == before


def test_rows_that_are_judged_in_blocks_are_judged_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = LEARNED.judged(ROWS)
    monkeypatch.setattr(alarms, "ROWS_PER_BLOCK", 7)
    for found, wanted in zip(LEARNED.judged(ROWS), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_the_next_rows_are_judged_as_when_they_are_learned_until_the_next_update() -> None:
    model = cheap().partial_fit(ROWS[:297])
    n_same = model._settings.batch_size - model.n_waiting_
    assert 3 < n_same < 20
    judged, learned = model.judged(ROWS[297:]), deepcopy(model).learn_judged(ROWS[297:])
    for one, other in zip(judged, learned, strict=True):
        np.testing.assert_array_equal(one[:n_same], other[:n_same])
    assert judged.alarm[:n_same].any()
    assert not np.array_equal(judged.anomaly, learned.anomaly)


def test_a_threshold_that_was_changed_counts_for_the_next_rows() -> None:
    model = cheap().partial_fit(ROWS[:290])
    assert model.judged(ROWS[290:]).alarm.any()
    assert not model.set_params(alarms__threshold=1e6).judged(ROWS[290:]).alarm.any()
    with pytest.raises(ValueError, match="cannot change the scales of its alarms"):
        model.set_params(alarms__scales=(1, 2)).judged(ROWS[290:])


def test_rows_cannot_be_judged_before_anything_is_learned() -> None:
    for model in (cheap(), cheap().partial_fit(ROWS[:50])):
        with pytest.raises(NotFittedError, match="has learned nothing yet"):
            model.judged(ROWS)


@pytest.mark.parametrize("n_before", [WARM_UP, 295, 303])
def test_a_single_row_is_judged_as_the_next_one_and_changes_nothing(n_before: int) -> None:
    rows = ROWS.to_numpy()
    model = cheap().partial_fit(rows[:n_before])
    before = state(model)
    for row in ([None, 50.0, 0.5, "a"], rows[n_before].tolist(), [None, 1e6, None, "c"]):
        assert model.anomaly_one(row) == model.judged([row]).anomaly[0]
    assert state(model) == before


def test_rows_that_are_learned_one_by_one_say_whether_they_raised_an_alarm() -> None:
    chunk, single = cheap().partial_fit(ROWS[:WARM_UP]), cheap().partial_fit(ROWS[:WARM_UP])
    wanted = chunk.learn_judged(ROWS[WARM_UP:])
    found = [(single.anomaly_one(row), single.learn_one(row).alarm_) for row in ROWS[WARM_UP:].to_numpy().tolist()]
    np.testing.assert_allclose([anomaly for anomaly, _ in found], wanted.anomaly, atol=1e-6)
    assert [alarm for _, alarm in found] == wanted.alarm.tolist()
    assert wanted.alarm.any()


def test_rows_of_the_warm_up_have_no_anomaly_and_all_others_a_finite_one() -> None:
    judged = cheap().learn_judged(ROWS)
    assert np.isnan(judged.anomaly[:WARM_UP]).all()
    assert np.isfinite(judged.anomaly[WARM_UP:]).all()
    assert not judged.alarm[:WARM_UP].any()
    assert (judged.column[:WARM_UP] == -1).all()
    assert (judged.column[WARM_UP:] >= 1).all()  # never the time


def test_failures_of_a_column_raise_an_alarm_that_names_it() -> None:
    judged = cheap().learn_judged(ROWS)
    for first in (300, 450):
        found = np.flatnonzero(judged.alarm[first : first + 5])
        assert len(found) == 1
        assert judged.column[first + found[0]] == 1


@settings(deadline=None, max_examples=15)
@given(st.lists(st.integers(1, N_ROWS - 1), max_size=6))
def test_however_a_series_is_cut_the_anomaly_and_the_state_are_the_same(cuts: list[int]) -> None:
    whole, parts = cheap(), cheap()
    expected = whole.learn_scored(ROWS)
    edges = [0, *sorted(set(cuts)), N_ROWS]
    found = [parts.learn_scored(ROWS[a:b]) for a, b in pairwise(edges)]
    np.testing.assert_array_equal(np.concatenate(found), expected)
    assert state(parts) == state(whole)


def test_single_rows_are_followed_as_chunks_are() -> None:
    chunk, single = cheap().partial_fit(ROWS[:WARM_UP]), cheap().partial_fit(ROWS[:WARM_UP])
    chunk.partial_fit(ROWS[WARM_UP:])
    for row in ROWS[WARM_UP:].itertuples(index=False):
        single.learn_one(tuple(row))
    assert state(single)["running"] == state(chunk)["running"]


@pytest.mark.parametrize("n_before", [60, 150, 155, 305])
@pytest.mark.parametrize("again", ["file", "pickle", "deepcopy"])
def test_a_copy_goes_on_to_the_bit(n_before: int, again: str, tmp_path: Path) -> None:
    model = cheap().partial_fit(ROWS[:n_before])
    if again == "file":
        model.save(tmp_path / "model.safetensors")
        copy = OnlineRBMDetector.load(tmp_path / "model.safetensors")
        assert isinstance(copy.encoder_, SeriesEncoder)
        assert copy.alarms == model.alarms
    else:
        copy = pickle.loads(pickle.dumps(model)) if again == "pickle" else deepcopy(model)
    one, other = (each.learn_judged(ROWS[n_before:]) for each in (model, copy))
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)
    assert state(copy) == state(model)


def test_a_clone_has_the_settings_but_nothing_learned() -> None:
    model = cheap().partial_fit(ROWS)
    again = clone(model)
    assert again.alarms == model.alarms
    assert not hasattr(again, "judge_")
    assert again._running is None
    assert state(again.partial_fit(ROWS)) == state(model)


def test_all_rows_of_a_series_teach_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    taught: list[Float64] = []

    class Recorded:
        @staticmethod
        def update(state: Any, settings: Any, rows: Any, p_values: Float64) -> Any:
            taught.append(p_values)
            return learner.update(state, settings, rows, p_values)

    monkeypatch.setattr(detector_module, "learner", Recorded)
    cheap().partial_fit(ROWS)
    assert (np.concatenate(taught) == 1).all()
    taught.clear()
    cheap(alarms=None).partial_fit(ROWS)
    assert (np.concatenate(taught) < 1).any()


def test_without_alarms_nothing_is_followed() -> None:
    model = cheap(alarms=None)
    scores = model.learn_scored(ROWS)
    assert model._running is None
    assert (scores[WARM_UP:] >= 0).all()
    for call in (model.learn_judged, model.judged, model.anomaly_one):
        with pytest.raises(ValueError, match=f"{call.__name__} needs the 'alarms' parameter of OnlineRBMDetector"):
            call(ROWS)


def test_the_threshold_may_change_in_mid_stream_but_not_what_is_followed() -> None:
    model = cheap().partial_fit(ROWS[:200])
    assert model.set_params(alarms__threshold=1e6).learn_judged(ROWS[200:400]).alarm.sum() == 0
    before = state(model)
    for change in ({"alarms__scales": (1, 2)}, {"alarms": None}):
        held = model.alarms
        with pytest.raises(ValueError, match="cannot change the scales of its alarms, nor whether it has alarms"):
            model.set_params(**change).partial_fit(ROWS[400:])
        assert state(model.set_params(alarms=held)) == before
    model.partial_fit(ROWS[400:])


def test_the_kind_of_encoder_cannot_change_in_the_warm_up() -> None:
    model = cheap().partial_fit(ROWS[:50])
    with pytest.raises(ValueError, match="cannot change its warm_up, nor its encoder after the warm-up"):
        model.set_params(encoder=TableEncoder(combinations=False, n_bins=24)).partial_fit(ROWS[50:])


def test_what_is_followed_counts_and_does_not_grow() -> None:
    model = cheap().partial_fit(ROWS[:200])
    held = model.nbytes.judge
    assert held - model._judge().nbytes == model._running.nbytes > 0  # type: ignore[union-attr]
    assert model.partial_fit(ROWS[200:400]).nbytes.judge == held


def test_a_stream_of_times_alone_has_no_anomaly() -> None:
    judged = cheap().learn_judged(ROWS[["when"]])
    assert (judged.anomaly[WARM_UP:] == 0).all()
    assert (judged.column == -1).all()


def test_a_series_that_moves_for_good_gets_new_codes_and_is_followed_on() -> None:
    values = np.random.default_rng(0).uniform(size=(3000, 1))
    values[500:] += 1000
    model = cheap()
    judged = model.learn_judged(values)
    assert model.n_renewals_ == 1
    assert judged.alarm[500]
    assert np.isfinite(judged.anomaly[WARM_UP:]).all()


def test_a_bad_policy_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="The 'alarms' parameter of OnlineRBMDetector must be an instance of"):
        OnlineRBMDetector(alarms="deviations").fit(ROWS)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["normal", "exponential", "walk"])
def test_few_rows_of_a_series_in_which_nothing_happens_raise_an_alarm(kind: str) -> None:
    rng, n = np.random.default_rng(0), 21_000
    values = 0.05 * np.cumsum(rng.normal(size=n)) if kind == "walk" else getattr(rng, kind)(size=n)
    judged = series_detector(warm_up=1_000, random_state=0).learn_judged(values[:, np.newaxis])
    assert judged.alarm.sum() <= 20  # one in 1,000; measured: 7 to 11
