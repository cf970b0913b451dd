"""A series as a picture: its blocks, its windows, and the alarms that count."""

from __future__ import annotations

import json

import numpy as np
import pytest

from genreplay.datasets import nab
from genreplay.datasets.nab import Series
from genreplay.estimators.deviations import Followed
from genreplay.experiments.nab.pictures import LEVELS, N_BLOCKS, picture

N_ROWS, N_FIRST = 1_007, 100


def series(values: np.ndarray | None = None, windows: tuple[tuple[int, int], ...] = ()) -> Series:
    times = np.datetime64("2014-04-01T00:00:00") + 60 * np.arange(N_ROWS)
    values = np.zeros(N_ROWS) if values is None else values
    return nab.make("made up/a.csv", times, values, list(windows), probation=150)


def judged(*alarms: int, anomaly: float = 0.0) -> Followed:
    """Rows behind a warm-up, with alarms in these rows of the series and this anomaly in all."""
    n = N_ROWS - N_FIRST
    return Followed(np.full(n, anomaly), np.isin(np.arange(N_FIRST, N_ROWS), alarms), np.zeros(n, dtype=np.int64))


def test_every_row_is_in_one_block_and_the_blocks_are_equally_long() -> None:
    """A spike in any row is seen in the block in which the row lies, and in no other."""
    for row in range(N_ROWS):
        values = np.zeros(N_ROWS)
        values[row] = 1
        high = np.array(picture(series(values), judged())["high"])
        assert np.flatnonzero(high).tolist() == [row * N_BLOCKS // N_ROWS]


def test_a_block_has_its_lowest_and_highest_value_in_levels_of_the_whole_range() -> None:
    values = np.full(N_ROWS, 5.0)
    values[0], values[-1] = -15, 25
    seen = picture(series(values), judged())
    assert (seen["lowest"], seen["highest"]) == (-15, 25)
    assert (seen["low"][0], seen["high"][0]) == (0, LEVELS // 2)
    assert (seen["low"][-1], seen["high"][-1]) == (LEVELS // 2, LEVELS)


def test_a_constant_series_has_a_picture() -> None:
    seen = picture(series(), judged())
    assert seen["low"] == seen["high"] == [0] * N_BLOCKS


def test_a_series_shorter_than_the_blocks_has_a_block_for_each_row() -> None:
    times = np.datetime64("2014-04-01T00:00:00") + np.arange(20)
    short = nab.make("made up/a.csv", times, np.arange(20.0), [])
    seen = picture(short, Followed(np.arange(10.0), np.zeros(10, dtype=bool), np.zeros(10, dtype=np.int64)))
    assert seen["anomaly"] == [0.0] * 10 + list(range(10))


@pytest.mark.parametrize(("anomaly", "shown"), [(3.14159, 3.1), (-2.0, 0.0)])
def test_the_anomaly_is_rounded_and_not_negative_and_none_in_the_warm_up(anomaly: float, shown: float) -> None:
    seen = picture(series(), judged(anomaly=anomaly))["anomaly"]
    n_before = N_FIRST * N_BLOCKS // N_ROWS
    assert seen == [0.0] * n_before + [shown] * (N_BLOCKS - n_before)


def test_windows_say_whether_they_have_an_alarm_and_alarms_whether_they_are_false() -> None:
    seen = picture(series(windows=((200, 299), (500, 599), (700, 749))), judged(199, 200, 250, 599, 800))
    assert seen["windows"] == [[0.1986, 0.2979, True], [0.4965, 0.5958, True], [0.6951, 0.7448, False]]
    assert seen["alarms_in_windows"] == [0.1986, 0.2483, 0.5948]
    assert seen["false_alarms"] == [0.1976, 0.7944]


def test_what_lies_in_the_probationary_period_does_not_count() -> None:
    seen = picture(series(windows=((110, 120), (140, 160))), judged(115, 130, 145))
    assert seen["windows"] == [[0.149, 0.1599, False]]
    assert seen["alarms_in_windows"] == seen["false_alarms"] == []


def test_58_pictures_take_less_than_250_kb() -> None:
    rng = np.random.default_rng(0)
    noise = Followed(rng.exponential(5, N_ROWS), np.arange(N_ROWS) % 50 == 0, np.zeros(N_ROWS, dtype=np.int64))
    seen = picture(series(rng.normal(size=N_ROWS), windows=((200, 299), (500, 599))), noise)
    assert 58 * len(json.dumps(seen)) < 250_000
