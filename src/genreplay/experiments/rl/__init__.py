"""Reinforcement learning from dreams (not in the paper): DQN with buffers that store transitions, or dream them.

The settings of DQN are those with which the full stored buffer learns each environment in few steps, and are the same
for all buffers. The generative buffer has its defaults. "Same bytes" is a stored buffer of the newest transitions, in
as many bytes as the generative one holds, and "1 %" one of a hundredth of all transitions.
"""

from genreplay.experiments.rl.environments import ENVIRONMENTS
from genreplay.experiments.rl.ideas import IDEAS, KINDS, IdeaRun, idea_runs
from genreplay.experiments.rl.run import BUFFERS, RLRun, agent_runs
from genreplay.experiments.run import Run

__all__ = ["BUFFERS", "ENVIRONMENTS", "IDEAS", "KINDS", "IdeaRun", "RLRun", "runs"]


def runs(quick: bool = False) -> list[Run]:
    """Agents with every buffer, and models by every idea."""
    return [*agent_runs(quick), *idea_runs(quick)]
