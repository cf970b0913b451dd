"""Tables as scikit-learn's users give them: arrays, lists and data frames, whose columns may have names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import _get_feature_names, check_array, validate_data

from genreplay.streams.chunks import listed, short
from genreplay.streams.columns import declared
from genreplay.streams.table import Array, Table, TakesTables

if TYPE_CHECKING:
    from sklearn.utils import Tags


class TableFeatures(BaseEstimator, TakesTables):  # type: ignore[misc]
    """What scikit-learn adds to the way in which rows are taken: other types, names of columns, its own errors."""

    _not_ready = NotFittedError

    def _read(self, X: object) -> Table:
        return read_table(X)

    def _names_of(self, X: object, table: Table) -> list[str]:
        named = _get_feature_names(X)
        return super()._names_of(X, table) if named is None else named.tolist()

    def _remember_columns(self, X: object) -> None:
        validate_data(self, X, reset=True, skip_check_array=True)

    def _check_columns(self, X: object) -> None:
        """Check that X has the columns of the first fit, by name and in order; else say in one sentence what differs.

        scikit-learn's own message follows on the next lines.
        """
        try:
            validate_data(self, X, reset=False, skip_check_array=True)
        except ValueError as error:
            named, known = _get_feature_names(X), getattr(self, "feature_names_in_", None)
            if named is None or known is None:
                raise
            raise ValueError(f"{_difference(list(named), list(known))}\n{error}") from None

    def _read_further(self, X: object) -> Table:
        if (
            type(X) is np.ndarray
            and X.dtype.kind in "fiubO"
            and X.ndim == 2
            and X.shape[0] > 0
            and X.shape[1] == self.n_features_in_
            and not hasattr(self, "feature_names_in_")
        ):
            return Table(X)  # it needs no further check: checks would cost more than to encode a single row
        return super()._read_further(X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def read_table(X: object) -> Table:
    """Take an array, a list of lists, or a pandas or polars data frame apart into columns.

    >>> read_table([[1, "red"], [2, "blue"]]).columns[0].tolist()
    [1, 2]
    """
    if hasattr(X, "iloc") and hasattr(X, "columns"):
        return _frame([_pandas_column(X.iloc[:, i]) for i in range(X.shape[1])], X.shape)  # type: ignore[attr-defined]
    if type(X).__module__.partition(".")[0] == "polars" and hasattr(X, "get_columns"):
        return _frame([_polars_column(column) for column in X.get_columns()], X.shape)  # type: ignore[attr-defined]
    if isinstance(X, (list, tuple)):
        X = np.array(X, dtype=object)  # otherwise NumPy would turn [1, "a"] into two texts
    return Table(_plain(np.asarray(check_array(X, dtype=None, ensure_all_finite=False, input_name="X"))))


def _difference(named: Sequence[str], known: Sequence[str]) -> str:
    """What is wrong with the columns of a data frame.

    >>> _difference(["b", "a"], ["a", "b"])
    "The columns of X are in another order than at the first fit: put them into the order 'a', 'b'."
    """
    unseen = [name for name in named if name not in known]
    if unseen:
        return f"X has a column {short(unseen[0])} that the first fit did not have: leave it out, or fit anew."
    lacking = [name for name in known if name not in named]
    if lacking:
        return f"X has no column {short(lacking[0])}, which the first fit had: it has {listed(named)}."
    return f"The columns of X are in another order than at the first fit: put them into the order {listed(known)}."


def _frame(columns: list[Array], shape: tuple[int, int]) -> Table:
    for size, what in zip(shape, ("sample(s)", "feature(s)"), strict=True):
        if size == 0:
            raise ValueError(f"Found a table with 0 {what} (shape={shape}) while a minimum of 1 is required.")
    return Table(columns)


def _pandas_column(series: Any) -> Array:
    dtype = series.dtype
    if dtype.name == "category":
        categories = np.array([*declared(dtype.categories.to_numpy(dtype=object)), None], dtype=object)
        return np.asarray(categories[series.cat.codes.to_numpy()])
    if dtype.kind == "M":
        return np.asarray(series.to_numpy(dtype="datetime64[us]"))
    if dtype.kind in "iuf" and not isinstance(dtype, np.dtype):  # pandas' own number types, which have a missing value
        return np.asarray(series.to_numpy(dtype=np.float64, na_value=np.nan))
    if dtype.kind in "biufm" and isinstance(dtype, np.dtype):
        return np.asarray(series.to_numpy())
    return np.asarray(series.to_numpy(dtype=object, na_value=None))


def _polars_column(series: Any) -> Array:
    if str(series.dtype).startswith(("Categorical", "Enum")):
        return declared(series.to_numpy())
    return _plain(series.to_numpy())


def _plain(values: Array) -> Array:
    return values if values.dtype.kind in "biufmMO" else values.astype(object)
