"""Loops over sparse matrices in CSR form.

Row r has its ``values`` at the columns ``places``, both from ``start[r]`` to ``start[r + 1]``.
"""

from __future__ import annotations

from genreplay.core.kernels.arrays import Array, Integers
from genreplay.core.kernels.compiled.parallel import over_rows


@over_rows
def add_product(
    first: int,
    last: int,
    start: Integers,
    places: Integers,
    values: Array,
    scale: float,
    table: Array,
    out: Array,
) -> None:
    """Add scale * (sparse @ table) to ``out``: each row of ``out`` gets the sum of some rows of ``table``.

    Memory access limits the speed, mostly that of ``out``. So eight rows of the table are added at a time.
    """
    for r in range(first, last):
        total = out[r]
        k, stop = start[r], start[r + 1]
        while k + 8 <= stop:
            t0, t1, t2, t3 = table[places[k]], table[places[k + 1]], table[places[k + 2]], table[places[k + 3]]
            t4, t5, t6, t7 = table[places[k + 4]], table[places[k + 5]], table[places[k + 6]], table[places[k + 7]]
            x0, x1, x2, x3 = scale * values[k], scale * values[k + 1], scale * values[k + 2], scale * values[k + 3]
            x4, x5, x6, x7 = scale * values[k + 4], scale * values[k + 5], scale * values[k + 6], scale * values[k + 7]
            for j in range(total.shape[0]):
                total[j] += ((x0 * t0[j] + x1 * t1[j]) + (x2 * t2[j] + x3 * t3[j])) + (
                    (x4 * t4[j] + x5 * t5[j]) + (x6 * t6[j] + x7 * t7[j])
                )
            k += 8
        if k + 4 <= stop:
            t0, t1, t2, t3 = table[places[k]], table[places[k + 1]], table[places[k + 2]], table[places[k + 3]]
            x0, x1, x2, x3 = scale * values[k], scale * values[k + 1], scale * values[k + 2], scale * values[k + 3]
            for j in range(total.shape[0]):
                total[j] += (x0 * t0[j] + x1 * t1[j]) + (x2 * t2[j] + x3 * t3[j])
            k += 4
        while k < stop:
            t0, x0 = table[places[k]], scale * values[k]
            for j in range(total.shape[0]):
                total[j] += x0 * t0[j]
            k += 1


@over_rows
def count_ones(first: int, last: int, rows: Array, counts: Integers) -> bool:
    """Count the ones of each row. Return False if a value is neither 0 nor 1."""
    n_other = 0
    for r in range(first, last):
        ones, other = 0, 0
        for i in range(rows.shape[1]):
            ones += rows[r, i] == 1
            other += (rows[r, i] != 1) & (rows[r, i] != 0)
        counts[r] = ones
        n_other += other
    return n_other == 0


@over_rows
def list_ones(first: int, last: int, rows: Array, start: Integers, places: Integers) -> None:
    """Write the columns of the ones to ``places``."""
    for r in range(first, last):
        k, stop = start[r], start[r + 1]
        for i in range(rows.shape[1]):
            if k == stop:
                break
            places[k] = (
                i  # overwritten by the next column if this is a 0: cheaper than a branch that is hard to predict
            )
            k += rows[r, i] != 0


@over_rows
def count_flips(
    first: int, last: int, rows: Array, start: Integers, places: Integers, ones: Integers, flips: Integers
) -> bool:
    """Count the ones of each row of 0/1 ``rows``, and the units in which it differs from the sparse row.

    Return False if a value is neither 0 nor 1, such as NaN.
    """
    zero = rows.dtype.type(0)
    n_other = zero
    for r in range(first, last):
        row = rows[r]
        total, other, kept = zero, zero, zero
        for i in range(row.shape[0]):
            total += row[i]
            other += row[i] * (row[i] - 1)
        for k in range(start[r], start[r + 1]):
            kept += row[places[k]]
        ones[r] = int(total)
        flips[r] = int(total - 2 * kept) + start[r + 1] - start[r]
        n_other += other
    return bool(n_other == 0)


@over_rows
def list_flips(
    first: int,
    last: int,
    rows: Array,
    start: Integers,
    places: Integers,
    flip_start: Integers,
    flip_places: Integers,
    flip_values: Array,
) -> None:
    """List the units in which ``rows`` differ from the sparse rows: -1 where a one is lost, 1 where one is gained.

    Overwrites ``rows``: the ones that the sparse rows share become 0, so the remaining ones are those gained.
    """
    for r in range(first, last):
        row = rows[r]
        k, stop = flip_start[r], flip_start[r + 1]
        for m in range(start[r], start[r + 1]):
            if row[places[m]] == 0:
                flip_places[k] = places[m]
                flip_values[k] = -1
                k += 1
            row[places[m]] = 0
        for m in range(k, stop):
            flip_values[m] = 1
        for i in range(row.shape[0]):
            if k == stop:
                break
            flip_places[k] = i  # as in list_ones
            k += row[i] != 0


@over_rows
def transpose(
    first: int,
    last: int,
    start: Integers,
    places: Integers,
    values: Array,
    place: Integers,
    transposed_places: Integers,
    transposed_values: Array,
) -> None:
    """List the rows of each column.

    ``place`` holds the start of each column's list; afterwards it holds the end. Only one thread may run this loop,
    because every row extends the lists of several columns.
    """
    for r in range(first, last):
        for k in range(start[r], start[r + 1]):
            column = places[k]
            transposed_places[place[column]] = r
            transposed_values[place[column]] = values[k]
            place[column] += 1
