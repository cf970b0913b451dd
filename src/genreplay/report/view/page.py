"""A scored stream as one self-contained HTML page, collected in one pass and constant memory."""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.estimators.plain_detector import Detector
from genreplay.formatting import fine_percent, moment, one_in, p_value
from genreplay.report.html import render
from genreplay.report.view import timeline
from genreplay.report.view.pictures import Picture, counts_of
from genreplay.report.view.reasons import Reason, Usual, reasons
from genreplay.report.view.timeline import ExtentOf, Slice, Timeline
from genreplay.report.view.usual_rows import UsualRows
from genreplay.report.view.verdict import Worst, verdict
from genreplay.streams.chunks import shown
from genreplay.streams.columns import is_missing
from genreplay.streams.writers import cell_text

N_DREAMS = 2000
MAX_PICTURES = 24
"""pictures of columns; of a wider table those that differ most from the dreams are shown"""
MAX_TEXT = 60
"""characters of a kept cell that are shown"""


class Kept(NamedTuple):
    """A cell that is shown beside a row."""

    column: str
    text: str


class Judged(NamedTuple):
    """What the model thinks of rows."""

    score: npt.NDArray[np.float64]
    """how anomalous they are: -log of the p-value, in nats, or the anomaly in a series"""
    is_alarm: npt.NDArray[np.bool_]
    is_usual: npt.NDArray[np.bool_]
    """whether they tell what is usual"""
    column: npt.NDArray[np.int64] | None = None
    """index of the column that deviates most, in a series"""
    n_same: npt.NDArray[np.int64] | None = None
    """how many rows in a row that column has had this value, if it has numbers"""


class Alarm(NamedTuple):
    """One of the most surprising rows."""

    row: int
    score: float
    cells: npt.NDArray[Any]
    kept: list[Kept]
    when: str
    column: int | None
    """the one that is the reason, in a series"""
    n_same: int
    """how many rows in a row it has had this value"""


class Card(NamedTuple):
    """An alarm as the page shows it."""

    rank: int
    row: int
    p_value: str
    rate: str
    kept: list[Kept]
    reasons: list[Reason]


class Labels(NamedTuple):
    """What the page says about where it comes from."""

    source: str
    """name of the input"""
    model: str
    """name of the model file"""
    command: str
    """what makes this page"""
    table_command: str
    """what prints all alarms"""


