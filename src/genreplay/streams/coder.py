"""How the codes of a table are made from its first rows, and kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from copy import copy
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from genreplay.core.ingredient import Json
from genreplay.core.kernels.arrays import MOST_CODES
from genreplay.streams.cells import Kind
from genreplay.streams.coded_rows import CodedRows
from genreplay.streams.codes import CLASSES, AnyCode, BooleanCode, CategoryCode, TimestampCode
from genreplay.streams.columns import Float64, Objects
from genreplay.streams.combinations import Combinations
from genreplay.streams.layout import Layout
from genreplay.streams.number_code import FAR, NumberCode
from genreplay.streams.table import Array, Table
from genreplay.streams.warm_up import WarmUp, kinds_by_index

_MOST_MERGED = MOST_CODES // 2 - 2 * len(FAR) - 3
"""intervals of the usual range of which two codes together have no more codes than a column can have"""


class TableCoder(CodedRows):
    """Turn rows into groups of codes and back: ``TableEncoder`` without scikit-learn, which takes long to import.

    Its parameters and attributes are documented there. Nothing here checks parameters. Rows are 2-D arrays.
    """

    _saved_as: ClassVar[str] = "TableEncoder"

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

    def fit(self, X: object, y: object = None) -> Self:
        """Make the codes from all rows of X and freeze them."""
        return self._take(X, self._read(X), None, is_last=True)

    def partial_fit(self, X: object, y: object = None) -> Self:
        """Collect rows until there are ``warm_up`` of them, then make the codes; rows after those change nothing."""
        if not hasattr(self, "n_features_in_"):
            return self._take(X, self._read(X).head(self.warm_up), None)
        table = None if self.frozen_ else self._read(X).head(self.warm_up - self.n_waiting_)
        self._check_columns(X)
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
            raise self._not_ready(
                "This TableEncoder has seen no rows to make codes from: call fit or partial_fit first."
            )
        self._set_codes(self._learn(self._warm_up))
        return self

    def _take(self, X: object, table: Table, earlier: WarmUp | None, is_last: bool = False) -> Self:
        """Add a chunk to the earlier rows, or start anew, and make the codes once the warm-up is complete.

        Everything that can fail comes first. A refused chunk leaves the encoder as it was.
        """
        names = self.column_names_ if earlier else self._names_of(X, table)
        rows = (earlier or WarmUp(names)).with_rows(table, kinds_by_index(self.kinds, names))
        layout = self._learn(rows, last_is_new=True) if is_last or rows.n_rows >= self.warm_up else None
        if earlier is None:
            self._remember_columns(X)
            self.column_names_ = names
            if self.frozen_:
                del self._layout
        self._warm_up = rows
        if layout is not None:
            self._set_codes(layout)
        return self

    def relearn(self, rows: Array, past: Array | None = None) -> Self:
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
        again = copy(self)
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
                combined = state.get("combinations")
                combinations = None if combined is None else Combinations.from_state(combined)
                encoder._set_codes(Layout(codes, names, combinations))
            else:
                encoder._warm_up = WarmUp.from_json(names, state["rows"], kinds_by_index(encoder.kinds, names))
        return encoder


def _plain(key: object) -> Json:
    return int(key) if isinstance(key, Integral) else str(key)
