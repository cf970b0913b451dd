"""Learn Restricted Boltzmann Machines from streams, without storing the data.

Before each update the model dreams its own past and rehearses it beside the newest rows: Online Contrastive Divergence
with Generative Replay (Mocanu, Torres Vega, Eaton, Stone, Liotta, 2016).
"""

from importlib import import_module
from typing import TYPE_CHECKING

from genreplay.core import (
    MODERN,
    PAPER,
    CheckpointError,
    DivergenceError,
    DreamPool,
    Dreams,
    GenerativeReplay,
    LogPartition,
    MemoryReplay,
    NoReplay,
    Nothing,
    Recipe,
    Replay,
    Stored,
    TableRBM,
)

if TYPE_CHECKING:
    from genreplay.estimators import Deviations, OnlineRBM, OnlineRBMDetector, series_detector
    from genreplay.streams import SeriesEncoder, TableEncoder

__version__ = "0.1.0"
__all__ = [
    "MODERN",
    "PAPER",
    "CheckpointError",
    "Deviations",
    "DivergenceError",
    "DreamPool",
    "Dreams",
    "GenerativeReplay",
    "LogPartition",
    "MemoryReplay",
    "NoReplay",
    "Nothing",
    "OnlineRBM",
    "OnlineRBMDetector",
    "Recipe",
    "Replay",
    "SeriesEncoder",
    "Stored",
    "TableEncoder",
    "TableRBM",
    "series_detector",
]


_LATE = {
    **dict.fromkeys(("Deviations", "OnlineRBM", "OnlineRBMDetector", "series_detector"), "estimators"),
    **dict.fromkeys(("SeriesEncoder", "TableEncoder"), "streams"),
}
"""what comes on first use, so that ``import genreplay.core`` does not import scikit-learn, and where it lies"""


def __getattr__(name: str) -> object:
    if name in _LATE:
        return getattr(import_module(f"genreplay.{_LATE[name]}"), name)
    raise AttributeError(f"module 'genreplay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_LATE]
