from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("stable_baselines3", reason="the extra rl is not installed")

import gymnasium
import torch
from gymnasium import spaces
from stable_baselines3 import DQN
from stable_baselines3.common.buffers import ReplayBuffer

from genreplay.experiments.rl import RLRun
from genreplay.rl import GenerativeReplayBuffer
from genreplay.rl.transitions import Transitions
from tests.rl.worlds import CORRIDOR, LINE, corridor, is_true, pushed_point


def fed(buffer: ReplayBuffer, some: Transitions, start: int = 0, stop: int | None = None) -> ReplayBuffer:
    """A buffer that these transitions were added to, n_envs at a time."""
    shape = (buffer.n_envs, *buffer.observation_space.shape)
    n = len(some.reward) if stop is None else stop
    for i in range(start, n, buffer.n_envs):
        here = slice(i, i + buffer.n_envs)
        obs, next_obs = (
            x[here].reshape(shape).astype(buffer.observation_space.dtype) for x in (some.obs, some.next_obs)
        )
        infos = [{} for _ in range(buffer.n_envs)]
        buffer.add(obs, next_obs, some.action[here].astype(np.int64), some.reward[here], some.done[here], infos)
    return buffer


def corridor_buffer(**settings: object) -> GenerativeReplayBuffer:
    return GenerativeReplayBuffer(10_000, *CORRIDOR, device="cpu", seed=0, **settings)


def samples_of(buffer: ReplayBuffer, n: int) -> Transitions:
    drawn = buffer.sample(n)
    obs, action, next_obs, done, reward = (np.asarray(part, dtype=np.float64) for part in drawn[:5])
    return Transitions(obs, action, next_obs, reward[:, 0], done[:, 0])


def test_dreams_of_a_corridor_are_transitions_that_it_has() -> None:
    buffer = fed(corridor_buffer(newest=0.0), corridor(3_000))
    assert is_true(samples_of(buffer, 2_000)).mean() > 0.9


def test_rare_endings_come_more_often_in_dreams_than_in_the_stream() -> None:
    some = corridor(3_000)
    drawn = samples_of(fed(corridor_buffer(newest=0.0), some), 2_000)
    assert 1.5 * some.reward.mean() < drawn.reward.mean() < 0.5


def test_dreams_of_numbers_keep_the_law_that_leads_to_the_next_observation() -> None:
    buffer = fed(GenerativeReplayBuffer(10_000, *LINE, device="cpu", seed=0, newest=0.0), pushed_point(4_000))
    drawn = samples_of(buffer, 2_000)
    step = drawn.next_obs - drawn.obs
    assert (np.sign(step[:, 0]) == np.where(drawn.action[:, 0] == 1, 1, -1)).mean() > 0.95
    assert np.abs(np.abs(step[:, 0]) - 1).mean() < 0.1
    assert np.abs(step[:, 1]).mean() < 0.1
    assert ((drawn.next_obs[:, 0] > 1.5) == (drawn.done == 1)).mean() > 0.9


def test_a_sample_has_the_types_and_shapes_of_a_stored_one() -> None:
    for space, some in ((CORRIDOR, corridor(400)), (LINE, pushed_point(400))):
        stored = fed(ReplayBuffer(1_000, *space, device="cpu"), some).sample(8)
        dreamed = fed(GenerativeReplayBuffer(1_000, *space, device="cpu", seed=0), some).sample(8)
        for ours, theirs in zip(dreamed[:5], stored[:5], strict=True):
            assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)


def test_before_the_first_batch_is_full_samples_are_the_transitions_themselves() -> None:
    drawn = samples_of(fed(corridor_buffer(), corridor(50)), 500)
    assert is_true(drawn).all()
    assert len(np.unique(drawn.obs)) > 1