class StreamView:
    """Collects what the page shows: rows go in, in chunks, and only counts and the worst alarms are kept.

    Parameters
    ----------
    detector : Detector or OnlineRBMDetector
        Judges the rows; it is not changed.
    names : sequence of str
        Names of the columns, in the order of the cells.
    kept : sequence of str
        Names of further cells that are shown beside each alarm. The first says when a row came; without one, the
        first column of times does.
    top : int
        Alarms to show.
    seed : int
        Seed of the dreams.

    Examples
    --------
    >>> import numpy as np
    >>> from genreplay import OnlineRBMDetector
    >>> rng = np.random.default_rng(0)
    >>> detector = OnlineRBMDetector(random_state=0).fit(rng.normal(size=(2000, 2)))
    >>> view = StreamView(detector, ["x", "y"])
    >>> view.add([1, 2], np.array([[0.1, 0.2], [9.0, -9.0]]))
    >>> view.n_rows, view.n_alarms
    (2, 1)
    >>> "Row 2" in view.build(Labels("rows.csv", "m", "genreplay view", "genreplay explain"))
    True
    """

    template = "view.html"

    def __init__(
        self, detector: Detector, names: Sequence[str], kept: Sequence[str] = (), top: int = 10, seed: int = 0
    ) -> None:
        self.n_rows = 0
        self.n_alarms = 0
        self.n_skipped = 0
        """bad rows; whoever reads the input counts them"""
        self.remark = ""
        """what a reader should know about the input; whoever reads it says so"""
        self._detector, self._names, self._kept, self._top = detector, names, list(kept), top
        self._contamination = float(detector.contamination)
        self._worst: list[tuple[float, int, Alarm]] = []
        """heap: the least surprising of the kept alarms comes first"""
        self._most_surprising: Worst | None = None
        self._timeline = Timeline()
        encoder = detector.encoder_
        kinds, codes = encoder.kinds_, encoder.describe_codes()
        self._when = kinds.index("timestamp") if "timestamp" in kinds and not kept else None
        when_names = list(kept[:1]) if self._when is None else [names[self._when]]
        self._when_name = shown(when_names[0]) if when_names else ""
        dreams = np.asarray(detector.sample(N_DREAMS, random_state=seed), dtype=object)
        self._kinds, self._dreams, self._usual_rows = kinds, dreams, UsualRows(len(kinds), seed)
        self._counts = [
            counts_of(kind, cells, codes.get(name, {}))
            for name, kind, cells in zip(encoder.column_names_, kinds, dreams.T, strict=True)
        ]

    def add(
        self, rows: Sequence[int], cells: npt.NDArray[Any], kept: Sequence[tuple[object, ...]] | None = None
    ) -> None:
        """Score rows, given their numbers, their cells, and for each row the further cells to show."""
        if len(rows) == 0:
            return
        judged = self._judge(cells)
        score, is_alarm, is_usual, column, n_same = judged

        def when(place: int) -> str:
            return self._time_of(cells[place], kept[place] if kept else ())

        self._timeline.add(rows, score, is_alarm, when, self._extent(cells, judged))
        for counts, cells_of_column in zip(self._counts, cells.T, strict=True):
            counts.add(cells_of_column)
        self._usual_rows.add(cells[is_usual])
        worst = int(score.argmax())
        if self._most_surprising is None or score[worst] > self._most_surprising.score:
            self._most_surprising = Worst(float(score[worst]), rows[worst], self._when_name, when(worst))
        for place in np.flatnonzero(is_alarm).tolist():
            if len(self._worst) == self._top and score[place] <= self._worst[0][0]:
                continue
            shown_cells = zip(self._kept, kept[place] if kept else (), strict=True)
            alarm = Alarm(
                rows[place],
                float(score[place]),
                cells[place].copy(),
                [Kept(shown(name), _short(cell)) for name, cell in shown_cells],
                when(place),
                None if column is None else int(column[place]),
                1 if n_same is None else int(n_same[place]),
            )
            put = heapq.heappush if len(self._worst) < self._top else heapq.heapreplace
            put(self._worst, (alarm.score, -alarm.row, alarm))
        self.n_rows += len(rows)
        self.n_alarms += int(is_alarm.sum())

    def _judge(self, cells: npt.NDArray[Any]) -> Judged:
        nats = self._detector.surprise(cells)
        is_alarm = np.exp(-nats) <= self._contamination
        return Judged(nats, is_alarm, ~is_alarm)

    def _extent(self, cells: npt.NDArray[Any], judged: Judged) -> ExtentOf | None:
        """What the timeline also holds of the rows."""
        return None

    def _time_of(self, cells: npt.NDArray[Any], kept: tuple[object, ...]) -> str:
        if self._when is None:
            return _short(kept[0]) if kept else ""
        return "" if is_missing(cells[self._when]) else moment(float(cells[self._when]))

    def build(self, labels: Labels) -> str:
        """The whole page."""
        pictures = self._pictures() if self.n_rows else []
        return render(
            self.template,
            labels=labels,
            n_rows=self.n_rows,
            n_alarms=self.n_alarms,
            n_skipped=self.n_skipped,
            remark=self.remark,
            width=self._timeline.width,
            when=self._most_surprising.when if self._most_surprising else "",
            usual_is_stream=self._usual_rows.is_enough,
            pictures=pictures[:MAX_PICTURES],
            n_left_out=len(pictures[MAX_PICTURES:]),
            n_dreams=N_DREAMS,
            noted=self._noted(),
            fine_percent=fine_percent,
            **self._content([alarm for _, _, alarm in sorted(self._worst, reverse=True)], self._timeline.slices()),
        )

    def _content(self, alarms: Sequence[Alarm], slices: Sequence[Slice]) -> dict[str, object]:
        """What the page of a table says, given the worst alarms."""
        worst = [(each.row, each.score) for each in alarms]
        return {
            "contamination": self._contamination,
            "verdict": verdict(self.n_rows, self.n_alarms, self._contamination, self._most_surprising),
            "timeline": timeline.draw(slices, self._contamination, worst) if slices else None,
            "cards": self._cards(alarms),
            "smallest": p_value(math.log(self._timeline.width)),
        }

    def _cards(self, alarms: Sequence[Alarm]) -> list[Card]:
        if not alarms:
            return []
        nats, usual, names = self._explained(alarms), self._usual(), list(map(shown, self._names))
        return [
            Card(
                rank,
                alarm.row,
                p_value(alarm.score),
                one_in(alarm.score),
                alarm.kept or ([Kept(self._when_name, alarm.when)] if alarm.when else []),
                reasons(surprise, alarm.cells.tolist(), names, usual),
            )
            for rank, (alarm, surprise) in enumerate(zip(alarms, nats, strict=True), 1)
        ]

    def _explained(self, alarms: Sequence[Alarm]) -> npt.NDArray[np.float64]:
        """How much more surprising than usual each cell of each alarm is."""
        return np.asarray(self._detector.explain(np.stack([alarm.cells for alarm in alarms])), dtype=np.float64)

    def _usual(self) -> list[Usual]:
        """What each column usually has."""
        cells = self._usual_rows.cells if self._usual_rows.is_enough else self._dreams
        return [Usual(kind, column) for kind, column in zip(self._kinds, cells.T, strict=True)]

    def _pictures(self) -> list[Picture]:
        """All pictures, those that differ most from the dreams first."""
        drawn = [
            picture
            for name, counts in zip(self._names, self._counts, strict=True)
            for picture in counts.pictures(shown(name))
        ]
        return sorted(drawn, key=lambda picture: -picture.difference)

    def _noted(self) -> dict[str, int]:
        detector = self._detector
        return {
            "rows learned": detector.n_learned_,
            "updates": detector.n_updates_,
            "drifts noticed": detector.drift_.n_drifts,
            "code renewals": getattr(detector, "n_renewals_", 0),
        }


def _short(cell: object) -> str:
    """A cell of the input in few characters, on one line; the T of an ISO 8601 time becomes a blank."""
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in cell_text(cell).strip())
    text = re.sub(r"^(\d{4}-\d\d-\d\d)T(?=\d\d:)", r"\1 ", text)
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
