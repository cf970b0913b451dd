"""The page of a scored stream, with a made-up detector whose every answer is known."""

from __future__ import annotations

import re
from html import unescape
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.report.view import pictures
from genreplay.report.view.page import MAX_PICTURES, Labels, StreamView, Worst, verdict
from genreplay.report.view.pictures import Numbers, Times
from genreplay.report.view.reasons import COMBINED, Usual
from genreplay.report.view.timeline import MAX_SLICES, Timeline, draw
from genreplay.report.view.usual_rows import UsualRows
from tests.report.reader import Reader

LABELS = Labels("rows.csv", "m", "genreplay view rows.csv", "genreplay explain rows.csv")
NAMES = ["temp", "state", "door", "time"]
KINDS = ["number", "category", "boolean", "timestamp"]
FIRST = 1704067200.0
"""the first second of 2024, a Monday"""


class MadeUp:
    """Blames a temperature above 50, then a state other than running; all other rows are usual."""

    contamination = 0.01
    n_learned_, n_updates_ = 30_000, 300
    drift_ = SimpleNamespace(n_drifts=2)
    encoder_ = SimpleNamespace(
        column_names_=NAMES,
        kinds_=KINDS,
        describe_codes=lambda: {"temp": {"cuts": [20.0, 25.0, 30.0]}, "time": {"n_sectors": 4}},
    )

    def surprise(self, cells: Any) -> Any:
        return self.explain(cells).sum(axis=1)

    def explain(self, cells: Any) -> Any:
        nats = np.full((len(cells), 4), 0.1)
        nats[:, 0] += np.array([0 if cell is None else 0.1 * max(cell - 50, 0) for cell in cells[:, 0]])
        nats[:, 1] += np.where(cells[:, 1] == "running", 0, 10)
        return nats

    def sample(self, n: int, random_state: int) -> Any:
        dreams = np.empty((n, 4), dtype=object)
        dreams[:, 0] = np.linspace(20, 30, n)
        dreams[:, 1], dreams[:, 2], dreams[:, 3] = "running", False, "Mon 09:00"
        return dreams


def rows(n: int) -> Any:
    """Usual rows, one a minute."""
    cells = np.empty((n, 4), dtype=object)
    cells[:, 0] = 20 + np.arange(n) % 10
    cells[:, 1], cells[:, 2] = "running", False
    cells[:, 3] = FIRST + 60.0 * np.arange(n)
    return cells


def new_view(**options: Any) -> StreamView:
    return StreamView(cast("OnlineRBMDetector", MadeUp()), NAMES, **options)


def words(page: str) -> str:
    """What a reader sees: the text without its tags."""
    body = re.sub(r"<(style|title)>.*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())


def test_reasons_are_in_words_worst_row_first() -> None:
    cells = rows(400)
    cells[300, 0], cells[310, 1], cells[320, 1] = 193.1, "idle", None
    view = new_view()
    view.add(range(1, 401), cells)
    text = words(view.build(LABELS))
    assert "3 of 400 rows raised an alarm, about as many as the 4 expected" in text
    assert "the worst was row 301 (time 2024-01-01 05:00:00 )." in text
    assert "1 Row 301 p = 4.1 × 10⁻⁷ 1 in 2,400,000 usual rows time 2024-01-01 05:00:00 " in text  # noqa: RUF001
    assert "temp 193.1 : usually 20 to 29 2 Row 311" in text
    assert "state 'idle' : usually 'running' 3 Row 321" in text
    assert "state missing : usually 'running' Columns" in text
    assert "30,000 rows learned 300 updates 2 drifts noticed 0 code renewals" in text


def test_few_rows_without_an_alarm_leave_it_to_the_dreams_to_say_what_is_usual() -> None:
    cells = rows(10)
    cells[5, 0] = 193.1
    view = new_view()
    view.add(range(1, 11), cells)
    text = words(view.build(LABELS))
    assert "temp 193.1 : usually 20.2 to 29.7" in text
    assert "in 95 % of the model's dreams" in text


def test_renewals_are_shown_where_a_detector_counts_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MadeUp, "n_renewals_", 7, raising=False)
    assert "7 code renewals" in words(new_view().build(LABELS))


def test_text_of_the_input_is_escaped_wherever_it_is_shown() -> None:
    bad = "<script>alert('&')</script>"
    cells = rows(300)
    cells[7, 1] = bad
    view = StreamView(cast("OnlineRBMDetector", MadeUp()), ["temp", bad, "door", "time"], kept=[bad])
    view.add(range(1, 301), cells, [(bad,)] * 300)
    page = view.build(Labels(bad, bad, bad, bad))
    assert page.count("&lt;script&gt;alert(") >= 10
    assert Reader(page).tags["script"] == 0
    assert "<script" not in page


