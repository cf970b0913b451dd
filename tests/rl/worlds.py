"""Small worlds whose transitions are known, and streams of them."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from genreplay.rl.transitions import Transitions

N_STATES = 6


def corridor(n: int, seed: int = 0) -> Transitions:
    """A walk on a corridor of six cells by random steps; the last cell ends an episode with a reward of 1."""
    rng = np.random.default_rng(seed)
    some, state = Transitions.empty(n, 1, 1), 0
    for i in range(n):
        action = int(rng.integers(2))
        after = max(0, min(N_STATES - 1, state + (1 if action else -1)))
        done = after == N_STATES - 1
        some.obs[i], some.action[i], some.next_obs[i] = state, action, after
        some.reward[i] = some.done[i] = float(done)
        state = 0 if done else after
    return some


def is_true(some: Transitions) -> np.ndarray:
    """Which transitions the corridor has."""
    obs, action = some.obs[:, 0], some.action[:, 0]
    after = np.clip(obs + np.where(action == 1, 1, -1), 0, N_STATES - 1)
    done = after == N_STATES - 1
    return (obs < N_STATES - 1) & (some.next_obs[:, 0] == after) & (some.reward == done) & (some.done == done)


def pushed_point(n: int, seed: int = 0) -> Transitions:
    """A point on a line: the action says in which direction it moves, by 1, and noise of 0.05 is added."""
    rng = np.random.default_rng(seed)
    some = Transitions.empty(n, 2, 1)
    some.obs[:] = rng.normal(size=(n, 2))
    some.action[:, 0] = rng.integers(2, size=n)
    some.next_obs[:] = some.obs
    some.next_obs[:, 0] += np.where(some.action[:, 0] == 1, 1.0, -1.0) + rng.normal(scale=0.05, size=n)
    some.reward[:] = 1.0
    some.done[:] = some.next_obs[:, 0] > 1.5
    return some


CORRIDOR = spaces.Discrete(N_STATES), spaces.Discrete(2)
LINE = spaces.Box(-10.0, 10.0, (2,)), spaces.Discrete(2)
