"""Why a row is unusual, in words: its most surprising cells, and what is usual there instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.formatting import figure, moment
from genreplay.streams.cells import Kind
from genreplay.streams.chunks import short
from genreplay.streams.columns import is_missing

N_REASONS = 3
"""columns that are named, at most"""
LEAST = 0.5
"""a column is named if it is at least this share as surprising as the first"""
USUAL = (0.025, 0.975)
"""quantiles of the usual cells between which a number is usual"""
RARE = 0.05
"""a label is rare if a smaller share of the usual cells has it"""
MOST = 0.9
"""share of the usual cells that the labels which are named as usual have together"""
N_LABELS = 3
"""labels that are named as usual, at most"""
COMBINED = "usual by itself, but not with the rest of the row"


class Band(NamedTuple):
    """Where a number lies beside its usual range, in percent of a line that holds both."""

    low: float
    high: float
    value: float


class Reason(NamedTuple):
    """A cell that makes a row unusual."""

    column: str
    value: str
    words: str
    band: Band | None = None


class Usual:
    """What a column usually has, learned from usual cells: those of rows without an alarm, or of dreams.

    >>> usual = Usual("number", np.array([20.4, 22.0, 25.0, 31.0, None] * 20, dtype=object))
    >>> usual.reason("temp", 93.1)[:3]
    ('temp', '93.1', 'usually 20.4 to 31')
    >>> usual.reason("temp", 24.0).words
    'usual by itself, but not with the rest of the row'
    >>> Usual("category", np.array(["running"] * 98 + ["idle"] * 2, dtype=object)).reason("state", "idle")[1:3]
    ("'idle'", "usually 'running'")
    """

    def __init__(self, kind: Kind, cells: npt.NDArray[Any]) -> None:
        self._kind = kind
        known = [cell for cell in cells.tolist() if not is_missing(cell)]
        self._is_mostly_missing = kind != "timestamp" and len(known) < len(cells) / 2
        self._range: tuple[float, float] | None = None
        self._shares: dict[object, float] = {}
        if kind == "number" and known:
            low, high = np.quantile(np.array(known, dtype=np.float64), USUAL, method="inverted_cdf")
            self._range = (float(low), float(high))
        elif kind in ("category", "boolean"):
            self._shares = {cell: n / len(cells) for cell, n in Counter(known).most_common()}

    def reason(self, column: str, cell: object, alone: str = COMBINED) -> Reason:
        """A surprising cell of this column in words; ``alone`` is said of one that is usual by itself."""
        if is_missing(cell):
            return Reason(column, "missing", alone if self._is_mostly_missing else self._words())
        if self._is_mostly_missing:
            return Reason(column, self._value(cell), "usually missing")
        if self._range is not None:
            number, (low, high) = float(cell), self._range  # type: ignore[arg-type]
            words = alone if low <= number <= high else self._words()
            return Reason(column, self._value(cell), words, _band(number, low, high))
        is_rare = bool(self._shares) and self._shares.get(cell, 0.0) < RARE
        return Reason(column, self._value(cell), self._words() if is_rare else alone)

    def _words(self) -> str:
        """What the column usually has."""
        if self._range is not None:
            low, high = (figure(each, 3) for each in self._range)
            return f"usually {low}" if low == high else f"usually {low} to {high}"
        named: list[str] = []
        total = 0.0
        for cell, share in self._shares.items():
            if len(named) == N_LABELS or total >= MOST:
                break
            named.append(self._value(cell))
            total += share
        if not named:
            return "usually known"
        words = " or ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)
        return f"usually {words}" if total >= MOST / 2 else f"most often {words}"

    def _value(self, cell: object) -> str:
        return cell_words(cell, self._kind)


def cell_words(cell: object, kind: Kind) -> str:
    """A typed cell as the page shows it.

    >>> cell_words(1704067200.0, "timestamp"), cell_words("red", "category"), cell_words(True, "boolean")
    ('Mon 2024-01-01 00:00:00', "'red'", 'true')
    """
    if kind == "number":
        return figure(float(cell))  # type: ignore[arg-type]
    if kind == "boolean":
        return "true" if cell else "false"
    if kind == "timestamp":
        return moment(float(cell), "%a %Y-%m-%d %H:%M:%S")  # type: ignore[arg-type]
    return short(cell)


def reasons(
    nats: npt.NDArray[np.float64], cells: Sequence[object], names: Sequence[str], usual: Sequence[Usual]
) -> list[Reason]:
    """The most surprising cells of a row, given the nats of each column."""
    order = np.argsort(-nats, kind="stable")[:N_REASONS]
    named = [column for column in order if nats[column] >= LEAST * nats[order[0]]]
    return [usual[column].reason(names[column], cells[column]) for column in named]


def _band(value: float, low: float, high: float) -> Band | None:
    """Positions on a line with a margin at both ends; None where the numbers are too far apart to be drawn."""
    start, end = min(value, low), max(value, high)
    span = end - start
    if not 0 < span < float("inf"):
        return None

    def percent(x: float) -> float:
        return 4 + 92 * ((x - start) / span)

    return Band(percent(low), percent(high), percent(value))
