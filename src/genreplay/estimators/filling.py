"""Missing cells filled by a model: which of them are empty by nature, and what the others are likely to be."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

import numpy as np

from genreplay.core.kernels import Array
from genreplay.core.rbm import RBM, conditional_gibbs
from genreplay.estimators.rows import ROWS_PER_BLOCK
from genreplay.streams.chunks import listed, short
from genreplay.streams.codes import Bools
from genreplay.streams.columns import Objects
from genreplay.streams.encoder import TableEncoder


def fill(
    encoder: TableEncoder, rbm: RBM, bits: Array, wanted: Bools, n_gibbs: int, rng: np.random.Generator
) -> tuple[Objects, Bools]:
    """Cells for the NaN bits of rows in the wanted columns, and which cells these are.

    A column's unknown bit is on where its cell is missing. A chain that leaves all bits of the missing cells free gives
    the probability of this bit, given the other cells of the row. Where it is above 1/2, a missing cell is what the
    model expects: it stays empty. A second chain, with the unknown bits fixed, gives the values of the other cells.
    """
    missing = np.isnan(bits[:, encoder.unknown_bits_])
    cells, filled = np.full(missing.shape, None, dtype=object), np.zeros_like(missing)
    places = np.flatnonzero((missing & wanted).any(axis=1))
    for start in range(0, len(places), ROWS_PER_BLOCK):
        rows = places[start : start + ROWS_PER_BLOCK]
        is_empty = missing[rows] & (_unknown(encoder, rbm, bits[rows], n_gibbs, rng) > 0.5)
        known = bits[rows]
        of_table = encoder.column_of_bit_[: encoder.unknown_bits_[-1] + 1]  # without the bits of combinations
        known[:, : len(of_table)][is_empty[:, of_table]] = 0
        known[:, encoder.unknown_bits_] = np.where(missing[rows], is_empty, known[:, encoder.unknown_bits_])
        free = np.isnan(known)
        _, p = conditional_gibbs(rbm, known, free, n_gibbs, rng)
        cells[rows] = encoder.inverse_transform(np.where(free, p, known))
        filled[rows] = missing[rows] & wanted & ~is_empty
    return cells, filled


def _unknown(encoder: TableEncoder, rbm: RBM, bits: Array, n_gibbs: int, rng: np.random.Generator) -> Array:
    """Probability of each column's unknown bit, where its bits are NaN, given the other columns."""
    _, p = conditional_gibbs(rbm, bits, np.isnan(bits), n_gibbs, rng)
    return p[:, encoder.unknown_bits_]


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
