from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from genreplay.cli import main
from genreplay.datasets.sensors import COLUMNS, KINDS, SENSORS, Event, SensorSeries, sensors
from genreplay.estimators.deviations import Deviations
from genreplay.estimators.series import series_detector
from genreplay.experiments import runner
from genreplay.experiments.run import Figures
from genreplay.experiments.sensors import METHODS, SensorsRun, figures, methods, runs
from genreplay.experiments.sensors.methods import Judged


def quiet(_share: float, _doing: str) -> None:
    """Report nothing."""


@pytest.fixture(scope="module")
def by_method() -> dict[str, Figures]:
    return {run.method: run.execute(0, quiet) for run in runs(quick=True)}


def test_every_method_ranks_the_same_faults(by_method: dict[str, Figures]) -> None:
    assert list(by_method) == list(METHODS)
    (counts,) = {tuple(each["n_faults"].values()) for each in by_method.values()}
    assert min(counts) > 0
    for each in by_method.values():
        assert each["n_counted"] == 6_048 - 2_016
        for name in ("auc", "average_precision"):
            assert list(each[name]) == ["all", *KINDS]
            assert all(0 <= share <= 1 for share in each[name].values())
        assert json.loads(json.dumps(each)) == each


def test_methods_with_alarms_say_what_they_find_and_those_that_name_a_sensor_how_often_it_is_right(
    by_method: dict[str, Figures],
) -> None:
    with_alarms = {method for method, each in by_method.items() if "found" in each}
    naming = {method for method, each in by_method.items() if "named" in each}
    assert with_alarms == {"RBM", "histograms by hour"}
    assert naming == {*with_alarms, "regression"}
    assert [method for method, each in by_method.items() if "week" in each] == ["RBM"]


def test_the_rbm_is_the_detector_of_a_series_with_its_defaults(by_method: dict[str, Figures]) -> None:
    series = sensors(6_048, n_each=1)
    judged = series_detector(random_state=0).learn_judged(series.rows)
    found = methods.by_series_detector(series.rows, 0, quiet)
    np.testing.assert_array_equal(found.anomaly, np.nan_to_num(judged.anomaly))
    np.testing.assert_array_equal(found.alarm, judged.alarm)
    assert found.sensor is not None
    assert set(found.sensor[:300]) == {""}
    assert (found.sensor[300:] == np.array(COLUMNS, dtype=object)[judged.column[300:]]).all()


def test_histograms_judge_each_sensor_for_itself() -> None:
    rows = sensors(2_000, n_each=0).rows
    rows[1_500, 1 + SENSORS.index("oil")] = 99.0
    judged = methods.by_histograms(rows)
    alone = [methods.by_histograms(rows[:, [0, column]]).anomaly for column in range(1, len(COLUMNS))]
    wanted = np.max(alone, axis=0)[300:] - np.log(len(SENSORS))  # the largest of six
    below = 0.99 * Deviations().threshold - np.log(len(SENSORS))  # where quiet times make no difference
    np.testing.assert_allclose(np.minimum(judged.anomaly[300:], below), np.minimum(wanted, below))
    assert judged.sensor is not None
    assert judged.sensor[1_500] == "oil"


def test_the_regression_sees_a_value_that_does_not_fit_the_others() -> None:
    rows = sensors(3_000, n_each=0).rows
    rows[2_000, 1 + SENSORS.index("flow")] -= 10
    judged = methods.by_regression(rows)
    assert int(judged.anomaly.argmax()) == 2_000
    assert judged.sensor is not None
    assert judged.sensor[2_000] == "flow"


EVENTS = [Event("spike", "oil", 3_000, 2), Event("stuck", "hall", 4_000, 30)]


def made_up() -> tuple[SensorSeries, Judged]:
    """Both sensors are named in the row with the highest anomaly; the hall in one row of two."""
    series = sensors(6_048, n_each=0)._replace(events=EVENTS)
    anomaly, sensor = np.zeros(6_048), np.full(6_048, "current", dtype=object)
    anomaly[[3_001, 4_000, 4_010]] = 9, 5, 8
    sensor[[3_001, 4_010]] = "oil", "hall"
    return series, Judged(anomaly, anomaly >= 8, sensor)


def test_the_most_anomalous_row_of_a_fault_names_its_sensor() -> None:
    series, judged = made_up()
    found = figures.named(series, judged)
    assert found["named"] == {"all": 1.0, "spike": 1.0, "stuck": 1.0}
    assert found["named_by_row"] == pytest.approx(2 / 3)
    assert figures.named(series, judged._replace(anomaly=np.zeros(6_048)))["named_by_row"] is None
    assert "named_by_row" not in figures.named(series, judged._replace(alarm=None))


@pytest.mark.parametrize(("row", "belongs"), [(2_999, False), (3_000, True), (3_013, True), (3_014, False)])
def test_an_alarm_belongs_to_a_fault_until_an_hour_after_it(row: int, belongs: bool) -> None:
    alarm = np.zeros(4 * 2_016, dtype=bool)
    alarm[[100, row]] = True  # the first of them in the first week, which does not count
    found = figures.alarms(EVENTS, alarm, minutes=5, n_first=2_016)
    assert found["found"] == {"all": belongs / 2, "spike": float(belongs), "stuck": 0.0}
    assert found["false_alarms_per_week"] == pytest.approx((not belongs) / 3)


def test_the_week_that_is_drawn_has_the_spike_and_its_alarm() -> None:
    series, judged = made_up()
    series.rows[3_001, 1 + SENSORS.index("oil")] = 99.0
    week = figures.week(series, judged, minutes=5)
    assert week["starts"] == "2024-01-08 00:00:00"
    assert {len(each) for each in (week["anomaly"], *week["values"].values())} == {7 * 24 * 4}
    assert max(week["values"]["oil"]) == 99.0
    assert max(week["anomaly"]) == 9.0
    assert week["events"] == [["spike", "oil", 82.0, 82.17], ["stuck", "hall", 165.33, 167.83]]
    assert week["alarms"] == [82.08, 166.17]


def test_a_fault_that_began_in_the_week_before_is_drawn_from_its_first_hour() -> None:
    series, judged = made_up()
    events = [Event("lost cycle", "oil", 2_016 - 100, 300), Event("drift", "oil", 4_000, 100)]
    week = figures.week(series._replace(events=events), judged, minutes=5)
    assert week["events"] == [["lost cycle", "oil", 0.0, 16.67], ["drift", "oil", 165.33, 168.0]]


def test_runs_are_all_methods() -> None:
    assert [run.method for run in runs()] == list(METHODS)
    assert {run.n_rows for run in runs()} == {40_000}
    assert SensorsRun("LODA").title == "sensors LODA"


def test_without_river_its_runs_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "river.anomaly", None)
    assert [run.method for run in runs() if run.obstacle] == ["HalfSpaceTrees", "LODA"]


def test_reproduce_writes_a_result(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text('method = "histograms by hour"')
    out = tmp_path / "runs.jsonl"
    arguments = ["reproduce", "sensors", "--quick", "--seeds", "1", "--jobs", "1", "--out", str(out)]
    done = CliRunner().invoke(main, [*arguments, "--settings", str(tmp_path / "small.toml")], catch_exceptions=False)
    assert done.exit_code == 0
    assert [record["settings"]["method"] for record in runner.read(out)] == ["histograms by hour"]
