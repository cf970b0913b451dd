"""The codes of all columns side by side: rows to bits and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from genreplay.streams import columns
from genreplay.streams.codes import AnyCode, Bits, BooleanCode, Bools, CategoryCode, NumberCode
from genreplay.streams.columns import BOOLEAN_TYPES, NUMBER_TYPES, Float64, Objects
from genreplay.streams.combinations import Combinations
from genreplay.streams.table import Table

ROWS_AT_ONCE = 1024
"""few enough that one value for each bit of each row fits into the cache"""


class Layout:
    """The place of each column's bits, and how to compute them.

    Numbers and booleans are encoded together, by one comparison of all their columns with all their cut points; the
    other kinds are encoded column by column.

    >>> layout = Layout([NumberCode.learn(np.array([1.0, 2.0]), n_bins=8, onehot=False), BooleanCode()], ["x", "y"])
    >>> bits, missing = layout.encode(Table(np.array([[1.2, 1.0], [np.nan, 0.0]])), np.int8)
    >>> bits
    array([[1, 0, 0, 0, 1, 0],
           [0, 0, 0, 1, 0, 0]], dtype=int8)
    >>> missing
    array([[False, False],
           [ True, False]])
    """

    def __init__(self, codes: list[AnyCode], names: list[str], combinations: Combinations | None = None) -> None:
        self.codes, self.names, self.combinations = codes, names, combinations
        more = combinations.codes if combinations is not None else ()
        widths = [code.n_bits for code in (*codes, *more)]
        ends = np.cumsum(widths)
        self.n_bits = int(ends[-1])
        places = [slice(end - width, end) for end, width in zip(ends.tolist(), widths, strict=True)]
        self.places = places[: len(codes)]
        self.column_of_bit = np.repeat(np.arange(len(widths)), widths)
        self.unknown_bits = ends[: len(codes)] - 1

        of_table = {i: code for i, code in enumerate(codes) if isinstance(code, NumberCode | BooleanCode)}
        self._floats = list(of_table)
        self._others = {i: code for i, code in enumerate(codes) if not isinstance(code, NumberCode | BooleanCode)}
        self.numbers = [i for i, code in of_table.items() if isinstance(code, NumberCode)]
        self._booleans = [i for i, code in of_table.items() if isinstance(code, BooleanCode)]
        self._number_places, self._boolean_places = (
            np.flatnonzero(np.isin(self._floats, columns_of_kind)) for columns_of_kind in (self.numbers, self._booleans)
        )
        floats = [*of_table.values(), *more]
        self._source = np.repeat(np.arange(len(floats)), [code.n_bits for code in floats])
        of_others = np.isin(self.column_of_bit, list(self._others))
        self._target = np.flatnonzero(np.logical_not(of_others)) if self._others else slice(None)
        # nothing lies above infinity: the unknown bits stay off in this comparison, and are set separately
        self._lower = np.concatenate([np.empty(0), *(np.append(code.lower, np.inf) for code in floats)])
        self._upper = np.concatenate([np.empty(0), *(np.append(code.upper, np.inf) for code in floats)])
        self._bounded = bool(np.isfinite(self._upper).any())
        self._never_known = self.unknown_bits[np.array(widths[: len(codes)]) == 1]

    def encode(self, table: Table, dtype: npt.DTypeLike) -> tuple[Bits, Bools]:
        """The bits, and which cells are missing."""
        bits = np.zeros((table.n_rows, self.n_bits), dtype=dtype)
        missing = np.empty((table.n_rows, self.column_of_bit[-1] + 1), dtype=bool)
        if self._floats:
            of_table = values = self._side_by_side(table)
            if self.combinations is not None:
                numbers = of_table[:, self._number_places]
                values = np.hstack([of_table, self.combinations.apply(numbers)])
                missing[:, len(self.codes) :] = np.isnan(numbers).any(axis=1, keepdims=True)
            for start in range(0, table.n_rows, ROWS_AT_ONCE):
                rows = slice(start, start + ROWS_AT_ONCE)
                spread = values[rows].take(self._source, axis=1)
                on = spread > self._lower
                if self._bounded:
                    on &= spread <= self._upper
                bits[rows, self._target] = on
            unknown = np.isnan(of_table)
            bits[:, self.unknown_bits[self._floats]] = unknown
            missing[:, self._floats] = unknown
        for i, code in self._others.items():
            cells = columns.read(table.columns[i], code.kind, self.names[i])
            missing[:, i] = code.encode(cells, bits[:, self.places[i]])
        bits[:, self._never_known] = 1
        return bits, missing

    def numbers_of(self, table: Table) -> Float64:
        """The columns of numbers."""
        return self._side_by_side(table)[:, self._number_places]

    def _side_by_side(self, table: Table) -> Float64:
        """The columns of numbers and booleans as one array of floats."""
        if table.whole is not None:
            values = self._at_once(table.whole)
            if values is not None:
                return values
        read = [columns.read(table.columns[i], self.codes[i].kind, self.names[i]) for i in self._floats]
        return np.stack(read, axis=1).astype(np.float64, copy=False)  # missing booleans, None, become NaN

    def _at_once(self, whole: npt.NDArray[Any]) -> Float64 | None:
        """The same if all cells are plain numbers and booleans; otherwise None, and each column is read by itself."""
        if len(self._booleans) == 0:
            values = columns.floats(whole[:, self._floats] if self._others else whole, NUMBER_TYPES)
            return None if values is None or np.isinf(values).any() else values
        numbers = columns.floats(whole[:, self.numbers], NUMBER_TYPES)  # separate: True is not the number 1
        truths = columns.floats(whole[:, self._booleans], BOOLEAN_TYPES)
        if numbers is None or truths is None or np.isinf(numbers).any():
            return None
        if whole.dtype != object and not ((truths == 0) | (truths == 1) | np.isnan(truths)).all():
            return None
        values = np.empty((len(whole), len(self._floats)))
        values[:, self._number_places], values[:, self._boolean_places] = numbers, truths
        return values

    def decode(self, bits: Bits) -> Objects | Float64:
        """The cells that bits, or probabilities of bits, stand for."""
        decoded_columns = [code.decode(bits[:, place]) for code, place in zip(self.codes, self.places, strict=True)]
        decoded = np.empty((len(bits), len(decoded_columns)), dtype=np.result_type(*decoded_columns))
        for i, column in enumerate(decoded_columns):
            decoded[:, i] = column
        return decoded

    def draw(self, probabilities: Float64, rng: np.random.Generator) -> Objects | Float64:
        """Cells drawn from independent bits, given that exactly one bit of each one-hot column is on."""
        p = np.clip(probabilities, 1e-12, 1 - 1e-12)
        bits = (rng.random(p.shape) < p).astype(np.float64)
        noisy = np.log(p / (1 - p)) + rng.gumbel(size=p.shape)
        for code, place in zip(self.codes, self.places, strict=True):
            if isinstance(code, CategoryCode) or (isinstance(code, NumberCode) and code.onehot):
                bits[:, place] = np.arange(code.n_bits) == noisy[:, place].argmax(axis=1)[:, np.newaxis]
        return self.decode(bits)
