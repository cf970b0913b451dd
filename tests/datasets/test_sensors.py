from __future__ import annotations

import numpy as np
import pytest

from genreplay.datasets import DatasetError
from genreplay.datasets.faults import hours_and_weekdays
from genreplay.datasets.sensors import COLUMNS, KINDS, SENSORS, Event, SensorSeries, sensors

DAY = 288


@pytest.fixture(scope="module")
def series() -> SensorSeries:
    return sensors()


@pytest.fixture(scope="module")
def flawless() -> SensorSeries:
    """The same rows before any fault was put into them."""
    return sensors(n_each=0)


def values(series: SensorSeries) -> np.ndarray:
    return series.rows[:, 1:].astype(float)


def of_kind(series: SensorSeries, kind: str) -> list[tuple[Event, int]]:
    """The faults of a kind, each with the column of its sensor among the values."""
    return [(event, SENSORS.index(event.sensor)) for event in series.events if event.kind == kind]


def test_every_kind_of_fault_comes_once_in_every_sensor(series: SensorSeries) -> None:
    assert sorted((event.kind, event.sensor) for event in series.events) == sorted(
        (kind, sensor) for kind in KINDS for sensor in SENSORS
    )


def test_a_few_percent_of_the_rows_are_faulty_none_of_them_in_the_first_week(series: SensorSeries) -> None:
    faulty = series.kinds != ""
    assert not faulty[: 7 * DAY].any()
    assert 0.06 < faulty.mean() < 0.09
    assert ((series.faulty_sensors != "") == faulty).all()


def test_there_is_at_least_a_day_between_two_faults(series: SensorSeries) -> None:
    for one, next_one in zip(series.events, series.events[1:], strict=False):
        assert next_one.first - (one.first + one.n_rows) >= DAY


def test_only_the_sensor_at_fault_is_changed(series: SensorSeries, flawless: SensorSeries) -> None:
    changed = values(series) != values(flawless)
    named = np.array(SENSORS)[np.newaxis] == series.faulty_sensors[:, np.newaxis]
    assert not changed[~named].any()
    assert changed[named].mean() > 0.9


def test_the_same_seed_gives_the_same_series_and_another_one_another() -> None:
    one, again, other = (sensors(6_000, seed=seed, n_each=1) for seed in (3, 3, 4))
    assert (one.rows == again.rows).all()
    assert one.events == again.events
    assert (one.rows[:, 1:] != other.rows[:, 1:]).any()


def test_spikes_are_short_and_far_away(series: SensorSeries, flawless: SensorSeries) -> None:
    usual = values(flawless)
    for event, column in of_kind(series, "spike"):
        gap = np.abs(values(series) - usual)[event.rows, column] / usual[:, column].std()
        assert 1 <= event.n_rows <= 3
        assert 3.9 < gap.min() <= gap.max() < 8.1


def test_a_drift_grows_evenly_to_one_to_three_deviations(series: SensorSeries, flawless: SensorSeries) -> None:
    usual = values(flawless)
    for event, column in of_kind(series, "drift"):
        gap = (values(series) - usual)[event.rows, column] / usual[:, column].std()
        assert 48 <= event.n_rows <= 96
        assert 0.95 < abs(gap[-1]) < 3.05
        np.testing.assert_allclose(gap, gap[-1] * np.arange(1, len(gap) + 1) / len(gap), atol=0.05)


def test_a_stuck_sensor_repeats_the_value_before(series: SensorSeries) -> None:
    for event, column in of_kind(series, "stuck"):
        assert 24 <= event.n_rows <= 48
        assert set(values(series)[event.rows, column]) == {values(series)[event.first - 1, column]}


def test_with_a_broken_correlation_values_are_usual_for_the_hour() -> None:
    series = sensors(60_000, seed=1, n_each=18)  # three faults of each sensor, so that means say something
    hours, weekdays = hours_and_weekdays(series.rows[:, 0])
    x, usual = values(series), series.kinds == ""
    deviations = []
    for event, column in of_kind(series, "broken correlation"):
        for row in range(event.first, event.first + event.n_rows, 12):
            same = usual & (hours == hours[row]) & ((weekdays < 5) == (weekdays[row] < 5))
            deviations.append((x[row, column] - x[same, column].mean()) / x[same, column].std())
    assert abs(np.mean(deviations)) < 0.5
    assert 0.7 < np.std(deviations) < 1.4, "no more spread than usual rows have"


