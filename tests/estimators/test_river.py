from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest

river = pytest.importorskip("river")

from river import datasets  # noqa: E402
from river.checks import yield_checks  # noqa: E402

from genreplay import OnlineRBMDetector, series_detector  # noqa: E402
from genreplay.estimators.river import RBMDetector  # noqa: E402

datasets.CreditCard = datasets.Shuttle  # River's checks would download the one; the other is bundled


TABLE, SERIES = RBMDetector._unit_test_params()


def model(params: dict[str, Any] = TABLE) -> RBMDetector:
    return RBMDetector(**params)


CHECKS = {  # a check holds rows that it gives only once
    f"{check.__name__}-{kind}": (check, params)
    for kind, params in (("table", TABLE), ("series", SERIES))
    for check in yield_checks(model(params))
}


@pytest.mark.parametrize(("check", "params"), CHECKS.values(), ids=CHECKS)
def test_a_check_of_rivers_passes(check: Callable[[RBMDetector], None], params: dict[str, Any]) -> None:
    check(model(params))


def test_river_checks_the_whole_detector() -> None:
    assert {"check_roc_auc", "check_shuffle_features_no_impact", "check_emerging_features"} <= {
        check.__name__ for check in yield_checks(model())
    }


def rows(n: int, seed: int = 0) -> list[dict[object, object]]:
    rng = random.Random(seed)
    return [{"speed": rng.gauss(50, 5), "gear": rng.choice("234"), 7: rng.random() < 0.5} for _ in range(n)]


def learned(n: int = 2000) -> RBMDetector:
    detector = RBMDetector(OnlineRBMDetector(warm_up=200), seed=0)
    for row in rows(n):
        detector.learn_one(row)
    return detector


def test_what_is_strange_scores_above_what_is_usual() -> None:
    detector = learned()
    usual = [detector.score_one(row) for row in rows(200, seed=1)]
    assert detector.score_one({"speed": 200.0, "gear": "3", 7: True}) > sorted(usual)[-4]
    assert detector.score_one({"speed": 50.0, "gear": "reverse", 7: True}) > sorted(usual)[-20]


def test_missing_new_and_unreadable_features_are_borne() -> None:
    detector = learned()
    for odd in ({}, {"speed": 50.0}, {"speed": "fast", "gear": 3, 7: None}, {"speed": float("inf"), "wind": 3}):
        assert detector.score_one(odd) >= 0
        detector.learn_one(odd)


def test_a_stream_without_features_is_borne() -> None:
    detector = RBMDetector(OnlineRBMDetector(warm_up=3))
    for _ in range(10):
        detector.learn_one({})
        assert detector.score_one({"a": 1}) == 0


def test_the_same_seed_gives_the_same_scores_and_a_pickled_model_goes_on_alike() -> None:
    first, second = learned(), learned()
    again = pickle.loads(pickle.dumps(first))
    for row in rows(300, seed=2):
        assert first.score_one(row) == second.score_one(row) == again.score_one(row)
        for each in (first, second, again):
            each.learn_one(row)


def test_a_row_that_was_scored_is_learned_as_one_that_was_not() -> None:
    rng = np.random.default_rng(0)
    rows = [{"x": float(x), "y": bool(x > 0), "z": "ab"[int(x > 1)]} for x in rng.normal(size=700)]
    scored, unscored = (RBMDetector(OnlineRBMDetector(warm_up=100), seed=1) for _ in range(2))
    for i, row in enumerate(rows):
        for _ in range(i % 3):
            scored.score_one(row)
            scored.score_one({**row, "x": 9.0})
        scored.learn_one(row)
        unscored.learn_one(row)
    assert scored.score_one(rows[0]) == unscored.score_one(rows[0])
    one, other = (each._started for each in (scored, unscored))
    assert one is not None
    assert other is not None
    assert one.judge_ is not None
    assert other.judge_ is not None
    np.testing.assert_array_equal(one.judge_.state.rbm.W, other.judge_.state.rbm.W)


def test_a_row_that_is_equal_but_of_other_types_is_not_taken_for_the_last_one() -> None:
    detector = OnlineRBMDetector(warm_up=50, random_state=0).fit(np.arange(200.0).reshape(-1, 2))
    detector.surprise_one([1.0, 1])
    with pytest.raises(ValueError, match="True is not a number"):
        detector.learn_one([1.0, True])


