"""One column of cells, as text or as JSON and arrays have them, into typed cells.

Each function takes a column and returns its typed cells and, by index, what is wrong with those that cannot be read.
A whole column is converted at once; only where that fails is it looked at cell by cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.streams.chunks import Column, is_text, short

MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
"""words for a missing cell, in any case"""
TRUE = frozenset({"true", "yes"})
FALSE = frozenset({"false", "no"})
MAX_LABEL = 1000
"""characters of a category; longer ones are text, not labels"""
FIRST_SECOND, LAST_SECOND = -62135596800, 253402300799
"""the years 1 to 9999"""


class Typed(NamedTuple):
    """A column that has been read."""

    cells: npt.NDArray[Any]
    faults: dict[int, str]
    """by index; the cell there means nothing"""


def numbers(column: Column) -> Typed:
    """Finite numbers, NaN where missing.

    >>> numbers(["1.5", "NA", "2e3", "inf"])
    Typed(cells=array([1.5e+00,     nan, 2.0e+03,     nan]), faults={3: "'inf' is not a finite number"})
    """
    values = _numeric_array(column)
    if values is None:
        return _one_by_one(column, _number, np.dtype(np.float64))
    infinite = np.flatnonzero(np.isinf(values)).tolist()
    return Typed(values, {place: f"{short(_item(column, place))} is not a finite number" for place in infinite})


def labels(column: Column) -> Typed:
    """Categories as text without blanks around it, None where missing.

    >>> labels([" red ", "NA", 7])
    Typed(cells=array(['red', None, '7'], dtype=object), faults={})
    """
    return _by_distinct(column, _label)


def booleans(column: Column) -> Typed:
    """True and False, None where missing; 0 and 1 are understood too.

    >>> booleans(["Yes", "no", "", "1", "maybe"])
    Typed(cells=array([True, False, None, True, None], dtype=object), faults={4: "'maybe' is neither true nor false"})
    """
    return _by_distinct(column, _boolean)


def timestamps(column: Column) -> Typed:
    """Seconds since 1970, UTC, NaN where missing, from ISO 8601 text or from such seconds.

    A time without a zone is taken as UTC.

    >>> timestamps(["1970-01-02T00:00:01Z", "", "yesterday"])
    Typed(cells=array([86401.,    nan,    nan]), faults={2: "'yesterday' is not an ISO 8601 time"})
    """
    if isinstance(column, np.ndarray) and column.dtype.kind == "M":
        microseconds = column.astype("datetime64[us]")
        return Typed(np.where(np.isnat(microseconds), np.nan, microseconds.astype(np.int64) / 1e6), {})
    return _one_by_one(column, _timestamp, np.dtype(np.float64))


def is_missing(cell: object) -> bool:
    """Whether a cell says that nothing is known.

    >>> [is_missing(cell) for cell in ("", " N/A ", None, float("nan"), "0", 0)]
    [True, True, True, True, False, False]
    """
    if isinstance(cell, str):
        return cell.strip().lower() in MISSING
    return cell is None or bool(cell != cell)  # NaN, and NumPy's not-a-time


def is_truth_value(cell: object) -> bool:
    """Whether a cell is true or false, in JSON or as text; yes and no are words of the table's own, to be kept.

    >>> is_truth_value("False"), is_truth_value(True), is_truth_value("no"), is_truth_value("1")
    (True, True, False, False)
    """
    return isinstance(cell, bool) or (isinstance(cell, str) and cell.strip().lower() in ("true", "false"))


def is_moment(cell: object) -> bool:
    """Whether a cell is ISO 8601 text with a date and a time.

    >>> is_moment("2024-05-01 12:30"), is_moment("2024-05-01"), is_moment("12:30")
    (True, False, False)
    """
    if isinstance(cell, datetime):
        return True
    if not isinstance(cell, str) or ":" not in cell:
        return False
    try:
        datetime.fromisoformat(cell.strip())
    except ValueError:
        return False
    return True


def _numeric_array(column: Column) -> npt.NDArray[np.float64] | None:
    """The column as floats, if NumPy takes it whole."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        with np.errstate(all="ignore"):  # a long double that no float can hold becomes infinite, and is refused
            return column.astype(np.float64)
    items = _items(column)
    kinds = set(map(type, items))
    if not kinds <= {str, float, int, type(None)}:
        return None
    if str in kinds and "_" in "".join(items if kinds == {str} else [item for item in items if type(item) is str]):
        return None  # Python reads 1_000, but a table does not mean it
    values = _floats(items)
    return values if values is not None else _floats([item if item != "" else None for item in items])


