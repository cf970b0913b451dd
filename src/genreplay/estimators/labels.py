"""Labels of a classifier that need not be known beforehand: checked, in order, and each with a seed of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, column_or_1d

Labels = npt.NDArray[Any]
Label = int | float | bool | str


def checked(y: object, n_rows: int, name: str) -> Labels:
    """Labels as a 1D array of numbers or of text, one for each row; anything else is refused.

    >>> checked(["cat", "dog"], 2, "Model")
    array(['cat', 'dog'], dtype='<U3')
    """
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    labels = as_labels(column_or_1d(y, warn=True))
    if len(labels) != n_rows:
        raise ValueError(f"X and y must have as many rows: X has {n_rows}, y has {len(labels)}.")
    return labels


def as_labels(values: npt.ArrayLike) -> Labels:
    """An array of numbers or text, as scikit-learn takes it for classes.

    >>> as_labels([2, 0])
    array([2, 0])
    """
    labels = np.asarray(values)
    if labels.dtype == object:
        kinds = {type(label) for label in labels.ravel().tolist()}
        if len(kinds) > 1 and str in kinds:
            raise ValueError("Labels must be all text or all numbers; y has both.")
        labels = np.asarray(labels.tolist())
    if labels.dtype.kind not in "biufU":
        raise ValueError(f"Unknown label type: labels must be numbers or text, not {labels.dtype}.")
    assert_all_finite(labels, input_name="y")
    check_classification_targets(np.atleast_1d(labels))
    return labels


def merged(known: Labels | None, more: Labels) -> Labels:
    """All labels, each once and in order.

    >>> merged(np.array(["b"]), np.array(["aaa", "b"]))
    array(['aaa', 'b'], dtype='<U3')
    """
    if known is None:
        return np.unique(more)
    if (known.dtype.kind == "U") != (more.dtype.kind == "U"):
        kinds = ["text" if each.dtype.kind == "U" else "numbers" for each in (known, more)]
        raise ValueError(f"Labels must stay of one kind: those before were {kinds[0]}, y has {kinds[1]}.")
    return np.union1d(known, more)


def places(labels: Labels, classes: Labels) -> npt.NDArray[np.intp]:
    """Where each label stands in the ordered classes, all of which it must be one of.

    >>> places(np.array([7, 3]), np.array([3, 5, 7]))
    array([2, 0])
    """
    unknown = np.setdiff1d(labels, classes) if labels.dtype.kind != "U" or classes.dtype.kind == "U" else labels
    if len(unknown):
        raise ValueError(f"The label {unknown[0].item()!r} is not among the classes {classes.tolist()}.")
    return np.searchsorted(classes, labels)


def generator_for(label: Label, seed: Sequence[int]) -> np.random.Generator:
    """The random numbers of one label: they do not depend on when it appears, nor on other labels.

    >>> bool(generator_for(3, [0]).random() == generator_for(3.0, [0]).random())
    True
    """
    text = label if isinstance(label, str) else repr(float(label))
    digest = hashlib.sha256(text.encode()).digest()
    return np.random.default_rng([*seed, *np.frombuffer(digest[:16], "<u4").tolist()])
