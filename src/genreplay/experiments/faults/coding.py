"""The table as plain numbers, for methods that take nothing else.

- A number stays as it is. Where it is missing it becomes the column's mean over the head of the stream, and one more
  column says that it was missing, if the column has missing cells in the head.
- A boolean becomes 0 or 1.
- A category becomes one column of 0 and 1 for each label of the head, and one for all other labels.
- The time becomes sine and cosine of the time of day, and the day of the week from 0 to 6.
"""

from __future__ import annotations

import numpy as np

from genreplay.datasets.faults import COLUMNS, NUMBERS, Floats, Objects, hours_and_weekdays

_CATEGORIES = ("product", "mode")


def to_numbers(rows: Objects, n_head: int) -> Floats:
    """Code the rows, with means and labels of the first ``n_head``.

    >>> from genreplay.datasets.faults import faults
    >>> rows = faults(2_000).rows
    >>> to_numbers(rows, n_head=500).shape, bool(np.isnan(to_numbers(rows, n_head=500)).any())
    ((2000, 27), False)
    """
    columns: list[Floats] = []
    for name in NUMBERS:
        cells = as_floats(rows, name)
        missing = np.isnan(cells)
        known = cells[:n_head][~missing[:n_head]]
        columns.append(np.where(missing, known.mean() if len(known) else 0.0, cells))
        if missing[:n_head].any():
            columns.append(missing.astype(np.float64))
    return np.column_stack([*columns, context(rows, n_head)])


def context(rows: Objects, n_head: int) -> Floats:
    """The columns that are not numbers, none of which has a missing cell."""
    hours, weekdays = hours_and_weekdays(rows[:, COLUMNS.index("time")])
    angle = 2 * np.pi * hours / 24
    columns = [np.sin(angle), np.cos(angle), weekdays.astype(np.float64)]
    columns.append(rows[:, COLUMNS.index("door_open")].astype(np.float64))
    for name in _CATEGORIES:
        cells = rows[:, COLUMNS.index(name)]
        by_label = [(cells == label).astype(np.float64) for label in sorted(set(cells[:n_head]))]
        columns += [*by_label, 1 - np.sum(by_label, axis=0)]
    return np.column_stack(columns)


def as_floats(rows: Objects, name: str) -> Floats:
    """The cells of a column of numbers, NaN where missing."""
    return rows[:, COLUMNS.index(name)].astype(np.float64)  # None becomes NaN
