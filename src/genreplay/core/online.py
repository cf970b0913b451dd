"""Algorithm 1 as a state machine: rows go in one after the other, an update fires every n_B rows.

What stands in each place of the algorithm is an ingredient of the recipe; nothing here asks which one it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from genreplay.core import rbm as rbm_module
from genreplay.core.contrastive import momentum_step
from genreplay.core.ingredient import MOST_PASSES
from genreplay.core.kernels import Array, Sparse, VisibleRows, Workspace
from genreplay.core.recipe import Recipe
from genreplay.core.rehearsal import drift_of_means
from genreplay.core.schedules import Clock, at
from genreplay.core.state import Info, State


class DivergenceError(ArithmeticError):
    """An update would have made the parameters infinite or NaN; the state before it still stands.

    >>> from genreplay import OnlineRBM, PAPER
    >>> rbm = OnlineRBM(n_hidden=4, recipe=PAPER.replace(learning_rate=1e30), random_state=0)
    >>> try:
    ...     rbm.partial_fit(np.ones((500, 8)))
    ... except DivergenceError as error:
    ...     print("lower the learning rate first" in str(error))
    True
    """


def init(
    n_visible: int,
    n_hidden: int,
    recipe: Recipe,
    rng: np.random.Generator,
    batch_size: int = 100,
    dtype: npt.DTypeLike = np.float32,
) -> State:
    """Lines 3-5: Theta ~ N(0, sigma), Delta Theta = 0, t = 1, B_t empty.

    >>> from genreplay.core import PAPER
    >>> state = init(n_visible=8, n_hidden=4, recipe=PAPER, rng=np.random.default_rng(0))
    >>> state.t, state.rbm.W.shape, state.n_waiting
    (1, (4, 8), 0)
    """
    rbm = recipe.start.draw(n_visible, n_hidden, rng, dtype)
    return State(
        rbm=rbm,
        velocity=rbm_module.zeros_like(rbm),
        t=1,
        n_epochs=0,
        waiting=np.empty((batch_size, n_visible), dtype=dtype),
        n_waiting=0,
        ones=np.zeros(n_visible),
        n_learned=0,
        past=recipe.replay.start(rbm),
        rng=rng,
        work=Workspace(),
    )


def observe(
    state: State, rows: VisibleRows, recipe: Recipe, batch_size: int = 100
) -> Iterator[tuple[State, Info | None]]:
    """Lines 7-10: add rows to B_t, and update each time it holds n_B of them.

    Yields the state after each update with what the update did, and last the state with the rows that still wait.
    Every state is complete: a caller that keeps the newest one loses nothing when an update fails or is interrupted.
    However a stream is cut into calls, the result is the same to the bit.

    >>> from genreplay.core import PAPER
    >>> state = init(n_visible=8, n_hidden=4, recipe=PAPER, rng=np.random.default_rng(0))
    >>> for state, info in observe(state, np.ones((250, 8), dtype=np.float32), PAPER):
    ...     print(f"next update: {state.t}, waiting: {state.n_waiting}, rehearsed: {info and info.n_replayed}")
    next update: 2, waiting: 0, rehearsed: 0
    next update: 3, waiting: 0, rehearsed: 300
    next update: 3, waiting: 50, rehearsed: None
    """
    if isinstance(rows, Sparse):
        _check_shape(rows.shape, state, "observe")
    else:
        rows = _dense(rows, state, "observe")
    state = with_room(state, batch_size)
    while state.n_waiting >= batch_size:  # it was lowered
        state, info = step(state, recipe, batch_size)
        yield state, info
    start = 0
    while start < len(rows):
        stop = start + batch_size - state.n_waiting
        state = wait(state, rows[start:stop])
        start = stop
        if state.n_waiting < batch_size:
            yield state, None
        else:
            state, info = step(state, recipe, batch_size)
            yield state, info


def with_room(state: State, batch_size: int) -> State:
    """The state with room for a whole batch, if the batch size was raised.

    >>> from genreplay.core import PAPER
    >>> state = init(8, 4, PAPER, np.random.default_rng(0), batch_size=10)
    >>> len(with_room(state, batch_size=50).waiting)
    50
    """
    if len(state.waiting) >= batch_size:
        return state
    larger = np.empty((batch_size, state.rbm.n_visible), dtype=state.waiting.dtype)
    larger[: state.n_waiting] = state.waiting[: state.n_waiting]
    return state._replace(waiting=larger)


def wait(state: State, rows: VisibleRows) -> State:
    """Line 9: add rows to B_t, which has room for them.

    >>> from genreplay.core import PAPER
    >>> state = init(8, 4, PAPER, np.random.default_rng(0))
    >>> wait(state, np.ones((30, 8))).n_waiting
    30
    """
    filled = state.n_waiting + len(rows)
    place = state.waiting[state.n_waiting : filled]
    if isinstance(rows, Sparse):
        rows.dense(out=place)
    else:
        place[:] = rows
    return state._replace(n_waiting=filled)


def step(state: State, recipe: Recipe, batch_size: int) -> tuple[State, Info]:
    """One update of Theta from the batch B_t and rehearsed rows (lines 11-46).

    >>> from genreplay.core import PAPER
    >>> state = wait(init(8, 4, PAPER, np.random.default_rng(0)), np.ones((100, 8)))
    >>> state, info = step(state, PAPER, batch_size=100)
    >>> state.t, info.n_epochs, info.n_replayed
    (2, 10, 0)
    """
    t, rng, batch = state.t, state.rng, state.waiting[:batch_size]
    with _random_numbers_restored_on_error(rng), np.errstate(over="ignore", invalid="ignore"):
        # Lines 11-23: at first there is no past; from the second update on, rows of it are recalled.
        drift = 0.0 if t == 1 else drift_of_means(batch, state.ones, state.n_learned)
        n_wanted = 0 if t == 1 else recipe.rehearsal.n_rows_for(len(batch), drift)
        V = _union(state, batch, n_wanted, recipe)
        n_replayed = len(V) - len(batch)  # a strategy may have less to recall

        # Line 25. The state keeps its own parameters until the update has succeeded.
        rbm, velocity = state.rbm.copy(), state.velocity.copy()
        if t == 1:
            recipe.start.meet_first_batch(rbm, batch)
        chains = recipe.negative.chains_from(state.chains, rbm, rng)
        ones, n_learned = state.ones + batch.sum(axis=0, dtype=np.float64), state.n_learned + len(batch)
        means = (ones / n_learned).astype(rbm.W.dtype)
        share = recipe.divisor.factor(len(batch), n_replayed)

        clock = Clock(t, 1, state.n_epochs, len(batch), n_replayed)
        n_epochs = max(1, round(at(recipe.n_epochs, clock)))
        if n_epochs > MOST_PASSES:
            raise ValueError(
                f"An update has at most {MOST_PASSES:,} epochs, but n_epochs={recipe.n_epochs!r} says more."
            )
        for epoch in range(1, n_epochs + 1):  # line 26
            if epoch > 1 and n_replayed and recipe.rehearsal.redraw:
                V = _union(state, batch, n_replayed, recipe)  # line 28
            for number, rows in enumerate(recipe.steps.parts(V, rng), start=1):
                clock = clock._replace(epoch=epoch, step=number)
                gradient = recipe.negative.gradient(
                    rbm, rows, chains, recipe.n_cd, len(batch), rng, state.work
                )  # 29-37
                gradient = recipe.centring.apply(gradient, rbm, means)
                rate, momentum = share * at(recipe.learning_rate, clock), at(recipe.momentum, clock)
                decay = at(recipe.weight_decay, clock)
                bias_decay = recipe.decays.of_biases(decay)
                momentum_step(rbm, velocity, gradient, rate, momentum, decay, bias_decay)  # lines 39-40
        _check_finite(rbm, velocity, t, recipe, clock)

        # Lines 42-46. Rows beyond the batch are there only if the batch size was lowered.
        state.past.remember(batch, rng, chains)
    n_left = state.n_waiting - len(batch)
    state.waiting[:n_left] = state.waiting[len(batch) : state.n_waiting].copy()
    average = recipe.averaging.update(state.average, rbm, t)
    state = state._replace(rbm=rbm, velocity=velocity, average=average, chains=chains, ones=ones, n_learned=n_learned)
    state = state._replace(t=t + 1, n_epochs=state.n_epochs + n_epochs, n_waiting=n_left)
    return state, Info(len(batch), n_replayed, drift, rate, n_epochs)


def _union(state: State, batch: Array, n_past: int, recipe: Recipe) -> VisibleRows:
    """The batch, with rows of the past below it (lines 14-22 and 28)."""
    V = batch
    if n_past:
        past = state.past.recall(n_past, state.rbm, state.rng)
        V = np.concatenate([batch, _dense(past, state, type(state.past).__name__)])
    return recipe.steps.ready(state.rbm, V, state.work)


@contextmanager
def _random_numbers_restored_on_error(rng: np.random.Generator) -> Iterator[None]:
    """An update that fails leaves no trace, not even in the random numbers."""
    before = rng.bit_generator.state
    try:
        yield
    except BaseException:
        rng.bit_generator.state = before
        raise


def _check_finite(rbm: rbm_module.RBM, velocity: rbm_module.RBM, t: int, recipe: Recipe, clock: Clock) -> None:
    if rbm.is_finite() and velocity.is_finite():
        return
    rate, momentum, decay = (at(each, clock) for each in (recipe.learning_rate, recipe.momentum, recipe.weight_decay))
    raise DivergenceError(
        f"Update {t} made the parameters non-finite with learning_rate={rate:g}, momentum={momentum:g}, "
        f"weight_decay={decay:g}: lower the learning rate first, then weight_decay or momentum. The model stays as it "
        f"was after update {t - 1}; the rows after it were not learned."
    )


def _dense(rows: Array, state: State, source: str) -> Array:
    """Rows in the model's number type; NumPy would silently spread a wrong shape over the columns."""
    rows = np.asarray(rows, dtype=state.waiting.dtype)
    _check_shape(rows.shape, state, source)
    return rows


def _check_shape(shape: tuple[int, ...], state: State, source: str) -> None:
    if len(shape) != 2 or shape[1] != state.rbm.n_visible:
        raise ValueError(f"{source} must give rows of shape (n, {state.rbm.n_visible}). Got {shape} instead.")