def test_only_the_worst_alarms_are_kept_and_ties_go_to_the_earlier_row() -> None:
    cells = rows(100)
    cells[[3, 50, 90], 1] = "idle"
    cells[60, 0] = 400.0
    view = new_view(top=2)
    for start in range(0, 100, 10):
        view.add(range(start + 1, start + 11), cells[start : start + 10])
    text = words(view.build(LABELS))
    assert "The worst 2 of 4 alarms" in text
    assert re.findall(r"Row (\d+) p =", text) == ["61", "4"]


def test_the_page_does_not_depend_on_how_the_stream_is_cut() -> None:
    cells = rows(3_000)
    cells[::97, 1] = "idle"
    pages = set()
    for n in (1, 7, 1_000, 3_000):
        view = new_view()
        for start in range(0, 3_000, n):
            view.add(range(start + 1, start + 1 + n)[: 3_000 - start], cells[start : start + n])
        pages.add(view.build(LABELS))
    assert len(pages) == 1


def test_a_row_is_a_slice_while_there_are_few_and_slices_stay_few() -> None:
    timeline = Timeline()
    rng = np.random.default_rng(0)
    nats = rng.exponential(size=100_000)
    for start in range(0, 100_000, 1_000):
        part = nats[start : start + 1_000]
        timeline.add(range(start + 1, start + 1_001), part, part > 4.6, str)
        assert len(timeline.slices()) <= MAX_SLICES
    slices = timeline.slices()
    assert len(slices) >= MAX_SLICES / 2
    assert [each.n_rows for each in slices[:-1]] == [timeline.width] * (len(slices) - 1)
    assert sum(each.n_rows for each in slices) == 100_000
    assert sum(each.n_alarms for each in slices) == (nats > 4.6).sum()
    for i, each in enumerate(slices):
        part = nats[i * timeline.width : (i + 1) * timeline.width]
        assert (each.score, each.worst) == (part.max(), i * timeline.width + part.argmax() + 1)


def test_bad_rows_leave_gaps_in_the_numbers_of_rows_but_not_in_the_picture() -> None:
    timeline = Timeline()
    timeline.add([1, 5, 9], np.array([0.1, 9.0, 0.1]), np.array([False, True, False]), lambda place: "")
    drawing = draw(timeline.slices(), 0.01, [(5, 9.0)])
    assert drawing.n == 3
    assert drawing.marks[0].x == 1.5
    assert [label.row for label in drawing.labels] == ["1", "9"]


def test_a_p_value_below_the_smallest_float_can_be_drawn() -> None:
    timeline = Timeline()
    timeline.add([1], np.array([2_000.0]), np.array([True]), lambda place: "")
    drawing = draw(timeline.slices(), 0.01, [(1, 2_000.0)])
    assert 0 <= drawing.marks[0].y < drawing.threshold < 100
    assert len(drawing.ticks) <= 7
    assert "10⁻⁸⁶⁹" in drawing.titles[0]


@pytest.mark.parametrize(
    ("n_alarms", "said"),
    [(30, "3.0 times the 10"), (13, "about as many as the 10"), (2, "fewer than the 10"), (500, "50 times the 10")],
)
def test_the_verdict_compares_alarms_with_what_is_expected(n_alarms: int, said: str) -> None:
    assert f"{n_alarms} of 1,000 rows raised an alarm, {said} expected" in verdict(1_000, n_alarms, 0.01, Worst(9.0, 5))


def test_one_alarm_among_few_rows_is_not_called_many() -> None:
    assert "1 of 30 rows raised an alarm, about as many as the 0.3 expected" in verdict(30, 1, 0.01, Worst(9.0, 5))


def test_intervals_of_a_number_are_the_models_own_or_of_equal_width() -> None:
    dreams = np.array([20.0, 22.0, 27.0, None], dtype=object)
    own, equal = Numbers(dreams, [20.0, 25.0, 30.0]), Numbers(dreams, None)
    for counts in (own, equal):
        counts.add(np.array([20.0, 25.0, 26.0, 99.0, None, None], dtype=object))
    [picture] = own.pictures("temp")
    assert [(bar.label, bar.rows * 6, bar.dreams * 4) for bar in picture.bars] == [
        ("20 to 25", pytest.approx(2), 2),
        ("25 to 30", pytest.approx(1), 1),
        ("above 30", pytest.approx(1), 0),
    ]
    assert (picture.missing.rows * 6, picture.missing.dreams * 4) == (pytest.approx(2), 1)
    [picture] = equal.pictures("temp")
    assert sum(bar.rows for bar in picture.bars) == pytest.approx(4 / 6)


