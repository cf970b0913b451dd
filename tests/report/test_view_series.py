"""The page of a time series, with a made-up detector whose every answer is known."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from genreplay.estimators.alarms import JudgedRows
from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.estimators.deviations import Deviations
from genreplay.report.view import series
from genreplay.report.view.curves import draw_anomaly, draw_curve, nice_values, tick_text
from genreplay.report.view.series import ALONE, SeriesView
from genreplay.report.view.timeline import MAX_SLICES, Extent, Slice, Timeline
from tests.report.reader import Reader
from tests.report.test_view import LABELS, NAMES, MadeUp, rows, words


class MadeUpSeries(MadeUp):
    """The anomaly is a tenth of what a temperature lies above 50, and 9 where the state is not running."""

    alarms = Deviations(scales=(1, 4, 16), threshold=8.0, quiet=0.05)

    def continuation(self) -> Any:
        return SimpleNamespace(judged=self.judged)

    def judged(self, cells: Any) -> JudgedRows:
        temp = np.array([-2.0 if cell is None else 0.1 * (cell - 50) for cell in cells[:, 0]])
        state = np.where(cells[:, 1] == "running", -3.0, 9.0)
        anomaly = np.maximum(temp, state)
        return JudgedRows(anomaly, anomaly >= self.alarms.threshold, np.where(temp >= state, 0, 1))

    def impute(self, cells: Any, columns: list[int], random_state: int) -> Any:
        filled = cells.copy()
        assert filled[0, columns[0]] is None
        filled[0, columns[0]] = 24.5
        return filled


def new_view(**options: Any) -> SeriesView:
    return SeriesView(cast("OnlineRBMDetector", MadeUpSeries()), NAMES, "time", **options)


def test_alarms_come_in_the_order_of_time_with_their_reasons_in_words() -> None:
    cells = rows(400)
    cells[300, 0], cells[310, 1], cells[320, 0] = 193.1, "idle", 150.0
    view = new_view()
    view.add(range(1, 401), cells)
    text = words(view.build(LABELS))
    assert (
        "3 of 400 rows raised an alarm; the highest anomaly, 14.3, is that of row 301 (time 2024-01-01 05:00:00 )"
        in text
    )
    assert "The 3 alarms In the order of time." in text
    assert (
        "1 2024-01-01 05:00:00 anomaly 14.3 row 301 temp 193.1 : usually 20 to 29; about 24.5 is expected here" in text
    )
    assert "2 2024-01-01 05:10:00 anomaly 9.0 row 311 state 'idle' : usually 'running' 3 2024-01-01 05:20:00" in text
    assert "alarm: an anomaly of 8 or more" in text
    assert "over the last 1, 4 and 16 rows, given the time" in text
    assert "its column raises no other for 5 % of the rows so far, at most 250, because what goes on is" in text
    assert "30,000 rows learned 300 updates" in text


def test_the_reason_is_the_column_that_deviates_even_if_its_cell_is_usual(monkeypatch: pytest.MonkeyPatch) -> None:
    cells, is_alarm = rows(300), np.arange(300) == 250
    judged = JudgedRows(np.where(is_alarm, 8.5, 0.0), is_alarm, np.zeros(300, dtype=np.int64))
    monkeypatch.setattr(MadeUpSeries, "judged", lambda self, cells: judged)
    cells[250, 1] = "idle"
    view = new_view()
    view.add(range(1, 301), cells)
    text = words(view.build(LABELS))
    assert f"temp 20 : {ALONE}; about 24.5 is expected here state 'idle' : usually 'running'" in text


def test_rows_that_are_nearly_an_alarm_do_not_tell_what_is_usual() -> None:
    cells = rows(600)
    cells[300, 0], cells[301:400, 0] = 140.0, 129.0
    view = new_view()
    view.add(range(1, 601), cells)
    text = words(view.build(LABELS))
    assert "temp 140 : usually 20 to 29;" in text
    assert "in 95 % of the rows with an anomaly below 4." in text


def test_only_the_highest_alarms_are_kept() -> None:
    cells = rows(300)
    cells[[60, 70, 80], 0] = [150.0, 400.0, 200.0]
    text = []
    for top in (1, 2):
        view = new_view(top=top)
        view.add(range(1, 301), cells)
        text.append(words(view.build(LABELS)))
    assert "The highest of 3 alarms" in text[0]
    assert "The 2 highest of 3 alarms" in text[1]
    assert re.findall(r"anomaly [\d.]+ row (\d+)", text[1]) == ["71", "81"]


@pytest.mark.parametrize("n", [7, 300])
def test_a_value_that_is_usual_but_stuck_is_said_to_be_so(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cells = rows(300)
    cells[230:251, 0] = 25.0

    def judged(self: MadeUpSeries, cells: Any) -> JudgedRows:
        is_alarm = cells[:, 3] == cells_of_alarm[3]
        return JudgedRows(np.where(is_alarm, 8.5, 0.0), is_alarm, np.zeros(len(cells), dtype=np.int64))

    cells_of_alarm = cells[250]
    monkeypatch.setattr(MadeUpSeries, "judged", judged)
    view = new_view()
    for start in range(0, 300, n):
        part = cells[start : start + n]
        view.add(range(start + 1, start + 1 + len(part)), part)
    assert "temp 25 : usual by itself, but the same in the last 21 rows; about 24.5 is" in words(view.build(LABELS))


def test_without_a_time_the_rows_are_counted() -> None:
    cells = rows(300)
    cells[200, 0] = 400.0
    view = SeriesView(cast("OnlineRBMDetector", MadeUpSeries()), NAMES, None)
    view.add(range(1, 301), cells)
    text = words(view.build(LABELS))
    assert "1 of 300 rows raised an alarm; the highest anomaly, 35.0, is that of row 201." in text
    assert "1 Row 201 anomaly 35.0 temp 400" in text


def test_a_row_without_a_time_is_named_by_its_number_and_kept_columns_are_shown() -> None:
    cells = rows(300)
    cells[200, 0], cells[200, 3] = 400.0, np.nan
    view = new_view(kept=["id"])
    view.add(range(1, 301), cells, [(f"r{i}",) for i in range(300)])
    assert "1 Row 201 anomaly 35.0 id r200 temp 400" in words(view.build(LABELS))


def test_no_rows_no_alarms_and_a_remark() -> None:
    view = new_view()
    assert "The input has no rows, so there is nothing to judge." in words(view.build(LABELS))
    view.remark = "It came <late>."
    view.add([1], rows(1))
    page = view.build(LABELS)
    text = words(page)
    assert "None of 1 row raised an alarm; the highest anomaly, −3.0 where an alarm needs 8, is" in text  # noqa: RUF001
    assert "No alarms No row has an anomaly of 8 or more." in text
    assert "It came &lt;late&gt;." in page


def test_the_page_does_not_depend_on_how_the_series_is_cut() -> None:
    cells = rows(3_000)
    cells[::97, 1] = "idle"
    cells[::41, 0] = None
    pages = set()
    for n in (1, 7, 1_000, 3_000):
        view = new_view(top=5)
        for start in range(0, 3_000, n):
            view.add(range(start + 1, start + 1 + n)[: 3_000 - start], cells[start : start + n])
        pages.add(view.build(LABELS))
    assert len(pages) == 1


def test_text_of_the_input_is_escaped_and_links_lead_somewhere() -> None:
    bad = "<script>alert('&')</script>"
    cells = rows(300)
    cells[7, 1], cells[9, 0] = bad, 500.0
    view = SeriesView(cast("OnlineRBMDetector", MadeUpSeries()), [bad, "state", "door", "time"], "time", [bad])
    view.add(range(1, 301), cells, [(bad,)] * 300)
    page = view.build(LABELS)
    reader = Reader(page)
    assert reader.tags["script"] == 0
    assert "<script" not in page
    assert {link[1:] for link in reader.links if link.startswith("#")} <= set(reader.ids)
    assert len(reader.ids) == len(set(reader.ids))


def test_slices_know_the_range_and_the_alarms_of_each_column_in_constant_memory() -> None:
    rng = np.random.default_rng(0)
    values, n = rng.normal(size=(20_000, 2)), 20_000
    values[rng.random((n, 2)) < 0.1] = np.nan
    is_reason = rng.random((n, 2)) < 0.01
    timeline = Timeline()
    for start in range(0, n, 700):
        part, alarms = values[start : start + 700], is_reason[start : start + 700]

        def extent(a: int, b: int, part: Any = part, alarms: Any = alarms) -> Extent:
            return Extent(np.fmin.reduce(part[a:b]), np.fmax.reduce(part[a:b]), alarms[a:b].sum(axis=0))

        numbers = range(start + 1, start + len(part) + 1)
        timeline.add(numbers, np.zeros(len(part)), np.zeros(len(part), dtype=bool), str, extent)
    slices = timeline.slices()
    assert len(slices) <= MAX_SLICES
    for i, each in enumerate(slices):
        here = slice(i * timeline.width, (i + 1) * timeline.width)
        assert each.extent is not None
        np.testing.assert_array_equal(each.extent.low, np.nanmin(values[here], axis=0))
        np.testing.assert_array_equal(each.extent.high, np.nanmax(values[here], axis=0))
        np.testing.assert_array_equal(each.extent.n_alarms, is_reason[here].sum(axis=0))


def slices_of(*ranges: tuple[float, float]) -> list[Slice]:
    """One row for each range of a single column."""
    extents = [Extent(np.array([low]), np.array([high]), np.array([0])) for low, high in ranges]
    return [Slice(i, i, 1, 0, 0.0, i, "", "", extent) for i, extent in enumerate(extents, 1)]


def test_a_curve_has_a_gap_where_nothing_is_known_and_none_is_drawn_without_a_value() -> None:
    curve = draw_curve("x", 0, slices_of((1, 2), (np.nan, np.nan), (3, 5)))
    assert curve is not None
    assert curve.band == "M0.5 72L0.5 94zM2.5 6L2.5 50z"
    assert curve.titles[1] == "Row 2: x missing"
    assert draw_curve("x", 0, slices_of((np.nan, np.nan))) is None


@pytest.mark.parametrize("ends", [(5.0, 5.0), (-1e308, 1e308), (0.0, 5e-324), (1e15, 1e15 + 1), (-0.0, 0.0)])
def test_constant_huge_and_tiny_numbers_can_be_drawn(ends: tuple[float, float]) -> None:
    curve = draw_curve("x", 0, slices_of(ends, ends))
    assert curve is not None
    assert not re.search("nan|inf", curve.band)
    assert all(0 <= tick.y <= 100 for tick in curve.ticks)
    assert 1 <= len(curve.ticks) <= 6


def test_numbers_of_an_axis_are_round_and_short() -> None:
    assert nice_values(9.99, 10.31) == [10.0, 10.1, 10.2, 10.3]
    assert [tick_text(value) for value in nice_values(-2.3e9, 2.1e9, 3.5)] == ["−2 × 10⁹", "0", "2 × 10⁹"]  # noqa: RUF001


def test_the_threshold_is_drawn_above_all_rows_without_an_alarm() -> None:
    below, alarm = Slice(1, 1, 1, 0, 7.99, 1, "", ""), Slice(2, 2, 1, 1, 30.0, 2, "", "")
    drawing = draw_anomaly([below, alarm], 8.0)
    assert drawing.quiet.startswith("M0 100V")
    assert drawing.loud.startswith("M1 ")
    assert 0 < drawing.threshold < 100
    assert draw_anomaly([below], 8.0).loud == ""


def test_of_many_columns_those_with_the_most_alarms_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series, "MAX_CURVES", 1)
    view = new_view()
    view._kinds = ["number", "number", "boolean", "timestamp"]
    view._numbers = [0, 1]
    found = []
    for n_alarms in ([0, 2], [2, 0]):
        extent = Extent(np.zeros(2), np.ones(2), np.array(n_alarms))
        found.append(view._curves([Slice(1, 9, 9, 2, 9.0, 1, "", "", extent)], [])[0].name)
    assert found == ["state", "temp"]
