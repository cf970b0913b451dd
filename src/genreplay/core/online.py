"""Algorithm 1 as a state machine: rows go in one after the other, an update fires every n_B rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core import rbm as rbm_module
from genreplay.core.contrastive import Reconstruction, cd_gradient, momentum_step, pcd_gradient, prepare
from genreplay.core.kernels import Array, Rows, Sparse, Workspace, sigmoid
from genreplay.core.partition import base_rate_biases
from genreplay.core.rbm import RBM
from genreplay.core.replay import Replay

MomentumSchedule = Literal["stream", "update"]
VisibleBias = Literal["random", "data"]
NegativePhase = Literal["rows", "chains"]


class Settings(NamedTuple):
    """The meta-parameters of line 2, at the paper's values (section 4)."""

    batch_size: int = 100
    """n_B: observed rows that trigger one update"""
    n_replay: int = 300
    """n_Bhat: rows rehearsed beside them, from the second update on"""
    n_epochs: int = 10
    """n_E: CD steps on the same union of rows"""
    n_cd: int = 1
    """n_CD: Gibbs steps of the negative phase"""
    learning_rate: float = 0.05
    """alpha"""
    momentum: float = 0.9
    """rho"""
    initial_momentum: float = 0.5
    """rho in the first ``n_initial_epochs`` epochs"""
    n_initial_epochs: int = 5
    """for how many epochs rho starts low"""
    momentum_schedule: MomentumSchedule = "stream"
    """low in the first epochs of the whole "stream" (the paper protocol) or of every "update" """
    weight_decay: float = 0.0002
    """xi, on all of Theta"""
    reconstruction: Reconstruction = "probabilities"
    """what the last visible layer of the negative phase holds"""
    visible_bias: VisibleBias = "random"
    """where the visible biases start: "random" like all of Theta (line 3), or at the log-odds of the first batch"""
    negative: NegativePhase = "rows"
    """where the negative phase starts: at the "rows" (contrastive divergence), or where its "chains" were before"""
    n_chains: int = 400
    """such chains"""


class State(NamedTuple):
    """All that the learner is between two rows.

    ``step`` returns a new one, but ``waiting``, ``replay`` and ``rng`` go on in place: an old state is no backup.
    """

    rbm: RBM
    """Theta_{t-1}"""
    velocity: RBM
    """Delta Theta_{t-1}, carried from update to update (line 25)"""
    t: int
    """number of the next update, from 1 (line 5)"""
    waiting: Array
    """B_t, in a preallocated place of n_B rows (line 9)"""
    n_waiting: int
    """how many rows of ``waiting`` are filled"""
    ones: npt.NDArray[np.float64]
    """sum of all learned rows: the base rates that AIS starts from; n_visible numbers, not data"""
    n_learned: int
    """how many rows that sum has"""
    replay: Replay
    rng: np.random.Generator
    work: Workspace
    """arrays that every update uses again; they hold nothing between two rows"""
    chains: Array | None = None
    """states of the persistent chains, rows of 0 and 1, from the first update on; samples of the model, not data"""


class Memory(NamedTuple):
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
    """the past: nothing with dreams"""
    chains: int
    """persistent chains: nothing with contrastive divergence"""

    @property
    def total(self) -> int:
        return sum(self)


class DivergenceError(ArithmeticError):
    """An update would have made the parameters infinite or NaN; the state before it still stands."""


def init(
    n_visible: int,
    n_hidden: int,
    replay: Replay,
    rng: np.random.Generator,
    batch_size: int = 100,
    sigma: float = 0.01,
    dtype: npt.DTypeLike = np.float32,
) -> State:
    """Lines 3-5: Theta ~ N(0, sigma), Delta Theta = 0, t = 1, B_t empty."""
    rbm = rbm_module.init(n_visible, n_hidden, rng, sigma, dtype)
    return State(
        rbm=rbm,
        velocity=rbm_module.zeros_like(rbm),
        t=1,
        waiting=np.empty((batch_size, n_visible), dtype=dtype),
        n_waiting=0,
        ones=np.zeros(n_visible),
        n_learned=0,
        replay=replay.start(rbm),
        rng=rng,
        work=Workspace(),
    )


def nbytes(state: State) -> Memory:
    """The bytes held between two updates; during one, a copy of Theta and Delta Theta comes on top.

    >>> from genreplay.core import GenerativeReplay
    >>> nbytes(init(n_visible=784, n_hidden=500, replay=GenerativeReplay(), rng=np.random.default_rng(0)))
    Memory(parameters=1573136, velocities=1573136, batch=319872, work=0, replay=0, chains=0)
    """
    return Memory(
        parameters=state.rbm.nbytes,
        velocities=state.velocity.nbytes,
        batch=state.waiting.nbytes + state.ones.nbytes,
        work=state.work.nbytes,
        replay=state.replay.nbytes,
        chains=0 if state.chains is None else state.chains.nbytes,
    )