def _floats(cells: Sequence[Any]) -> npt.NDArray[np.float64] | None:
    try:
        return np.array(cells, dtype=np.float64)
    except (ValueError, OverflowError):
        return None


def _one_by_one(column: Column, read: Callable[[object], object], dtype: np.dtype[Any]) -> Typed:
    cells = np.full(len(column), None, dtype=dtype)  # None is NaN for floats
    faults = {}
    for place, cell in enumerate(_items(column)):
        try:
            cells[place] = read(cell)
        except ValueError as error:
            faults[place] = str(error)
    return Typed(cells, faults)


def _by_distinct(column: Column, read: Callable[[object], object]) -> Typed:
    """Cell by cell, but every distinct text only once: labels repeat."""
    items = _items(column)
    if set(map(type, items)) <= {str, type(None)}:
        distinct = set(items)
        if len(distinct) < len(items):
            known = list(distinct)
            typed = _one_by_one(known, read, np.dtype(object))
            table = dict(zip(known, typed.cells, strict=True))
            cells = np.empty(len(items), dtype=object)
            cells[:] = list(map(table.__getitem__, items))
            wrong = {known[place]: reason for place, reason in typed.faults.items()}
            faults = {place: wrong[item] for place, item in enumerate(items) if item in wrong} if wrong else {}
            return Typed(cells, faults)
    return _one_by_one(items, read, np.dtype(object))


def _number(cell: object) -> float:
    if is_missing(cell):
        return np.nan
    if isinstance(cell, bool) or not isinstance(cell, str | Real) or (isinstance(cell, str) and "_" in cell):
        raise ValueError(f"{short(cell)} is not a number")
    try:
        value = float(cell)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{short(cell)} is not a number") from error
    if not np.isfinite(value):
        raise ValueError(f"{short(cell)} is not a finite number")
    return value


def _label(cell: object) -> str | None:
    if is_missing(cell):
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, Real):
        value = _number(cell)
        return str(int(value)) if value.is_integer() else str(cell)
    if not isinstance(cell, str):
        raise ValueError(f"a nested value, {short(cell)}")
    text = cell.strip()
    if len(text) > MAX_LABEL:
        raise ValueError(f"a category of {len(text):,} characters, more than {MAX_LABEL:,}")
    if not is_text(text):
        raise ValueError(f"{short(text)} is not UTF-8 text")
    return text


def _boolean(cell: object) -> bool | None:
    if is_missing(cell):
        return None
    if isinstance(cell, bool):
        return cell
    word = cell.strip().lower() if isinstance(cell, str) else str(cell)
    if word in TRUE | {"1", "1.0"}:
        return True
    if word in FALSE | {"0", "0.0"}:
        return False
    raise ValueError(f"{short(cell)} is neither true nor false")


def _timestamp(cell: object) -> float:
    if is_missing(cell):
        return np.nan
    if isinstance(cell, str):
        try:
            moment = datetime.fromisoformat(cell.strip())
        except ValueError:
            pass
        else:
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    try:
        seconds = _number(cell)
    except ValueError:
        raise ValueError(f"{short(cell)} is not an ISO 8601 time") from None
    if not FIRST_SECOND <= seconds <= LAST_SECOND:
        raise ValueError(f"{short(cell)} is not a time in seconds since 1970")
    return seconds


def _items(column: Column) -> Sequence[Any]:
    items: Sequence[Any] = column.tolist() if isinstance(column, np.ndarray) else column
    return items


def _item(column: Column, place: int) -> object:
    cell = column[place]
    return cell.item() if isinstance(cell, np.generic) else cell
