"""The one reader of cells: what a cell is, and what kind a column is.

The command line and Python both read by these rules: text from CSV, values from JSON, Parquet and arrays, and the
cells of lists, data frames and dicts.

| cell | number | category | boolean | timestamp |
|---|---|---|---|---|
| "", na, n/a, nan, null, none, ? | missing | missing | missing | missing |
| None, NaN, NaT, pandas' NA | missing | missing | missing | missing |
| 3, 3.0, Decimal(3) | 3.0 | "3" | refused | 3 s after 1970 |
| " 3 " | 3.0 | "3" | refused | 3 s after 1970 |
| "1e3" | 1000.0 | "1e3" | refused | 1000 s after 1970 |
| "1_000" | refused | "1_000" | refused | refused |
| " red " | refused | "red" | refused | refused |
| True, "TRUE" | refused | "true", "TRUE" | True | refused |
| "yes", "no" | refused | "yes", "no" | True, False | refused |
| 1, 0, "1", "0" | 1.0, 0.0 | "1", "0" | True, False | 1 s, 0 s after 1970 |
| "2024-05-01 12:30" (ISO 8601) | refused | as it is | refused | that time; UTC unless it has a zone |
| "31/12/2025", "31.12.2025" | refused | as it is | refused | refused |
| 1735689600 (an epoch) | that number | its text | refused | that many s after 1970 |
| 1735689600000 (in milliseconds) | that number | its text | refused | that time |
| datetime, date, datetime64 | refused | its ISO text | refused | that time; UTC unless it has a zone |
| timedelta(minutes=1), timedelta64 | 60.0 | "60" | refused | 60 s after 1970 |
| infinity, as a float | refused | refused | refused | refused |
| "inf" | refused | "inf" | refused | refused |
| list, dict, bytes, ... | refused | refused | refused | refused |

The words for a missing cell are understood in any case, and blanks around a text do not count. A label may have 1,000
characters, a time must lie in the years 1 to 9999, and an array of NumPy's bools counts as 0 and 1 in a number column.
A refused cell makes a bad row on the command line, and a ValueError in Python.

The kind of a column, unless it is given, is the first of these that fits its known cells:

1. boolean, if all are true or false, as booleans or as text;
2. number, if 95 % of them read as numbers;
3. timestamp, if 95 % of them are times, or ISO 8601 text with a date and a time of day;
4. category. So is a column without a known cell, unless its cells have the type of a time.

Dates in another order than ISO 8601's, dates without a time of day, and seconds or milliseconds since 1970 are not
guessed: such a column is a category or a number by these rules. Where its kind was inferred, a remark says what it
looks like (``genreplay.streams.remarks``): a warning in Python, a line on stderr on the command line.

The cells of a categorical column of pandas, polars or Parquet are labels, whatever their text.

Each reader below takes a column and returns its typed cells and, by index, what is wrong with those that are refused.
A whole column is converted at once where possible, and cell by cell otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.streams import cells
from genreplay.streams.cells import FIRST_MILLISECOND, FIRST_SECOND, LAST_SECOND, Kind, Label, Moment, is_missing
from genreplay.streams.chunks import Column, short

__all__ = ["READERS", "Typed", "booleans", "is_missing", "kind_of", "labels", "numbers", "read", "timestamps"]

Float64 = npt.NDArray[np.float64]
Objects = npt.NDArray[np.object_]
MOST = 0.95
"""share of a column's known cells that must read as a number or a time; the others are refused"""
NUMBER_TYPES = frozenset(
    {float, int, type(None), np.float64, np.float32, np.float16}
    | {np.int64, np.int32, np.int16, np.int8, np.uint64, np.uint32, np.uint16, np.uint8}
)
"""of cells that NumPy turns into the floats that are meant"""
BOOLEAN_TYPES: frozenset[type] = frozenset({bool, np.bool_, type(None)})
_DIGITS = [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18]
_MARKS, _MARK_SIGNS = [4, 7, 13, 16], list(map(ord, "--::"))
"""places of digits and of other signs in 2024-05-01T12:30:00"""
_TEXT_TYPES = frozenset({str, Label, type(None)})
_PLAIN_TYPES = _TEXT_TYPES | {bool, Moment}


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
        return _one_by_one(items(column), cells.number, np.dtype(np.float64))
    infinite = np.flatnonzero(np.isinf(values)).tolist()
    return Typed(values, {place: f"{short(_item(column, place))} is not a finite number" for place in infinite})


