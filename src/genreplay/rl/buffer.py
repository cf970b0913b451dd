"""A replay buffer for stable-baselines3 that dreams transitions instead of storing them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch as th
from gymnasium import spaces
from stable_baselines3.common.buffers import BaseBuffer, ReplayBuffer
from stable_baselines3.common.type_aliases import ReplayBufferSamples
from stable_baselines3.common.vec_env import VecNormalize

from genreplay.core.grouped import TableRBM
from genreplay.rl.dreams import FromPool, TransitionModel
from genreplay.rl.transitions import Part, TransitionCoder, Transitions

DEFAULT_RBM = TableRBM(n_hidden=64, learning_rate=0.02, n_epochs=4, batch_size=100, replay=FromPool(200))
"""how transitions are learned: an environment has laws, which larger steps than those for tables of people find"""


class GenerativeReplayBuffer(ReplayBuffer):
    """A replay buffer that holds a model of all transitions, and only the newest of them.

    Transitions are learned batch by batch, beside dreams of earlier ones. A sample has some of the newest transitions;
    the others are dreams. For what it keeps of what came before the newest batch, see ``genreplay.rl.dreams``.

    It is a ``replay_buffer_class`` of stable-baselines3 for off-policy algorithms, and was measured with DQN.
    Observations and actions may be boxes, whose values become intervals, or discrete. ``save_replay_buffer`` and
    ``load_replay_buffer`` keep all of it, and learning resumes to the bit.

    Parameters
    ----------
    buffer_size, observation_space, action_space, device, n_envs, optimize_memory_usage, handle_timeout_termination
        As for ``ReplayBuffer``; stable-baselines3 sets them. Nothing has the size ``buffer_size``.
    rbm : TableRBM or None, default=None
        How the model learns; its ``batch_size`` is also the number of the newest transitions that are held.
    n_bins : int, default=24
        Intervals of the usual range of a number.
    n_dreams : int, default=1000
        Dreams that samples are drawn from; a fifth of them is renewed after each batch.
    newest : float, default=0.25
        Share of a sample that is drawn from the newest transitions.
    seed : int or None, default=None
        Seed of the model and of the samples; by default drawn from NumPy's global generator, which stable-baselines3
        seeds.

    Examples
    --------
    >>> import gymnasium
    >>> from stable_baselines3 import DQN
    >>> from genreplay.rl import GenerativeReplayBuffer
    >>> env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    >>> model = DQN("MlpPolicy", env, replay_buffer_class=GenerativeReplayBuffer, seed=0, device="cpu")
    >>> _ = model.learn(600)
    >>> model.replay_buffer.n_learned, model.replay_buffer.sample(4).rewards.shape
    (600, torch.Size([4, 1]))
    """

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        device: th.device | str = "auto",
        n_envs: int = 1,
        optimize_memory_usage: bool = False,
        handle_timeout_termination: bool = True,
        *,
        rbm: TableRBM | None = None,
        n_bins: int = 24,
        n_dreams: int = 1000,
        newest: float = 0.25,
        seed: int | None = None,
    ) -> None:
        BaseBuffer.__init__(self, buffer_size, observation_space, action_space, device, n_envs)  # allocates nothing
        if not 0 <= newest <= 1:
            raise ValueError(
                f"The 'newest' parameter of GenerativeReplayBuffer must be in [0, 1]. Got {newest!r} instead."
            )
        self._check_count("n_dreams", n_dreams)
        self._check_count("n_bins", n_bins)
        if optimize_memory_usage:
            raise ValueError("GenerativeReplayBuffer stores no transitions: leave optimize_memory_usage at False.")
        self.optimize_memory_usage, self.handle_timeout_termination = False, handle_timeout_termination
        self.rbm, self.n_bins, self.n_dreams, self.newest = rbm or DEFAULT_RBM, n_bins, n_dreams, newest
        self.seed = int(np.random.randint(2**31)) if seed is None else seed  # noqa: NPY002 - stable-baselines3 seeds it
        self._obs = Part(observation_space, "the observation space")
        self._action = Part(action_space, "the action space")
        self.reset()

    @staticmethod
    def _check_count(name: str, value: object) -> None:
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ValueError(
                f"The {name!r} parameter of GenerativeReplayBuffer must be a positive integer. Got {value!r} instead."
            )

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        self._rng = np.random.default_rng(self.seed)
        self._newest = Transitions.empty(self.rbm.batch_size, self._obs.n_values, self._action.n_values)
        self._n_waiting = 0
        """transitions since the last update"""
        self.n_seen = 0
        self._model: TransitionModel | None = None

    def add(
        self,
        obs: npt.NDArray[Any],
        next_obs: npt.NDArray[Any],
        action: npt.NDArray[Any],
        reward: npt.NDArray[Any],
        done: npt.NDArray[Any],
        infos: list[dict[str, Any]],
    ) -> None:
        ended = np.asarray(done, dtype=np.float64).reshape(self.n_envs)
        if self.handle_timeout_termination:
            ended = ended * [not info.get("TimeLimit.truncated", False) for info in infos]
        obs, next_obs, action = (
            np.asarray(values, dtype=np.float64).reshape(self.n_envs, -1) - part.start
            for values, part in ((obs, self._obs), (next_obs, self._obs), (action, self._action))
        )
        rows = Transitions(obs, action, next_obs, np.asarray(reward, dtype=np.float64).reshape(self.n_envs), ended)
        for env in range(self.n_envs):
            for held, new in zip(self._newest, rows, strict=True):
                held[self._n_waiting] = new[env]
            self._n_waiting += 1
            self.n_seen += 1
            if self._n_waiting == self.rbm.batch_size:
                self._learn()
        self.pos = min(self.n_seen // self.n_envs, max(self.buffer_size // self.n_envs, 1))

    def _learn(self) -> None:
        if self._model is None:
            coder = TransitionCoder(self._obs, self._action, self._newest, self.n_bins)
            self._model = TransitionModel(self.rbm, coder, self._newest, self.n_dreams, self._rng)
        else:
            self._model.learn(self._newest)
        self._n_waiting = 0

    def sample(self, batch_size: int, env: VecNormalize | None = None) -> ReplayBufferSamples:
        """Some of the newest transitions, and dreams."""
        if self.n_seen == 0:
            raise ValueError("GenerativeReplayBuffer has seen no transition to sample from: call add first.")
        n_held = min(self.n_seen, self.rbm.batch_size)
        n_newest = batch_size if self._model is None else int(self._rng.binomial(batch_size, self.newest))
        drawn = self._newest.at(self._rng.integers(n_held, size=n_newest))
        if self._model is not None:
            dreams = self._model.dreams
            places = self._rng.integers(len(dreams.reward), size=batch_size - n_newest)
            drawn = Transitions(*map(np.concatenate, zip(drawn, dreams.at(places), strict=True)))
        obs, next_obs = (self._as(self._obs, values, self.obs_shape) for values in (drawn.obs, drawn.next_obs))
        action = self._as(self._action, drawn.action, (self.action_dim,))
        reward, done = (values.astype(np.float32).reshape(-1, 1) for values in (drawn.reward, drawn.done))
        return ReplayBufferSamples(
            self.to_torch(self._normalize_obs(obs, env)),  # type: ignore[arg-type]
            self.to_torch(action),
            self.to_torch(self._normalize_obs(next_obs, env)),  # type: ignore[arg-type]
            self.to_torch(done),
            self.to_torch(self._normalize_reward(reward, env)),
        )

    def _as(self, part: Part, values: npt.NDArray[np.float64], shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """Values as the algorithm wants them: of the space's type, float32 at most, and int64 for labels."""
        dtype = self._maybe_cast_dtype(part.dtype) if part.is_box else np.int64
        if part.is_box and np.issubdtype(dtype, np.integer):
            values = np.rint(values)
        return (values + part.start).astype(dtype).reshape(len(values), *shape)

    @property
    def dreams(self) -> Transitions | None:
        """The dreams that samples are drawn from; None before the first batch is learned."""
        return None if self._model is None else self._model.dreams

    @property
    def n_learned(self) -> int:
        """Transitions that the model has learned."""
        return self.n_seen - self._n_waiting if self._model is not None else 0

    @property
    def nbytes(self) -> int:
        """Bytes of all that is held: the model, its codes, its dreams, and the newest transitions."""
        return self._newest.nbytes + (0 if self._model is None else self._model.nbytes)

    @property
    def stored_nbytes(self) -> int:
        """Bytes of the arrays of a ``ReplayBuffer`` with the same ``buffer_size``."""
        return (
            max(self.buffer_size // self.n_envs, 1)
            * self.n_envs
            * stored_row_nbytes(self.observation_space, self.action_space)
        )


def stored_row_nbytes(observation_space: spaces.Space[Any], action_space: spaces.Space[Any]) -> int:
    """Bytes of one transition in a ``ReplayBuffer``.

    >>> stored_row_nbytes(spaces.Box(-1, 1, (4,)), spaces.Discrete(2))
    52
    """
    one = ReplayBuffer(1, observation_space, action_space, device="cpu")
    arrays = (one.observations, one.next_observations, one.actions, one.rewards, one.dones, one.timeouts)
    return sum(array.nbytes for array in arrays)
