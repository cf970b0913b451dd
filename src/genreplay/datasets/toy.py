"""The toy classes of section 4.1: ten groups of ten units; each class sets units of its own group only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from genreplay.datasets.base import Bits, DatasetError, Labels, Splits
from genreplay.datasets.spec import Form, Spec

N_CLASSES = 10
UNITS_PER_CLASS = 10
P = 0.3
"""p(v_i = 1) for the units of a row's own class"""


def generate(
    contents: Sequence[bytes] = (), seed: int = 0, n_train_per_class: int = 1000, n_test_per_class: int = 1000
) -> Splits:
    """Draw training rows in class order, as the paper streams them, and independent test rows.

    >>> generate().train[2000:3000].any(axis=0).nonzero()[0]  # the units that rows of class 2 may set
    array([20, 21, 22, 23, 24, 25, 26, 27, 28, 29])
    """
    # One generator each: the training rows do not depend on how many test rows are asked for.
    train_rng, test_rng = np.random.default_rng(seed).spawn(2)
    train, train_labels = _draw(n_train_per_class, train_rng)
    test, test_labels = _draw(n_test_per_class, test_rng)
    return Splits(train, train[:0], test, train_labels, test_labels)


def _draw(n_per_class: int, rng: np.random.Generator) -> tuple[Bits, Labels]:
    labels = np.repeat(np.arange(N_CLASSES), n_per_class)
    groups = np.zeros((len(labels), N_CLASSES, UNITS_PER_CLASS), dtype=np.uint8)
    groups[np.arange(len(labels)), labels] = rng.random((len(labels), UNITS_PER_CLASS)) < P
    return groups.reshape(len(labels), -1), labels


def toy_log_prob(v: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Exact log p(v) of the toy rows: ten classes of equal weight; -inf for a row that no class can produce.

    >>> row = np.zeros(100)
    >>> row[[3, 7]] = 1
    >>> toy_log_prob([row, np.zeros(100), np.ones(100)]).round(3)
    array([-7.564, -3.567,   -inf])
    """
    rows = np.asarray(v)
    if rows.shape[-1:] != (N_CLASSES * UNITS_PER_CLASS,) or not ((rows == 0) | (rows == 1)).all():
        raise DatasetError(f"toy_log_prob takes rows of 100 zeros and ones. Got an array of shape {rows.shape}.")
    ones = rows.reshape(*rows.shape[:-1], N_CLASSES, UNITS_PER_CLASS).sum(axis=-1)
    n_ones = ones.sum(axis=-1)
    n_classes = (ones == n_ones[..., None]).sum(
        axis=-1
    )  # classes that can produce the row; all ten can produce an empty one
    with np.errstate(divide="ignore"):  # log 0 = -inf is intended
        weight = np.log(n_classes / N_CLASSES)
    return np.asarray(weight + n_ones * np.log(P) + (UNITS_PER_CLASS - n_ones) * np.log1p(-P))


SPEC = Spec(
    "toy",
    n_features=N_CLASSES * UNITS_PER_CLASS,
    forms=(
        Form(
            n_rows=(10000, 0, 10000),
            parse=generate,
            state="generated",
            note="Drawn from ten classes: p = 0.3 on ten units of a class's own, 0 elsewhere (section 4.1).",
        ),
    ),
)
