"""Missing cells filled by a model: which of them are empty by nature, and what the others are likely to be."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

import numpy as np

from genreplay.core.grouped import State, model
from genreplay.core.kernels.arrays import Codes
from genreplay.estimators.blocks import ROWS_PER_BLOCK, slices
from genreplay.estimators.calibration import Float64
from genreplay.streams.chunks import listed, short
from genreplay.streams.coder import TableCoder
from genreplay.streams.codes import Bools
from genreplay.streams.columns import Objects

_AT_ONCE = 100
"""single rows whose numbers are taken together"""


class Means:
    """How often each code came, and the mean of the numbers in each interval, which is what a filled cell becomes."""

    def __init__(self, encoder: TableCoder, counts: Float64 | None = None, sums: Float64 | None = None) -> None:
        """Continue with counts and sums; or with none yet: the warm-up's median of each interval counts as one row."""
        sizes = encoder.group_sizes_
        self.groups, self._firsts = encoder.number_groups_, np.cumsum(sizes) - sizes
        self._later: list[tuple[Codes, Sequence[float] | Float64]] = []
        if counts is not None and sums is not None:
            self._counts, self._sums = counts, sums
            return
        self._counts, self._sums = np.ones(int(sizes.sum())), np.zeros(int(sizes.sum()))
        columns = encoder.column_of_group_[self.groups]
        for group, column in zip(self.groups, columns, strict=True):
            self._of(group, self._sums)[:] = np.nan_to_num(encoder.values_of_codes(column))

    def _of(self, group: int, array: Float64) -> Float64:
        last = self._firsts[group + 1] if group + 1 < len(self._firsts) else len(array)
        return array[self._firsts[group] : last]

    def add(self, codes: Codes, numbers: Float64) -> None:
        """Take note of further rows, one after the other, so that it does not matter how a stream is cut."""
        self._settle()
        places = self._firsts + codes
        self._counts += np.bincount(places.ravel(), minlength=len(self._counts))  # whole numbers: no rounding
        known = ~np.isnan(numbers)
        with np.errstate(over="ignore", invalid="ignore"):
            np.add.at(self._sums, places[:, self.groups][known], numbers[known])
        np.nan_to_num(self._sums, copy=False)  # sums beyond all floats stay the largest: a file has finite numbers

    def add_later(self, codes: Codes, numbers: Sequence[float] | Float64) -> None:
        """Take note of a single row, together with others, before anything is asked: arrays of one row are slow."""
        self._later.append((codes, numbers))
        if len(self._later) >= _AT_ONCE:
            self._settle()

    def _settle(self) -> None:
        if self._later:
            codes, numbers = zip(*self._later, strict=True)
            self._later = []
            self.add(np.concatenate(codes), np.array(numbers, dtype=np.float64))

    @property
    def counts(self) -> Float64:
        self._settle()
        return self._counts

    @property
    def sums(self) -> Float64:
        self._settle()
        return self._sums

    def values(self, group: int) -> Float64:
        """The mean of each code of a group."""
        return self._of(group, self.sums) / self._of(group, self.counts)

    @property
    def nbytes(self) -> int:
        return self._counts.nbytes + self._sums.nbytes


def fill(
    encoder: TableCoder,
    means: Means,
    state: State,
    codes: Codes,
    wanted: Bools,
    n_gibbs: int,
    rng: np.random.Generator,
) -> tuple[Objects, Bools]:
    """Cells for the missing ones of rows in the wanted columns, and which cells these are.

    One chain over all missing groups of a row gives the probability that a cell is missing, given the others. Where it
    is above 1/2, that is what the model expects: the cell stays empty. Given that it is not missing, a number becomes
    its expected value, rounded in a column of whole numbers, anything else its likeliest code.
    """
    n_groups = state.n_groups
    offsets, codes = state.offsets[: n_groups + 1], np.ascontiguousarray(codes[:, :n_groups])
    columns, gaps = encoder.column_of_group_[:n_groups], encoder.missing_codes_[:n_groups]
    is_gap = codes == gaps
    firsts = np.searchsorted(columns, np.arange(len(encoder.kinds_)))
    missing = np.logical_and.reduceat(is_gap, firsts, axis=1)
    cells, filled = np.full(missing.shape, None, dtype=object), np.zeros_like(missing)
    places = np.flatnonzero((missing & wanted).any(axis=1))
    for block in slices(len(places), ROWS_PER_BLOCK):
        rows = places[block]
        p = model.fill(state.rbm, offsets, codes[rows], is_gap[rows], n_gibbs, rng)
        p_gap = p[:, (offsets[:-1] + gaps)[firsts]]
        p[:, offsets[:-1] + gaps] = 0.0
        likeliest = codes[rows]
        for group in range(n_groups):
            best = p[:, offsets[group] : offsets[group + 1]].argmax(axis=1)
            likeliest[:, group] = np.where(is_gap[rows, group], best, likeliest[:, group])
        cells[rows] = encoder.decode(likeliest)
        for group in means.groups:
            weights = p[:, offsets[group] : offsets[group + 1]]
            expected = weights @ means.values(group) / np.maximum(weights.sum(axis=1), 1e-300)
            values = np.nan_to_num(encoder.values_of_codes(columns[group]))
            cells[rows, columns[group]] = np.rint(expected) if (values == np.rint(values)).all() else expected
        filled[rows] = missing[rows] & wanted & (p_gap <= 0.5)
    return cells, filled


def columns_to_fill(columns: Sequence[str | int] | None, names: Sequence[str]) -> Bools:
    """Which columns are meant, by name or by index; all of them for None.

    >>> columns_to_fill(["b"], ["a", "b", "c"])
    array([False,  True, False])
    """
    if columns is None:
        return np.ones(len(names), dtype=bool)
    wanted = np.zeros(len(names), dtype=bool)
    for column in columns:
        if isinstance(column, Integral) and 0 <= column < len(names):
            wanted[int(column)] = True
        elif column in names:
            wanted[list(names).index(str(column))] = True
        else:
            raise ValueError(f"The 'columns' parameter has {short(column)}, but the columns are {listed(names)}.")
    return wanted
