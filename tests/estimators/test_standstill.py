"""Numbers that stand still: a plain reference, coincidences, habits, missing values, cuts, files, alarms."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from genreplay import series_detector
from genreplay.core.kernels import choice, running
from genreplay.estimators.deviations import Deviations
from genreplay.estimators.standstill import Standstill

RNG = np.random.default_rng(0)
NOISE = RNG.normal(size=3000)
HABIT = np.repeat(RNG.integers(10, size=600), RNG.integers(1, 40, size=600)).astype(float)[:3000]
"""stands still often, for as long as 39 rows and more"""


def nats(values: np.ndarray) -> np.ndarray:
    return Standstill.start(1).followed(np.asarray(values, dtype=float)[:, np.newaxis])[0][:, 0]


def reference(values: np.ndarray) -> list[float]:
    """The same, in words: runs are as long if they have as many binary digits."""
    found, ended, run = [], [], 0
    for i, value in enumerate(values):
        if i and value == values[i - 1]:
            run += 1
        elif i:
            ended.append(run)
            run = 0
        n_longer = sum(other.bit_length() >= run.bit_length() for other in ended)
        beyond = max(math.log((run + 1) / (max(ended, default=0) + 1)), 0)
        known = math.log((len(ended) + 1) / (n_longer + 1))
        found.append(known + min(beyond, math.log(len(ended) + 1)) if run >= 4 else 0.0)
    return found


@pytest.mark.parametrize(
    "values", [NOISE, HABIT, np.round(NOISE), np.zeros(100)], ids=["noise", "habit", "few", "flat"]
)
def test_the_surprise_is_that_of_the_longest_runs_so_far(values: np.ndarray) -> None:
    np.testing.assert_allclose(nats(values), reference(values), atol=1e-12)


def test_a_stuck_sensor_surprises_ever_more_and_a_coincidence_does_not() -> None:
    values = NOISE.copy()
    values[1000:1003] = values[1000]
    values[2000:2100] = values[2000]
    found = nats(values)
    assert not found[:2004].any()
    assert found[2004] > 8
    assert found[2099] > found[2010] > found[2004]
    assert not found[2100:].any()


def test_a_number_that_often_stands_still_may_do_so() -> None:
    assert nats(HABIT)[1000:].max() < 4


def test_a_line_that_was_always_flat_surprises_nobody() -> None:
    assert not nats(np.ones(5000)).any()


def test_missing_values_neither_repeat_nor_end_a_run() -> None:
    values = NOISE.copy()
    values[2000:2100] = values[2000]
    values[2010:2020] = np.nan
    found = nats(values)
    assert not found[2010:2020].any()
    assert found[2020] > found[2009] > 8


def test_however_the_rows_are_cut_the_result_is_the_same_to_the_bit_and_across_a_file() -> None:
    values = np.stack([NOISE, HABIT], axis=1)
    whole, after = Standstill.start(2).followed(values)
    state, parts = Standstill.start(2), []
    for part in np.split(values, [0, 1, 7, 1500]):
        found, state = Standstill.from_json(json.loads(json.dumps(state.to_json()))).followed(part)
        parts.append(found)
    np.testing.assert_array_equal(np.concatenate(parts), whole)
    assert state.to_json() == after.to_json()
    assert state.nbytes == after.nbytes


def test_the_compiled_loop_and_numpy_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    assert choice.compiled_loops() is not None
    compiled = nats(HABIT)
    monkeypatch.setattr(running, "compiled_loops", lambda: None)
    np.testing.assert_allclose(nats(HABIT), compiled, rtol=1e-14)


def test_a_stuck_sensor_raises_an_alarm_and_is_named() -> None:
    rows = RNG.normal(size=(4000, 3))
    rows[3000:3100, 1] = rows[3000, 1]
    found = series_detector(random_state=0).learn_judged(rows)
    [alarms] = np.nonzero(found.alarm[3000:3100])
    assert len(alarms) == 1
    assert found.column[3000 + alarms[0]] == 1


def test_a_stuck_sensor_raises_one_alarm_for_as_long_as_it_is_stuck_and_silences_no_other() -> None:
    rows = RNG.normal(size=(6000, 2))
    rows[3000:5500, 1] = rows[3000, 1]
    rows[4500:4510, 0] = 50 + RNG.normal(size=10)
    rows[5800:5900, 1] = rows[5800, 1]
    for cuts in ([], [3003, 3004, 3005, 3006, 4000, 4501, 5499]):
        policy, nothing = Deviations(quiet=0.01), np.zeros((6000, 1))
        nothing[4500:4510] = 20
        state, alarms = policy.start(1, 2), []
        for part, numbers in zip(np.split(nothing, cuts), np.split(rows, cuts), strict=True):
            found, state = policy.followed(state, part, numbers)
            alarms += list(zip(found.alarm, found.column, strict=True))
        assert [(i, int(column)) for i, (alarm, column) in enumerate(alarms) if alarm] == [
            (3004, 2),
            (4500, 0),
            (5804, 2),
        ]


def test_a_sensor_that_gets_stuck_right_after_an_alarm_of_another_is_told_as_well() -> None:
    policy, surprise, numbers = Deviations(), np.zeros((5000, 1)), RNG.normal(size=(5000, 2))
    surprise[3000:3010] = 20
    numbers[3005:4000, 1] = numbers[3005, 1]
    found, state = policy.followed(policy.start(1, 2), surprise, numbers)
    alarms = np.flatnonzero(found.alarm).tolist()
    assert alarms == [3000, 3000 + max(policy.scales) + 1]
    assert found.column[alarms].tolist() == [0, 2]
    assert not state.told.any()
    assert policy.followed(policy.start(1, 2), surprise[:3500], numbers[:3500])[1].told.tolist() == [False, True]


def test_a_policy_that_is_given_no_numbers_follows_the_surprise_alone() -> None:
    policy, surprise = Deviations(), RNG.exponential(size=(200, 1))
    alone, _ = policy.followed(policy.start(1), surprise)
    beside, _ = policy.followed(policy.start(1, 1), surprise, NOISE[:200, np.newaxis])
    np.testing.assert_array_equal(alone.anomaly, beside.anomaly)
