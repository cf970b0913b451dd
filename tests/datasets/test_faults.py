from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from genreplay.datasets import DatasetError
from genreplay.datasets.faults import (
    COLUMNS,
    KINDS,
    N_STUCK,
    NUMBERS,
    SENSORS,
    USUAL,
    FaultyTable,
    faults,
    hours_and_weekdays,
    is_idle_but_turning,
)

N_ROWS = 30_000


@pytest.fixture(scope="module")
def table() -> FaultyTable:
    return faults(N_ROWS)


@pytest.fixture(scope="module")
def flawless() -> FaultyTable:
    """The same rows before any fault was put into them."""
    return faults(N_ROWS, fault_share=0)


def numbers(cells: np.ndarray) -> np.ndarray:
    return np.array([np.nan if cell is None else cell for cell in cells], dtype=float)


def test_one_in_two_hundred_rows_is_faulty_in_equal_parts(table: FaultyTable) -> None:
    counts = Counter(table.kinds)
    assert {kind: counts[kind] for kind in KINDS} == dict.fromkeys(KINDS, N_ROWS // 1_000)
    assert counts[USUAL] == N_ROWS - 5 * N_ROWS // 1_000


def test_the_columns_at_fault_are_those_that_were_changed_and_what_they_contradict(
    table: FaultyTable, flawless: FaultyTable
) -> None:
    changed = table.rows != flawless.rows
    assert not table.at_fault[~table.is_faulty].any()
    assert table.at_fault[table.is_faulty].any(axis=1).all()
    assert not changed[~table.at_fault].any()
    n_columns = {kind: set(table.at_fault[table.kinds == kind].sum(axis=1).tolist()) for kind in KINDS}
    assert n_columns == {"single": {1}, "contextual": {2}, "label": {1}, "stuck": {1}, "swapped": {2}}


def test_the_same_seed_gives_the_same_table_and_another_one_another() -> None:
    one, again, other = faults(2_000, seed=3), faults(2_000, seed=3), faults(2_000, seed=4)
    assert all((a == b).all() for a, b in zip(one, again, strict=True))
    assert (one.rows != other.rows).any()


def test_shuffled_rows_are_the_same_rows() -> None:
    in_time, shuffled = faults(2_000), faults(2_000, order="shuffled")
    back = np.argsort(shuffled.column("time"))
    assert (back != np.arange(2_000)).any()
    assert all((a == b).all() for a, b in zip(in_time, shuffled.take(back), strict=True))


def test_single_values_off_lie_beyond_all_usual_ones(table: FaultyTable, flawless: FaultyTable) -> None:
    for row in np.flatnonzero(table.kinds == "single"):
        (column,) = np.flatnonzero(table.at_fault[row])
        assert COLUMNS[column] in SENSORS
        usual = numbers(flawless.rows[:, column])
        assert not np.nanmin(usual) <= table.rows[row, column] <= np.nanmax(usual)


def test_contextual_faults_have_only_cells_that_come_in_usual_rows(table: FaultyTable, flawless: FaultyTable) -> None:
    found = table.rows[table.kinds == "contextual"]
    for column in range(1, len(COLUMNS)):  # every time stamp comes once
        usual = set(flawless.rows[:, column])
        assert all(cell in usual for cell in found[:, column]), COLUMNS[column]


def test_contextual_faults_are_of_three_sorts(table: FaultyTable) -> None:
    rows, at_fault = (each[table.kinds == "contextual"] for each in (table.rows, table.at_fault))
    sorts = Counter(tuple(COLUMNS[column] for column in np.flatnonzero(each)) for each in at_fault)
    assert sorts == dict.fromkeys((("mode", "speed"), ("time", "temperature"), ("product", "setpoint")), 10)
    assert is_idle_but_turning(rows).sum() == 10
    hours, _ = hours_and_weekdays(rows[at_fault[:, COLUMNS.index("time")], 0])
    assert ((hours >= 12) & (hours < 17)).all()


def test_unseen_labels_come_in_no_usual_row(table: FaultyTable) -> None:
    is_label = table.kinds == "label"
    assert not set(table.column("product")[is_label]) & set(table.column("product")[~is_label])


def test_a_stuck_sensor_repeats_the_value_before(table: FaultyTable) -> None:
    rows = np.flatnonzero(table.kinds == "stuck")
    episodes = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
    assert sum(map(len, episodes)) == N_ROWS // 1_000
    assert max(map(len, episodes)) == N_STUCK
    for episode in episodes:
        (column,) = np.flatnonzero(table.at_fault[episode[0]])
        assert set(table.rows[episode, column]) == {table.rows[episode[0] - 1, column]}


def test_swapped_columns_have_changed_places(table: FaultyTable, flawless: FaultyTable) -> None:
    for row in np.flatnonzero(table.kinds == "swapped"):
        one, other = np.flatnonzero(table.at_fault[row])
        assert (table.rows[row, one], table.rows[row, other]) == (flawless.rows[row, other], flawless.rows[row, one])


def test_usual_machines_do_not_turn_when_idle(table: FaultyTable) -> None:
    assert is_idle_but_turning(table.rows[~table.is_faulty]).mean() < 0.001


def test_nights_and_weekends_are_mostly_idle_and_days_mostly_running(flawless: FaultyTable) -> None:
    hours, weekdays = hours_and_weekdays(flawless.column("time"))
    running = flawless.column("mode") == "running"
    in_shift = (weekdays < 5) & (hours >= 6) & (hours < 22)
    assert running[in_shift].mean() > 0.85
    assert running[~in_shift].mean() < 0.2


def test_sensors_depend_on_the_mode_and_on_one_another(flawless: FaultyTable) -> None:
    running = flawless.column("mode") == "running"
    cells = {name: numbers(flawless.column(name)) for name in NUMBERS}
    known = running & np.all([~np.isnan(each) for each in cells.values()], axis=0)
    assert np.corrcoef(cells["pressure"][known], cells["flow"][known])[0, 1] > 0.8
    assert np.corrcoef(cells["speed"][known], cells["vibration"][known])[0, 1] > 0.8
    assert np.nanmean(cells["flow"][running]) > 20 * np.nanmean(cells["flow"][~running])
    assert np.isnan(cells["cycle_time"][~running]).all()
    assert not np.isnan(cells["cycle_time"][running]).any()


def test_the_hall_is_warmest_in_the_afternoon(flawless: FaultyTable) -> None:
    hours, _ = hours_and_weekdays(flawless.column("time"))
    temperature = numbers(flawless.column("temperature"))
    by_hour = [np.nanmean(temperature[hours.astype(int) == hour]) for hour in range(24)]
    assert 13 <= int(np.argmax(by_hour)) <= 16
    assert max(by_hour) - min(by_hour) > 10


def test_one_in_a_hundred_cells_of_a_sensor_is_missing(flawless: FaultyTable) -> None:
    share = np.mean([np.isnan(numbers(flawless.column(name))).mean() for name in SENSORS])
    n_cells = N_ROWS * len(SENSORS)
    assert abs(share - 0.01) < 5 * np.sqrt(0.01 * 0.99 / n_cells)


@pytest.mark.parametrize("n_rows", [1, 13, 200])
def test_short_tables_can_be_drawn(n_rows: int) -> None:
    assert len(faults(n_rows, fault_share=0.1).rows) == n_rows


@pytest.mark.parametrize("settings", [{"order": "sorted"}, {"n_rows": 0}, {"fault_share": 0.5}])
def test_other_settings_are_refused(settings: dict[str, object]) -> None:
    with pytest.raises(DatasetError, match="Got"):
        faults(**settings)  # type: ignore[arg-type]
