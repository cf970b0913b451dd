"""What a table encoder does once its codes are made: rows to codes, codes to rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from genreplay.core.ingredient import Json
from genreplay.streams.cells import Kind
from genreplay.streams.codes import Bools
from genreplay.streams.columns import Float64, Objects
from genreplay.streams.layout import Layout
from genreplay.streams.number_code import Codes, Integers, NumberCode
from genreplay.streams.table import Table, TakesTables
from genreplay.streams.warm_up import WarmUp


class CodedRows(TakesTables):
    """The half of ``TableCoder`` that uses the codes; the other half, its subclass, makes them."""

    warm_up: int
    dtype: npt.DTypeLike
    column_names_: list[str]
    kinds_: list[Kind]
    group_sizes_: Integers
    column_of_group_: Integers
    missing_codes_: Integers
    unseen_codes_: Integers
    far_of_code_: Integers
    column_of_bit_: Integers
    _layout: Layout
    _warm_up: WarmUp

    @property
    def frozen_(self) -> bool:
        return hasattr(self, "_layout")

    @property
    def n_waiting_(self) -> int:
        return self._warm_up.n_rows if hasattr(self, "_warm_up") else 0

    def codes(self, X: object) -> Codes:
        """Return the code of each group, an array of shape (n_rows, n_groups).

        A ``Table``, which has been read before, is not checked again.

        Examples
        --------
        >>> from genreplay.streams import TableEncoder
        >>> encoder = TableEncoder().fit([["red", True], ["blue", False]])
        >>> encoder.codes([["red", False], ["pink", True], [None, None]])
        array([[0, 0],
               [2, 1],
               [3, 2]], dtype=uint8)
        """
        self._require_frozen()
        return self._layout.encode(X if isinstance(X, Table) else self._read_further(X))

    def codes_and_numbers(self, table: Table) -> tuple[Codes, Float64]:
        """Return the codes of rows that were read before, and the cells of their number columns, NaN where missing."""
        self._require_frozen()
        return self._layout.encode_with_numbers(table)

    def codes_and_numbers_one(self, row: Sequence[object]) -> tuple[Codes, Sequence[float] | Float64]:
        """Return the codes of one row of cells, a 1-D array, and the cells of its number columns, NaN where missing."""
        self._require_frozen()
        return self._layout.encode_one(row)

    @property
    def residual_groups_(self) -> Integers:
        """For each number, the group of its residual; none where the combinations are not residuals."""
        return np.empty(0, dtype=np.int64)

    @property
    def number_groups_(self) -> Integers:
        """The groups of the number columns."""
        self._require_frozen()
        return np.asarray(self._layout.first_groups[self._layout.numbers], dtype=np.int64)

    def codes_one(self, row: Sequence[object]) -> Codes:
        """Return the codes of one row of cells, a 1-D array: ``codes`` without a table, for speed.

        Examples
        --------
        >>> from genreplay.streams import TableEncoder
        >>> TableEncoder().fit([["red", True], ["blue", False]]).codes_one(["blue", None])
        array([1, 2], dtype=uint8)
        """
        return self.codes_and_numbers_one(row)[0]

    def _require_frozen(self) -> None:
        if not self.frozen_:
            raise self._not_ready(
                f"This TableEncoder has no codes yet: {self.n_waiting_} of warm_up={self.warm_up} rows have come. Give "
                "it more rows with partial_fit, end the warm-up with freeze, or call fit."
            )

    def decode(self, codes: Codes) -> Objects | Float64:
        """Return the rows that codes stand for; the groups of combinations may be left out.

        A number comes back as the median of the warm-up's values in its interval, or as its middle where there were
        none; a category as its label, a time as a text such as "Tue 13:30", the middle of its sector. A missing cell is
        NaN in a column of numbers, None in the others, and so is a label without a code. If all columns are numbers,
        the array is of floats, otherwise of objects.

        Examples
        --------
        >>> from genreplay.streams import TableEncoder
        >>> encoder = TableEncoder().fit([[1.5, "red"], [2.5, "blue"]])
        >>> encoder.decode(encoder.codes([[2.4, "red"], [None, "pink"]]))
        array([[2.5, 'red'],
               [nan, None]], dtype=object)
        """
        codes = self._checked(codes)
        return self._layout.decode(codes)

    def draw(self, codes: Codes, rng: np.random.Generator) -> Objects | Float64:
        """Return rows as ``decode`` does, but with numbers drawn from their intervals, between the warm-up's quartiles.

        In a column of whole numbers, whole numbers are drawn.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay.streams import TableEncoder
        >>> encoder = TableEncoder(n_bins=2).fit(np.arange(1000.0).reshape(-1, 1))
        >>> encoder.draw(encoder.codes([[100], [100], [900]]), np.random.default_rng(0)).ravel()
        array([321., 142., 520.])
        """
        codes = self._checked(codes)
        return self._layout.decode(codes, rng)

    def _checked(self, codes: Codes) -> Codes:
        self._require_frozen()
        codes = np.asarray(codes)
        possible = self._layout.n_table_groups, len(self.group_sizes_)
        if codes.ndim != 2 or codes.shape[1] not in possible:
            widths = " or ".join(map(str, sorted(set(possible))))
            raise ValueError(f"The codes of TableEncoder have {widths} groups. Got shape {codes.shape} instead.")
        return codes

    def values_of_codes(self, column: int) -> Float64:
        """Return the number that each code of a number column stands for, NaN for "missing".

        Examples
        --------
        >>> from genreplay.streams import TableEncoder
        >>> TableEncoder().fit([[1.0], [2.0]]).values_of_codes(0)[4:8]
        array([0., 1., 2., 3.])
        """
        self._require_frozen()
        code = self._layout.codes[column]
        if not isinstance(code, NumberCode):
            raise ValueError(f"Column {self.column_names_[column]!r} is a {code.kind}: its codes stand for no numbers.")
        return code.value_of_code.copy()

    def outside(self, codes: Codes) -> Bools:
        """Return which cells lie outside the usual range of their column, or have a label without a code.

        The usual range of a number goes from the 1st to the 99th percentile of the warm-up, or from the smallest to the
        largest value where there are few different ones. The result has the shape (n_rows, n_columns).

        Examples
        --------
        >>> from genreplay.streams import TableEncoder
        >>> encoder = TableEncoder().fit([[1.0, "red"], [2.0, "blue"]])
        >>> encoder.outside(encoder.codes([[1.5, "red"], [99.0, "pink"], [None, None]]))
        array([[False, False],
               [ True,  True],
               [False, False]])
        """
        codes = self._checked(codes)
        n_groups = self._layout.n_table_groups
        far = self.far_of_code_[self._layout.first_bits[:n_groups] + codes[:, :n_groups]] > 0
        return np.logical_or.reduceat(far, self._layout.first_groups, axis=1)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> Objects:
        """Return what each bit says, given other names of the columns than their own, if any."""
        self._require_frozen()
        columns = self.column_names_ if input_features is None else input_features
        names = [name for code, column in zip(self._layout.codes, columns, strict=True) for name in code.names(column)]
        combined = self._layout.combinations.codes if self._layout.combinations else ()
        names += [name for i, code in enumerate(combined, 1) for name in code.names(f"combination {i}")[:-1]]
        return np.array(names, dtype=object)

    def describe_codes(self) -> dict[str, dict[str, Json]]:
        """Return the code of each column, as a dict for JSON: its kind, its settings, and what each of its codes says.

        Examples
        --------
        >>> from genreplay.streams import TableEncoder
        >>> TableEncoder().fit([["red"], ["blue"]]).describe_codes()
        {'x0': {'kind': 'category', 'labels': ['red', 'blue'], 'codes': ['=red', '=blue', '=unseen', '=?']}}
        """
        self._require_frozen()
        return {
            name: {"kind": code.kind, **code.state(), "codes": list(code.names(""))}
            for name, code in zip(self.column_names_, self._layout.codes, strict=True)
        }