def series(n: int) -> list[dict[str, object]]:
    """A load with a daily rhythm that jumps at row 300, and the time, of which some are missing."""
    rng = np.random.default_rng(0)
    load = 50 + 20 * np.sin(np.arange(n) * 2 * np.pi / 48) + rng.normal(size=n)
    load[300:310] = 150
    first = datetime(2014, 4, 1)
    return [{"load": x, "when": first + timedelta(minutes=30 * i)} for i, x in enumerate(load.tolist()) if i % 97]


def test_the_score_in_a_series_is_the_anomaly_that_learning_in_chunks_gives() -> None:
    rows = series(500)
    detector = RBMDetector(series_detector(warm_up=150), seed=3)
    scores, alarms = [], []
    for row in rows:
        scores.append(detector.score_one(row))
        detector.learn_one(row)
        alarms.append(detector.alarm)
    wanted = series_detector(warm_up=150, random_state=3).learn_judged([[row["load"], row["when"]] for row in rows])
    assert scores[:150] == [0.0] * 150
    np.testing.assert_allclose(scores[150:], wanted.anomaly[150:], atol=1e-6)
    assert alarms == wanted.alarm.tolist()
    assert any(alarms)


def test_scores_change_nothing_in_a_series() -> None:
    rows = series(400)
    asked, unasked = (RBMDetector(series_detector(warm_up=150), seed=3) for _ in range(2))
    for i, row in enumerate(rows):
        for _ in range(i % 3):
            asked.score_one({"load": 1e3})
            asked.score_one(row)
        asked.learn_one(row)
        unasked.learn_one(row)
        assert asked.alarm == unasked.alarm
    assert asked.score_one(rows[-1]) == unasked.score_one(rows[-1])


def test_an_alarm_in_a_table_is_a_row_with_a_p_value_of_at_most_the_contamination() -> None:
    detector = learned()
    assert not learned(10).alarm, "in the warm-up"
    for row in (*rows(50, seed=4), {"speed": 200.0, "gear": "R", 7: None}):
        score = detector.score_one(row)
        detector.learn_one(row)
        assert detector.alarm == (np.exp(-score) <= 0.01)
    assert detector.alarm


HOSTILE = [
    *[{"speed": [1]}, {"gear": {"x": 1}}, {"speed": 10**400}, {"speed": -(10**400)}, {"speed": object()}],
    *[{"speed": 1 + 2j}, {"gear": b"\xff"}, {"gear": "\ud800"}, {"gear": "x" * 10**6}, {"speed": float("inf")}],
    *[{1: 2.0, "speed": 50.0}, {None: 1}, {(1, "x"): 1, ("x", 1): 2}, {2.5: 1, (1, 2): 3, "": 4}],
]


@pytest.mark.parametrize("params", [TABLE, SERIES], ids=["table", "series"])
@pytest.mark.parametrize("bad", HOSTILE, ids=lambda bad: str(bad)[:30])
def test_one_bad_dict_breaks_nothing(bad: dict[Any, Any], params: dict[str, Any]) -> None:
    in_the_warm_up, later = model(params), model(params)
    for i, row in enumerate(rows(120)):
        in_the_warm_up.learn_one(bad if i == 7 else row)
        later.learn_one(bad if i == 70 else row)
    for detector in (in_the_warm_up, later):
        assert detector._started is not None
        assert detector._started.n_rows_seen_ == 120
        assert np.isfinite([detector.score_one(row) for row in (bad, *rows(5, seed=1))]).all()


def test_names_of_mixed_types_have_one_order() -> None:
    names: list[Any] = ["a", (1, "x"), ("x", 1), 3, None, 2.5, "b"]
    scores = []
    for order in (names, names[::-1]):
        detector = model()
        for row in np.random.default_rng(0).normal(size=(100, len(names))).tolist():
            cells = dict(zip(names, row, strict=True))
            detector.learn_one({name: cells[name] for name in order})
        scores.append(detector.score_one(cells))
    assert scores[0] == scores[1]
