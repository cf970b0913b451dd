"""The codes of all columns side by side: rows to bits and back."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from genreplay.streams import table as tables
from genreplay.streams.codes import AnyCode, Bits, BooleanCode, Bools, NumberCode
from genreplay.streams.table import Column, Float64, Table

ROWS_AT_ONCE = 1024
"""so that the cells, spread over their bits, need little memory and stay in the cache"""


class Layout:
    """Where the bits of each column stand, and how to compute them.

    Numbers and booleans are encoded together, by one comparison of all their columns with all their cut points; the
    other kinds one column after the other.

    >>> layout = Layout([NumberCode.learn(np.array([1.0, 2.0]), n_bins=8, onehot=False), BooleanCode()], ["x", "y"])
    >>> bits, missing = layout.encode(Table(np.array([[1.2, 1.0], [np.nan, 0.0]])), np.int8)
    >>> bits
    array([[1, 0, 0, 0, 1, 0],
           [0, 0, 0, 1, 0, 0]], dtype=int8)
    >>> missing
    array([[False, False],
           [ True, False]])
    """

    def __init__(self, codes: list[AnyCode], names: list[str]) -> None:
        self.codes, self.names = codes, names
        widths = [code.n_bits for code in codes]
        ends = np.cumsum(widths)
        self.n_bits = int(ends[-1])
        self.places = [slice(end - width, end) for end, width in zip(ends.tolist(), widths, strict=True)]
        self.column_of_bit = np.repeat(np.arange(len(codes)), widths)
        self.unknown_bits = ends - 1

        floats = {i: code for i, code in enumerate(codes) if isinstance(code, NumberCode | BooleanCode)}
        self._floats = list(floats)
        self._others = {i: code for i, code in enumerate(codes) if not isinstance(code, NumberCode | BooleanCode)}
        self._are_boolean = [isinstance(code, BooleanCode) for code in floats.values()]
        self._source = np.repeat(np.arange(len(floats)), [code.n_bits for code in floats.values()])
        self._target = np.flatnonzero(np.isin(self.column_of_bit, self._floats)) if self._others else slice(None)
        # nothing lies above infinity: the unknown bits stay off here and are set by themselves
        self._lower = np.concatenate([np.empty(0), *(np.append(code.lower, np.inf) for code in floats.values())])
        self._upper = np.concatenate([np.empty(0), *(np.append(code.upper, np.inf) for code in floats.values())])
        self._bounded = bool(np.isfinite(self._upper).any())
        self._never_known = self.unknown_bits[np.array(widths) == 1]

    def encode(self, table: Table, dtype: npt.DTypeLike) -> tuple[Bits, Bools]:
        """The bits, and which cells are missing."""
        bits = np.zeros((table.n_rows, self.n_bits), dtype=dtype)
        missing = np.empty((table.n_rows, len(self.codes)), dtype=bool)
        if self._floats:
            values = self._side_by_side(table)
            for start in range(0, table.n_rows, ROWS_AT_ONCE):
                rows = slice(start, start + ROWS_AT_ONCE)
                spread = values[rows].take(self._source, axis=1)
                on = spread > self._lower
                if self._bounded:
                    on &= spread <= self._upper
                bits[rows, self._target] = on
            unknown = np.isnan(values)
            bits[:, self.unknown_bits[self._floats]] = unknown
            missing[:, self._floats] = unknown
        for i, code in self._others.items():
            missing[:, i] = code.encode(table.columns[i], self.names[i], bits[:, self.places[i]])
        bits[:, self._never_known] = 1
        return bits, missing

    def _side_by_side(self, table: Table) -> Float64:
        """The columns of numbers and booleans as one array of floats."""
        if table.whole is not None:
            whole = table.whole if not self._others else table.whole[:, self._floats]
            try:
                values = whole.astype(np.float64, copy=False)
            except (TypeError, ValueError):
                pass  # some cell is no plain number: each column is read below, with a word on what is wrong
            else:
                if self._is_plain(values):
                    return values
        readers = [tables.booleans if is_boolean else tables.numbers for is_boolean in self._are_boolean]
        pairs = zip(readers, self._floats, strict=True)
        return np.stack([read(table.columns[i], self.names[i]) for read, i in pairs], axis=1)

    def _is_plain(self, values: Float64) -> bool:
        if np.isinf(values).any():
            return False
        if not any(self._are_boolean):
            return True
        truths = values[:, self._are_boolean]
        return bool(((truths == 0) | (truths == 1) | np.isnan(truths)).all())

    def decode(self, bits: Bits) -> Column:
        """The cells that bits, or probabilities of bits, stand for."""
        columns = [code.decode(bits[:, place]) for code, place in zip(self.codes, self.places, strict=True)]
        decoded = np.empty((len(bits), len(columns)), dtype=np.result_type(*columns))
        for i, column in enumerate(columns):
            decoded[:, i] = column
        return decoded