def labels(column: Column) -> Typed:
    """Categories as text without blanks around it, None where missing.

    >>> labels([" red ", "NA", 7])
    Typed(cells=array(['red', None, '7'], dtype=object), faults={})
    """
    return _by_distinct(column, cells.label)


def booleans(column: Column) -> Typed:
    """True and False, None where missing; yes, no, 0 and 1 are understood too.

    >>> booleans(["Yes", "no", "", "1", "maybe"])
    Typed(cells=array([True, False, None, True, None], dtype=object), faults={4: "'maybe' is neither true nor false"})
    """
    if isinstance(column, np.ndarray) and column.dtype.kind == "b":
        return Typed(column.astype(object), {})
    return _by_distinct(column, cells.boolean)


def timestamps(column: Column) -> Typed:
    """Seconds since 1970, UTC, NaN where missing, from times, ISO 8601 text or such seconds or milliseconds.

    >>> timestamps(["1970-01-02T00:00:01Z", "", "yesterday"])
    Typed(cells=array([86401.,    nan,    nan]), faults={2: "'yesterday' is not an ISO 8601 time"})
    """
    seconds: Float64 | None = None
    if isinstance(column, np.ndarray) and column.dtype.kind in "iufM":
        seconds = _seconds(column) if column.dtype.kind == "M" else _numeric_array(column)
        if seconds is not None and column.dtype.kind != "M":
            seconds = np.where(seconds >= FIRST_MILLISECOND, seconds / 1000, seconds)
    else:
        types = set(map(type, column))
        if types <= {float, Moment, type(None)}:
            seconds = np.array(column, dtype=np.float64)
        elif types == {str}:
            seconds = _uniform_times(column)  # type: ignore[arg-type]
    if seconds is None or ((seconds < FIRST_SECOND) | (seconds > LAST_SECOND + 1)).any():
        return _one_by_one(items(column), cells.timestamp, np.dtype(np.float64))
    return Typed(seconds, {})


READERS: Mapping[Kind, Callable[[Column], Typed]] = {
    "number": numbers,
    "category": labels,
    "boolean": booleans,
    "timestamp": timestamps,
}


def plain_cells(column: Column) -> Typed:
    """The cells of a column whose kind is not known yet, in a form that can wait and be read as any kind later.

    >>> plain_cells([1, " red ", True, None]).cells.tolist()
    [1.0, ' red ', True, None]
    """
    waiting = items(column)
    types = set(map(type, waiting))
    if types <= _PLAIN_TYPES:
        return Typed(_objects(waiting), {})
    if types <= NUMBER_TYPES:
        typed = numbers(column)
        return Typed(typed.cells.astype(object), typed.faults)
    return _one_by_one(waiting, _plain_and_finite, np.dtype(object))


def declared(column: Column) -> Objects:
    """The cells of a column that is declared as categories, marked as labels so that no other kind is inferred.

    >>> kind_of(["1", "2"]), kind_of(declared(["1", "2"]))
    ('number', 'category')
    """
    typed = labels(column)
    marked: list[object] = [None if text is None else Label(text) for text in typed.cells]
    for place in typed.faults:
        marked[place] = _item(column, place)  # it stays as it is, and is refused when the column is read
    return _objects(marked)


