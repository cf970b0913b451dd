"""Everything of this package that is timed, each behind one small function.

A ``path`` is how the products are computed: "dense" by matrix multiplication alone, or "sparse" where the rule of
``genreplay.core.kernels`` chooses so, as in real use.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from contextlib import AbstractContextManager, redirect_stdout
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import numpy as np

from genreplay.core import PAPER, RBM, Recipe, kernels, online, partition
from genreplay.core.contrastive import cd_gradient, momentum_step, prepare
from genreplay.core.ingredient import Layer
from genreplay.core.kernels import Array, Workspace
from genreplay.core.partition import Float64
from genreplay.core.rbm import init, zeros_like
from genreplay.estimators import OnlineRBM

KernelPath = Literal["dense", "sparse"]
Call = Callable[[], object]


def _use(path: KernelPath) -> AbstractContextManager[None]:
    if path == "sparse" and find_spec("numba") is None:
        raise ModuleNotFoundError("The sparse path needs Numba.", name="numba")
    return kernels.use("dense" if path == "dense" else "auto")


def trained(V: Array, n_hidden: int, n_steps: int, rng: np.random.Generator) -> RBM:
    """A model that has seen the rows some dozens of times, so that its reconstructions are as sparse as in real use."""
    rbm = init(V.shape[1], n_hidden, rng)
    velocity, work = zeros_like(rbm), Workspace()
    for _ in range(n_steps):
        momentum_step(rbm, velocity, cd_gradient(rbm, V, 1, rng, work=work), 0.05, 0.9, 0.0002)
    return rbm


def cd_step(rbm: RBM, V: Array, path: KernelPath, reconstruction: Layer, rng: np.random.Generator) -> Call:
    """One step of CD-1 with momentum and decay, as an update takes it."""
    rbm, work = rbm.copy(), Workspace()
    velocity = zeros_like(rbm)
    with _use(path):
        rows = prepare(rbm, V, work)

    def step() -> None:
        with _use(path):
            momentum_step(rbm, velocity, cd_gradient(rbm, rows, 1, rng, reconstruction, work), 0.05, 0.9, 0.0002)

    return step


def ais(rbm: RBM, n_chains: int, betas: Float64, base_bias: Array, path: KernelPath, rng: np.random.Generator) -> Call:
    """AIS over all temperatures."""

    def anneal() -> None:
        with _use(path):
            partition.ais(rbm, rng, betas, n_chains, base_bias)

    return anneal


def update(rows: Array, n_hidden: int, recipe: Recipe, past: Array | None = None) -> Call:
    """One whole update with replay, by a learner that has learned ``rows`` once and remembers ``past``."""
    state = online.init(rows.shape[1], n_hidden, recipe, np.random.default_rng(0), len(rows))
    ((state, _),) = online.observe(state, rows, recipe, len(rows))  # replay starts at the second update
    if past is not None:
        state.past.remember(past, state.rng)
    return lambda: list(online.observe(state, rows, recipe, len(rows)))


def feed_one_by_one(n_hidden: int, n_epochs: int, batch_size: int, n_replay: int) -> Callable[[Array], None]:
    """A learner that is given one row at a time."""
    recipe = PAPER.replace(n_epochs=n_epochs, rehearsal__n_rows=n_replay)
    model = OnlineRBM(n_hidden, recipe=recipe, batch_size=batch_size, random_state=0)

    def feed(rows: Array) -> None:
        for row in rows:
            model.learn_one(row)

    return feed


def learn_file(path: Path, n_rows: int, n_hidden: int, n_epochs: int) -> None:
    """Learn the first rows of an .npy file, mapped a thousand at a time: what stays mapped counts as resident."""
    model = OnlineRBM(n_hidden, recipe=PAPER.replace(n_epochs=n_epochs), random_state=0)
    for start in range(0, n_rows, 1000):
        model.partial_fit(np.load(path, mmap_mode="r")[start : min(start + 1000, n_rows)])


def learn_and_score(path: Path, *options: str) -> Path:
    """``genreplay learn --score`` of a file, by the command as it is installed, in this process; return the model."""
    (command,) = entry_points(group="console_scripts", name="genreplay")
    model = path.with_suffix(".model")
    arguments = ["learn", str(path), "--model", str(model), "--force", "--score", "--quiet", *options]
    with open(os.devnull, "w", encoding="utf-8") as nowhere, redirect_stdout(nowhere):
        command.load()(arguments, standalone_mode=False)
    return model


def score_and_learn(rows: Sequence[dict[Hashable, float]]) -> Call:
    """The detector with River's interface: each row is scored, then learned."""
    from genreplay.estimators.river import RBMDetector  # River may not be installed

    model = RBMDetector(seed=0)

    def feed() -> None:
        for row in rows:
            model.score_one(row)
            model.learn_one(row)

    return feed
