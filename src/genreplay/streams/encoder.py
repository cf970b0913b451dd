"""The scikit-learn transformer that turns rows of a table into groups of codes and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import copy
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import _fit_context
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _get_feature_names, validate_data

from genreplay.core.ingredient import Json
from genreplay.streams.cells import Kind
from genreplay.streams.coded_rows import CodedRows
from genreplay.streams.codes import CLASSES, MOST_CODES, AnyCode, BooleanCode, CategoryCode, TimestampCode
from genreplay.streams.columns import Float64, Objects
from genreplay.streams.combinations import Combinations
from genreplay.streams.layout import Layout
from genreplay.streams.number_code import FAR, NumberCode
from genreplay.streams.table import Array, Table, check_columns, read_table
from genreplay.streams.warm_up import WarmUp, kinds_by_index

if TYPE_CHECKING:
    from sklearn.utils import Tags


_MOST_MERGED = MOST_CODES // 2 - 2 * len(FAR) - 3
"""intervals of the usual range of which two codes together have no more codes than a column can have"""


class TableEncoder(CodedRows):
    """Turn rows with numbers, categories, booleans, times and missing values into groups of codes, and codes into rows.

    Each column is a group of codes of which exactly one holds. The codes are learned from the first rows of a stream
    and then frozen, so that the meaning of a code never changes after a model has learned it:

    | kind | codes of its group |
    |---|---|
    | number | intervals of equal width between the 1st and the 99th percentile, ever wider ones beyond; missing |
    | category | each of the most frequent labels; unseen, for any other label; missing |
    | boolean | false; true; missing |
    | timestamp | two groups, in UTC: sectors of the day; missing. And: Monday to Sunday; missing |

    A number column with no more than ``n_bins + 1`` different values has an interval for each of them.

    The principal components of the numbers are further groups, coded as numbers are. A row whose cells are all usual,
    but not together, then has an unusual code.

    Parameters
    ----------
    combinations : bool, default=True
        Whether there are groups for the principal components of the numbers.
    n_bins : int, default=8
        Intervals of the usual range of a number; at most 243.
    max_categories : int, default=32
        Most labels that have a code; at most 253.
    time_bins : int, default=24
        Sectors of the day, of equal length from 00:00; at most 254.
    kinds : dict or None, default=None
        For any column, by name or by index, "number", "category", "boolean" or "timestamp". The kind of any
        other column is inferred from the cells of the warm-up, by the rules of ``genreplay.streams.columns``.
    warm_up : int, default=500
        Rows that ``partial_fit`` collects before the codes are made.
    dtype : dtype, default=np.float32
        Number type of the bits that ``transform`` returns.

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
    group_sizes_ : ndarray of int
        The number of codes of each group: first the groups of the columns in their order, then the combinations.
    column_of_group_ : ndarray of int
        For each group, its column; -1 for a combination.
    missing_codes_ : ndarray of int
        For each group, the code of a missing cell; -1 for a combination, whose missing numbers are put at their median.
    unseen_codes_ : ndarray of int
        For each group, the code of a label that has no code of its own; -1 where there are no labels.
    far_of_code_ : ndarray of int
        For all codes, those of the first group first: k for the k-th interval beyond the usual range of a number, from
        1, just beyond it, to 5, the open one; 1 for an unseen label; 0 for all others.
    column_of_bit_ : ndarray of int
        For each bit of ``transform``, its column; -1 for those of combinations.
    n_features_in_ : int
        Columns seen at the first fit.
    feature_names_in_ : ndarray of str
        Their names, if they all have one.

    Notes
    -----
    The percentiles are those of the warm-up, not of a sketch (KLL, t-digest). Nothing can be learned before the codes
    are fixed, so the rows of the warm-up wait in any case, and exact percentiles need no further dependency. They are
    the same to the bit however the stream is cut, and across a save in the middle.

    Examples
    --------
    >>> from genreplay.streams import TableEncoder
    >>> rows = [[21, "red", True], [35, "blue", False], [48, "red", None], [None, "green", True]]
    >>> encoder = TableEncoder().fit(rows)
    >>> encoder.group_sizes_
    array([14,  5,  3])
    >>> encoder.get_feature_names_out(["age", "colour", "member"])[14:].tolist()
    ['colour=red', 'colour=blue', 'colour=green', 'colour=unseen', 'colour=?', 'member=false', 'member=true',
    'member=?']
    >>> codes = encoder.codes([[30, "red", True], [99, "pink", None]])
    >>> codes
    array([[6, 0, 1],
           [9, 3, 2]], dtype=uint8)
    >>> encoder.decode(codes).tolist()
    [[35.0, 'red', True], [170.0, None, None]]
    >>> encoder.outside(codes)
    array([[False, False, False],
           [ True,  True, False]])
    """

    _parameter_constraints: dict[str, Any] = {  # noqa: RUF012 (scikit-learn's own way)
        "combinations": ["boolean"],
        "n_bins": [Interval(Integral, 1, MOST_CODES - 2 * len(FAR) - 4, closed="both")],
        "max_categories": [Interval(Integral, 1, MOST_CODES - 2, closed="both")],
        "time_bins": [Interval(Integral, 1, MOST_CODES - 1, closed="both")],
        "kinds": [dict, None],
        "warm_up": [Interval(Integral, 1, None, closed="left")],
        "dtype": "no_validation",
    }

    def __init__(
        self,
        *,
        combinations: bool = True,
        n_bins: int = 8,
        max_categories: int = 32,
        time_bins: int = 24,
        kinds: Mapping[str | int, Kind] | None = None,
        warm_up: int = 500,
        dtype: npt.DTypeLike = np.float32,
    ) -> None:
        self.combinations = combinations
        self.n_bins = n_bins
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

    def relearn(self, rows: Array, past: Array | None = None) -> TableEncoder:
        """Return a frozen encoder with the same settings, names and kinds, whose codes are learned from these rows.

        The codes of numbers and categories are made for rows of the ``past`` as well, if there are any; combinations
        are those of the new rows alone.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay.streams import TableEncoder
        >>> encoder = TableEncoder().fit([[1.0, "red"], [2.0, "blue"]])
        >>> encoder.relearn(np.array([[5.0, "1"], [None, "2"]], dtype=object)).describe_codes()["x1"]["labels"]
        ['1', '2']
        """
        self._require_frozen()
        kinds = dict(enumerate(self.kinds_))
        read, *earlier = (
            WarmUp(self.column_names_, (each,)).read(kinds, last_is_new=True)
            for each in (rows, past)
            if each is not None
        )
        layout = self._layout_of(read, list(self.column_names_))
        both = zip(self._layout.codes, layout.codes, strict=True)
        codes = [old if old.kind == "timestamp" else new for old, new in both]
        for i, (kind, cells) in enumerate(earlier[0] if earlier else ()):
            if kind == "number":
                new, old = (self._number_code(each, min(self.n_bins, _MOST_MERGED)) for each in (read[i][1], cells))
                codes[i] = new.merged(old)
            elif kind == "category":
                codes[i] = self._code(kind, np.concatenate([read[i][1], cells]))
        again: TableEncoder = copy(self)
        again._set_codes(Layout(codes, list(self.column_names_), layout.combinations))
        return again

    def _learn(self, rows: WarmUp, last_is_new: bool = False) -> Layout:
        return self._layout_of(rows.read(kinds_by_index(self.kinds, rows.names), last_is_new), list(rows.names))

    def _layout_of(self, read: list[tuple[Kind, Array]], names: list[str]) -> Layout:
        combinations = None
        numbers = [cells for kind, cells in read if kind == "number"]
        if self.combinations and numbers:
            combinations = self._combine(np.stack(numbers, axis=1))
        return Layout([self._code(kind, cells) for kind, cells in read], names, combinations)

    def _code(self, kind: Kind, cells: Array) -> AnyCode:
        if kind == "number":
            return self._number_code(cells, self.n_bins)
        if kind == "category":
            return CategoryCode.learn(cells.tolist(), self.max_categories)
        return BooleanCode() if kind == "boolean" else self._time_code(cells)

    def _time_code(self, cells: Array) -> TimestampCode:
        return TimestampCode.learn(cells, self.time_bins)

    def _number_code(self, cells: Array, n_bins: int) -> NumberCode:
        return NumberCode.learn(cells, n_bins)

    def _combine(self, numbers: Float64) -> Combinations | None:
        return Combinations.learn(numbers, self.n_bins)

    def _set_codes(self, layout: Layout) -> None:
        self._layout, self._warm_up = layout, WarmUp(self.column_names_)
        self.kinds_ = [code.kind for code in layout.codes]
        self.group_sizes_, self.column_of_group_ = layout.group_sizes, layout.column_of_group
        self.missing_codes_, self.unseen_codes_ = layout.missing_codes, layout.unseen_codes
        self.far_of_code_ = layout.far_of_code
        self.column_of_bit_ = np.repeat(layout.column_of_group, layout.group_sizes)

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
            "combinations": bool(self.combinations),
            "n_bins": int(self.n_bins),
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
