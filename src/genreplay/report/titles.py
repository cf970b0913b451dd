"""Titles and headings of the pages and tables."""

from __future__ import annotations

from genreplay.experiments.paper.table2 import DATASET_TITLES

SECTIONS = {
    "fig3": "Fig. 3: what does it dream of?",
    "fig4": "Fig. 4: MNIST, sorted and random",
    "fig5": "Fig. 5: while it learns",
    "table2": "Table 2: nine data sets",
    "cd-steps": "More steps of contrastive divergence",
    "cost": "Time and memory",
    "study": "How many dreams, how deep?",
    "samples": "Dreams to look at",
    "beyond": "Beyond the paper",
    "anomaly": "Anomaly detection",
    "faults": "Faults in a factory",
    "regimes": "When regimes return",
    "nab": "The Numenta Anomaly Benchmark",
    "sensors": "Faults of sensors in a time series",
    "runs": "What was run, and how",
}
"""the sections of the report, in order"""
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
