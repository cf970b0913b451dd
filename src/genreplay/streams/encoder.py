"""The scikit-learn transformer that turns rows of a table into bits and back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin, _fit_context
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_feature_names_in, _get_feature_names, check_array, validate_data

from genreplay.core.checkpoint import Json
from genreplay.streams import table as tables
from genreplay.streams.codes import CLASSES, AnyCode, Bits, BooleanCode, CategoryCode, NumberCode, TimestampCode
from genreplay.streams.layout import Layout
from genreplay.streams.table import Column, Float64, Kind, Objects, Table, read_table

if TYPE_CHECKING:
    from sklearn.utils import Tags


class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn rows with numbers, categories, booleans, times and missing values into bits, and bits back into rows.

    The codes are learned from the first rows of a stream and then frozen, so that a bit never changes its meaning under
    a model that has learned it:

    - a number becomes a thermometer (bit j is on when the value is above the j-th cut point) or a one-hot code over
      intervals of about equally many rows; values below and above everything seen have intervals of their own;
    - a category becomes one bit for each label, or for each bucket of a hash;
    - a boolean becomes one bit;
    - a time becomes a cyclic code of the time of day, in UTC, and one bit for each day of the week.

    Every column has one more bit, "unknown". It is on, and the column's other bits are off, when the cell is missing or
    its label was not seen in the warm-up.

    Parameters
    ----------
    numbers : {"thermometer", "onehot"}, default="thermometer"
        Code of the numbers.
    n_bins : int, default=8
        Intervals of a number, of about equally many rows. There are finer ones at both ends, at 1 % and 3 % of the
        rows, and one on either side for what lies beyond everything seen.
    categories : {"learned", "hashed"}, default="learned"
        One bit for each of the most frequent labels of the warm-up, or for each bucket of a stable hash.
    max_categories : int, default=32
        Most labels that have a bit, or the number of buckets.
    time_bins : int, default=8
        Sectors of the day; even.
    kinds : dict or None, default=None
        For any column, by name or by index, "number", "category", "boolean" or "timestamp". The other columns have the
        kind that their cells show.
    warm_up : int, default=500
        Rows that ``partial_fit`` collects before the codes are made.
    dtype : dtype, default=np.float32
        Number type of the bits.

    Attributes
    ----------
    frozen_ : bool
        Whether the codes stand.
    n_waiting_ : int
        Rows of the warm-up collected so far; 0 once the codes stand.
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
    before the codes stand, so that the rows of the warm-up wait in any case; the exact quantiles of so few rows cost
    less than a sketch, are the same to the bit however the stream is cut and across a save in the middle, and need no
    further dependency.

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
        "numbers": [StrOptions({"thermometer", "onehot"})],
        "n_bins": [Interval(Integral, 1, None, closed="left")],
        "categories": [StrOptions({"learned", "hashed"})],
        "max_categories": [Interval(Integral, 1, None, closed="left")],
        "time_bins": [Interval(Integral, 2, None, closed="left")],
        "kinds": [dict, None],
        "warm_up": [Interval(Integral, 1, None, closed="left")],
        "dtype": "no_validation",
    }

    _collected: list[Column]
    _given: dict[int, Kind]
    _layout: Layout
    column_names_: list[str]

    def __init__(
        self,
        *,
        numbers: Literal["thermometer", "onehot"] = "thermometer",
        n_bins: int = 8,
        categories: Literal["learned", "hashed"] = "learned",
        max_categories: int = 32,
        time_bins: int = 8,
        kinds: Mapping[str | int, Kind] | None = None,
        warm_up: int = 500,
        dtype: npt.DTypeLike = np.float32,
    ) -> None:
        self.numbers = numbers
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
        self._start(X, read_table(X))
        return self.freeze()

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
            self._start(X, read_table(X).head(self.warm_up))
        elif self.frozen_:
            validate_data(self, X, reset=False, skip_check_array=True)
        else:
            table = read_table(X).head(self.warm_up - self.n_waiting_)
            validate_data(self, X, reset=False, skip_check_array=True)
            self._collected.append(_canonical(table, self._given, self.column_names_))
        return self if self.frozen_ or self.n_waiting_ < self.warm_up else self.freeze()

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
        if not getattr(self, "_collected", None):
            raise NotFittedError(
                "This TableEncoder has seen no rows to make codes from: call fit or partial_fit first."
            )
        parts = self._collected
        rows = np.concatenate(parts if len({p.dtype for p in parts}) == 1 else [p.astype(object) for p in parts])
        kinds = [self._given.get(i) or tables.kind_of(column) for i, column in enumerate(rows.T)]
        self._set_codes([self._learn(*column) for column in zip(rows.T, kinds, self.column_names_, strict=True)])
        return self

    def _start(self, X: object, table: Table) -> None:
        """Check all that can fail, then forget what was known and collect the first rows."""
        if self.time_bins % 2:
            raise ValueError(f"The 'time_bins' parameter of TableEncoder must be even. Got {self.time_bins} instead.")
        named = _get_feature_names(X)
        names = [f"x{i}" for i in range(len(table.columns))] if named is None else named.tolist()
        given = _kinds_by_index(self.kinds, names)
        rows = _canonical(table, given, names)
        validate_data(self, X, reset=True, skip_check_array=True)  # sets n_features_in_ and feature_names_in_
        self.column_names_, self._given, self._collected = names, given, [rows]
        if self.frozen_:
            del self._layout

    def _learn(self, column: Column, kind: Kind, name: str) -> AnyCode:
        if kind == "number":
            return NumberCode.learn(tables.numbers(column, name), self.n_bins, self.numbers == "onehot")
        if kind == "category":
            return CategoryCode.learn(tables.labels(column, name), self.max_categories, self.categories == "hashed")
        return BooleanCode() if kind == "boolean" else TimestampCode(self.time_bins)

    def _set_codes(self, codes: list[AnyCode]) -> None:
        self._layout, self._collected = Layout(codes, self.column_names_), []
        self.kinds_: list[Kind] = [code.kind for code in codes]
        self.column_of_bit_ = self._layout.column_of_bit
        self.unknown_bits_ = self._layout.unknown_bits

    def transform(self, X: object) -> Bits:
        """Return the bits of the rows, an array of 0 and 1 of shape (n_rows, n_bits).

        Examples
        --------
        >>> from genreplay.streams import TableEncoder
        >>> TableEncoder().fit([[1.0], [2.0]]).transform([[0.0], [1.0], [2.0], [3.0], [None]])
        array([[0., 0., 0., 0.],
               [1., 0., 0., 0.],
               [1., 1., 0., 0.],
               [1., 1., 1., 0.],
               [0., 0., 0., 1.]], dtype=float32)
        """
        table = self._check(X)
        return self._layout.encode(table, self.dtype)[0]

    def transform_partly(self, X: object) -> Bits:
        """Return the bits of the rows with NaN for every bit of a missing cell: what a model may fill in.

        A label that has no bit is not missing: its unknown bit is on.

        Examples
        --------
        >>> from genreplay.streams import TableEncoder
        >>> TableEncoder().fit([["red", True], ["red", False]]).transform_partly([["red", None], ["pink", True]])
        array([[ 1.,  0., nan, nan],
               [ 0.,  1.,  1.,  0.]], dtype=float32)
        """
        table = self._check(X)
        bits, missing = self._layout.encode(table, self.dtype)
        if bits.dtype.kind != "f":
            bits = bits.astype(np.float32)
        bits[missing[:, self.column_of_bit_]] = np.nan
        return bits

    def transform_one(self, row: Sequence[object]) -> Bits:
        """Return the bits of one row of cells, a 1-D array: ``transform`` without its checks, for speed.

        Examples
        --------
        >>> from genreplay.streams import TableEncoder
        >>> TableEncoder().fit([["red", 1.0], ["blue", 2.0]]).transform_one(["red", 1.5])
        array([1., 0., 0., 1., 0., 0., 0.], dtype=float32)
        """
        self._require_frozen()
        cells = np.empty((1, len(self.column_names_)), dtype=object)
        cells[0] = row
        bits: Bits = self.transform_table(Table(cells))[0]
        return bits

    def transform_table(self, table: Table) -> Bits:
        """Return the bits of rows that were read before: ``transform`` without its checks."""
        self._require_frozen()
        return self._layout.encode(table, self.dtype)[0]

    def _check(self, X: object) -> Table:
        self._require_frozen()
        if (
            type(X) is np.ndarray
            and X.dtype.kind in "fiubO"
            and X.ndim == 2
            and X.shape[0] > 0
            and X.shape[1] == self.n_features_in_
            and not hasattr(self, "feature_names_in_")
        ):
            return Table(X)  # nothing to say against it: one row must not cost more to check than to encode
        table = read_table(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return table

    def _require_frozen(self) -> None:
        if not self.frozen_:
            raise NotFittedError(
                f"This TableEncoder has no codes yet: {self.n_waiting_} of warm_up={self.warm_up} rows have come. Give "
                "it more rows with partial_fit, end the warm-up with freeze, or call fit."
            )

    def inverse_transform(self, X: npt.ArrayLike) -> Objects | Float64:
        """Return the rows that bits, or probabilities of bits, stand for.

        A number comes back as the median of the warm-up's values in its interval, one beyond everything seen as the
        smallest or the largest value; a thermometer with gaps is read by its number of ones. A category comes back as
        its label, a time as a text such as "Tue 13:30", the middle of its sector. A missing cell is NaN in a column of
        numbers, None in the others. If all columns are numbers, the array is of floats, otherwise of objects.

        Examples
        --------
        >>> from genreplay.streams import TableEncoder
        >>> encoder = TableEncoder().fit([[1.0, "red"], [2.0, "blue"]])
        >>> encoder.inverse_transform([[0.9, 0.7, 0.2, 0.1, 0.6, 0.3, 0.1]])
        array([[2.0, 'red']], dtype=object)
        """
        self._require_frozen()
        bits = check_array(X, input_name="X", dtype=[np.float64, np.float32])
        if bits.shape[1] != len(self.column_of_bit_):
            raise ValueError(
                f"The rows of TableEncoder have {len(self.column_of_bit_)} bits. Got {bits.shape[1]} instead."
            )
        return self._layout.decode(bits)

    def draw(self, probabilities: Bits, rng: np.random.Generator) -> Objects | Float64:
        """Return rows drawn from independent bits, given that just one bit of each category is on.

        That one is drawn with weights p / (1 - p), by Gumbel's trick: the largest of log-odds with noise added.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay.streams import TableEncoder
        >>> encoder = TableEncoder().fit([["red"], ["blue"]])
        >>> encoder.draw(np.array([[0.001, 0.3, 0.0]]), np.random.default_rng(0)).tolist()
        [['blue']]
        """
        self._require_frozen()
        p = np.clip(np.asarray(probabilities, dtype=np.float64), 1e-12, 1 - 1e-12)
        bits = (rng.random(p.shape) < p).astype(np.float64)
        noisy = np.log(p / (1 - p)) + rng.gumbel(size=p.shape)
        for column, kind in enumerate(self.kinds_):
            if kind == "category":
                own = np.flatnonzero(self.column_of_bit_ == column)
                bits[:, own] = np.arange(len(own)) == noisy[:, own].argmax(axis=1)[:, np.newaxis]
        return self._layout.decode(bits)

    def get_feature_names_out(self, input_features: npt.ArrayLike | None = None) -> Objects:
        """Return what each bit says, such as "age>31.5", "colour=red", "colour=?".

        Examples
        --------
        >>> from genreplay.streams import TableEncoder
        >>> TableEncoder().fit([[1.0, "red"], [2.0, "red"]]).get_feature_names_out().tolist()
        ['x0>=1', 'x0>1.5', 'x0>2', 'x0=?', 'x1=red', 'x1=?']
        """
        self._require_frozen()
        columns = _check_feature_names_in(self, input_features)
        names = [name for code, column in zip(self._layout.codes, columns, strict=True) for name in code.names(column)]
        return np.array(names, dtype=object)

    @property
    def frozen_(self) -> bool:
        return hasattr(self, "_layout")

    @property
    def n_waiting_(self) -> int:
        return sum(map(len, getattr(self, "_collected", [])))

    @property
    def collected_(self) -> Objects:
        """The rows of the warm-up collected so far; none once the codes stand."""
        empty = np.empty((0, getattr(self, "n_features_in_", 0)), dtype=object)
        return np.concatenate([empty, *getattr(self, "_collected", [])])

    @property
    def nbytes(self) -> int:
        """Bytes of the codes, or of the rows collected for them: as many as their text in a file has."""
        return len(json.dumps(self.state()))

    def state(self) -> dict[str, Json]:
        """Return all that the encoder is, its settings and its codes or collected rows, as a dict for JSON.

        Examples
        --------
        >>> import json
        >>> from genreplay.streams import TableEncoder
        >>> encoder = TableEncoder().fit([[1.5, "red"], [2.5, None]])
        >>> again = TableEncoder.from_state(json.loads(json.dumps(encoder.state())))
        >>> again.transform([[1.5, "red"]]).tolist() == encoder.transform([[1.5, "red"]]).tolist()
        True
        """
        settings: dict[str, Json] = {
            "numbers": self.numbers,
            "n_bins": int(self.n_bins),
            "categories": self.categories,
            "max_categories": int(self.max_categories),
            "time_bins": int(self.time_bins),
            "kinds": None if self.kinds is None else [[_plain(key), kind] for key, kind in self.kinds.items()],
            "warm_up": int(self.warm_up),
            "dtype": np.dtype(self.dtype).name,
        }
        state: dict[str, Json] = {"settings": settings}
        if hasattr(self, "n_features_in_"):
            state["columns"] = list(self.column_names_)
            state["named"] = hasattr(self, "feature_names_in_")
            if self.frozen_:
                state["codes"] = [{"kind": code.kind, **code.state()} for code in self._layout.codes]
            else:
                state["rows"] = [[tables.to_json(c) for c in row] for rows in self._collected for row in rows.tolist()]
        return state

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
            encoder._given = _kinds_by_index(encoder.kinds, names)
            if "codes" in state:
                encoder._set_codes([CLASSES[code["kind"]].from_state(code) for code in state["codes"]])
            else:
                rows = np.empty((len(state["rows"]), len(names)), dtype=object)
                rows[:] = [[tables.from_json(c) for c in row] for row in state["rows"]]
                encoder._collected = [rows]
        return encoder

    def __sklearn_is_fitted__(self) -> bool:
        return self.frozen_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _kinds_by_index(kinds: Mapping[str | int, Kind] | None, names: list[str]) -> dict[int, Kind]:
    given: dict[int, Kind] = {}
    for key, kind in (kinds or {}).items():
        if kind not in tables.READERS:
            raise ValueError(
                f"The 'kinds' parameter must name one of {', '.join(tables.READERS)}. Got {kind!r} for {key!r} instead."
            )
        if isinstance(key, Integral) and 0 <= key < len(names):
            given[int(key)] = kind
        elif key in names:
            given[names.index(key)] = kind
        else:
            raise ValueError(f"The 'kinds' parameter has {key!r}, but the columns are {', '.join(names)}.")
    return given


def _canonical(table: Table, given: dict[int, Kind], names: list[str]) -> Column:
    """Rows to keep until the codes are made: float64 if they came as plain numbers, otherwise cells.

    The columns whose kind is given are read as that kind here: a row that cannot be read is refused when it comes, not
    when the warm-up ends.
    """
    columns = list(enumerate(zip(table.columns, names, strict=True)))
    if table.whole is not None and table.whole.dtype.kind in "iuf":
        for i, (column, name) in columns:
            tables.READERS[given.get(i, "number")](column, name)
        return table.whole.astype(np.float64)
    rows = np.empty((table.n_rows, len(names)), dtype=object)
    for i, (column, name) in columns:
        rows[:, i] = tables.typed(column, given[i], name) if i in given else tables.cells(column, name)
    return rows


def _plain(key: object) -> Json:
    return int(key) if isinstance(key, Integral) else str(key)
