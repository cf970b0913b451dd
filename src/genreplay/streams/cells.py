"""One cell of a table: its plain form, and its value in a column of each kind.

The rules are in the table of ``genreplay.streams.columns``, which reads whole columns by means of this module.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np

from genreplay.core.ingredient import Json
from genreplay.streams.chunks import is_text, short

Kind = Literal["number", "category", "boolean", "timestamp"]
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
"""words for a missing cell, in any case"""
TRUE = frozenset({"true", "yes", "1", "1.0"})
FALSE = frozenset({"false", "no", "0", "0.0"})
MAX_LABEL = 1000
"""characters of a category; longer ones are text, not labels"""
FIRST_SECOND, LAST_SECOND = -62135596800, 253402300799
"""the years 1 to 9999"""
FIRST_MILLISECOND = 10**12
"""a number from here on is a time in milliseconds, of the year 2001 or later: as seconds it would be far behind 9999"""
EPOCHS = (10**9, 2 * 10**10)
"""seconds since 1970, from 2001 to 2603: smaller and larger numbers are hardly meant as times"""
PlainCell: TypeAlias = float | str | bool | None


class Moment(float):
    """A time, in seconds since 1970 UTC: a number with a type of its own. NaN is a missing time."""

    __slots__ = ()


class Label(str):
    """A text from a column that was declared as categories: "1" is a label there, not a number."""

    __slots__ = ()


_PLAIN_TYPES = frozenset({float, str, bool, type(None), Moment, Label})


class NotACell(TypeError, ValueError):
    """A value of a type that no cell can have."""


def plain(value: object) -> PlainCell:
    """The value as a float, text, bool or Moment; None, or NaN, where it is missing. Text stays as it is.

    >>> plain(np.int64(3)), plain(np.datetime64("1970-01-02")), plain(timedelta(minutes=1)), plain(" red ")
    (3.0, 86400.0, 60.0, ' red ')
    """
    if type(value) in _PLAIN_TYPES:
        return value  # type: ignore[return-value]
    if isinstance(value, str):
        return str(value)
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.timedelta64 | np.datetime64):  # before Real: NumPy calls a timedelta64 an integer
        if np.isnat(value):
            return Moment(math.nan) if isinstance(value, np.datetime64) else None
        unit = "datetime64[us]" if isinstance(value, np.datetime64) else "timedelta64[us]"
        seconds = int(value.astype(unit).astype(np.int64)) / 1e6
        return Moment(seconds) if isinstance(value, np.datetime64) else seconds
    if isinstance(value, Real | Decimal):
        try:
            return float(value)
        except (ValueError, OverflowError) as error:
            raise ValueError(f"{short(value)} is not a number that a float can hold") from error
    if type(value).__name__ == "NAType":  # pandas' missing values are recognised without importing pandas
        return None
    if type(value).__name__ == "NaTType":
        return Moment(math.nan)
    if isinstance(value, datetime):
        return Moment((value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp())
    if isinstance(value, date):
        return Moment(datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp())
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Collection) and not isinstance(value, bytes):
        raise NotACell(f"a nested value, {short(value)}")
    raise NotACell(f"{short(value)} is not a number, a text, a boolean or a time")


def known(value: object) -> PlainCell:
    """The plain cell, text without blanks around it, and None where it is missing.

    >>> known(" red "), known(" N/A "), known(np.nan), known(2)
    ('red', None, None, 2.0)
    """
    cell = value if type(value) is str else plain(value)
    if isinstance(cell, str):
        text = cell.strip()
        return None if text.lower() in MISSING else text
    return None if cell != cell else cell


def is_missing(value: object) -> bool:
    """Whether a cell says that nothing is known.

    >>> [is_missing(cell) for cell in ("", " N/A ", None, float("nan"), "0", 0, [])]
    [True, True, True, True, False, False, False]
    """
    try:
        return known(value) is None
    except ValueError:
        return False


def is_truth_value(value: object) -> bool:
    """Whether a cell is true or false, as a boolean or as text. Yes and no can be labels, so they do not count.

    >>> is_truth_value("False"), is_truth_value(True), is_truth_value("no"), is_truth_value("1")
    (True, True, False, False)
    """
    if isinstance(value, str):
        return not isinstance(value, Label) and value.strip().lower() in ("true", "false")
    return isinstance(value, bool | np.bool_)


def is_moment(value: object) -> bool:
    """Whether a cell is a time, or ISO 8601 text with a date and a time.

    >>> is_moment("2024-05-01 12:30"), is_moment("2024-05-01"), is_moment("12:30"), is_moment(date(2024, 5, 1))
    (True, False, False, True)
    """
    if isinstance(value, str):
        return ":" in value and not isinstance(value, Label) and _iso_time(value.strip()) is not None
    try:
        return isinstance(plain(value), Moment)
    except ValueError:
        return False


def number(value: object) -> float:
    """The cell of a number column: a finite float, NaN where missing.

    >>> number(" 3 "), number("n/a")
    (3.0, nan)
    """
    try:
        cell = known(value)
    except NotACell:
        raise ValueError(f"{short(value)} is not a number") from None
    if cell is None:
        return math.nan
    if isinstance(cell, str) and "_" not in cell:  # Python reads 1_000, but a table does not mean it
        with suppress(ValueError):
            cell = float(cell)
    if isinstance(cell, str | bool | Moment):
        raise ValueError(f"{short(value)} is not a number")
    if math.isinf(cell):
        raise ValueError(f"{short(value)} is not a finite number")
    return cell


def label(value: object) -> str | None:
    """The cell of a category column: text without blanks around it, None where missing.

    >>> [label(cell) for cell in (" red ", 3, 3.0, 2.5, True, "?", datetime(2024, 5, 1))]
    ['red', '3', '3', '2.5', 'true', None, '2024-05-01T00:00:00+00:00']
    """
    cell = known(value)
    if cell is None:
        return None
    if isinstance(cell, str):
        if len(cell) > MAX_LABEL:
            raise ValueError(f"a category of {len(cell):,} characters, more than {MAX_LABEL:,}")
        if not is_text(cell):
            raise ValueError(f"{short(cell)} is not UTF-8 text")
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, Moment):
        return datetime.fromtimestamp(timestamp(value), UTC).isoformat()
    finite = number(value)
    return str(int(finite)) if finite.is_integer() else repr(finite)


def boolean(value: object) -> bool | None:
    """The cell of a boolean column: True or False, None where missing.

    >>> [boolean(cell) for cell in (True, "YES", 0, "1.0", "NA")]
    [True, True, False, True, None]
    """
    try:
        cell = known(value)
    except NotACell:
        raise ValueError(f"{short(value)} is neither true nor false") from None
    if cell is None or isinstance(cell, bool):
        return cell
    if isinstance(cell, str):
        if cell.lower() in TRUE:
            return True
        if cell.lower() in FALSE:
            return False
    elif not isinstance(cell, Moment) and cell in (0, 1):
        return bool(cell)
    raise ValueError(f"{short(value)} is neither true nor false")


def timestamp(value: object) -> float:
    """The cell of a timestamp column: seconds since 1970 UTC, NaN where missing. Without a zone, a time is in UTC.

    >>> timestamp("1970-01-02T00:00:01Z"), timestamp("1970-01-02"), timestamp("60"), timestamp(None)
    (86401.0, 86400.0, 60.0, nan)
    >>> timestamp(1735689600000)
    1735689600.0
    """
    try:
        cell = known(value)
    except NotACell:
        raise ValueError(f"{short(value)} is not an ISO 8601 time") from None
    if cell is None:
        return math.nan
    seconds = _iso_time(cell) if isinstance(cell, str) else float(cell) if isinstance(cell, Moment) else None
    if seconds is None:
        try:
            seconds = number(value)
        except ValueError:
            raise ValueError(f"{short(value)} is not an ISO 8601 time") from None
        if seconds >= FIRST_MILLISECOND:
            seconds /= 1000
    if not FIRST_SECOND <= seconds <= LAST_SECOND + 1:  # the last microsecond rounds up
        raise ValueError(f"{short(value)} is not a time in seconds or milliseconds since 1970, in the years 1 to 9999")
    return seconds


def is_time(value: object) -> bool:
    """Whether a cell is a time in a column that shall hold times: a time, ISO 8601 text, or an epoch of our days.

    >>> [is_time(cell) for cell in ("2024-05-01", 1735689600, "1735689600000", "20.5", "31/12/2025", None)]
    [True, True, True, False, False, False]
    """
    try:
        cell, seconds = known(value), timestamp(value)
    except ValueError:
        return False
    is_written_out = isinstance(cell, Moment) or (isinstance(cell, str) and _iso_time(cell) is not None)
    return is_written_out or EPOCHS[0] <= seconds <= EPOCHS[1]


def to_json(cell: PlainCell) -> Json:
    """A plain cell for JSON, where a time and a declared label are marked.

    >>> [to_json(cell) for cell in (1.5, "red", None, Moment(60), Label("1"))]
    [1.5, 'red', None, {'time': 60.0}, {'label': '1'}]
    """
    if isinstance(cell, Moment):
        return {"time": None if cell != cell else float(cell)}
    if isinstance(cell, Label):
        return {"label": str(cell)}
    return None if cell != cell else cell


def from_json(value: Any) -> PlainCell:
    """The cell that ``to_json`` wrote."""
    if not isinstance(value, dict):
        return value  # type: ignore[no-any-return]
    if "label" in value:
        return Label(value["label"])
    return Moment(math.nan if value["time"] is None else value["time"])


def _iso_time(text: str) -> float | None:
    """The time that an ISO 8601 text says, None if it says none.

    >>> _iso_time("1970-01-02"), _iso_time("19700102T0000"), _iso_time("1397100400000")
    (86400.0, 86400.0, None)
    """
    if len(text) > len("19700102") and text.isdecimal():  # an epoch: Python would take its ninth digit for a T
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