@pytest.mark.parametrize("cells", [[None, None], [5.0, 5.0], [1e308, -1e308]])
def test_columns_without_a_value_or_with_one_or_with_huge_ones_are_drawn(cells: list[float | None]) -> None:
    counts = Numbers(np.array(cells, dtype=object), None)
    counts.add(np.array([*cells, 7.0], dtype=object))
    for picture in counts.pictures("x"):
        assert 0 <= picture.difference <= 1
        assert "nan" not in picture.skyline + (picture.outline if picture.bars else "")


def test_times_are_compared_by_sector_and_weekday() -> None:
    counts = Times(np.array(["Mon 09:00", "Tue 21:00", None, "?"], dtype=object), n_sectors=4)
    counts.add(np.array([FIRST, FIRST + 9 * 3600, np.nan]))
    day, week = counts.pictures("t")
    assert [(bar.label, round(3 * bar.rows), 4 * bar.dreams) for bar in day.bars] == [
        ("00:00 to 06:00", 1, 0),
        ("06:00 to 12:00", 1, 1),
        ("12:00 to 18:00", 0, 0),
        ("18:00 to 24:00", 0, 1),
    ]
    assert [bar.label for bar in week.bars if bar.rows] == ["Mon"]
    assert week.missing.dreams == 0.5


def test_days_are_left_out_where_the_dreams_have_none() -> None:
    counts = Times(np.array(["09:00", "21:00", None], dtype=object), n_sectors=4)
    counts.add(np.array([FIRST, np.nan]))
    [day] = counts.pictures("t")
    assert [(bar.rows, round(3 * bar.dreams)) for bar in day.bars] == [(0.5, 0), (0, 1), (0, 0), (0, 1)]
    assert (day.missing.rows, round(3 * day.missing.dreams)) == (0.5, 1)


def test_labels_are_counted_in_constant_memory() -> None:
    counts = pictures.Labels("category", np.array(["a", "b"], dtype=object))
    for start in range(0, 5_000, 100):
        counts.add(np.array([f"new {i}" for i in range(start, start + 100)], dtype=object))
    counts.add(np.array(["a"] * 5_000, dtype=object))
    [picture] = counts.pictures("x")
    assert len(picture.bars) <= pictures.N_LABELS + 1
    assert sum(bar.rows for bar in picture.bars) == pytest.approx(1)
    assert picture.bars[0] == ("a", 0.5, 0.5)
    assert len(counts._rows) <= pictures.MAX_NEW_LABELS + 3


def test_of_a_wide_table_the_columns_that_differ_most_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("genreplay.report.view.page.MAX_PICTURES", 2)
    view = new_view()
    view.add(range(1, 51), rows(50))
    page = view.build(LABELS)
    assert page.count('<figure class="column">') == 2 < MAX_PICTURES
    assert "3 more pictures are left out" in page


def test_a_cell_that_is_usual_by_itself_is_said_to_be_so() -> None:
    numbers = Usual("number", np.arange(100.0).astype(object))
    assert numbers.reason("x", 50.0).words == COMBINED
    assert numbers.reason("x", 500.0).words == "usually 2 to 97"
    labels = Usual("category", np.array(["a", "b", "c", "d", "e"] * 20, dtype=object))
    assert labels.reason("x", "a").words == COMBINED
    assert labels.reason("x", "z").words == "usually 'a', 'b' or 'c'"
    absent = Usual("number", np.array([None] * 60 + [1.0] * 40, dtype=object))
    assert absent.reason("x", 1.0).words == "usually missing"
    assert absent.reason("x", None).words == COMBINED
    times = Usual("timestamp", np.array([None, "Mon 09:00"], dtype=object))
    assert times.reason("t", FIRST)[:3] == ("t", "Mon 2024-01-01 00:00:00", COMBINED)
    assert times.reason("t", np.nan).words == "usually known"


def test_a_sample_of_usual_rows_does_not_depend_on_how_the_stream_is_cut() -> None:
    cells = np.arange(20_000.0)[:, np.newaxis]
    whole, parts = UsualRows(1), UsualRows(1)
    whole.add(cells)
    for part in np.split(cells, 40):
        parts.add(part)
    np.testing.assert_array_equal(whole.cells, parts.cells)
    assert len(np.unique(whole.cells)) == 1_000
