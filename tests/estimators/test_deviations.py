"""Alarms in a series: a plain reference, any cut of the stream, quiet times, several columns, files."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genreplay.core.ingredient import from_json
from genreplay.core.kernels import choice, running
from genreplay.estimators.calibration import MEMORY
from genreplay.estimators.deviations import Deviations, Followed, Running

SURPRISE = np.random.default_rng(0).exponential(size=(700, 3))
SURPRISE[300:310, 2] += 4
SURPRISE[330:340, 1] += 6
SURPRISE[500:, 0] += 3


def reference(policy: Deviations, surprise: np.ndarray) -> list[tuple[float, bool, int]]:
    """The same, row by row and in words."""
    found: list[tuple[float, bool, int]] = []
    quiet_until = [0] * surprise.shape[1]
    seen: dict[tuple[int, int], list[float]] = {}
    for t in range(len(surprise)):
        deviations = []
        for column in range(surprise.shape[1]):
            total = 0.0
            for scale in policy.scales:
                x = float(np.mean(surprise[max(0, t + 1 - scale) : t + 1, column]))
                earlier = seen.setdefault((column, scale), [])
                if t >= 20:
                    total += (x - float(np.mean(earlier))) / (float(np.std(earlier)) + 0.3)
                earlier.append(x)
            deviations.append(total - math.log(surprise.shape[1]))
        column = int(np.argmax(deviations))
        deviates = deviations[column] >= policy.threshold
        alarm = deviates and quiet_until[column] <= t
        if alarm:
            n_quiet = int(policy.quiet * (t + 1))
            for c, each in enumerate(deviations):
                n_rows = n_quiet if each >= policy.threshold else min(n_quiet, max(policy.scales))
                quiet_until[c] = max(quiet_until[c], t + 1 + n_rows)
        found.append((0.99 * policy.threshold if deviates and not alarm else deviations[column], alarm, column))
    return found


def followed_in_parts(policy: Deviations, surprise: np.ndarray, cuts: list[int]) -> tuple[Followed, Running]:
    state, parts = policy.start(surprise.shape[1]), []
    for part in np.split(surprise, sorted(cuts)):
        found, state = policy.followed(state, part)
        parts.append(found)
    return Followed(*map(np.concatenate, zip(*parts, strict=True))), state


@pytest.mark.parametrize(
    "policy", [Deviations(), Deviations((1,), 5, 0), Deviations((2, 9), 4, 0.2), Deviations((30,), 1.5, 0.3)], ids=str
)
def test_rows_are_judged_as_a_plain_loop_judges_them(policy: Deviations) -> None:
    found, _ = policy.followed(policy.start(3), SURPRISE)
    anomaly, alarm, column = map(np.array, zip(*reference(policy, SURPRISE), strict=True))
    np.testing.assert_allclose(found.anomaly, anomaly, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(found.alarm, alarm)
    np.testing.assert_array_equal(found.column, column)
    assert found.alarm.sum() >= 2
    np.testing.assert_array_equal(found.alarm, found.anomaly >= policy.threshold)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 700), max_size=8))
def test_however_the_stream_is_cut_the_rows_are_judged_alike_to_the_bit(cuts: list[int]) -> None:
    policy = Deviations(threshold=6, quiet=0.1)
    whole, at_once = policy.followed(policy.start(3), SURPRISE)
    parts, state = followed_in_parts(policy, SURPRISE, cuts)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one, other)
    assert state.to_json() == at_once.to_json()


def test_row_by_row_is_the_same_as_all_at_once() -> None:
    policy = Deviations()
    whole, at_once = policy.followed(policy.start(3), SURPRISE)
    parts, state = followed_in_parts(policy, SURPRISE, list(range(1, 700)))
    np.testing.assert_array_equal(whole.anomaly, parts.anomaly)
    assert state.to_json() == at_once.to_json()


def test_the_compiled_loop_and_numpy_agree_to_the_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    policy = Deviations()
    compiled, _ = policy.followed(policy.start(3), SURPRISE)
    assert choice.compiled_loops() is not None
    monkeypatch.setattr(running, "compiled_loops", lambda: None)
    plain, _ = policy.followed(policy.start(3), SURPRISE)
    np.testing.assert_array_equal(compiled.anomaly, plain.anomaly)


def test_a_row_is_blamed_on_the_column_that_deviates_most() -> None:
    found, _ = Deviations().followed(Deviations().start(3), SURPRISE)
    assert found.column[309] == 2
    assert found.column[339] == 1
    alone, _ = Deviations().followed(Deviations().start(1), SURPRISE[:, 2:])
    np.testing.assert_allclose(alone.anomaly[301:303], found.anomaly[301:303] + math.log(3), rtol=1e-12)


def test_after_an_alarm_there_is_none_for_a_share_of_the_rows_so_far() -> None:
    surprise = np.zeros((1000, 1))
    surprise[[400, 419, 421, 423]] = 100
    found, state = Deviations((1,), 8, 0.05).followed(Deviations((1,)).start(1), surprise)
    assert np.flatnonzero(found.alarm).tolist() == [400, 421]  # 5 % of 401 rows are 20
    assert found.anomaly[419] == 0.99 * 8
    assert not state.quiet.any()


def test_a_column_may_raise_an_alarm_soon_after_another_but_not_for_the_same_event() -> None:
    surprise = np.zeros((2000, 3))
    surprise[1000] = [100, 90, 0]  # two columns, one event: both are quiet for 50 rows
    surprise[1003, 2] = 100  # deviates from 1003 to 1006, but the longest scale has 4 rows
    surprise[1030] = [100, 0, 50]  # the first column deviates most, and is quiet
    found, _ = Deviations((1, 4), 8, 0.05).followed(Deviations((1, 4)).start(3), surprise)
    assert list(zip(np.flatnonzero(found.alarm).tolist(), found.column[found.alarm].tolist(), strict=True)) == [
        (1000, 0),
        (1005, 2),
    ]


def test_quiet_time_is_limited_by_the_memory() -> None:
    far = replace(Deviations((1,)).start(1), n=10**9)
    surprise = np.array([[100.0], [0.0]])
    _, state = Deviations((1,), 8, 0.05).followed(far, surprise)
    assert state.quiet.tolist() == [int(0.05 * MEMORY) - 1]


def test_the_running_means_forget_what_is_older_than_the_memory() -> None:
    policy = Deviations((1,))
    surprise = np.concatenate([np.full((MEMORY, 1), 9.0), np.full((8 * MEMORY, 1), 1.0)])
    state = policy.followed(policy.start(1), surprise)[1]
    assert state.mean[0, 0] == pytest.approx(1 + 8 * math.exp(-8), rel=1e-3)


def test_first_rows_raise_no_alarm_and_leave_no_quiet_time() -> None:
    policy, surprise = Deviations(quiet=1), SURPRISE[:320]
    warm, cold = policy.warmed_up(surprise), policy.followed(policy.start(3), surprise)[1]
    assert not warm.quiet.any()
    assert cold.quiet.all()
    np.testing.assert_array_equal(warm.mean, cold.mean)


def test_before_twenty_rows_nothing_deviates() -> None:
    found, _ = Deviations().followed(Deviations().start(1), np.arange(30.0)[:, np.newaxis] ** 2)
    assert (found.anomaly[:20] == 0).all()
    assert found.anomaly[20] > 0


def test_without_columns_there_is_nothing_to_blame() -> None:
    found, state = Deviations().followed(Deviations().start(0), np.empty((30, 0)))
    assert not found.anomaly.any()
    assert not found.alarm.any()
    assert (found.column == -1).all()
    assert Running.from_json(json.loads(json.dumps(state.to_json()))).mean.shape == (3, 0)


@pytest.mark.parametrize("scales", [(1,), (1, 4, 16)])
def test_the_state_goes_on_from_a_file_to_the_bit(scales: tuple[int, ...]) -> None:
    policy = Deviations(scales)
    state = policy.followed(policy.start(3), SURPRISE[:333])[1]
    again = Running.from_json(json.loads(json.dumps(state.to_json())))
    one, other = (policy.followed(each, SURPRISE[333:])[0] for each in (state, again))
    np.testing.assert_array_equal(one.anomaly, other.anomaly)
    assert again.nbytes == state.nbytes


def test_the_settings_go_to_a_file_and_back() -> None:
    policy = Deviations(scales=(2, 3), threshold=5)
    assert from_json(json.loads(json.dumps(policy.to_json()))) == policy
    assert hash(from_json(policy.to_json())) == hash(policy)
    assert repr(policy) == "Deviations(scales=(2, 3), threshold=5)"
    assert policy.replace(quiet=0.5).quiet == 0.5


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("scales", value) for value in ((), (0,), (1.5,), (1, 1), 3, "148", None)],
        *[("threshold", value) for value in (0, -1, math.inf, "8", True)],
        *[("quiet", value) for value in (-0.1, 1.1, math.nan, None)],
    ],
)
def test_a_bad_setting_is_refused_by_name_and_value(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"The '{name}' setting of Deviations must be .* Got .* instead"):
        Deviations(**{name: value})  # type: ignore[arg-type]
