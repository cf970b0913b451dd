"""All that the learner is between two rows, and the bytes that it holds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core.kernels import Array, Workspace
from genreplay.core.rbm import RBM
from genreplay.core.replay import Past


class State(NamedTuple):
    """All that the learner is between two rows.

    ``online.step`` returns a new one, but ``waiting``, ``past`` and ``rng`` are changed in place: an old state is not a
    backup.

    >>> from genreplay.core import PAPER, online
    >>> state = online.init(n_visible=8, n_hidden=4, recipe=PAPER, rng=np.random.default_rng(0))
    >>> state.t, state.n_learned, state.model is state.rbm
    (1, 0, True)
    """

    rbm: RBM
    """Theta_{t-1}"""
    velocity: RBM
    """Delta Theta_{t-1}, carried from update to update (line 25)"""
    t: int
    """number of the next update, from 1 (line 5)"""
    n_epochs: int
    """epochs made so far"""
    waiting: Array
    """B_t, in a preallocated place of n_B rows (line 9)"""
    n_waiting: int
    """how many rows of ``waiting`` are filled"""
    ones: npt.NDArray[np.float64]
    """sum of all learned rows: the base rates that AIS starts from; n_visible numbers, not data"""
    n_learned: int
    """how many rows that sum has"""
    past: Past
    """what can be rehearsed"""
    rng: np.random.Generator
    work: Workspace
    """arrays that every update uses again; they hold nothing between two rows"""
    chains: Array | None = None
    """states of the persistent chains, rows of 0 and 1, from the first update on; samples of the model, not data"""
    average: RBM | None = None
    """Theta averaged over recent updates, if the recipe asks for it"""

    @property
    def model(self) -> RBM:
        """The parameters to score and sample with: the averaged ones if there are any. Learning goes on from Theta."""
        return self.rbm if self.average is None else self.average


class Info(NamedTuple):
    """What one update did, for progress bars and reports.

    >>> info = Info(n_new=100, n_replayed=300, drift=0.9, learning_rate=0.05, n_epochs=10)
    >>> info.replay_share
    0.75
    """

    n_new: int
    """rows of the batch, n_B"""
    n_replayed: int
    """rows rehearsed beside them in each epoch"""
    drift: float
    """share by which the batch's means have drifted from the past's, from 0 to 1"""
    learning_rate: float
    """alpha of the last epoch, after line 39's division"""
    n_epochs: int
    """n_E"""

    @property
    def replay_share(self) -> float:
        """Share of rehearsed rows in what the update learned from."""
        return self.n_replayed / (self.n_new + self.n_replayed)


class BytesHeld(NamedTuple):
    """Bytes that a learner holds, whatever the length of its stream."""

    parameters: int
    """Theta"""
    velocities: int
    """Delta Theta"""
    batch: int
    """the place of the waiting rows, and the sum of all learned ones"""
    work: int
    """arrays that every update uses again, the batch with its dreams among them; 0 before the first update"""
    replay: int
    """the past: a pool of dreams, or stored rows; nothing with dreams of the moment"""
    chains: int
    """persistent chains: nothing with contrastive divergence"""
    average: int
    """averaged Theta: nothing without"""

    @property
    def total(self) -> int:
        return sum(self)


def bytes_held(state: State) -> BytesHeld:
    """The bytes held between two updates; during one, a copy of Theta and Delta Theta comes on top.

    >>> from genreplay.core import PAPER, online
    >>> bytes_held(online.init(n_visible=784, n_hidden=500, recipe=PAPER, rng=np.random.default_rng(0)))
    BytesHeld(parameters=1573136, velocities=1573136, batch=319872, work=0, replay=0, chains=0, average=0)
    """
    return BytesHeld(
        parameters=state.rbm.nbytes,
        velocities=state.velocity.nbytes,
        batch=state.waiting.nbytes + state.ones.nbytes,
        work=state.work.nbytes,
        replay=state.past.nbytes,
        chains=0 if state.chains is None else state.chains.nbytes,
        average=0 if state.average is None else state.average.nbytes,
    )