def kind_of(column: Column) -> Kind:
    """The kind that fits the known cells of a column, by the rules above.

    >>> kind_of([1.0, None, "2.5"]), kind_of(["true", False]), kind_of(["yes", "no"]), kind_of([None])
    ('number', 'boolean', 'category', 'category')
    """
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuf":
        return "category" if np.isnan(column).all() else "number"
    found = items(column)
    types = set(map(type, found)) - {type(None)}
    if types and types <= NUMBER_TYPES and (values := _floats(found)) is not None and np.isfinite(values).all():
        return "number"
    if types == {bool}:
        return "boolean"
    known = [cell for cell in found if not is_missing(cell)]
    if not known:
        return "timestamp" if any(map(cells.is_moment, found)) else "category"
    if all(map(cells.is_truth_value, known)):
        return "boolean"
    n_labels = sum(isinstance(cell, Label) for cell in known)
    undeclared = [cell for cell in known if not isinstance(cell, Label)] if n_labels else known
    if n_labels + len(numbers(undeclared).faults) <= (1 - MOST) * len(known):
        return "number"
    if sum(map(cells.is_moment, known)) >= MOST * len(known):
        return "timestamp"
    return "category"


def row_of_chunk(row: int) -> str:
    """Where a cell stands, for an error message."""
    return f"row {row} of this chunk"


def read(column: Column, kind: Kind | None, name: str, where: Callable[[int], str] = row_of_chunk) -> npt.NDArray[Any]:
    """The typed cells of a column, or its plain cells where the kind is not known; raise for a refused cell.

    >>> read(["1.5", "NA", "old"], "number", "age")
    Traceback (most recent call last):
    ValueError: Column 'age', row 2 of this chunk: 'old' is not a number.
    """
    typed = plain_cells(column) if kind is None else READERS[kind](column)
    if typed.faults:
        row = min(typed.faults)
        cell = _item(column, row)
        hint = " Put a missing value or a large number in place of infinity." if _is_infinite(cell) else ""
        message = f"Column {name!r}, {where(row)}: {typed.faults[row]}.{hint}"
        raise ValueError(message) if _is_cell(cell) else TypeError(message)
    return typed.cells


def is_readable(cell: object, kind: Kind) -> bool:
    """Whether a column of this kind takes a cell.

    >>> is_readable("3", "number"), is_readable("three", "number")
    (True, False)
    """
    return not READERS[kind]([cell]).faults


def floats(block: npt.NDArray[Any], types: frozenset[type]) -> Float64 | None:
    """A 2-D array of cells as floats, if all cells have the given types and NumPy can take them at once.

    >>> floats(np.array([[1, None, 2.5]], dtype=object), NUMBER_TYPES)
    array([[1. , nan, 2.5]])
    """
    if block.dtype.kind in "biuf":
        with np.errstate(all="ignore") if block.dtype.itemsize > 8 else nullcontext():
            return block.astype(np.float64, copy=False)  # a long double that no float can hold becomes infinite
    if not set(map(type, block.ravel().tolist())) <= types:
        return None
    try:
        return block.astype(np.float64)
    except OverflowError:  # an integer that no float can hold
        return None


def items(column: Column) -> Sequence[Any]:
    """The cells of a column one by one. Those of an array are Python's own, and its times are Moments."""
    if not isinstance(column, np.ndarray):
        return column
    if column.dtype.kind == "M":
        return list(map(Moment, _seconds(column).tolist()))
    cells_of_array: Sequence[Any] = (_seconds(column) if column.dtype.kind == "m" else column).tolist()
    return cells_of_array


