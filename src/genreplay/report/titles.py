"""Headings of columns and data sets."""

from __future__ import annotations

from genreplay.experiments.paper.table2 import DATASET_TITLES

_COLUMNS = {"independent": "independent bits", "offline": "offline CD-1"}


def column_title(column: str) -> str:
    """The heading of a column of Table 2.

    >>> column_title("offline"), column_title("ER-IM")
    ('offline CD-1', 'ER-IM')
    """
    return _COLUMNS.get(column, column)


def dataset_title(dataset: str, state: str = "exact", more: str = "") -> str:
    """A data set of the paper, and how far its rows are those of the paper.

    >>> dataset_title("mnist", more="threshold"), dataset_title("rcv1", "surrogate")
    ('MNIST, threshold', 'RCV1 (surrogate)')
    """
    title = DATASET_TITLES[dataset] + (f", {more}" if more else "")
    return title if state == "exact" else f"{title} ({state})"
