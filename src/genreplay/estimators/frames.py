"""Data frames out where data frames came in: pandas and polars, neither of which has to be installed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from genreplay.streams.codes import Bools
from genreplay.streams.columns import Objects

Library = Literal["pandas", "polars"]
Cells = npt.NDArray[Any]


def library_of(X: object) -> Library | None:
    """The library whose data frame this is; None for anything else.

    >>> import pandas as pd
    >>> library_of(pd.DataFrame({"a": [1]})), library_of(np.eye(2))
    ('pandas', None)
    """
    module = type(X).__module__.partition(".")[0]
    if module == "polars" and hasattr(X, "get_columns"):
        return "polars"
    return "pandas" if hasattr(X, "iloc") and hasattr(X, "columns") and "pandas" in sys.modules else None


def frame(library: Library, cells: Cells, names: Sequence[str], like: Any = None) -> Any:
    """A data frame of these cells, or the cells as they are if its library is not installed.

    With ``like``, a pandas frame has the index of that one.

    >>> frame("polars", np.array([[1.5, "red"], [np.nan, None]], dtype=object), ["x", "y"]).to_dicts()
    [{'x': 1.5, 'y': 'red'}, {'x': None, 'y': None}]
    """
    try:
        module = import_module(library)
    except ImportError:  # the model comes from a machine that had it
        return cells
    if library == "pandas":
        index = None if like is None else like.index
        return module.DataFrame(cells, columns=list(names), index=index).infer_objects()
    columns = zip(names, cells.T, strict=True)
    return module.DataFrame({name: _with_nulls(column.tolist()) for name, column in columns}, strict=False)


def with_cells(X: Any, cells: Objects, filled: Bools) -> Any:
    """A copy of a data frame with some cells replaced; a column where none is replaced stays as it is.

    A column keeps its type if that can hold the new cells. A time is filled as a text such as "Tue 13:30", so that a
    column of times in which a cell is filled becomes one of objects (pandas) or text (polars).
    """
    changed = np.flatnonzero(filled.any(axis=0)).tolist()
    if library_of(X) == "pandas":
        new = X.copy()
        for i in changed:
            column = X.iloc[:, i].astype(object)
            column.iloc[np.flatnonzero(filled[:, i])] = cells[filled[:, i], i]
            new.isetitem(i, _as_type(column, X.dtypes.iloc[i]))
        return new
    polars = sys.modules["polars"]  # X is one of its frames
    columns = X.get_columns()
    for i in changed:
        values = columns[i].to_list()
        for row in np.flatnonzero(filled[:, i]).tolist():
            values[row] = cells[row, i]
        try:
            columns[i] = polars.Series(columns[i].name, values, dtype=columns[i].dtype)
        except (TypeError, ValueError, OverflowError, polars.exceptions.PolarsError):
            mixed = len({type(value) for value in values if value is not None}) > 1
            columns[i] = polars.Series(
                columns[i].name, [None if value is None else str(value) for value in values] if mixed else values
            )
    return polars.DataFrame(columns)


def _as_type(column: Any, dtype: Any) -> Any:
    try:
        return column.astype(dtype)
    except (TypeError, ValueError):
        return column.infer_objects()


def _with_nulls(cells: list[Any]) -> list[Any]:
    return [None if isinstance(cell, float) and cell != cell else cell for cell in cells]
