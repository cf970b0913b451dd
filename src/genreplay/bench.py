"""Speed as ratios: everything is measured side by side, interleaved, in one process.

Seconds on a shared machine mean little; the ratio of two medians from alternating turns means more. The unit is the
*dense floor*: just the five float32 products of CD-1, or the two of an AIS step, on the same shapes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from genreplay.core import GenerativeReplay, MemoryReplay, NoReplay, Replay, Settings, online, partition
from genreplay.core.contrastive import cd_gradient, momentum_step
from genreplay.core.rbm import init, zeros_like


@dataclass(frozen=True)
class Shape:
    """What is measured."""

    n_visible: int = 784
    n_hidden: int = 500
    n_rows: int = 400
    """rows of one CD step: a batch of 100 and 300 dreams"""
    density: float = 0.13
    """share of ones; MNIST has 13 %"""
    n_chains: int = 100
    """chains of AIS"""


class Ratio(NamedTuple):
    """Time of one contestant as a multiple of the first one's."""

    name: str
    median_seconds: float
    ratio: float
    low: float
    """lower quartile of the ratio, turn by turn"""
    high: float
    """upper quartile"""


def interleave(contestants: Mapping[str, Callable[[], object]], n_turns: int = 15) -> list[Ratio]:
    """Let the contestants take turns; the first one is the unit."""
    for contestant in contestants.values():
        contestant()  # warm-up
    seconds = np.empty((n_turns, len(contestants)))
    for turn in range(n_turns):
        for column, contestant in enumerate(contestants.values()):
            began = time.perf_counter()
            contestant()
            seconds[turn, column] = time.perf_counter() - began
    medians = np.median(seconds, axis=0)
    quartiles = np.quantile(seconds / seconds[:, :1], [0.25, 0.75], axis=0)
    return [
        Ratio(name, float(medians[k]), float(medians[k] / medians[0]), float(quartiles[0, k]), float(quartiles[1, k]))
        for k, name in enumerate(contestants)
    ]


def cd_step(shape: Shape, rng: np.random.Generator) -> list[Ratio]:
    """One step of CD-1 with momentum and decay against its five products."""
    rbm = init(shape.n_visible, shape.n_hidden, rng)
    velocity = zeros_like(rbm)
    V = (rng.random((shape.n_rows, shape.n_visible)) < shape.density).astype(np.float32)
    H = rng.random((shape.n_rows, shape.n_hidden), dtype=np.float32)

    def floor() -> None:
        V @ rbm.W.T
        H @ rbm.W
        V @ rbm.W.T
        H.T @ V
        H.T @ V

    def step() -> None:
        momentum_step(rbm, velocity, cd_gradient(rbm, V, 1, rng), 0.05, 0.9, 0.0002)

    return interleave({"dense floor: five products": floor, "CD-1 step": step})


def ais_step(shape: Shape, rng: np.random.Generator, n_temperatures: int = 100) -> list[Ratio]:
    """Steps of AIS against their two products."""
    rbm = init(shape.n_visible, shape.n_hidden, rng)
    v = (rng.random((shape.n_chains, shape.n_visible)) < shape.density).astype(np.float32)
    h = (rng.random((shape.n_chains, shape.n_hidden)) < 0.5).astype(np.float32)
    betas = np.linspace(0, 1, n_temperatures)

    def floor() -> None:
        for _ in range(n_temperatures - 1):
            v @ rbm.W.T
            h @ rbm.W

    return interleave(
        {"dense floor: two products": floor, "AIS": lambda: partition.ais(rbm, rng, betas, shape.n_chains)}
    )


def replay_strategies(shape: Shape, rng: np.random.Generator) -> list[Ratio]:
    """One whole update, ten epochs, with each strategy; the memories are full or hold 10,000 rows."""
    settings = Settings()
    rows = (rng.random((settings.batch_size, shape.n_visible)) < shape.density).astype(np.float32)
    past = np.tile(rows, (100, 1))

    def update(replay: Replay) -> Callable[[], object]:
        state = online.init(shape.n_visible, shape.n_hidden, replay, np.random.default_rng(0))
        (state,) = online.observe(state, rows, settings)  # replay starts at the second update
        state.replay.remember(past, state.rng)
        return lambda: list(online.observe(state, rows, settings))

    return interleave(
        {
            "update, OCD_GR": update(GenerativeReplay()),
            "update, ER-ML": update(MemoryReplay()),
            "update, ER-ML packed": update(MemoryReplay(packed=True)),
            "update, ER-IM": update(MemoryReplay(capacity="infinite")),
            "update, no replay": update(NoReplay()),
        },
        n_turns=7,
    )
