"""Generative replay: the model dreams its own past (Algorithm 1, lines 14-22)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from genreplay.core.ingredient import MOST_PASSES, Layer, require_count, require_layer
from genreplay.core.kernels import Array
from genreplay.core.rbm import RBM, dream
from genreplay.core.replay.base import Replay


@dataclass(frozen=True, repr=False)
class GenerativeReplay(Replay):
    """Rehearse Gibbs samples of the model itself, started from h ~ U(0, 1).

    It remembers nothing, and that is the point of the method.

    Examples
    --------
    >>> import numpy as np
    >>> from genreplay import GenerativeReplay
    >>> from genreplay.core import rbm
    >>> rng = np.random.default_rng(0)
    >>> model = rbm.init(n_visible=6, n_hidden=4, rng=rng)
    >>> GenerativeReplay(n_gibbs=3).recall(5, model, rng).shape
    (5, 6)
    """

    n_gibbs: int = 1
    """n_Gs, the Gibbs steps of a dream"""
    visible: Layer = "samples"
    """what the last visible layer of a dream holds; the paper does not say"""

    def __post_init__(self) -> None:
        require_count(self, "n_gibbs", MOST_PASSES)
        require_layer(self, "visible")

    def recall(self, n: int, model: RBM, rng: np.random.Generator) -> Array:
        return dream(model, n, self.n_gibbs, rng, self.visible)
