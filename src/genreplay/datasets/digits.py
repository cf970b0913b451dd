"""The 8 x 8 handwritten digits that ship with scikit-learn, made binary: real images that need no file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from genreplay.datasets.base import Splits
from genreplay.datasets.spec import Form, Spec


def split(contents: Sequence[bytes] = (), seed: int = 0) -> Splits:
    """Set the pixels above half intensity, and keep a fifth of each class to test.

    Training rows come in random order; ``genreplay.datasets.order`` sorts them by class.

    >>> split(seed=0).train.shape, split(seed=0).test.shape
    ((1437, 64), (360, 64))
    """
    from sklearn.datasets import load_digits  # slow to import, and no other set needs it
    from sklearn.model_selection import train_test_split

    images, labels = load_digits(return_X_y=True)
    bits = (images / 16 > 0.5).astype(np.uint8)
    train, test, train_labels, test_labels = train_test_split(
        bits, labels.astype(np.int64), test_size=0.2, stratify=labels, random_state=seed
    )
    return Splits(train, train[:0], test, train_labels, test_labels)


SPEC = Spec(
    "digits",
    n_features=64,
    forms=(
        Form(
            n_rows=(1437, 0, 360),
            parse=split,
            note="scikit-learn's digits at half intensity, a fifth of each class drawn to test.",
        ),
    ),
)