def observe(state: State, rows: Rows, settings: Settings) -> Iterator[State]:
    """Lines 7-10: add rows to B_t, and update each time it holds n_B of them.

    Yields the state after each update, and last the state with the rows that still wait. Every state that is yielded
    is whole: a caller that keeps the newest one loses nothing when an update fails or is interrupted. However a stream
    is cut into calls, the result is the same to the bit.

    >>> from genreplay.core import GenerativeReplay
    >>> state = init(n_visible=8, n_hidden=4, replay=GenerativeReplay(), rng=np.random.default_rng(0))
    >>> for state in observe(state, np.ones((250, 8), dtype=np.float32), Settings()):
    ...     print(f"next update: {state.t}, rows waiting: {state.n_waiting}")
    next update: 2, rows waiting: 0
    next update: 3, rows waiting: 0
    next update: 3, rows waiting: 50
    """
    if isinstance(rows, Sparse):
        _check_shape(rows.shape, state, "observe")
    else:
        rows = _dense(rows, state, "observe")
    if len(state.waiting) < settings.batch_size:  # the batch size was raised
        larger = np.empty((settings.batch_size, state.rbm.n_visible), dtype=state.waiting.dtype)
        larger[: state.n_waiting] = state.waiting[: state.n_waiting]
        state = state._replace(waiting=larger)
    while state.n_waiting >= settings.batch_size:  # it was lowered
        state = step(state, settings)
        yield state
    start = 0
    while start < len(rows):
        stop = start + settings.batch_size - state.n_waiting
        state = wait(state, rows[start:stop])
        if state.n_waiting == settings.batch_size:
            state = step(state, settings)
        yield state
        start = stop


def wait(state: State, rows: Rows) -> State:
    """Line 9: add rows to B_t, which has room for them."""
    filled = state.n_waiting + len(rows)
    place = state.waiting[state.n_waiting : filled]
    if isinstance(rows, Sparse):
        rows.dense(out=place)
    else:
        place[:] = rows
    return state._replace(n_waiting=filled)


def step(state: State, settings: Settings) -> State:
    """One update of Theta from the full batch B_t and rehearsed rows (lines 11-46)."""
    before = state.rng.bit_generator.state
    try:
        return _step(state, settings)
    except BaseException:
        state.rng.bit_generator.state = before  # the failed update leaves no trace, not even in the random numbers
        raise


def _step(state: State, settings: Settings) -> State:
    batch, replay, rng = state.waiting[: settings.batch_size], state.replay, state.rng
    V: Rows = batch
    if state.t > 1:  # line 13: at first there is no past
        n = settings.n_replay if replay.n_samples is None else replay.n_samples
        past = _dense(replay.recall(n, state.rbm, rng), state, type(replay).__name__)
        V = np.concatenate([batch, past])
    V = prepare(state.rbm, V, state.work)  # line 28

    # line 25; the state keeps its own parameters until the update has come to a good end
    rbm, velocity = state.rbm.copy(), state.velocity.copy()
    if state.t == 1 and settings.visible_bias == "data":
        half_a_row = 0.5 / len(batch)
        rbm.a[:] = base_rate_biases(batch.sum(axis=0, dtype=np.float64), len(batch), smoothing=half_a_row)
    chains = _chains(state, settings, rbm)
    with np.errstate(over="ignore", invalid="ignore"):
        for epoch in range(1, settings.n_epochs + 1):  # lines 26-41
            if chains is None:
                gradient = cd_gradient(rbm, V, settings.n_cd, rng, settings.reconstruction, state.work)
            else:
                gradient = pcd_gradient(rbm, V, chains, settings.n_cd, rng, state.work)
            momentum = momentum_at(state.t, epoch, settings)
            momentum_step(rbm, velocity, gradient, settings.learning_rate, momentum, settings.weight_decay)
    if not (rbm.is_finite() and velocity.is_finite()):
        raise DivergenceError(
            f"Update {state.t} made the parameters non-finite with learning_rate={settings.learning_rate}, "
            f"momentum={settings.momentum}, weight_decay={settings.weight_decay}: lower learning_rate first, then "
            f"weight_decay or momentum. The model stays as it was after update {state.t - 1}; the rows "
            f"after it were not learned."
        )
    n_left = state.n_waiting - len(batch)  # none, unless the batch size was lowered
    learned = state._replace(
        rbm=rbm,
        velocity=velocity,
        t=state.t + 1,
        n_waiting=n_left,
        ones=state.ones + batch.sum(axis=0, dtype=np.float64),
        n_learned=state.n_learned + len(batch),
        chains=chains,
    )
    replay.remember(batch, rng)
    state.waiting[:n_left] = state.waiting[len(batch) : state.n_waiting].copy()  # line 44: the batch is forgotten
    return learned


def _chains(state: State, settings: Settings, rbm: RBM) -> Array | None:
    """A copy of the persistent chains, for they are moved; at first independent units with the visible biases."""
    if settings.negative == "rows":
        return None
    if state.chains is not None:
        return state.chains.copy()
    on = sigmoid(np.broadcast_to(rbm.a, (settings.n_chains, rbm.n_visible)).copy())
    return rbm_module.bernoulli(on, state.rng, out=on)


def momentum_at(t: int, epoch: int, settings: Settings) -> float:
    """The rho of line 39: lower in the first epochs, counted over the stream or anew in every update (section 4).

    >>> [momentum_at(t=2, epoch=1, settings=Settings(momentum_schedule=s)) for s in ("stream", "update")]
    [0.9, 0.5]
    """
    if settings.momentum_schedule == "stream":
        epoch += (t - 1) * settings.n_epochs
    return settings.initial_momentum if epoch <= settings.n_initial_epochs else settings.momentum


def _dense(rows: Array, state: State, source: str) -> Array:
    """Rows in the model's number type; NumPy would spread a wrong shape over the columns without a word."""
    rows = np.asarray(rows, dtype=state.waiting.dtype)
    _check_shape(rows.shape, state, source)
    return rows


def _check_shape(shape: tuple[int, ...], state: State, source: str) -> None:
    if len(shape) != 2 or shape[1] != state.rbm.n_visible:
        raise ValueError(f"{source} must give rows of shape (n, {state.rbm.n_visible}). Got {shape} instead.")
