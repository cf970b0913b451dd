"""The codes of all columns side by side: rows to codes and back."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from genreplay.core.kernels.arrays import MOST_CODES, Offsets
from genreplay.core.kernels.choice import compiled_loops
from genreplay.streams import cells, columns
from genreplay.streams.codes import AnyCode, BooleanCode
from genreplay.streams.columns import BOOLEAN_TYPES, NUMBER_TYPES, Float64, Objects
from genreplay.streams.combinations import FARTHEST, Combinations
from genreplay.streams.number_code import Codes, NumberCode
from genreplay.streams.table import Table

_PLAIN = frozenset({float, int})
"""types of cells that are numbers as they are"""


class Layout:
    """The groups of codes of each column, then those of the combinations, and how to find the code in each group.

    Numbers and booleans are read together, the other kinds column by column.

    >>> layout = Layout([NumberCode.learn(np.array([1.0, 2.0]), n_bins=8), BooleanCode()], ["x", "y"])
    >>> layout.group_sizes
    array([13,  3])
    >>> layout.encode(Table(np.array([[1.2, 1.0], [np.nan, 0.0], [9.0, np.nan]])))
    array([[ 5,  1],
           [12,  0],
           [ 8,  2]], dtype=uint8)
    """

    def __init__(self, codes: list[AnyCode], names: list[str], combinations: Combinations | None = None) -> None:
        self.codes, self.names, self.combinations = codes, names, combinations
        combined = combinations.codes if combinations is not None else ()
        sizes = [size for code in codes for size in code.sizes] + [len(code.cuts) + 1 for code in combined]
        if max(sizes) > MOST_CODES:
            raise ValueError(f"A column of TableEncoder can have {MOST_CODES} codes. Got {max(sizes)} instead.")
        self.group_sizes = np.array(sizes)
        self.first_bits = np.cumsum(self.group_sizes) - self.group_sizes
        self.n_bits = int(self.group_sizes.sum())
        widths = [len(code.sizes) for code in codes]
        self.n_table_groups = sum(widths)
        self.first_groups = np.cumsum(widths) - np.array(widths)
        none = [-1] * len(combined)
        self.column_of_group = np.array([*np.repeat(np.arange(len(codes)), widths), *none])
        self.missing_codes = np.array([place for code in codes for place in code.missing] + none)
        self.unseen_codes = np.array([place for code in codes for place in code.unseen] + none)
        self.far_of_code = np.concatenate([*(code.far for code in codes), *(code.far[:-1] for code in combined)])

        self._places = [slice(first, first + width) for first, width in zip(self.first_groups, widths, strict=True)]
        self.numbers = [i for i, code in enumerate(codes) if isinstance(code, NumberCode)]
        self._booleans = [i for i, code in enumerate(codes) if isinstance(code, BooleanCode)]
        self._floats = {i: code for i, code in enumerate(codes) if isinstance(code, NumberCode | BooleanCode)}
        self._others = {i: code for i, code in enumerate(codes) if not isinstance(code, NumberCode | BooleanCode)}
        self._number_places = np.flatnonzero(np.isin(list(self._floats), self.numbers))
        self._boolean_places = np.flatnonzero(np.isin(list(self._floats), self._booleans))
        self._singles = [(code.edges.tolist() if isinstance(code, NumberCode) else None, code) for code in codes]
        self._is_numbers = not self._booleans and not self._others

    def encode(self, table: Table) -> Codes:
        """For each row, the code of each group."""
        return self.encode_with_numbers(table)[0]

    def encode_with_numbers(self, table: Table) -> tuple[Codes, Float64]:
        """For each row, the code of each group, and its numbers."""
        numbers = np.empty((table.n_rows, 0))
        found = np.empty((table.n_rows, len(self.group_sizes)), dtype=np.uint8)
        if self._floats:
            values = self._side_by_side(table)
            for (i, code), column in zip(self._floats.items(), values.T, strict=True):
                found[:, self.first_groups[i]] = np.searchsorted(code.edges, column)
            numbers = values if len(self._booleans) == 0 else values[:, self._number_places]
            if self.combinations is not None:
                self.combinations.encode(numbers, found[:, self.n_table_groups :])
        for i, other in self._others.items():
            other.encode(columns.read(table.columns[i], other.kind, self.names[i]), found[:, self._places[i]])
        return found, numbers

    def encode_one(self, row: Sequence[object]) -> tuple[Codes, Sequence[float] | Float64]:
        """The codes and the numbers of one row, without a table; a refused cell raises the error of ``encode``."""
        if isinstance(row, np.ndarray) and row.dtype == np.float64:
            row = row.tolist()
        if len(row) != len(self.codes):
            raise ValueError(f"A row of TableEncoder has {len(self.codes)} cells. Got {len(row)} instead.")
        if self._is_numbers and _PLAIN.issuperset(map(type, row)):
            coded = self._encode_numbers(row)
            if coded is not None:
                return coded
        found: list[int] = []
        try:
            numbers = self._encode_each(row, found)
        except (ValueError, TypeError):
            whole = np.empty((1, len(row)), dtype=object)
            whole[0] = row
            codes, known = self.encode_with_numbers(Table(whole))
            return codes[0], known[0]
        if self.combinations is not None:
            found += self.combinations.encode_one(numbers)
        return np.frombuffer(bytearray(found), dtype=np.uint8), numbers

    def _encode_numbers(self, row: Sequence[object]) -> tuple[Codes, Float64] | None:
        """The same for floats and ints, in a compiled loop; None without Numba, or if one of them is not finite."""
        loops = compiled_loops()
        if loops is None:
            return None
        try:
            values = np.array(row, dtype=np.float64)
        except OverflowError:  # an int beyond all floats
            return None
        codes = np.empty(len(self.group_sizes), dtype=np.uint8)
        return (codes, values) if loops.coding.code_numbers(values, *self._of_numbers, codes) else None

    @cached_property
    def _of_numbers(self) -> tuple[Float64, Offsets, Float64, Float64, Float64, float]:
        """What the compiled loop needs to code a row of numbers: see there."""
        n, combined = len(self.numbers), self.combinations
        edges = [code.edges for code in self.codes if isinstance(code, NumberCode)]
        if combined is None:
            return np.concatenate(edges), _firsts(edges), np.zeros(n), np.ones(n), np.empty((n + 1, 0)), FARTHEST
        edges += combined.edges
        return np.concatenate(edges), _firsts(edges), combined.centre, combined.scale, combined.weights, FARTHEST

    def _encode_each(self, row: Sequence[object], found: list[int]) -> list[float]:
        """Add the codes of the cells to those found, and return the row's numbers."""
        numbers = []
        for cell, (edges, code) in zip(row, self._singles, strict=True):
            if edges is None:
                found += code.encode_one(cell)  # type: ignore[union-attr]
                continue
            value = cell if type(cell) is float else cells.number(cell)
            if value - value == 0:  # neither infinite nor NaN
                found.append(bisect_left(edges, value))
            elif value != value:
                found.append(len(edges))
            else:
                raise ValueError
            numbers.append(value)
        return numbers

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
            values = columns.floats(whole[:, self.numbers] if self._others else whole, NUMBER_TYPES)
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

    def decode(self, codes: Codes, rng: np.random.Generator | None = None) -> Objects | Float64:
        """The cells that codes stand for; with a generator, numbers are drawn from their intervals."""
        pairs = zip(self.codes, self._places, strict=True)
        decoded_columns = [code.decode(codes[:, place], rng) for code, place in pairs]
        decoded = np.empty((len(codes), len(decoded_columns)), dtype=np.result_type(*decoded_columns))
        for i, column in enumerate(decoded_columns):
            decoded[:, i] = column
        return decoded


def _firsts(parts: Sequence[Float64]) -> Offsets:
    return np.cumsum([0, *map(len, parts)], dtype=np.int64)
