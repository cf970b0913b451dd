"""Reinforcement learning without stored transitions: a replay buffer for stable-baselines3.

It needs the extra ``rl``: ``pip install 'genreplay[rl]'``.
"""

try:
    import stable_baselines3  # noqa: F401
except ImportError as error:
    raise ImportError("genreplay.rl needs stable-baselines3 and gymnasium: pip install 'genreplay[rl]'.") from error

from genreplay.rl.buffer import GenerativeReplayBuffer

__all__ = ["GenerativeReplayBuffer"]
