"""The order in which training rows come: class after class (the paper's worst case) or at random (section 4)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from genreplay.datasets.base import Dataset, DatasetError


def order(dataset: Dataset, how: Literal["sorted", "random"], seed: int | np.random.Generator = 0) -> Dataset:
    """Return the data set with its training rows by ascending class, at random within a class; or all at random.

    >>> from genreplay import datasets
    >>> datasets.order(datasets.load("digits"), "sorted").train_labels[[0, 500, -1]]
    array([0, 3, 9])
    """
    if how not in ("sorted", "random"):
        raise DatasetError(f"The 'how' parameter of order must be 'sorted' or 'random'. Got {how!r} instead.")
    labels = dataset.train_labels
    indices = np.random.default_rng(seed).permutation(len(dataset.train))
    if how == "sorted":
        if labels is None:
            raise DatasetError(f"{dataset.title} has no classes to sort by: use the order 'random'.")
        indices = indices[np.argsort(labels[indices], kind="stable")]
    return dataset._replace(train=dataset.train[indices], train_labels=None if labels is None else labels[indices])
