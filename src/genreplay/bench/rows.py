"""The rows that are learned: real ones if the data is available, else made-up ones of the same shape and density."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from genreplay.bench import ours
from genreplay.core import RBM
from genreplay.core.kernels import Array
from genreplay.datasets import Dataset, DatasetError, load

N_HIDDEN = 500


class Rows(NamedTuple):
    """Rows of 0 and 1, in float32."""

    V: Array
    source: str
    """where they come from, for the reader"""

    @property
    def ones(self) -> str:
        """The share of ones, in words."""
        return f"{self.V.mean():.1%} ones"


def mnist(n_rows: int, seed: int) -> Rows:
    """Rows of MNIST: 784 pixels, 13 % of them on."""
    return _real("mnist", n_rows, seed) or synthetic(n_rows, 784, 0.13, seed)


def web(n_rows: int, seed: int) -> Rows:
    """Rows of Web: 300 features, 4 % of them on."""
    return _real("web", n_rows, seed) or synthetic(n_rows, 300, 0.04, seed)


def synthetic(n_rows: int, n_visible: int, density: float, seed: int) -> Rows:
    """Independent bits; the rates of the columns are as uneven as those of pixels.

    >>> rows = synthetic(1000, 784, density=0.13, seed=0)
    >>> rows.V.shape, rows.source
    ((1000, 784), 'made-up rows')
    >>> bool(0.11 < rows.V.mean() < 0.15)
    True
    """
    rng = np.random.default_rng(seed)
    rates = rng.beta(0.5, 0.5 / density - 0.5, n_visible)
    return Rows((rng.random((n_rows, n_visible)) < rates).astype(np.float32), "made-up rows")


def _real(name: str, n_rows: int, seed: int) -> Rows | None:
    dataset = _dataset(name)
    if dataset is None:
        return None
    chosen = np.random.default_rng(seed).choice(len(dataset.train), n_rows, replace=False)
    return Rows(dataset.train[chosen].astype(np.float32), f"rows of {dataset.title}")


@cache
def _dataset(name: str) -> Dataset | None:
    try:
        return load(name)
    except DatasetError:
        return None


@cache
def model_of_mnist(n_rows: int, seed: int, n_steps: int) -> RBM:
    """A model of these rows of MNIST, trained so that its reconstructions are as sparse as in real use."""
    return ours.trained(mnist(n_rows, seed).V, N_HIDDEN, n_steps, np.random.default_rng(seed))