def _numeric_array(column: Column) -> Float64 | None:
    """The column as floats, if NumPy takes it whole."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "biufm":
        if column.dtype.kind == "m":
            return _seconds(column)
        return floats(column, NUMBER_TYPES)
    found = items(column)
    kinds = set(map(type, found))
    if not kinds <= NUMBER_TYPES | {str}:
        return None
    if str in kinds and "_" in "".join(found if kinds == {str} else [item for item in found if type(item) is str]):
        return None  # Python reads 1_000, but a table does not mean it
    values = _floats(found)
    return values if values is not None else _floats([item if item != "" else None for item in found])


def _floats(found: Sequence[Any]) -> Float64 | None:
    try:
        return np.array(found, dtype=np.float64)
    except (ValueError, OverflowError):
        return None


def _seconds(times: npt.NDArray[Any]) -> Float64:
    """Times as seconds since 1970, spans as seconds; NaT becomes NaN."""
    unit = "datetime64[us]" if times.dtype.kind == "M" else "timedelta64[us]"
    seconds: Float64 = np.where(np.isnat(times), np.nan, times.astype(unit).astype(np.int64) / 1e6)
    return seconds


def _uniform_times(column: Sequence[str]) -> Float64 | None:
    """Seconds of texts that are all written as 2024-05-01T12:30:00, with a T or a blank and perhaps a Z; else None.

    >>> _uniform_times(["1970-01-01T00:01:00Z", "1970-01-01 00:02:00Z"]), _uniform_times(["1970-01-01"])
    (array([ 60., 120.]), None)
    """
    length = len(column[0])
    if length not in (19, 20) or set(map(len, column)) != {length}:
        return None
    texts = np.array(column, dtype=f"U{length}")
    signs = texts.view(np.uint32).reshape(-1, length)
    digits = signs[:, _DIGITS]
    if not (((digits >= ord("0")) & (digits <= ord("9"))).all() and (signs[:, _MARKS] == _MARK_SIGNS).all()):
        return None
    if not np.isin(signs[:, 10], (ord("T"), ord(" "))).all() or (signs[:, 19:] != ord("Z")).any():
        return None
    try:
        return texts.astype("U19").astype("datetime64[s]").astype(np.float64)
    except ValueError:  # such as the 31st of June
        return None


def _one_by_one(column: Sequence[Any], read_cell: Callable[[object], object], dtype: np.dtype[Any]) -> Typed:
    typed = np.full(len(column), None, dtype=dtype)  # None is NaN for floats
    faults = {}
    for place, cell in enumerate(column):
        try:
            typed[place] = read_cell(cell)
        except ValueError as error:
            faults[place] = str(error)
    return Typed(typed, faults)


def _by_distinct(column: Column, read_cell: Callable[[object], object]) -> Typed:
    """Cell by cell, but every distinct text or number of an array only once: labels repeat."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        values, places = np.unique(column, return_inverse=True)
        typed = _one_by_one(values.tolist(), read_cell, np.dtype(object))
        wrong_places = np.flatnonzero(np.isin(places, list(typed.faults))).tolist() if typed.faults else []
        return Typed(typed.cells[places], {place: typed.faults[int(places[place])] for place in wrong_places})
    found = items(column)
    if len(found) > 1 and type(found[0]) in _TEXT_TYPES:
        known = _distinct(found)
        if len(known) < len(found) and set(map(type, known)) <= _TEXT_TYPES:  # no text is equal to another type
            typed = _one_by_one(known, read_cell, np.dtype(object))
            table = dict(zip(known, typed.cells.tolist(), strict=True))
            wrong = {known[place]: reason for place, reason in typed.faults.items()}
            faults = {place: wrong[item] for place, item in enumerate(found) if item in wrong} if wrong else {}
            return Typed(_objects(list(map(table.__getitem__, found))), faults)
    return _one_by_one(found, read_cell, np.dtype(object))


def _distinct(found: Sequence[Any]) -> Sequence[Any]:
    """Each cell once; all of them where one cannot be hashed."""
    try:
        return list(dict.fromkeys(found))
    except TypeError:
        return found


def _objects(found: Sequence[Any]) -> Objects:
    array = np.empty(len(found), dtype=object)
    array[:] = found
    return array


def _item(column: Column, place: int) -> object:
    cell = column[place]
    return cell.item() if isinstance(cell, np.generic) else cell


def _plain_and_finite(value: object) -> cells.PlainCell:
    cell = cells.plain(value)
    return cells.number(value) if isinstance(cell, float) and not isinstance(cell, Moment) else cell


def _is_cell(value: object) -> bool:
    try:
        cells.plain(value)
    except cells.NotACell:
        return False
    except ValueError:
        pass
    return True


def _is_infinite(value: object) -> bool:
    return isinstance(value, float) and abs(value) == np.inf
