"""An agent that learns from dreams

DQN learns to cross the frozen lake: from the start, top left, to the goal, bottom right, past four holes. Its replay
buffer holds a model of the transitions, and of these only the newest 100. Left are transitions that the model dreams,
from a cell to the next one: black where nothing happens, red where the episode ends in a hole, blue at the goal. A bump
into the border is not drawn.

Right is what the agent would do in each cell. Nearly all dreams are moves that the lake has. The printed lines say how
many, how many reach the goal, and what the buffer holds: for so small a world, a buffer that stores all these
transitions would be smaller.
"""

import gymnasium
import matplotlib.pyplot as plt
import numpy as np
from stable_baselines3 import DQN

from genreplay.rl import GenerativeReplayBuffer

n_steps = 3_000  # quick: 300
lake = gymnasium.make("FrozenLake-v1", is_slippery=False)
settings = {
    "learning_rate": 1e-3,
    "learning_starts": 200,
    "gradient_steps": 2,
    "batch_size": 64,
    "gamma": 0.95,
}
settings |= {
    "target_update_interval": 200,
    "exploration_fraction": 1.0,
    "policy_kwargs": {"net_arch": [64]},
}
agent = DQN(
    "MlpPolicy", lake, replay_buffer_class=GenerativeReplayBuffer, seed=0, device="cpu", **settings
)
agent.learn(n_steps)

dreams, moves = agent.replay_buffer.dreams, lake.unwrapped.P
followed = zip(dreams.obs[:, 0], dreams.action[:, 0], strict=True)
after = np.array([moves[int(state)][int(action)][0][1] for state, action in followed])
print(f"dreamed moves that the lake has: {(dreams.next_obs[:, 0] == after).mean():.2f}")
print(f"dreams that reach the goal: {(dreams.reward == 1).mean():.3f}")
print(
    f"held: {agent.replay_buffer.nbytes:,} bytes; {n_steps:,} stored transitions: {36 * n_steps:,} bytes"
)

figure, (left, right) = plt.subplots(1, 2, figsize=(6.4, 3.3), layout="constrained")
rng = np.random.default_rng(0)
start, end = (
    np.stack(np.divmod(part[:, 0], 4)[::-1]) + 0.5 for part in (dreams.obs, dreams.next_obs)
)
start = start + rng.uniform(-0.3, 0.3, size=start.shape)
way = np.where(end == np.floor(start) + 0.5, 0.0, 0.6 * np.sign(end - np.floor(start) - 0.5))
colours = np.where(dreams.reward == 1, "tab:blue", np.where(dreams.done == 1, "tab:red", "black"))
shown = np.flatnonzero(np.abs(way).sum(axis=0) > 0)[:300]
thin = {"angles": "xy", "scale_units": "xy", "scale": 1, "width": 0.006}
left.quiver(*start[:, shown], *way[:, shown], color=colours[shown], alpha=0.6, **thin)
left.set_title("dreamed transitions")
actions, _ = agent.predict(np.arange(16), deterministic=True)
for state, action in enumerate(actions):
    cell = lake.unwrapped.desc.ravel()[state].decode()
    row, column = divmod(state, 4)
    text = "←↓→↑"[action] if cell in "SF" else {"H": "hole", "G": "goal"}[cell]
    right.text(
        column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=16 if cell in "SF" else 9
    )
right.set_title("what the agent does")
for axes in (left, right):
    axes.set(
        xlim=(0, 4),
        ylim=(4, 0),
        xticks=range(5),
        yticks=range(5),
        xticklabels=[],
        yticklabels=[],
        aspect="equal",
    )
    axes.grid(alpha=0.4)
plt.show()
