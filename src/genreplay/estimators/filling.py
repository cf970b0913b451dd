"""Missing cells filled by a model: which of them are empty by nature, and what the others are likely to be."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

import numpy as np

from genreplay.core.grouped import State, model
from genreplay.core.kernels.arrays import Codes
from genreplay.estimators.rows import ROWS_PER_BLOCK
from genreplay.streams.chunks import listed, short
from genreplay.streams.codes import Bools
from genreplay.streams.columns import Objects
from genreplay.streams.encoder import TableEncoder


def fill(
    encoder: TableEncoder, state: State, codes: Codes, wanted: Bools, n_gibbs: int, rng: np.random.Generator
) -> tuple[Objects, Bools]:
    """Cells for the missing ones of rows in the wanted columns, and which cells these are.

    One chain over all missing groups of a row gives the probability that a cell is missing, given the others. Where it
    is above 1/2, that is what the model expects: the cell stays empty. Given that it is not missing, a number becomes
    its mean, rounded in a column of whole numbers, anything else its likeliest code.
    """
    n_groups = state.n_groups
    offsets, codes = state.offsets[: n_groups + 1], np.ascontiguousarray(codes[:, :n_groups])
    columns, gaps = encoder.column_of_group_[:n_groups], encoder.missing_codes_[:n_groups]
    is_gap = codes == gaps
    firsts = np.searchsorted(columns, np.arange(len(encoder.kinds_)))
    missing = np.logical_and.reduceat(is_gap, firsts, axis=1)
    cells, filled = np.full(missing.shape, None, dtype=object), np.zeros_like(missing)
    places = np.flatnonzero((missing & wanted).any(axis=1))
    for start in range(0, len(places), ROWS_PER_BLOCK):
        rows = places[start : start + ROWS_PER_BLOCK]
        p = model.fill(state.rbm, offsets, codes[rows], is_gap[rows], n_gibbs, rng)
        p_gap = p[:, (offsets[:-1] + gaps)[firsts]]
        p[:, offsets[:-1] + gaps] = 0.0
        likeliest = codes[rows]
        for group in range(n_groups):
            best = p[:, offsets[group] : offsets[group + 1]].argmax(axis=1)
            likeliest[:, group] = np.where(is_gap[rows, group], best, likeliest[:, group])
        cells[rows] = encoder.decode(likeliest)
        for column in np.flatnonzero([kind == "number" for kind in encoder.kinds_]).tolist():
            group = firsts[column]
            weights = p[:, offsets[group] : offsets[group + 1]]
            values = np.nan_to_num(encoder.values_of_codes(column))
            means = weights @ values / np.maximum(weights.sum(axis=1), 1e-300)
            cells[rows, column] = np.rint(means) if (values == np.rint(values)).all() else means
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
