"""The times of a series: whether the column that --time names holds any, and whether rows come in their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from genreplay.cli.models import Saved, Times
from genreplay.formatting import moment
from genreplay.streams.cells import is_time
from genreplay.streams.chunks import Chunk, InputError, listed, short
from genreplay.streams.columns import MOST, is_missing
from genreplay.streams.schema import first_cells

_NO_MORE = "Rows are taken in the order in which they come. Further rows like this are not reported."


def check_times(sample: Sequence[Chunk], column: str) -> None:
    """Check that a column is there, and that its first cells are times.

    >>> check_times([Chunk({"t": ["20.5", "21.0"]}, [1, 2], [2, 3])], "t")
    Traceback (most recent call last):
    genreplay.streams.chunks.InputError: Column 't', which --time names, does not hold times, but cells such as '20.5':
    a time is ISO 8601 text, such as 2024-05-01T12:30, or a number of seconds or milliseconds since 1970.
    """
    names = next((chunk.columns for chunk in sample if chunk.columns), {})
    if column not in names:
        raise InputError(f"The input has no column {short(column)}, which --time names: it has {listed(names)}.")
    known = [cell for cell in first_cells(sample, column) if not is_missing(cell)]
    if not known:
        raise InputError(f"Column {short(column)}, which --time names, has no cell in the first rows.")
    others = [cell for cell in known if not is_time(cell)]
    if len(others) > (1 - MOST) * len(known):
        raise InputError(
            f"Column {short(column)}, which --time names, does not hold times, but cells such as {short(others[0])}: "
            "a time is ISO 8601 text, such as 2024-05-01T12:30, or a number of seconds or milliseconds since 1970."
        )


class Clock:
    """Follows the times of the rows, and says once of each kind which row has none, or an earlier one than the last.

    >>> clock = Clock(Times("t", last=60.0), 0, print)
    >>> clock.follow([7, 8], np.array([[120.0], [180.0]]))
    >>> clock.follow([9, 10], np.array([[90.0], [150.0]]))
    Row 9: its time, 1970-01-01 00:01:30, is before that of the row before it, 1970-01-01 00:03:00. Rows are taken in
    the order in which they come. Further rows like this are not reported.
    >>> clock.times.last
    150.0
    """

    def __init__(self, times: Times, place: int, say: Callable[[str], None]) -> None:
        self.times = times
        self._place, self._say = place, say
        self._said: set[str] = set()

    def follow(self, rows: Sequence[int], cells: npt.NDArray[Any]) -> None:
        """Take further rows: their numbers, and their cells."""
        times = cells[:, self._place].astype(np.float64)
        known = np.flatnonzero(~np.isnan(times))
        if len(known) < len(times):
            self._once("missing", f"Row {rows[int(np.isnan(times).argmax())]:,}: its time is missing.")
        if len(known) == 0:
            return
        first = times[known[0]] if self.times.last is None else self.times.last
        before = np.concatenate([[first], times[known[:-1]]])
        backward = np.flatnonzero(times[known] < before)
        if len(backward):
            here = int(backward[0])
            row, now, earlier = rows[known[here]], moment(times[known[here]]), moment(before[here])
            self._once("backward", f"Row {row:,}: its time, {now}, is before that of the row before it, {earlier}.")
        self.times = self.times._replace(last=float(times[known[-1]]))

    def _once(self, kind: str, remark: str) -> None:
        if kind not in self._said:
            self._said.add(kind)
            self._say(f"{remark} {_NO_MORE}")


def clock_of(saved: Saved, say: Callable[[str], None]) -> Clock | None:
    """A clock for further rows of a model; None where nothing says when rows come."""
    return saved.times and Clock(saved.times, saved.schema.names.index(saved.times.column), say)


def early_remark(saved: Saved, cells: npt.NDArray[Any]) -> str | None:
    """A remark if the first rows of an input came before the newest row that the model has learned."""
    if saved.times is None or saved.times.last is None:
        return None
    times = cells[:, saved.schema.names.index(saved.times.column)].astype(np.float64)
    times = times[~np.isnan(times)]
    if len(times) == 0 or times[0] > saved.times.last:
        return None
    return (
        f"The rows start at {moment(float(times[0]))}, but the model has learned a series up to "
        f"{moment(saved.times.last)}: they are judged as if they came after it."
    )
