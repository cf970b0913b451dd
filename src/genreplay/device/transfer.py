"""A learner from Python to a device and back: Theta, Delta Theta, chains, the rows that wait, and the settings.

The recipes of Python have ingredients that the header lacks. ``to_device`` puts the nearest thing in their place and
says so; what a device cannot do at all is refused.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from genreplay.core.averaging import NoAverage
from genreplay.core.contrastive import FromChains, FromRows, FromRowsAndChains, MeanField, Uncentred
from genreplay.core.kernels import Workspace
from genreplay.core.rbm import RBM, gibbs
from genreplay.core.recipe import PAPER, Recipe
from genreplay.core.rehearsal import EveryUpdate, OnDrift
from genreplay.core.replay import GenerativeReplay, NoReplay
from genreplay.core.schedules import Clock, Schedule, at
from genreplay.core.start import BaseRateStart, RandomStart
from genreplay.core.state import State
from genreplay.core.steps import AllDecay, WholeUnion
from genreplay.device.reference import Reference
from genreplay.device.settings import Settings

N_CALIBRATED, N_MIXING = 500, 100
"""dreams that the first p-values are taken from, and the Gibbs steps before each"""


class Exported(NamedTuple):
    """A learner for a device."""

    learner: Reference
    remarks: list[str]
    """what the device does otherwise than the recipe, one sentence each"""


class Imported(NamedTuple):
    """A learner that comes from a device."""

    state: State
    recipe: Recipe
    batch_size: int


def to_device(state: State, recipe: Recipe, batch_size: int, integer: bool = False, seed: int = 1) -> Exported:
    """The learner as a device goes on with it. Its first p-values come from its own dreams.

    >>> from genreplay.core import PAPER, online
    >>> state = online.init(n_visible=8, n_hidden=4, recipe=PAPER, rng=np.random.default_rng(0), batch_size=20)
    >>> learner, remarks = to_device(state, PAPER, batch_size=20)
    >>> learner.settings, bool((learner.rbm.W == state.rbm.W).all())
    (Settings(n_visible=8, n_hidden=4, n_dreams=300, n_epochs=10), True)
    >>> remarks
    ['Every epoch has new dreams.', 'momentum stays at 0.9.', 'Reconstructions are sampled.']
    """
    settings, remarks = _settings_for(state, recipe, batch_size, integer)
    learner = Reference(settings, seed)
    theta = _one_matrix(state.model)
    if integer:
        fine = np.clip(np.rint(theta * 2.0**15), -127 * 2048, 127 * 2048).astype(np.int64)
        high = (fine + 1024) >> 11
        learner.theta[:], learner.delta[:] = high, fine - high * 2048
        if np.abs(theta).max() > 127 / 16:
            remarks.append("Parameters beyond 7.9 were cut off.")
    else:
        learner.theta[:] = theta
        learner.delta[:] = _one_matrix(state.velocity) if state.average is None else 0
    learner.updates = state.t - 1
    if state.n_waiting >= batch_size:
        raise ValueError(f"{state.n_waiting} rows wait, more than a batch of {batch_size}: learn or flush them first.")
    learner.n_waiting = state.n_waiting
    learner.batch[: state.n_waiting] = state.waiting[: state.n_waiting] > 0.5
    if learner.updates:
        rng = np.random.default_rng(seed)
        if settings.n_chains and state.chains is not None:
            learner.chains[:] = state.chains[rng.permutation(len(state.chains))[: settings.n_chains]] > 0.5
        _calibrate(learner, rng)
    return Exported(learner, remarks)


def from_device(learner: Reference, seed: int = 0) -> Imported:
    """The learner as Python goes on with it.

    A device does not keep how often each unit was on. The base rates, which AIS starts from, are those of its dreams.

    >>> learner = Reference(Settings(n_visible=8, n_hidden=4)).learn(np.eye(8).repeat(10, axis=0))
    >>> state, recipe, batch_size = from_device(learner)
    >>> state.t, batch_size, recipe.rehearsal
    (5, 20, EveryUpdate(n_rows=60, redraw=True))
    """
    s, rng, rbm = learner.settings, np.random.default_rng(seed), learner.rbm
    recipe = PAPER.replace(
        start=(BaseRateStart if s.base_rates else RandomStart)(s.sigma),
        replay=GenerativeReplay(s.n_gibbs) if s.n_dreams else NoReplay(),
        rehearsal=EveryUpdate(max(s.n_dreams, 1), redraw=True),
        n_epochs=s.n_epochs,
        n_cd=s.n_cd,
        negative=FromChains(s.n_chains) if s.n_chains else FromRows("samples"),
        learning_rate=s.learning_rate,
        momentum=s.momentum,
        weight_decay=s.weight_decay,
    )
    velocity = _three_parts(np.zeros_like(learner.delta, dtype=np.float32) if s.integer else learner.delta)
    waiting = np.zeros((s.batch_size, s.n_visible), dtype=np.float32)
    waiting[: learner.n_waiting] = learner.batch[: learner.n_waiting]
    n_learned = learner.updates * s.batch_size
    state = State(
        rbm=rbm,
        velocity=velocity,
        t=learner.updates + 1,
        n_epochs=learner.updates * s.n_epochs,
        waiting=waiting,
        n_waiting=learner.n_waiting,
        ones=_mixed(rbm, rng).mean(axis=0, dtype=np.float64) * n_learned,
        n_learned=n_learned,
        past=recipe.replay.start(rbm),
        rng=rng,
        work=Workspace(),
        chains=learner.chains.astype(np.float32) if s.n_chains and learner.updates else None,
    )
    return Imported(state, recipe, s.batch_size)


def _settings_for(state: State, recipe: Recipe, batch_size: int, integer: bool) -> tuple[Settings, list[str]]:
    remarks: list[str] = []

    replay, rehearsal, negative = recipe.replay, recipe.rehearsal, recipe.negative
    n_dreams, n_usual = 0, 0
    if not isinstance(replay, NoReplay):
        if not isinstance(replay, GenerativeReplay):
            remarks.append(f"Dreams of the moment take the place of {type(replay).__name__}.")
        if isinstance(rehearsal, OnDrift):
            remarks.append("Every update rehearses, whether the stream drifts or not.")
            n_dreams = round(rehearsal.rows_per_new * batch_size)
        else:
            n_dreams = n_usual = rehearsal.n_rows_for(batch_size, 1.0)
            if not rehearsal.redraw:
                remarks.append("Every epoch has new dreams.")

    def now(name: str) -> float:
        """A number as it is at this point of the stream; on a device it stays so."""
        number = getattr(recipe, name)
        value = at(number, Clock(state.t, 1, max(state.n_epochs, 10**6), batch_size, n_dreams))
        if isinstance(number, Schedule):
            remarks.append(f"{name} stays at {value:g}.")
        return value

    n_epochs = max(1, round(now("n_epochs")))
    rate = now("learning_rate") * recipe.divisor.factor(batch_size, n_usual)
    momentum = now("momentum")
    if isinstance(negative, FromRowsAndChains):
        remarks.append("The negative phase has chains only.")
    elif isinstance(negative, FromRows) and negative.reconstruction != "samples":
        remarks.append("Reconstructions are sampled.")
    elif isinstance(negative, MeanField):
        remarks.append("States are sampled, not mean-field.")
    if isinstance(negative, FromRows) and "samples" in (negative.positive, negative.negative):
        remarks.append("The statistics have hidden probabilities.")
    if isinstance(replay, GenerativeReplay) and replay.visible == "probabilities":
        remarks.append("Dreams are sampled.")
    if type(recipe.steps) is not WholeUnion:
        remarks.append("Each step takes all rows.")
    if type(recipe.decays) is not AllDecay:
        remarks.append("Biases decay, too.")
    if type(recipe.centring) is not Uncentred:
        remarks.append("Units are not centred.")
    if type(recipe.averaging) is not NoAverage:
        remarks.append("Parameters are not averaged; learning starts from the average.")
    settings = Settings(
        n_visible=state.rbm.n_visible,
        n_hidden=state.rbm.n_hidden,
        integer=integer,
        batch_size=batch_size,
        n_dreams=n_dreams,
        n_epochs=n_epochs,
        n_cd=recipe.n_cd,
        n_gibbs=replay.n_gibbs if isinstance(replay, GenerativeReplay) else 1,
        n_chains=min(negative.n_chains, batch_size),
        base_rates=isinstance(recipe.start, BaseRateStart),
        learning_rate=rate,
        momentum=momentum,
        weight_decay=now("weight_decay"),
        sigma=recipe.start.sigma,
    )
    return settings, remarks


def _one_matrix(parts: RBM) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """W, a and b as the header has them."""
    theta = np.zeros((parts.n_visible + 1, parts.n_hidden + 1))
    theta[:-1, :-1], theta[:-1, -1], theta[-1, :-1] = parts.W.T, parts.a, parts.b
    return theta


def _three_parts(theta: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> RBM:
    return RBM(np.asfortranarray(theta[:-1, :-1].T), theta[:-1, -1].copy(), theta[-1, :-1].copy())


def _mixed(rbm: RBM, rng: np.random.Generator) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Dreams from chains that have mixed for a while."""
    rows = np.zeros((N_CALIBRATED, rbm.n_visible), dtype=np.float32)
    return gibbs(rbm, rows, N_MIXING, rng)


def _calibrate(learner: Reference, rng: np.random.Generator) -> None:
    """Take the first p-values from dreams, since the scores of past rows are not known."""
    learner.count_scores(_mixed(learner.rbm, rng))
