"""The method itself: functions on small tuples of arrays, the random generator passed in; what is changed says so.

Needs NumPy, and safetensors for files; uses Numba for speed where it is installed; nothing else.
"""

from genreplay.core import checkpoint, contrastive, kernels, online, partition, rbm, replay
from genreplay.core.checkpoint import CheckpointError
from genreplay.core.online import DivergenceError, Settings, State
from genreplay.core.partition import LogPartition
from genreplay.core.rbm import RBM
from genreplay.core.replay import DreamPool, GenerativeReplay, MemoryReplay, NoReplay, Replay

__all__ = [
    "RBM",
    "CheckpointError",
    "DivergenceError",
    "DreamPool",
    "GenerativeReplay",
    "LogPartition",
    "MemoryReplay",
    "NoReplay",
    "Replay",
    "Settings",
    "State",
    "checkpoint",
    "contrastive",
    "kernels",
    "online",
    "partition",
    "rbm",
    "replay",
]
