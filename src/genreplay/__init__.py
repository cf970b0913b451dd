"""Learn Restricted Boltzmann Machines from streams, without storing the data.

Before each update the model dreams its own past and rehearses it beside the newest rows: Online Contrastive Divergence
with Generative Replay (Mocanu, Torres Vega, Eaton, Stone, Liotta, 2016).
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    from genreplay.estimators import (
        BoundaryPairs,
        Deviations,
        GenerativeReplayClassifier,
        InfiniteMemory,
        JointRBMClassifier,
        OnlineRBM,
        OnlineRBMClassifier,
        OnlineRBMDetector,
        RehearsedPairs,
        RelabelledPairs,
        ReservoirMemory,
        series_detector,
    )
    from genreplay.streams import SeriesEncoder, TableEncoder

__version__ = "0.1.0"
__all__ = [
    "MODERN",
    "PAPER",
    "BoundaryPairs",
    "CheckpointError",
    "Deviations",
    "DivergenceError",
    "DreamPool",
    "Dreams",
    "GenerativeReplay",
    "GenerativeReplayClassifier",
    "InfiniteMemory",
    "JointRBMClassifier",
    "LogPartition",
    "MemoryReplay",
    "NoReplay",
    "Nothing",
    "OnlineRBM",
    "OnlineRBMClassifier",
    "OnlineRBMDetector",
    "Recipe",
    "RehearsedPairs",
    "RelabelledPairs",
    "Replay",
    "ReservoirMemory",
    "SeriesEncoder",
    "Stored",
    "TableEncoder",
    "TableRBM",
    "series_detector",
]

_PACKAGES = ("core", "datasets", "device", "estimators", "fleet", "plots", "rl", "streams")
"""those that ``import genreplay`` makes known without importing them"""
_HOMES = {
    **dict.fromkeys(
        (
            *("BoundaryPairs", "Deviations", "GenerativeReplayClassifier", "InfiniteMemory", "JointRBMClassifier"),
            *("OnlineRBM", "OnlineRBMClassifier", "OnlineRBMDetector", "RehearsedPairs", "RelabelledPairs"),
            *("ReservoirMemory", "series_detector"),
        ),
        "estimators",
    ),
    **dict.fromkeys(("SeriesEncoder", "TableEncoder"), "streams"),
}
"""packages of the names in ``__all__`` that do not come from ``core``"""

if not TYPE_CHECKING:  # a type checker that saw this function would accept any name

    def __getattr__(name: str) -> object:
        """Import on first use (PEP 562): NumPy, and scikit-learn far more so, are slow to import."""
        if name in _PACKAGES:
            return import_module(f"genreplay.{name}")
        if name in __all__:
            value = globals()[name] = getattr(import_module(f"genreplay.{_HOMES.get(name, 'core')}"), name)
            return value
        raise AttributeError(f"module 'genreplay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})
