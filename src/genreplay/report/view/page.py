"""A scored stream as one self-contained HTML page, collected in one pass and constant memory."""

from __future__ import annotations

import heapq
import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.formatting import figure, fine_percent, moment, one_in, p_value, thousands
from genreplay.report.html import render
from genreplay.report.view import timeline
from genreplay.report.view.pictures import Picture, counts_of
from genreplay.report.view.reasons import Reason, Usual, reasons
from genreplay.report.view.timeline import Timeline
from genreplay.report.view.usual_rows import UsualRows
from genreplay.streams.chunks import shown
from genreplay.streams.columns import is_missing
from genreplay.streams.writers import cell_text

N_DREAMS = 2000
MAX_PICTURES = 24
"""pictures of columns; of a wider table those that differ most from the dreams are shown"""
MAX_TEXT = 60
"""characters of a kept cell that are shown"""
FACTOR = 1.5
"""alarms within this factor of the expected number, or within two standard deviations, are about as many"""


class Kept(NamedTuple):
    """A cell that is shown beside a row."""

    column: str
    text: str


class Alarm(NamedTuple):
    """One of the most surprising rows."""

    row: int
    nats: float
    cells: npt.NDArray[Any]
    kept: list[Kept]
    when: str


class Card(NamedTuple):
    """An alarm as the page shows it."""

    rank: int
    row: int
    p_value: str
    rate: str
    kept: list[Kept]
    reasons: list[Reason]


class Worst(NamedTuple):
    """The most surprising row, alarm or not."""

    nats: float
    row: int
    column: str = ""
    """which column says when it came"""
    when: str = ""
    """what that column says, or nothing"""


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
    detector : OnlineRBMDetector
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

    def __init__(
        self, detector: OnlineRBMDetector, names: Sequence[str], kept: Sequence[str] = (), top: int = 10, seed: int = 0
    ) -> None:
        self.n_rows = 0
        self.n_alarms = 0
        self.n_skipped = 0
        """bad rows; whoever reads the input counts them"""
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
        nats = self._detector.surprise(cells)
        is_alarm = np.exp(-nats) <= self._contamination

        def when(place: int) -> str:
            return self._time_of(cells[place], kept[place] if kept else ())

        self._timeline.add(rows, nats, is_alarm, when)
        for counts, column in zip(self._counts, cells.T, strict=True):
            counts.add(column)
        self._usual_rows.add(cells[~is_alarm])
        worst = int(nats.argmax())
        if self._most_surprising is None or nats[worst] > self._most_surprising.nats:
            self._most_surprising = Worst(float(nats[worst]), rows[worst], self._when_name, when(worst))
        for place in np.flatnonzero(is_alarm).tolist():
            if len(self._worst) == self._top and nats[place] <= self._worst[0][0]:
                continue
            shown_cells = zip(self._kept, kept[place] if kept else (), strict=True)
            alarm = Alarm(
                rows[place],
                float(nats[place]),
                cells[place].copy(),
                [Kept(shown(name), _short(cell)) for name, cell in shown_cells],
                when(place),
            )
            put = heapq.heappush if len(self._worst) < self._top else heapq.heapreplace
            put(self._worst, (alarm.nats, -alarm.row, alarm))
        self.n_rows += len(rows)
        self.n_alarms += int(is_alarm.sum())

    def _time_of(self, cells: npt.NDArray[Any], kept: tuple[object, ...]) -> str:
        if kept:
            return _short(kept[0])
        if self._when is None or is_missing(cells[self._when]):
            return ""
        return moment(float(cells[self._when]))

    def build(self, labels: Labels) -> str:
        """The whole page."""
        alarms = [alarm for _, _, alarm in sorted(self._worst, reverse=True)]
        pictures = self._pictures() if self.n_rows else []
        slices = self._timeline.slices()
        return render(
            "view.html",
            labels=labels,
            n_rows=self.n_rows,
            n_alarms=self.n_alarms,
            n_skipped=self.n_skipped,
            contamination=self._contamination,
            verdict=verdict(self.n_rows, self.n_alarms, self._contamination, self._most_surprising),
            width=self._timeline.width,
            timeline=timeline.draw(slices, self._contamination, [(each.row, each.nats) for each in alarms])
            if slices
            else None,
            when=self._most_surprising.when if self._most_surprising else "",
            cards=self._cards(alarms),
            usual_is_stream=self._usual_rows.is_enough,
            pictures=pictures[:MAX_PICTURES],
            n_left_out=len(pictures[MAX_PICTURES:]),
            n_dreams=N_DREAMS,
            noted=self._noted(),
            smallest=p_value(math.log(self._timeline.width)),
            fine_percent=fine_percent,
        )

    def _cards(self, alarms: Sequence[Alarm]) -> list[Card]:
        if not alarms:
            return []
        nats = np.asarray(self._detector.explain(np.stack([alarm.cells for alarm in alarms])), dtype=np.float64)
        names = list(map(shown, self._names))
        cells = self._usual_rows.cells if self._usual_rows.is_enough else self._dreams
        usual = [Usual(kind, column) for kind, column in zip(self._kinds, cells.T, strict=True)]
        return [
            Card(
                rank,
                alarm.row,
                p_value(alarm.nats),
                one_in(alarm.nats),
                alarm.kept or ([Kept(self._when_name, alarm.when)] if alarm.when else []),
                reasons(surprise, alarm.cells.tolist(), names, usual),
            )
            for rank, (alarm, surprise) in enumerate(zip(alarms, nats, strict=True), 1)
        ]

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


def verdict(n_rows: int, n_alarms: int, contamination: float, worst: Worst | None) -> str:
    """The page in one sentence.

    >>> verdict(20_000, 575, 0.01, Worst(11.5, 19_422, "time", "2024-03-09 15:22"))
    '575 of 20,000 rows raised an alarm, 2.9 times the 200 expected of a usual stream; the worst was row 19,422 (time
    2024-03-09 15:22).'
    >>> verdict(150, 0, 0.01, Worst(3.2, 17))
    'None of 150 rows raised an alarm, where about 2 are expected of a usual stream; the most surprising was row 17,
    with a p-value of 0.041.'
    """
    if worst is None:
        return "The input has no rows, so there is nothing to judge."
    expected = contamination * n_rows
    about = thousands(expected) if expected >= 0.95 else figure(expected, 1)
    rows = f"{thousands(n_rows)} row{'s' if n_rows > 1 else ''}"
    place = f"row {thousands(worst.row)}" + (f" ({worst.column} {worst.when})" if worst.when else "")
    if not n_alarms:
        return (
            f"None of {rows} raised an alarm, where about {about} are expected of a usual stream; the most surprising "
            f"was {place}, with a p-value of {p_value(worst.nats)}."
        )
    ratio = n_alarms / expected
    if 1 / FACTOR <= ratio <= FACTOR or abs(n_alarms - expected) <= 2 * math.sqrt(expected):
        compared = "about as many as"
    elif ratio < 1:
        compared = "fewer than"
    else:
        compared = f"{ratio:.1f} times" if ratio < 10 else f"{thousands(ratio)} times"
    return (
        f"{thousands(n_alarms)} of {rows} raised an alarm, {compared} the {about} expected of a usual stream; "
        f"the worst was {place}."
    )


def _short(cell: object) -> str:
    """A cell of the input in few characters, on one line; the T of an ISO 8601 time becomes a blank."""
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in cell_text(cell).strip())
    text = re.sub(r"^(\d{4}-\d\d-\d\d)T(?=\d\d:)", r"\1 ", text)
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
