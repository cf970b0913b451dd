"""A chunk of a table by column, whatever it came as, and columns as arrays of one kind.

A known cell is a float, a text, a bool, or a Moment (a time); a missing one is None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_array

from genreplay.core.checkpoint import Json

Kind = Literal["number", "category", "boolean", "timestamp"]
Cell: TypeAlias = float | str | bool | None
Column: TypeAlias = npt.NDArray[Any]
Float64 = npt.NDArray[np.float64]
Objects = npt.NDArray[np.object_]


class Moment(float):
    """A point in time, in seconds since 1970 UTC: a number that says of itself that it is a time."""

    __slots__ = ()


class Table:
    """Rows as they came, by column: one 2-D array, or an array for each column of a data frame.

    >>> table = Table(np.array([[1.5, "red"], [2.5, None]], dtype=object))
    >>> table.n_rows, table.columns[1].tolist()
    (2, ['red', None])
    """

    def __init__(self, columns: Column | Sequence[Column]) -> None:
        whole = columns if isinstance(columns, np.ndarray) else None
        self.whole = whole
        self.columns = columns if whole is None else whole.T
        self.n_rows = len(columns[0]) if whole is None else len(whole)

    def head(self, n: int) -> Table:
        """The first n rows."""
        return Table([column[:n] for column in self.columns] if self.whole is None else self.whole[:n])


def read_table(X: object) -> Table:
    """Take an array, a list of lists, or a pandas or polars data frame apart into columns.

    >>> read_table([[1, "red"], [2, "blue"]]).columns[0].tolist()
    [1, 2]
    """
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return _frame([_pandas_column(X.iloc[:, i]) for i in range(X.shape[1])], X.shape)  # type: ignore[attr-defined]
    if type(X).__module__.partition(".")[0] == "polars" and hasattr(X, "get_columns"):
        return _frame([_plain(column.to_numpy()) for column in X.get_columns()], X.shape)  # type: ignore[attr-defined]
    if isinstance(X, (list, tuple)):
        X = np.array(X, dtype=object)  # as it is: NumPy's own choice would turn [1, "a"] into two texts
    return Table(_plain(np.asarray(check_array(X, dtype=None, ensure_all_finite=False, input_name="X"))))


def _frame(columns: list[Column], shape: tuple[int, int]) -> Table:
    for size, what in zip(shape, ("sample(s)", "feature(s)"), strict=True):
        if size == 0:
            raise ValueError(f"Found a table with 0 {what} (shape={shape}) while a minimum of 1 is required.")
    return Table(columns)


def _pandas_column(series: Any) -> Column:
    dtype = series.dtype
    if dtype.name == "category":
        texts = np.array([*(label_text(cell(c)) for c in dtype.categories), None], dtype=object)
        return np.asarray(texts[series.cat.codes.to_numpy()])
    if dtype.kind == "M":
        return np.asarray(series.to_numpy(dtype="datetime64[us]"))
    if dtype.kind in "iuf" and not isinstance(dtype, np.dtype):  # pandas' own numbers, with room for a missing one
        return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
    if dtype.kind in "biufm" and isinstance(dtype, np.dtype):
        return np.asarray(series.to_numpy())
    return np.asarray(series.to_numpy(dtype=object, na_value=None))


def _plain(values: Column) -> Column:
    return values if values.dtype.kind in "biufmMO" else values.astype(object)


def cell(value: object) -> Cell:
    """What one cell holds, in one of the four forms, or None where it is missing.

    >>> cell(np.int64(3)), cell(np.nan), cell(np.datetime64("1970-01-02"))
    (3.0, None, 86400.0)
    """
    if value is None or isinstance(value, str):
        return None if value is None else str(value)
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (np.datetime64, np.timedelta64)):
        seconds = float(_seconds(np.asarray(value)))
        if math.isnan(seconds):
            return None
        return Moment(seconds) if isinstance(value, np.datetime64) else seconds
    if isinstance(value, (Real, Decimal)):
        number = value if isinstance(value, Moment) else float(value)
        if math.isinf(number):
            raise ValueError("infinity, which no code can hold: put a missing value or a large number there")
        return None if math.isnan(number) else number
    if type(value).__name__ in {"NAType", "NaTType"}:  # pandas' words for missing, told without importing pandas
        return None
    if isinstance(value, datetime):
        return Moment((value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp())
    if isinstance(value, date):
        return Moment(datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp())
    if isinstance(value, timedelta):
        return value.total_seconds()
    raise TypeError(
        f"a {type(value).__name__}: a cell must be a number, a text, a boolean, a time, or missing (None or NaN)"
    )


def cells(column: Column, name: str) -> Objects:
    """All cells of a column in their four forms."""
    return _each(cell, column, name)


def kind_of(column: Column) -> Kind:
    """The kind that fits all known cells; a column without one is a category, which takes whatever comes later.

    >>> kind_of(np.array([1.0, None, True], dtype=object)), kind_of(np.array([1.0, "1.5"], dtype=object))
    ('number', 'category')
    """
    if column.dtype != object:
        return "category" if np.isnan(column).all() else "number"
    types = set(map(type, column)) - {type(None)}
    if types == {bool}:
        return "boolean"
    if types == {Moment}:
        return "timestamp"
    return "number" if types and types <= {float, bool} else "category"


def numbers(column: Column, name: str) -> Float64:
    """A column as float64, NaN where missing; a text is read as a number."""
    if column.dtype.kind == "m":
        return _seconds(column)
    if column.dtype.kind == "M":
        raise ValueError(f"Column {name!r} holds numbers. Got times instead.")
    try:
        values = column.astype(np.float64)
    except (TypeError, ValueError):
        values = _each(_number, column, name).astype(np.float64)
    refuse_infinity(values, name)
    return values


def booleans(column: Column, name: str) -> Float64:
    """A column as 1.0 and 0.0, NaN where missing."""
    if column.dtype.kind == "b":
        return column.astype(np.float64)
    return _each(_boolean, column, name).astype(np.float64)


def times(column: Column, name: str) -> Float64:
    """A column as seconds since 1970 UTC, NaN where missing; a text is read as an ISO 8601 time."""
    if column.dtype.kind == "M":
        return _seconds(column)
    if column.dtype.kind in "iuf" or set(map(type, column)) <= {float, Moment, type(None)}:
        return numbers(column, name)
    return _each(_time, column, name).astype(np.float64)


def labels(column: Column, name: str) -> list[str | None]:
    """A column as texts, None where missing; the numbers 3 and 3.0 have the same text."""
    if column.dtype.kind in "iuf":
        refuse_infinity(column, name)
        values, places = np.unique(column, return_inverse=True)  # few different ones, often
        texts = [label_text(cell(value)) for value in values]
        return [texts[i] for i in places]
    found: list[str | None] = column.tolist()
    if set(map(type, found)) <= {str, type(None)}:
        return found
    return [label_text(c) for c in cells(column, name)]


def label_text(known: Cell) -> str | None:
    """The label that a cell stands for in a column of categories.

    >>> [label_text(c) for c in ("red", 3.0, 2.5, True, None)]
    ['red', '3', '2.5', 'true', None]
    """
    if known is None or isinstance(known, str):
        return known
    if isinstance(known, bool):
        return "true" if known else "false"
    if isinstance(known, Moment):
        return datetime.fromtimestamp(known, UTC).isoformat()
    return str(int(known)) if known.is_integer() and abs(known) < 2**53 else repr(known)


READERS: dict[Kind, Callable[[Column, str], Float64 | list[str | None]]] = {
    "number": numbers,
    "category": labels,
    "boolean": booleans,
    "timestamp": times,
}


def typed(column: Column, kind: Kind, name: str) -> Objects:
    """A column read as one kind, as cells that show that kind.

    >>> typed(np.array(["1.5", None], dtype=object), "number", "x").tolist()
    [1.5, None]
    """
    cells_of_kind = np.empty(len(column), dtype=object)
    if kind == "category":
        cells_of_kind[:] = labels(column, name)
    else:
        make = {"number": float, "boolean": bool, "timestamp": Moment}[kind]
        cells_of_kind[:] = [None if math.isnan(c) else make(c) for c in READERS[kind](column, name)]  # type: ignore[arg-type]
    return cells_of_kind


def to_json(known: Cell) -> Json:
    """A cell for JSON, where a time is marked as one.

    >>> [to_json(c) for c in (1.5, "red", None, Moment(60))]
    [1.5, 'red', None, {'time': 60.0}]
    """
    if isinstance(known, Moment):
        return {"time": float(known)}
    return None if known != known else known


def from_json(value: Any) -> Cell:
    """The cell that ``to_json`` wrote."""
    return Moment(value["time"]) if isinstance(value, dict) else value


def refuse_infinity(values: Column, name: str) -> None:
    """Raise a ValueError if there is an infinite number."""
    if values.dtype.kind == "f" and np.isinf(values).any():
        _each(cell, values, name)


def _each(function: Callable[[Any], object], column: Column, name: str) -> Objects:
    done = np.empty(len(column), dtype=object)
    for row, value in enumerate(column):
        try:
            done[row] = function(value)
        except (TypeError, ValueError) as error:
            raise type(error)(f"Column {name!r} has in row {row} of this chunk {error}.") from None
    return done


def _number(value: object) -> float:
    known = cell(value)
    if isinstance(known, str) and known.strip():
        try:
            return float(known)
        except ValueError:
            raise ValueError(f"{_short(known)}, which is no number") from None
    return math.nan if known is None or isinstance(known, str) else float(known)


def _boolean(value: object) -> float:
    known = cell(value)
    if known is None:
        return math.nan
    truth = {"true": 1.0, "false": 0.0}.get(known.lower()) if isinstance(known, str) else known
    if truth not in (0, 1):
        raise ValueError(f"{_short(known)}, which is no boolean: give True or False, 1 or 0")
    return float(truth)


def _time(value: object) -> float:
    known = cell(value)
    if isinstance(known, str):
        try:
            known = cell(datetime.fromisoformat(known))
        except ValueError:
            raise ValueError(f"{_short(known)}, which is no ISO 8601 time") from None
    return math.nan if known is None else float(known)


def _seconds(values: Column) -> Float64:
    """Times as seconds since 1970, spans as seconds; NaT becomes NaN."""
    unit = "datetime64[us]" if values.dtype.kind == "M" else "timedelta64[us]"
    seconds: Float64 = np.where(np.isnat(values), np.nan, values.astype(unit).astype(np.int64) / 1e6)
    return seconds


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
