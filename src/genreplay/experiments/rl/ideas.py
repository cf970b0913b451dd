"""What a model of transitions knows of Taxi after a random walk, by the ideas that were tried.

All 2,400 pairs of a state and an action are asked for: is the likeliest ending the one that the environment has? Most
of them are moves, or illegal. What an agent needs are the 24 that take a passenger up or let one out on the way, and
the 4 that bring one home: they come about once in a hundred, and once in four thousand steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np

from genreplay.experiments.rl.environments import ENVIRONMENTS
from genreplay.experiments.run import Figures, Report

IDEAS = {
    "as it is": "as it is",
    "once": "rare endings learned once",
    "20 times": "rare endings learned 20 times at most",
    "divided": "their weights divided out again",
    "more units": "128 hidden units in place of 64",
    "more epochs": "16 epochs in place of 4",
}
"""by name, and in words"""
KINDS = ("move", "wall", "illegal", "up or out", "home")


@dataclass(frozen=True)
class IdeaRun:
    """One idea, on a random walk."""

    kind: ClassVar[str] = "rl-ideas"
    version: ClassVar[int] = 1
    max_seeds: ClassVar[int] = 3

    idea: str = "as it is"
    n_steps: int = 20_000

    @property
    def title(self) -> str:
        return f"Taxi model, {self.idea}"

    @property
    def obstacle(self) -> str | None:
        """Why it cannot be run here."""
        if find_spec("stable_baselines3") is None:
            return "stable-baselines3 is not installed: pip install 'genreplay[rl]'"
        return None

    def execute(self, seed: int, report: Report) -> Figures:
        from genreplay.rl.buffer import DEFAULT_RBM
        from genreplay.rl.transitions import Part, TransitionCoder

        env = ENVIRONMENTS["Taxi"].make()
        walk, batch = random_walk(env, self.n_steps, seed), np.arange(DEFAULT_RBM.batch_size)
        rbm = DEFAULT_RBM.replace(
            **{"more units": {"n_hidden": 128}, "more epochs": {"n_epochs": 16}}.get(self.idea, {})
        )
        parts = Part(env.observation_space, "the observation space"), Part(env.action_space, "the action space")
        coder = TransitionCoder(*parts, walk.at(batch), n_bins=24)
        model = model_of(self.idea)(rbm, coder, walk.at(batch), 1000, np.random.default_rng(seed))
        for first in range(len(batch), self.n_steps, len(batch)):
            model.learn(walk.at(first + batch))
            report(first / self.n_steps, "learn")
        return {"right": right_endings(model, env), "n_steps": self.n_steps}


def model_of(idea: str) -> Any:
    """The class of models that an idea stands for."""
    from genreplay.rl.dreams import TransitionModel

    class Once(TransitionModel):
        most_often = 1.0

    class TwentyTimes(TransitionModel):
        most_often = 20.0

    class Divided(TransitionModel):
        def log_endings(self, rows: Any) -> Any:
            nats = super().log_endings(rows)
            return nats - np.log(self.weights[: nats.shape[1]])

    return {"once": Once, "20 times": TwentyTimes, "divided": Divided}.get(idea, TransitionModel)


def random_walk(env: Any, n: int, seed: int) -> Any:
    """Transitions of random actions."""
    from genreplay.rl.transitions import Transitions

    some, rng, obs = Transitions.empty(n, 1, 1), np.random.default_rng(seed), env.reset(seed=seed)[0]
    for i in range(n):
        action = int(rng.integers(env.action_space.n))
        after, reward, terminated, truncated, _ = env.step(action)
        for array, value in zip(some, (obs, action, after, reward, terminated), strict=True):
            array[i] = value
        obs = env.reset()[0] if terminated or truncated else after
    return some


def right_endings(model: Any, env: Any) -> dict[str, float]:
    """The share of states and actions whose likeliest ending is right, by kind."""
    from genreplay.rl.transitions import Transitions

    pairs, kinds = [], []
    for state, actions in env.unwrapped.P.items():
        *_, passenger, destination = env.unwrapped.decode(state)
        for action, [(_, after, reward, done)] in actions.items() if passenger != destination else ():
            pairs.append((state, action, after, reward, done))
            legal = "home" if reward > 0 else "up or out" if action >= 4 else "move" if after != state else "wall"
            kinds.append("illegal" if reward < -1 else legal)
    state, action, after, reward, done = np.array(pairs, dtype=np.float64).T
    known = np.array(model.coder.endings)
    any_after, any_reward, any_done = known[0][:, None] + np.zeros(len(state))  # no ending that is not known yet
    some = Transitions(state[:, None], action[:, None], (state + any_after)[:, None], any_reward, any_done)
    best = known[model.log_endings(model.coder.codes(some)).argmax(axis=1)]
    right = (best == np.stack([after - state, reward, done], axis=1)).all(axis=1)
    return {kind: float(right[np.array(kinds) == kind].mean()) for kind in KINDS}


def idea_runs(quick: bool = False) -> list[IdeaRun]:
    """Every idea."""
    return [IdeaRun(idea, n_steps=500) if quick else IdeaRun(idea) for idea in IDEAS]
