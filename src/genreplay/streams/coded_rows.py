"""What a table encoder does once its codes are made: rows to bits, bits to rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import _check_feature_names_in, check_array

from genreplay.core.ingredient import Json
from genreplay.streams.cells import Kind
from genreplay.streams.codes import Bits
from genreplay.streams.columns import Float64, Objects
from genreplay.streams.layout import Layout
from genreplay.streams.table import Table, check_columns, read_table
from genreplay.streams.warm_up import WarmUp


class CodedRows(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The half of ``TableEncoder`` that uses the codes; the other half, its subclass, makes them."""

    warm_up: int
    dtype: npt.DTypeLike
    n_features_in_: int
    column_names_: list[str]
    column_of_bit_: npt.NDArray[np.int64]
    unknown_bits_: npt.NDArray[np.int64]
    kinds_: list[Kind]
    _layout: Layout
    _warm_up: WarmUp

    @property
    def frozen_(self) -> bool:
        return hasattr(self, "_layout")

    @property
    def n_waiting_(self) -> int:
        return self._warm_up.n_rows if hasattr(self, "_warm_up") else 0

    def describe_codes(self) -> dict[str, dict[str, Json]]:
        """Return the code of each column, as a dict for JSON: its kind, its settings, and what each of its bits says.

        Examples
        --------
        >>> from genreplay.streams import TableEncoder
        >>> TableEncoder().fit([["red"], ["blue"]]).describe_codes()
        {'x0': {'kind': 'category', 'labels': ['red', 'blue'], 'hashed': False, 'bits': ['=red', '=blue', '=?']}}
        """
        self._require_frozen()
        return {
            name: {"kind": code.kind, **code.state(), "bits": list(code.names(""))}
            for name, code in zip(self.column_names_, self._layout.codes, strict=True)
        }

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
        """Return the bits of the rows with NaN for every bit of a missing cell, for a model to fill in.

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
            return Table(X)  # it needs no further check: checks would cost more than to encode a single row
        table = read_table(X)
        check_columns(self, X)
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
        """Return rows drawn from independent bits, given that exactly one bit of each category is on.

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
        return self._layout.draw(np.asarray(probabilities, dtype=np.float64), rng)

    def blame(self, X: object, amounts: Float64) -> Float64:
        """Return amounts for each column, given those for each column and combination: a combination's are shared out.

        A number's share is that of its square in the combination, so that a number that is far off gets most of it.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay.streams import TableEncoder
        >>> rng = np.random.default_rng(0)
        >>> encoder = TableEncoder(combinations=True).fit(rng.normal(size=(500, 3)))
        >>> encoder.blame([[0.0, 99.0, 0.0]], np.array([[0, 0, 0, 1.0, 1.0, 1.0]])).argmax()
        np.int64(1)
        """
        n_columns, combinations = len(self.column_names_), self._layout.combinations
        own: Float64 = amounts[:, :n_columns].copy()
        if combinations is not None:
            shares = combinations.blame(self._layout.numbers_of(self._check(X)))
            own[:, self._layout.numbers] += np.einsum("rnc,rc->rn", shares, amounts[:, n_columns:])
        return own

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
        combined = self._layout.combinations.codes if self._layout.combinations else ()
        names += [name for i, code in enumerate(combined, 1) for name in code.names(f"combination {i}")]
        return np.array(names, dtype=object)
