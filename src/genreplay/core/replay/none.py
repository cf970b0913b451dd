"""No replay: plain online contrastive divergence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from genreplay.core.kernels import Array
from genreplay.core.rbm import RBM
from genreplay.core.replay.base import Replay


@dataclass(frozen=True, repr=False)
class NoReplay(Replay):
    """Rehearse nothing.

    Examples
    --------
    >>> from genreplay import NoReplay, OnlineRBM
    >>> OnlineRBM(replay=NoReplay()).replay
    NoReplay()
    """

    def recall(self, n: int, model: RBM, rng: np.random.Generator) -> Array:
        return np.empty((0, model.n_visible), dtype=model.W.dtype)