def test_an_episode_that_ran_out_of_time_has_not_ended() -> None:
    buffer, one = corridor_buffer(), np.ones(1)
    buffer.add(np.array([1]), np.array([2]), np.array([1]), one, one, [{"TimeLimit.truncated": True}])
    assert buffer.sample(3).dones.sum() == 0
    plain = corridor_buffer(handle_timeout_termination=False)
    plain.add(np.array([1]), np.array([2]), np.array([1]), one, one, [{"TimeLimit.truncated": True}])
    assert plain.sample(3).dones.sum() == 3


def test_several_environments_are_learned_like_one_after_the_other() -> None:
    some = corridor(1_200)
    one, four = fed(corridor_buffer(), some), fed(corridor_buffer(n_envs=4), some)
    assert four.n_seen == one.n_seen == 1_200
    assert all(torch.equal(a, b) for a, b in zip(one.sample(50)[:5], four.sample(50)[:5], strict=True))


@pytest.mark.parametrize("n_before", [40, 730])
def test_a_buffer_resumes_to_the_bit_from_its_file_in_mid_stream(n_before: int) -> None:
    for space, some in ((CORRIDOR, corridor(1_500)), (LINE, pushed_point(1_500))):
        whole = fed(GenerativeReplayBuffer(1_000, *space, device="cpu", seed=3), some, stop=n_before)
        whole.sample(20)
        resumed = pickle.loads(pickle.dumps(whole))
        for buffer in (whole, resumed):
            fed(buffer, some, start=n_before)
        for _ in range(3):
            assert all(torch.equal(a, b) for a, b in zip(whole.sample(64)[:5], resumed.sample(64)[:5], strict=True))


def test_the_seed_decides_and_by_default_comes_from_numpys_global_generator() -> None:
    def drawn(seed: int) -> torch.Tensor:
        np.random.seed(seed)  # noqa: NPY002 - stable-baselines3 seeds it
        return fed(GenerativeReplayBuffer(100, *CORRIDOR, device="cpu"), corridor(500)).sample(100).observations

    assert torch.equal(drawn(0), drawn(0))
    assert not torch.equal(drawn(0), drawn(1))


def test_bytes_do_not_grow_with_the_stream_and_are_all_counted() -> None:
    buffer = fed(corridor_buffer(), corridor(1_000))
    before = buffer.nbytes
    fed(buffer, corridor(2_000, seed=1))
    assert buffer.nbytes == before
    assert before > buffer._newest.nbytes + buffer._model.state.nbytes + buffer._model.dreams.nbytes
    pickled = len(pickle.dumps(buffer))
    assert 0.4 * pickled < before < 2 * pickled  # the exponentials of the weights are held, too


def test_stored_bytes_are_those_of_the_arrays_of_a_replay_buffer() -> None:
    stored = ReplayBuffer(1_000, *LINE, device="cpu", n_envs=2)
    arrays = [array for array in vars(stored).values() if isinstance(array, np.ndarray)]
    assert GenerativeReplayBuffer(1_000, *LINE, n_envs=2, seed=0).stored_nbytes == sum(array.nbytes for array in arrays)


def test_no_transition_older_than_the_newest_batch_is_held() -> None:
    some = pushed_point(1_000)
    buffer = fed(GenerativeReplayBuffer(1_000, *LINE, device="cpu", seed=0), some)
    held = np.concatenate([buffer._newest.obs, buffer._model.dreams.obs])
    old = some.obs[: len(some.obs) - buffer.rbm.batch_size]
    assert not (held[:, None] == old).all(axis=2).any()


def test_labels_may_start_at_another_number_than_zero() -> None:
    buffer = GenerativeReplayBuffer(
        100, spaces.Discrete(6, start=10), spaces.Discrete(2, start=-1), device="cpu", seed=0
    )
    some = corridor(600)
    for i in range(600):
        row = (part[i : i + 1] for part in some)
        obs, action, next_obs, reward, done = row
        buffer.add(obs[0] + 10, next_obs[0] + 10, action[0] - 1, reward, done, [{}])
    drawn = buffer.sample(200)
    assert set(drawn.actions.unique().tolist()) == {-1, 0}
    assert 10 <= drawn.observations.min() <= drawn.observations.max() <= 15


