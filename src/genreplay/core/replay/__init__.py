"""What is rehearsed beside the newest batch, one strategy a file (Algorithm 1, lines 11-23; rivals of section 4.2)."""

from genreplay.core.replay.base import Past, Replay
from genreplay.core.replay.dream_pool import DreamPool
from genreplay.core.replay.generative import GenerativeReplay
from genreplay.core.replay.memory import MemoryReplay
from genreplay.core.replay.none import NoReplay

BY_NAME: dict[str, Replay] = {
    "generative": GenerativeReplay(),
    "dream-pool": DreamPool(),
    "limited-memory": MemoryReplay(),
    "infinite-memory": MemoryReplay(capacity="infinite"),
    "none": NoReplay(),
}
"""The strategies that can be asked for by name: OCD_GR, a pool of dreams, ER-ML, ER-IM and no replay."""

__all__ = ["BY_NAME", "DreamPool", "GenerativeReplay", "MemoryReplay", "NoReplay", "Past", "Replay"]
