"""Algorithm 1 as a state machine: rows go in one after the other, an update fires every n_B rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core import rbm as rbm_module
from genreplay.core.contrastive import Reconstruction, cd_gradient, centre, momentum_step, pcd_gradient, prepare
from genreplay.core.kernels import Array, Sparse, VisibleRows, Workspace, sigmoid
from genreplay.core.partition import base_rate_biases
from genreplay.core.rbm import RBM
from genreplay.core.replay import Replay

MomentumSchedule = Literal["stream", "update"]
VisibleBias = Literal["random", "data"]
NegativePhase = Literal["rows", "chains", "both"]
ReplayShare = Literal["all", "drift"]
Divisor = Literal["union", "batch"]
Recall = Literal["update", "epoch"]


_AVERAGED = 5
"""an average over the first t updates weighs mostly the last t / 5 of them"""


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
    """where the negative phase starts: at the "rows" (contrastive divergence), where its "chains" were before, or
    "both": as many rows as a batch has, beside the chains"""
    n_chains: int = 400
    """such chains"""
    initial_learning_rate: float | None = None
    """alpha at first, from where it falls to ``learning_rate``; None for ``learning_rate`` all along"""
    n_initial_updates: int = 100
    """for so many updates it stays; from then on it falls"""
    n_rising_updates: int = 0
    """over so many updates alpha rises to its first value; 0 for at once"""
    n_first_epochs: int | None = None
    """n_E at first, from where it falls to ``n_epochs``; None for ``n_epochs`` all along"""
    n_first_updates: int = 100
    """for so many updates it stays; from then on it falls"""
    replay_share: ReplayShare = "all"
    """rehearse all n_Bhat rows, or only the share by which the batch has "drift"ed away from the past"""
    n_replay_epochs: int | None = None
    """rehearsal takes from n_E what it costs in time, down to so many epochs; None for n_E all the same"""
    divisor: Divisor = "union"
    """what line 39 divides the sums over rows by: the rows of the "union", or those of the "batch", so that a new row
    counts as much beside dreams as without; the decay grows along with the sums"""
    recall: Recall = "update"
    """rehearse the same rows in all epochs of an "update", or others in every "epoch" """
    centring: bool = False
    """take the gradient of units counted from their means"""
    averaging: float = 0.0
    """what the averaged parameters keep of themselves at each update, at first less; 0 for no average"""


PAPER = Settings()
"""section 4: the paper's settings, and its protocol where it leaves a choice"""
MODERN = Settings(
    # a short stream has few updates to learn in, a long one many that would undo each other; many small steps at first
    # rather than a few large ones, which leave the chains behind and end in modes that no row is near
    n_first_epochs=80,
    n_first_updates=20,
    n_epochs=10,
    initial_learning_rate=0.06,
    n_initial_updates=100,
    learning_rate=0.01,
    # a few hundred rows, learned hard, are learned by heart
    n_rising_updates=6,
    # chains need to keep up with the model, which much momentum carries away from them
    momentum=0.5,
    # the first updates need not find the base rates
    visible_bias="data",
    # chains see modes that no row is near, reconstructions damp the swings of a fast model
    negative="both",
    n_chains=150,
    # where rows come in any order, each batch is like the past and dreams would only thin it out
    replay_share="drift",
    # beside three dreams for each row, a step would teach a quarter of what is new
    divisor="batch",
    # other dreams in each epoch: a few repeated ones are learned by heart; the time they take is saved on epochs
    recall="epoch",
    n_replay_epochs=8,
    # weights learn what hangs together, and leave to the biases how often a unit is on
    centring=True,
    # the newest batches' noise is averaged out
    averaging=0.97,
)
"""A recipe that fits better with nothing stored either, chosen on validation rows; goes with a ``DreamPool``."""


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
    average: RBM | None = None
    """Theta averaged over the last updates, if it is"""

    @property
    def model(self) -> RBM:
        """The parameters to score and sample with: averaged ones where there are any. Learning goes on from Theta."""
        return self.rbm if self.average is None else self.average


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
    """the past: a pool of dreams, or stored rows; nothing with dreams of the moment"""
    chains: int
    """persistent chains: nothing with contrastive divergence"""
    average: int
    """averaged Theta: nothing without"""

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
    Memory(parameters=1573136, velocities=1573136, batch=319872, work=0, replay=0, chains=0, average=0)
    """
    return Memory(
        parameters=state.rbm.nbytes,
        velocities=state.velocity.nbytes,
        batch=state.waiting.nbytes + state.ones.nbytes,
        work=state.work.nbytes,
        replay=state.replay.nbytes,
        chains=0 if state.chains is None else state.chains.nbytes,
        average=0 if state.average is None else state.average.nbytes,
    )


def observe(state: State, rows: VisibleRows, settings: Settings) -> Iterator[State]:
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


def wait(state: State, rows: VisibleRows) -> State:
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
    n_past = _n_past(state, settings, batch)
    V = _union(state, batch, n_past)
    n_past = len(V) - len(batch)  # a strategy may have less to recall

    # line 25; the state keeps its own parameters until the update has come to a good end
    rbm, velocity = state.rbm.copy(), state.velocity.copy()
    if state.t == 1 and settings.visible_bias == "data":
        half_a_row = 0.5 / len(batch)
        rbm.a[:] = base_rate_biases(batch.sum(axis=0, dtype=np.float64), len(batch), smoothing=half_a_row)
    chains = _chains(state, settings, rbm)
    ones, n_learned = state.ones + batch.sum(axis=0, dtype=np.float64), state.n_learned + len(batch)
    means = (ones / n_learned).astype(rbm.W.dtype)
    learning_rate = learning_rate_at(state.t, settings)
    with np.errstate(over="ignore", invalid="ignore"):
        for epoch in range(1, _n_epochs(state, settings, n_past) + 1):  # lines 26-41
            if epoch > 1 and n_past and settings.recall == "epoch":
                V = _union(state, batch, n_past)
            if chains is None:
                gradient = cd_gradient(rbm, V, settings.n_cd, rng, settings.reconstruction, state.work)
            else:
                n_rows = len(batch) if settings.negative == "both" else 0
                gradient = pcd_gradient(rbm, V, chains, settings.n_cd, rng, state.work, n_rows)
            if settings.centring:
                gradient = centre(gradient, rbm, means)
            momentum = momentum_at(state.t, epoch, settings)
            factor = len(V) / len(batch) if settings.divisor == "batch" else 1
            momentum_step(rbm, velocity, gradient, factor * learning_rate, momentum, settings.weight_decay)
    if not (rbm.is_finite() and velocity.is_finite()):
        raise DivergenceError(
            f"Update {state.t} made the parameters non-finite with learning_rate={learning_rate:g}, "
            f"momentum={settings.momentum}, weight_decay={settings.weight_decay}: lower the learning rate first, then "
            f"weight_decay or momentum. The model stays as it was after update {state.t - 1}; the rows "
            f"after it were not learned."
        )
    n_left = state.n_waiting - len(batch)  # none, unless the batch size was lowered
    learned = state._replace(
        rbm=rbm,
        velocity=velocity,
        t=state.t + 1,
        n_waiting=n_left,
        ones=ones,
        n_learned=n_learned,
        chains=chains,
        average=average(state.average, rbm, state.t, settings.averaging),
    )
    replay.remember(batch, rng, chains)
    state.waiting[:n_left] = state.waiting[len(batch) : state.n_waiting].copy()  # line 44: the batch is forgotten
    return learned


def _n_past(state: State, settings: Settings, batch: Array) -> int:
    """How many rows of the past to rehearse."""
    if state.t == 1:  # line 13: at first there is no past
        return 0
    n = settings.n_replay if state.replay.n_samples is None else state.replay.n_samples
    return n if settings.replay_share == "all" else round(n * drift(batch, state.ones, state.n_learned))


def _n_epochs(state: State, settings: Settings, n_past: int) -> int:
    """n_E: more at first, when rows are few; with rehearsal as many as take the same time, but not too few."""
    n = falling(settings.n_first_epochs, settings.n_epochs, state.t, settings.n_first_updates)
    if settings.n_replay_epochs is not None:
        in_the_same_time = n * settings.batch_size / (settings.batch_size + n_past)
        n = max(in_the_same_time, min(n, settings.n_replay_epochs))
    return round(n)


def _union(state: State, batch: Array, n_past: int) -> VisibleRows:
    """The batch, with rows of the past below it (lines 11-23 and 28)."""
    V = batch
    if n_past:
        past = state.replay.recall(n_past, state.rbm, state.rng)
        V = np.concatenate([batch, _dense(past, state, type(state.replay).__name__)])
    return prepare(state.rbm, V, state.work)


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


def learning_rate_at(t: int, settings: Settings) -> float:
    """The alpha of line 39 in update t: it may rise at first, lest the first batches be learned by heart, and fall.

    >>> chosen = Settings(initial_learning_rate=0.2, learning_rate=0.02, n_rising_updates=4, n_initial_updates=50)
    >>> [learning_rate_at(t, chosen) for t in (1, 2, 4, 50, 100, 100_000)]
    [0.05, 0.1, 0.2, 0.2, 0.1, 0.02]
    """
    rising = min(1, t / settings.n_rising_updates) if settings.n_rising_updates else 1
    return rising * falling(settings.initial_learning_rate, settings.learning_rate, t, settings.n_initial_updates)


def falling(first: float | None, last: float, t: int, n_first: int) -> float:
    """A setting in update t: its first value for some updates, then falling as 1 / t to its last.

    It needs no horizon. The first rows are learned fast, which matters where few follow; at a lasting pace, what is
    learned from the newest rows is noise around what all of them teach.

    >>> [falling(0.2, 0.02, t, n_first=50) for t in (1, 50, 100, 100_000)]
    [0.2, 0.2, 0.1, 0.02]
    """
    return last if first is None else max(last, first * min(1, n_first / t))


def drift(batch: Array, ones: npt.NDArray[np.float64], n_learned: int) -> float:
    """How far a batch has come away from the past: the share of the distance of their means that chance leaves.

    Squared, the distance of the means of n and of N rows that come from the same source is expected to be the sum of
    the units' variances, times 1/n + 1/N. Units hang together, so that it varies: chance is given twice as much. In
    a stream whose rows come in any order the share is 0, where they come class by class it is near 1.

    >>> rng = np.random.default_rng(0)
    >>> past, alike, other = (rng.random((100, 50)) < p for p in (0.2, 0.2, 0.8))
    >>> [round(drift(rows, past.sum(axis=0), 100), 2) for rows in (alike, other)]
    [0.0, 0.98]
    """
    means = (ones + 0.5) / (n_learned + 1)
    distance = float(np.square(batch.mean(axis=0) - means).sum())
    chance = float((means * (1 - means)).sum()) * (1 / len(batch) + 1 / max(n_learned, 1))
    return 1 - 2 * chance / distance if distance > 2 * chance else 0.0


def average(before: RBM | None, rbm: RBM, t: int, keep: float) -> RBM | None:
    """Average the parameters over updates, the share ``keep`` of the average staying at each; at first, less stays.

    Of the first t updates only about the last fifth counts, since the early ones are far off (O. Shamir, T. Zhang:
    Stochastic Gradient Descent for Non-smooth Optimization, 2013: polynomial-decay averaging).

    >>> first, second = (RBM(W=np.full((1, 1), x), a=np.zeros(1), b=np.zeros(1)) for x in (1.0, 2.0))
    >>> average(average(None, first, 1, keep=0.9), second, 2, keep=0.9).W.round(2)
    array([[1.83]])
    """
    if keep == 0:
        return None
    if before is None:
        return rbm.copy()
    new = max(1 - keep, _AVERAGED / (t + _AVERAGED - 1))
    return RBM(*(old + new * (part - old) for old, part in zip(before, rbm, strict=True)))


def _dense(rows: Array, state: State, source: str) -> Array:
    """Rows in the model's number type; NumPy would spread a wrong shape over the columns without a word."""
    rows = np.asarray(rows, dtype=state.waiting.dtype)
    _check_shape(rows.shape, state, source)
    return rows


def _check_shape(shape: tuple[int, ...], state: State, source: str) -> None:
    if len(shape) != 2 or shape[1] != state.rbm.n_visible:
        raise ValueError(f"{source} must give rows of shape (n, {state.rbm.n_visible}). Got {shape} instead.")