def test_several_labels_and_many_rewards_are_learned_too() -> None:
    rng = np.random.default_rng(0)
    buffer = GenerativeReplayBuffer(
        100, spaces.MultiDiscrete([3, 4]), spaces.Box(-1, 1, (2,)), device="cpu", seed=0, newest=0.0
    )
    for _ in range(2_000):
        obs, action = rng.integers([3, 4]), rng.uniform(-1, 1, size=2)
        buffer.add(obs, np.array([obs[0], 3 - obs[1]]), action, np.array([action[0]]), np.zeros(1), [{}])
    drawn = samples_of(buffer, 500)
    assert (drawn.next_obs[:, 1] == 3 - drawn.obs[:, 1]).mean() > 0.8
    assert np.corrcoef(drawn.action[:, 0], drawn.reward)[0, 1] > 0.7


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"newest": 1.5}, "'newest' parameter .* must be in"),
        ({"n_dreams": 0}, "'n_dreams' parameter .* positive integer"),
        ({"n_bins": 2.5}, "'n_bins' parameter .* positive integer"),
        ({"optimize_memory_usage": True}, "leave optimize_memory_usage at False"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        corridor_buffer(**settings)


def test_a_space_that_is_no_table_is_refused_with_a_way_out() -> None:
    space = spaces.Dict({"x": spaces.Discrete(2)})
    with pytest.raises((ValueError, AssertionError, NotImplementedError)):
        GenerativeReplayBuffer(100, space, spaces.Discrete(2))
    with pytest.raises(ValueError, match="seen no transition"):
        corridor_buffer().sample(3)


def test_dqn_saves_and_loads_it_and_goes_on_to_the_bit(tmp_path: Path) -> None:
    env = gymnasium.make("FrozenLake-v1", is_slippery=False)
    agent = DQN("MlpPolicy", env, replay_buffer_class=GenerativeReplayBuffer, learning_starts=50, seed=0, device="cpu")
    agent.learn(250)
    agent.save_replay_buffer(tmp_path / "buffer")
    again = DQN("MlpPolicy", env, replay_buffer_class=GenerativeReplayBuffer, seed=1, device="cpu")
    again.load_replay_buffer(tmp_path / "buffer")
    both = agent.replay_buffer, again.replay_buffer
    for buffer in both:
        fed(buffer, corridor(200))
    one, other = (buffer.sample(50) for buffer in both)
    assert all(torch.equal(a, b) for a, b in zip(one[:5], other[:5], strict=True))


@pytest.mark.slow
def test_dqn_crosses_the_frozen_lake_with_dreams() -> None:
    returns = RLRun("FrozenLake", "generative").execute(0, lambda share, doing: None)["returns"]
    assert np.mean(returns[-4:]) == 1.0


@pytest.mark.slow
def test_memory_is_flat_over_200_000_transitions() -> None:
    buffer, held = fed(corridor_buffer(), corridor(2_000)), []
    tracemalloc.start()
    try:
        for part in range(20):
            fed(buffer, corridor(10_000, seed=part))
            if part in (0, 19):
                gc.collect()
                held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert buffer.n_seen == 202_000
    assert held[1] - held[0] < 20_000


def test_without_stable_baselines3_one_sentence_says_what_to_install() -> None:
    code = "import sys; sys.modules['stable_baselines3'] = None; import genreplay; genreplay.rl"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    said = "ImportError: genreplay.rl needs stable-baselines3 and gymnasium: pip install 'genreplay[rl]'."
    assert done.stderr.splitlines()[-1] == said


def test_importing_genreplay_does_not_import_it() -> None:
    code = "import sys, genreplay, genreplay.experiments.registry; assert 'genreplay.rl' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