def test_with_a_broken_correlation_the_other_sensors_do_not_tell_the_value(
    series: SensorSeries, flawless: SensorSeries
) -> None:
    rows = series.kinds == "broken correlation"
    flows = rows & (series.faulty_sensors == "flow")
    usual = values(flawless)
    line = np.polyfit(usual[:, 0], usual[:, 1], 1)
    left = [(each[:, 1] - np.polyval(line, each[:, 0])).std() for each in (usual, values(series)[flows])]
    assert left[1] > 3 * left[0]


def test_a_lost_cycle_leaves_the_hall_as_warm_by_night_as_by_day(series: SensorSeries, flawless: SensorSeries) -> None:
    ((event, column),) = ((e, c) for e, c in of_kind(series, "lost cycle") if e.sensor == "hall")
    assert 24 * 12 <= event.n_rows <= 30 * 12
    hours, _ = hours_and_weekdays(series.rows[event.rows, 0])
    gap = (values(flawless) - values(series))[event.rows, column]
    np.testing.assert_allclose(gap, 4 * np.cos(2 * np.pi * (hours - 15) / 24), atol=0.11)


def test_the_sensors_share_the_load_and_the_ambient_temperature(flawless: SensorSeries) -> None:
    correlation = np.corrcoef(values(flawless).T)
    current, flow, pressure, bearing, oil, hall = range(6)
    assert correlation[current, flow] > 0.95
    assert correlation[current, pressure] < -0.95
    assert 0.7 < correlation[current, bearing] < 0.95, "warm parts follow the load slowly"
    assert 0.7 < correlation[oil, hall] < 0.95
    assert correlation[current, hall] < 0.5


def test_the_load_is_high_on_weekdays_and_the_hall_warm_in_the_afternoon(flawless: SensorSeries) -> None:
    hours, weekdays = hours_and_weekdays(flawless.rows[:, 0])
    x, at_noon = values(flawless), (hours >= 10) & (hours < 14)
    assert x[at_noon & (weekdays < 5), 0].mean() > x[at_noon & (weekdays >= 5), 0].mean() + 2
    assert x[at_noon & (weekdays < 5), 0].mean() > x[(hours < 4) & (weekdays < 5), 0].mean() + 3
    by_hour = [x[hours.astype(int) == hour, 5].mean() for hour in range(24)]
    assert 13 <= int(np.argmax(by_hour)) <= 17


def test_noise_loosens_the_relation_between_sensors() -> None:
    found = [np.corrcoef(values(sensors(5_000, n_each=0, noise=noise)).T)[0, 1] for noise in (0.0, 0.1, 0.5)]
    assert found[0] > 0.999
    assert found[0] > found[1] > 0.95 > 0.9 > found[2]


def test_times_do_not_depend_on_the_minutes_between_two_rows() -> None:
    fine, coarse = sensors(40_000, n_each=1, minutes=1), sensors(8_000, n_each=1)
    for kind in KINDS[1:]:
        lengths = [next(event.n_rows for event in each.events if event.kind == kind) for each in (fine, coarse)]
        assert abs(lengths[0] / 5 - lengths[1]) <= 1
    keeps = [np.corrcoef(x[:-lag, 5], x[lag:, 5])[0, 1] for x, lag in ((values(fine), 60), (values(coarse), 12))]
    assert abs(keeps[0] - keeps[1]) < 0.05
    assert fine.rows[60, 0] == coarse.rows[12, 0]


def test_rows_have_a_time_and_a_number_for_each_sensor(series: SensorSeries) -> None:
    assert series.rows.shape == (40_000, len(COLUMNS))
    assert all(isinstance(cell, float) for cell in series.rows[-1, 1:])


@pytest.mark.parametrize(
    "settings", [{"n_rows": 0}, {"n_each": -1}, {"minutes": 0}, {"noise": -0.1}, {"n_rows": 3_000, "n_each": 6}]
)
def test_other_settings_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(DatasetError, match="Got"):
        sensors(**settings)  # type: ignore[arg-type]
