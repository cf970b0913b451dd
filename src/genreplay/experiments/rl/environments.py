"""The environments, and the settings of DQN in each: those with which a full stored buffer learns in few steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Environment:
    """An environment of gymnasium, and how DQN learns it; the same for all buffers."""

    name: str
    """of gymnasium"""
    n_steps: int
    """of the agent"""
    dqn: Mapping[str, Any]
    """settings of DQN that differ from its defaults"""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    n_episodes: int = 20
    """of each evaluation"""

    def make(self) -> Any:
        """A new environment."""
        import gymnasium

        return gymnasium.make(self.name, **self.arguments)


ENVIRONMENTS: dict[str, Environment] = {
    "FrozenLake": Environment(
        "FrozenLake-v1",
        4_000,
        {
            "learning_rate": 1e-3,
            "learning_starts": 200,
            "train_freq": 4,
            "gradient_steps": 2,
            "batch_size": 64,
            "target_update_interval": 200,
            "exploration_fraction": 1.0,
            "gamma": 0.95,
            "policy_kwargs": {"net_arch": [64]},
        },
        {"is_slippery": False},
        n_episodes=1,  # neither the environment nor the policy that is judged draws anything
    ),
    "Taxi": Environment(
        "Taxi-v4",
        60_000,
        {
            "learning_rate": 2e-3,
            "learning_starts": 1_000,
            "train_freq": 4,
            "gradient_steps": 2,
            "batch_size": 64,
            "target_update_interval": 500,
            "exploration_fraction": 0.5,
            "gamma": 0.95,
            "policy_kwargs": {"net_arch": [64]},
        },
    ),
    "CartPole": Environment(
        "CartPole-v1",
        30_000,
        {
            "learning_rate": 2.3e-3,
            "learning_starts": 1_000,
            "train_freq": 256,
            "gradient_steps": 128,
            "batch_size": 64,
            "target_update_interval": 10,
            "exploration_fraction": 0.16,
            "exploration_final_eps": 0.04,
            "gamma": 0.99,
            "policy_kwargs": {"net_arch": [64, 64]},
        },
        n_episodes=10,
    ),
}
"""by their names in the report"""


def mean_return(model: Any, environment: Environment, seed: int) -> float:
    """The mean return of episodes that the policy plays greedily, all of them at the same time."""
    games = [environment.make() for _ in range(environment.n_episodes)]
    observations = [game.reset(seed=1_000_000 * (seed + 1) + i)[0] for i, game in enumerate(games)]
    returns, going = np.zeros(len(games)), list(range(len(games)))
    while going:
        actions, _ = model.predict(np.array([observations[i] for i in going]), deterministic=True)
        still = []
        for i, action in zip(going, actions, strict=True):
            observations[i], reward, terminated, truncated, _ = games[i].step(action)
            returns[i] += reward
            if not (terminated or truncated):
                still.append(i)
        going = still
    return float(returns.mean())
