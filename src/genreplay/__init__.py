"""Learn Restricted Boltzmann Machines from streams, without storing the data.

Before each update the model dreams its own past and rehearses it beside the newest rows: Online Contrastive Divergence
with Generative Replay (Mocanu, Torres Vega, Eaton, Stone, Liotta, 2016).
"""

from typing import TYPE_CHECKING

from genreplay.core import (
    CheckpointError,
    DivergenceError,
    GenerativeReplay,
    LogPartition,
    MemoryReplay,
    NoReplay,
    Replay,
)

if TYPE_CHECKING:
    from genreplay.estimators import OnlineRBM

__version__ = "0.1.0"
__all__ = [
    "CheckpointError",
    "DivergenceError",
    "GenerativeReplay",
    "LogPartition",
    "MemoryReplay",
    "NoReplay",
    "OnlineRBM",
    "Replay",
]


def __getattr__(name: str) -> object:
    # OnlineRBM comes on first use, so that `import genreplay.core` does not import scikit-learn.
    if name == "OnlineRBM":
        from genreplay.estimators import OnlineRBM

        return OnlineRBM
    raise AttributeError(f"module 'genreplay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), "OnlineRBM"]
