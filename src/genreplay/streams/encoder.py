"""The scikit-learn transformer that turns rows of a table into bits and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import _fit_context
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _get_feature_names, validate_data

from genreplay.core.ingredient import Json
from genreplay.streams.cells import Kind
from genreplay.streams.coded_rows import CodedRows
from genreplay.streams.codes import CLASSES, AnyCode, BooleanCode, CategoryCode, NumberCode, TimestampCode
from genreplay.streams.columns import Objects
from genreplay.streams.combinations import Combinations
from genreplay.streams.layout import Layout
from genreplay.streams.table import Array, Table, check_columns, read_table
from genreplay.streams.warm_up import WarmUp, kinds_by_index

if TYPE_CHECKING:
    from sklearn.utils import Tags


class TableEncoder(CodedRows):
    """Turn rows with numbers, categories, booleans, times and missing values into bits, and bits back into rows.

    The codes are learned from the first rows of a stream and then frozen, so that the meaning of a bit
    never changes after a model has learned it:

    - a number becomes a thermometer (bit j is on when the value is above the j-th cut point) or a one-hot code over
      intervals of about equally many rows; values below and above everything seen have intervals of their own;
    - a category becomes one bit for each label, or for each bucket of a hash;
    - a boolean becomes one bit;
    - a time becomes a cyclic code of the time of day, in UTC, and one bit for each day of the week.

    Every column has one more bit, "unknown". It is on, and the column's other bits are off, when the cell is missing or
    its label was not seen in the warm-up.

    Parameters
    ----------
    numbers : {"thermometer", "onehot", "widths"}, default="thermometer"
        Code of the numbers: a thermometer or a one-hot code over intervals of about equally many rows, or a one-hot
        code over intervals of equal width between the 1st and the 99th percentile, with ever wider ones beyond. Equal
        widths keep how likely a value is, so they suit the detection of anomalies.
    combinations : bool, default=False
        Whether the principal components of the numbers are coded as further columns, by equal widths. A row whose
        cells are all usual, but not together, then has unusual bits.
    n_bins : int, default=8
        Intervals of a number. Those of about equally many rows have finer ones at both ends, at 1 % and 3 % of the
        rows, and one on either side for what lies beyond everything seen.
    categories : {"learned", "hashed"}, default="learned"
        One bit for each of the most frequent labels of the warm-up, or for each bucket of a stable hash.
    max_categories : int, default=32
        Most labels that have a bit, or the number of buckets.
    time_bins : int, default=8
        Sectors of the day; even.
    kinds : dict or None, default=None
        For any column, by name or by index, "number", "category", "boolean" or "timestamp". The kind of any
        other column is inferred from the cells of the warm-up, by the rules of ``genreplay.streams.columns``.
    warm_up : int, default=500
        Rows that ``partial_fit`` collects before the codes are made.
    dtype : dtype, default=np.float32
        Number type of the bits.

    Attributes
    ----------
    frozen_ : bool
        Whether the codes are fixed.
    n_waiting_ : int
        Rows of the warm-up collected so far; 0 once the codes are fixed.
    collected_ : ndarray of objects
        These rows.
    column_names_ : list of str
        Names of the columns: those of the data frame, or x0, x1, ...
    kinds_ : list of str
        The kind of each column.
    column_of_bit_ : ndarray of int
        For each bit, the column that it belongs to.
    unknown_bits_ : ndarray of int
        For each column, its unknown bit.
    n_features_in_ : int
        Columns seen at the first fit.
    feature_names_in_ : ndarray of str
        Their names, if they all have one.

    Notes
    -----
    The cut points are exact quantiles of the warm-up, not those of a sketch (KLL, t-digest). Nothing can be learned
    before the codes are fixed, so the rows of the warm-up wait in any case. The exact quantiles of so few rows cost
    less than a sketch and need no further dependency. They are the same to the bit however the stream is cut, and
    across a save in the middle.

    Examples
    --------
    >>> from genreplay.streams import TableEncoder
    >>> rows = [[21, "red", True], [35, "blue", False], [48, "red", None], [None, "green", True]]
    >>> encoder = TableEncoder().fit(rows)
    >>> encoder.get_feature_names_out(["age", "colour", "member"]).tolist()
    ['age>=21', 'age>28', 'age>41.5', 'age>48', 'age=?', 'colour=red', 'colour=blue', 'colour=green', 'colour=?',
    'member=true', 'member=?']
    >>> encoder.transform([[35, "red", None]]).astype(int)
    array([[1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1]])
    >>> encoder.inverse_transform(encoder.transform([[30, "red", True], [99, "pink", None]])).tolist()
    [[35.0, 'red', True], [48.0, None, None]]
    """

    _parameter_constraints: dict[str, Any] = {  # noqa: RUF012 (scikit-learn's own way)
        "numbers": [StrOptions({"thermometer", "onehot", "widths"})],
        "combinations": ["boolean"],
        "n_bins": [Interval(Integral, 1, None, closed="left")],
        "categories": [StrOptions({"learned", "hashed"})],
        "max_categories": [Interval(Integral, 1, None, closed="left")],
        "time_bins": [Interval(Integral, 2, None, closed="left")],
        "kinds": [dict, None],
        "warm_up": [Interval(Integral, 1, None, closed="left")],
        "dtype": "no_validation",
    }

    def __init__(
        self,
        *,
        numbers: Literal["thermometer", "onehot", "widths"] = "thermometer",
        combinations: bool = False,
        n_bins: int = 8,
        categories: Literal["learned", "hashed"] = "learned",
        max_categories: int = 32,
        time_bins: int = 8,
        kinds: Mapping[str | int, Kind] | None = None,
        warm_up: int = 500,
        dtype: npt.DTypeLike = np.float32,
    ) -> None:
        self.numbers = numbers
        self.combinations = combinations
        self.n_bins = n_bins
        self.categories = categories
        self.max_categories = max_categories
        self.time_bins = time_bins
        self.kinds = kinds
        self.warm_up = warm_up
        self.dtype = dtype

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: object, y: object = None) -> Self:
        """Make the codes from all rows of X and freeze them."""
        return self._take(X, read_table(X), None, is_last=True)

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: object, y: object = None) -> Self:
        """Collect rows until there are ``warm_up`` of them, then make the codes; rows after those change nothing.

        However the stream is cut into calls, the codes are made from exactly its first ``warm_up`` rows.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay.streams import TableEncoder
        >>> encoder = TableEncoder(warm_up=100)
        >>> for chunk in np.split(np.arange(150.0).reshape(-1, 1), 5):
        ...     encoder = encoder.partial_fit(chunk)
        ...     print(encoder.n_waiting_, encoder.frozen_)
        30 False
        60 False
        90 False
        0 True
        0 True
        """
        if not hasattr(self, "n_features_in_"):
            return self._take(X, read_table(X).head(self.warm_up), None)
        table = None if self.frozen_ else read_table(X).head(self.warm_up - self.n_waiting_)
        check_columns(self, X)
        return self if table is None else self._take(X, table, self._warm_up)

    def freeze(self) -> Self:
        """End the warm-up with the rows that have come, and make the codes.

        Examples
        --------
        >>> from genreplay.streams import TableEncoder
        >>> TableEncoder(warm_up=1000).partial_fit([[1.5, "red"], [2.5, "blue"]]).freeze().kinds_
        ['number', 'category']
        """
        if self.frozen_:
            return self
        if self.n_waiting_ == 0:
            raise NotFittedError(
                "This TableEncoder has seen no rows to make codes from: call fit or partial_fit first."
            )
        self._set_codes(self._learn(self._warm_up))
        return self

    def _take(self, X: object, table: Table, earlier: WarmUp | None, is_last: bool = False) -> Self:
        """Add a chunk to the earlier rows, or start anew, and make the codes once the warm-up is complete.

        Everything that can fail comes first. A refused chunk leaves the encoder as it was.
        """
        if self.time_bins % 2:
            raise ValueError(f"The 'time_bins' parameter of TableEncoder must be even. Got {self.time_bins} instead.")
        names = self.column_names_ if earlier else _column_names(X, table)
        rows = (earlier or WarmUp(names)).with_rows(table, kinds_by_index(self.kinds, names))
        layout = self._learn(rows, last_is_new=True) if is_last or rows.n_rows >= self.warm_up else None
        if earlier is None:
            validate_data(self, X, reset=True, skip_check_array=True)  # sets n_features_in_ and feature_names_in_
            self.column_names_ = names
            if self.frozen_:
                del self._layout
        self._warm_up = rows
        if layout is not None:
            self._set_codes(layout)
        return self

    def _learn(self, rows: WarmUp, last_is_new: bool = False) -> Layout:
        read = rows.read(kinds_by_index(self.kinds, rows.names), last_is_new)
        combinations = None
        numbers = [cells for kind, cells in read if kind == "number"]
        if self.combinations and numbers:
            combinations = Combinations.learn(np.stack(numbers, axis=1), self.n_bins)
        return Layout([self._code(kind, cells) for kind, cells in read], list(rows.names), combinations)

    def _code(self, kind: Kind, cells: Array) -> AnyCode:
        if kind == "number":
            if self.numbers == "widths":
                return NumberCode.of_widths(cells, self.n_bins)
            return NumberCode.learn(cells, self.n_bins, self.numbers == "onehot")
        if kind == "category":
            return CategoryCode.learn(cells.tolist(), self.max_categories, self.categories == "hashed")
        return BooleanCode() if kind == "boolean" else TimestampCode(self.time_bins)

    def _set_codes(self, layout: Layout) -> None:
        self._layout, self._warm_up = layout, WarmUp(self.column_names_)
        self.kinds_ = [code.kind for code in layout.codes]
        self.column_of_bit_ = self._layout.column_of_bit
        self.unknown_bits_ = self._layout.unknown_bits

    @property
    def collected_(self) -> Objects:
        """The rows of the warm-up collected so far; none once the codes are fixed."""
        return self._warm_up.cells if hasattr(self, "_warm_up") else np.empty((0, 0), dtype=object)

    @property
    def nbytes(self) -> int:
        """Bytes of the codes, or of the rows collected for them, as text in a file."""
        return len(json.dumps(self.state()))

    def state(self) -> dict[str, Json]:
        """Return the settings and the codes, or the collected rows, as a dict for JSON.

        Examples
        --------
        >>> import json
        >>> from genreplay.streams import TableEncoder
        >>> encoder = TableEncoder().fit([[1.5, "red"], [2.5, None]])
        >>> again = TableEncoder.from_state(json.loads(json.dumps(encoder.state())))
        >>> again.transform([[1.5, "red"]]).tolist() == encoder.transform([[1.5, "red"]]).tolist()
        True
        """
        state: dict[str, Json] = {"settings": self.settings()}
        if hasattr(self, "n_features_in_"):
            state["columns"] = list(self.column_names_)
            state["named"] = hasattr(self, "feature_names_in_")
            if self.frozen_:
                combinations = self._layout.combinations
                state["codes"] = [{"kind": code.kind, **code.state()} for code in self._layout.codes]
                state["combinations"] = None if combinations is None else combinations.state()
            else:
                state["rows"] = self._warm_up.to_json()
        return state

    def settings(self) -> dict[str, Json]:
        """Return the constructor's arguments as a dict for JSON; equal ones are equal however they are written."""
        return {
            "numbers": self.numbers,
            "combinations": bool(self.combinations),
            "n_bins": int(self.n_bins),
            "categories": self.categories,
            "max_categories": int(self.max_categories),
            "time_bins": int(self.time_bins),
            "kinds": None if self.kinds is None else [[_plain(key), kind] for key, kind in self.kinds.items()],
            "warm_up": int(self.warm_up),
            "dtype": np.dtype(self.dtype).name,
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Self:
        """Return the encoder whose ``state`` this is."""
        settings = dict(state["settings"])
        settings["dtype"] = np.dtype(settings["dtype"]).type
        if settings["kinds"] is not None:
            settings["kinds"] = dict(settings["kinds"])
        encoder = cls(**settings)
        if "columns" in state:
            names = list(state["columns"])
            encoder.n_features_in_, encoder.column_names_ = len(names), names
            if state["named"]:
                encoder.feature_names_in_ = np.array(names, dtype=object)
            if "codes" in state:
                codes = [CLASSES[code["kind"]].from_state(code) for code in state["codes"]]
                combined = state["combinations"]
                combinations = None if combined is None else Combinations.from_state(combined)
                encoder._set_codes(Layout(codes, names, combinations))
            else:
                encoder._warm_up = WarmUp.from_json(names, state["rows"])
        return encoder

    def __sklearn_is_fitted__(self) -> bool:
        return self.frozen_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _column_names(X: object, table: Table) -> list[str]:
    named = _get_feature_names(X)
    return [f"x{i}" for i in range(len(table.columns))] if named is None else named.tolist()


def _plain(key: object) -> Json:
    return int(key) if isinstance(key, Integral) else str(key)
