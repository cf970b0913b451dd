"""A data set as an experiment sees it: rows of bits, their classes, and how close they are to the original."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Bits: TypeAlias = npt.NDArray[np.uint8]
Labels: TypeAlias = npt.NDArray[np.int64]
State: TypeAlias = Literal["exact", "surrogate", "partial", "generated"]


class DatasetError(ValueError):
    """A data set is unknown, missing, damaged, or asked for what it does not have; the message says what to do.

    >>> from genreplay import datasets
    >>> try:
    ...     datasets.load("cats")
    ... except DatasetError as error:
    ...     print(error)
    There is no data set 'cats'. Known are: mnist, adult, ...
    """


class Splits(NamedTuple):
    """Rows of 0 and 1, and the classes of the training and test rows where there are classes."""

    train: Bits
    valid: Bits
    test: Bits
    train_labels: Labels | None = None
    test_labels: Labels | None = None


class Dataset(NamedTuple):
    """A named data set, ready to be streamed.

    >>> from genreplay import datasets
    >>> digits = datasets.load("digits")
    >>> digits.n_features, digits.title, len(digits.train), len(digits.test)
    (64, 'digits', 1437, 360)
    """

    name: str
    train: Bits
    valid: Bits
    """may have no rows"""
    test: Bits
    train_labels: Labels | None
    test_labels: Labels | None
    state: State
    """how close the rows are to the paper's Table 1, or to the original if not in the paper: "exact"; "partial",
    split differently; "surrogate", other rows in their place; "generated", drawn from a known source"""
    note: str
    """one sentence on what is missing or how it was made; may be empty"""

    @property
    def title(self) -> str:
        """The name to print beside a number: it says when the rows are not those of Table 1."""
        return title(self.name, self.state)

    @property
    def n_features(self) -> int:
        """Bits in a row."""
        return int(self.train.shape[1])


def title(name: str, state: State) -> str:
    """Return the name, marked where the rows are not those of Table 1.

    >>> title("adult", "exact"), title("rcv1", "surrogate")
    ('adult', 'rcv1 (surrogate)')
    """
    return f"{name} ({state})" if state in ("surrogate", "partial") else name
