"""Seeds as scikit-learn takes them, without scikit-learn."""

from __future__ import annotations

from numbers import Integral
from typing import Any, TypeAlias

import numpy as np

RandomState: TypeAlias = int | np.random.RandomState | None


def generator(random_state: RandomState) -> np.random.Generator:
    """A Generator from what scikit-learn takes as a seed; None draws from NumPy's global generator.

    >>> generator(0).integers(1000), generator(np.random.RandomState(0)).integers(1000)
    (np.int64(225), np.int64(225))
    """
    source: Any = random_state
    if source is None or source is np.random:
        source = np.random.mtrand._rand
    elif isinstance(source, Integral):
        source = np.random.RandomState(int(source))
    elif not isinstance(source, np.random.RandomState):
        raise ValueError(f"{random_state!r} cannot be used to seed a numpy.random.RandomState instance")
    return np.random.default_rng(source.randint(np.iinfo(np.int32).max, size=4))
