"""DQN in one environment with one buffer."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from genreplay.experiments.rl.environments import ENVIRONMENTS, mean_return
from genreplay.experiments.run import Figures, Report

if TYPE_CHECKING:
    from genreplay.rl.transitions import Transitions

BUFFERS = ("full", "generative", "same bytes", "1 %")
"""all transitions stored; dreams; stored ones in as many bytes as the generative buffer has; a hundredth of them"""
N_POINTS = 20
"""evaluations along the way"""
N_LAST = 4
"""evaluations whose mean is the return at the end: that of a single one changes from one update to the next"""
_N_PROBE = 300
"""random transitions after which the bytes of the generative buffer no longer change"""


@dataclass(frozen=True)
class RLRun:
    """DQN in one environment with one buffer."""

    kind: ClassVar[str] = "rl"
    version: ClassVar[int] = 1
    """raise it, too, when the settings of an environment or a default of ``GenerativeReplayBuffer`` change"""
    timed: ClassVar[bool] = True

    environment: str = "FrozenLake"
    """FrozenLake, Taxi or CartPole"""
    buffer: str = "generative"
    """full, generative, "same bytes" or "1 %" """
    n_steps: int | None = None
    """of the agent; None for those of the environment"""

    @property
    def title(self) -> str:
        return f"{self.environment} {self.buffer}"

    @property
    def obstacle(self) -> str | None:
        """Why it cannot be run here."""
        if find_spec("stable_baselines3") is None:
            return "stable-baselines3 is not installed: pip install 'genreplay[rl]'"
        return None

    def execute(self, seed: int, report: Report) -> Figures:
        import torch
        from stable_baselines3 import DQN
        from stable_baselines3.common.callbacks import BaseCallback

        from genreplay.rl import GenerativeReplayBuffer
        from genreplay.rl.buffer import stored_row_nbytes

        torch.set_num_threads(1)
        world = ENVIRONMENTS[self.environment]
        env, n_steps, judge = world.make(), self.n_steps or world.n_steps, world.make()
        judge.reset(seed=seed)
        row_bytes = stored_row_nbytes(env.observation_space, env.action_space)
        size = {"full": n_steps, "generative": n_steps, "1 %": n_steps // 100}.get(self.buffer)
        if size is None:
            size = min(n_steps, probe(self.environment, seed).nbytes // row_bytes)
        kept = {"replay_buffer_class": GenerativeReplayBuffer} if self.buffer == "generative" else {}
        model = DQN("MlpPolicy", env, buffer_size=size, seed=seed, device="cpu", **{**world.dqn, **kept})
        steps: list[int] = []
        returns: list[float] = []
        true: list[dict[str, float] | None] = []
        evaluating = 0.0  # seconds

        class Evaluations(BaseCallback):
            def _on_step(self) -> bool:
                nonlocal evaluating
                if self.num_timesteps % max(1, n_steps // N_POINTS) == 0:
                    now = time.perf_counter()
                    steps.append(self.num_timesteps)
                    returns.append(mean_return(model, world, seed))
                    true.append(consistency(model.replay_buffer, judge))
                    report(self.num_timesteps / n_steps, f"return {returns[-1]:.1f}")
                    evaluating += time.perf_counter() - now
                return True

        began = time.perf_counter()
        model.learn(n_steps, callback=Evaluations())
        seconds = time.perf_counter() - began - evaluating
        buffer: Any = model.replay_buffer
        return {
            "steps": steps,
            "returns": returns,
            "return": float(np.mean(returns[-N_LAST:])),
            "bytes": buffer.nbytes if self.buffer == "generative" else size * row_bytes,
            "n_stored": buffer.rbm.batch_size if self.buffer == "generative" else size,
            "true": true,
            "seconds": seconds,
        }


def probe(environment: str, seed: int) -> Any:
    """A generative buffer after some random transitions: its bytes are those that it keeps."""
    from genreplay.rl import GenerativeReplayBuffer

    env = ENVIRONMENTS[environment].make()
    buffer = GenerativeReplayBuffer(1, env.observation_space, env.action_space, device="cpu", seed=seed)
    rng, (obs, _) = np.random.default_rng(seed), env.reset(seed=seed)
    for _ in range(_N_PROBE):
        action = int(rng.integers(env.action_space.n))
        after, reward, terminated, truncated, _ = env.step(action)
        given, ended = (np.array([each]) for each in (obs, terminated))
        buffer.add(given, np.array([after]), np.array([action]), np.array([reward]), ended, [{}])
        obs = env.reset()[0] if terminated or truncated else after
    return buffer


def consistency(buffer: Any, game: Any) -> dict[str, float] | None:
    """How true dreams are: what the environment, put into the dreamed state, does after the dreamed action.

    The shares of dreams with the right reward and end, and of those whose next observation is right, too. Numbers are
    right if none is further from the truth than a tenth of its standard deviation in the dreams.
    """
    dreams: Transitions | None = getattr(buffer, "dreams", None)
    if dreams is None:
        return None
    after, rewards, ended = (np.array(each) for each in zip(*map(truth(game), dreams.obs, dreams.action), strict=True))
    ends = (rewards == dreams.reward) & (ended == dreams.done)
    near = np.abs(dreams.next_obs - after.reshape(dreams.next_obs.shape)) <= 0.1 * dreams.obs.std(axis=0) * is_box(game)
    return {"ends": float(ends.mean()), "all": float((ends & near.all(axis=1)).mean())}


def is_box(game: Any) -> bool:
    """Whether the observations of an environment are numbers."""
    return not hasattr(game.observation_space, "n")


def truth(game: Any) -> Callable[[Any, Any], tuple[Any, float, bool]]:
    """A function that says what follows from an observation and an action: next observation, reward, end."""
    world = game.unwrapped
    if not is_box(game):

        def looked_up(obs: Any, action: Any) -> tuple[Any, float, bool]:
            [(_, after, reward, ended)] = world.P[int(obs[0])][int(action[0])]
            return after, float(reward), bool(ended)

        return looked_up

    def stepped(obs: Any, action: Any) -> tuple[Any, float, bool]:
        world.state, world.steps_beyond_terminated = tuple(obs), None
        after, reward, ended, _, _ = world.step(int(action[0]))
        return after, float(reward), bool(ended)

    return stepped


def agent_runs(quick: bool = False) -> list[RLRun]:
    """Every environment with every buffer; in the quick form, a short walk on the lake."""
    if quick:
        return [RLRun("FrozenLake", buffer, n_steps=1_000) for buffer in BUFFERS]
    return [RLRun(environment, buffer) for environment in ENVIRONMENTS for buffer in BUFFERS]
