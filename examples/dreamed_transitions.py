"""An agent that learns from dreams

DQN learns to cross the frozen lake: from the start, top left, to the goal, bottom right, past four holes. Its replay
buffer holds a model of the transitions, and of these only the newest 100. Left are transitions that the model dreams,
from a cell to another: red where the episode ends in a hole, blue at the goal. Bumps into the border are not drawn.

Right is what the agent would do in each cell. Nearly all dreams are moves that the lake has. The printed lines say how
many, how many reach the goal, and what the buffer holds: for so small a world, a buffer that stores all these
transitions would be smaller.
"""

import gymnasium
import matplotlib.pyplot as plt
import numpy as np
from stable_baselines3 import DQN

from genreplay.rl import GenerativeReplayBuffer

n_steps = 4_000  # quick: 300
lake = gymnasium.make("FrozenLake-v1", is_slippery=False)
settings = {"learning_rate": 1e-3, "learning_starts": 200, "target_update_interval": 200}
settings |= {"gradient_steps": 2, "exploration_fraction": 1.0, "gamma": 0.95, "seed": 0}
agent = DQN("MlpPolicy", lake, replay_buffer_class=GenerativeReplayBuffer, **settings)
agent.learn(n_steps)

held, moves = agent.replay_buffer, lake.unwrapped.P
parts = held.dreams.obs, held.dreams.action, held.dreams.next_obs
state, action, after = (part[:, 0].astype(int) for part in parts)
true = [moves[s][a][0][1] for s, a in zip(state, action, strict=True)] == after
print(f"dreamed moves that the lake has: {true.mean():.2f}")
print(f"dreams that reach the goal: {(held.dreams.reward == 1).mean():.3f}")
print(f"held: {held.nbytes:,} bytes; as stored transitions: {36 * n_steps:,} bytes")

figure, (left, right) = plt.subplots(1, 2, figsize=(6.4, 3.3), layout="constrained")
shown = np.flatnonzero(state != after)[:300]
y, x = np.divmod(state, 4) + np.random.default_rng(0).uniform(0.2, 0.8, (2, 1000))
down, across = 0.6 * (np.divmod(after, 4) - np.array(np.divmod(state, 4)))
ink = np.where(held.dreams.done == 1, "tab:red", "black")
ink[held.dreams.reward == 1] = "blue"
arrows = [part[shown] for part in (x, y, across, down)]
left.quiver(*arrows, color=ink[shown], angles="xy", scale_units="xy", scale=1, alpha=0.6)
best, _ = agent.predict(np.arange(16), deterministic=True)
for cell, kind in enumerate(lake.unwrapped.desc.ravel().astype(str)):
    sign = {"H": "hole", "G": "goal"}.get(kind, "←↓→↑"[best[cell]])
    right.text(cell % 4 + 0.5, cell // 4 + 0.5, sign, ha="center", va="center")
left.set_title("dreamed transitions")
right.set_title("what the agent does")
for axes in (left, right):
    axes.set(xlim=(0, 4), ylim=(4, 0), xticks=range(5), yticks=range(5))
    axes.grid(alpha=0.4)
plt.show()
