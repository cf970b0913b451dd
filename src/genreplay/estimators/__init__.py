"""Estimators around the core: with scikit-learn's interface, with River's, and a plain one for the command line."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genreplay.estimators.classifier import OnlineRBMClassifier
    from genreplay.estimators.detector import OnlineRBMDetector
    from genreplay.estimators.deviations import Deviations
    from genreplay.estimators.joint import JointRBMClassifier
    from genreplay.estimators.memories import InfiniteMemory, ReservoirMemory
    from genreplay.estimators.online_rbm import OnlineRBM
    from genreplay.estimators.rehearsed_pairs import BoundaryPairs, RehearsedPairs, RelabelledPairs
    from genreplay.estimators.replay_classifier import GenerativeReplayClassifier
    from genreplay.estimators.series import series_detector

__all__ = [
    "BoundaryPairs",
    "Deviations",
    "GenerativeReplayClassifier",
    "InfiniteMemory",
    "JointRBMClassifier",
    "OnlineRBM",
    "OnlineRBMClassifier",
    "OnlineRBMDetector",
    "RehearsedPairs",
    "RelabelledPairs",
    "ReservoirMemory",
    "series_detector",
]

_HOMES = {
    "BoundaryPairs": "rehearsed_pairs",
    "Deviations": "deviations",
    "GenerativeReplayClassifier": "replay_classifier",
    "InfiniteMemory": "memories",
    "JointRBMClassifier": "joint",
    "OnlineRBM": "online_rbm",
    "OnlineRBMClassifier": "classifier",
    "OnlineRBMDetector": "detector",
    "RehearsedPairs": "rehearsed_pairs",
    "RelabelledPairs": "rehearsed_pairs",
    "ReservoirMemory": "memories",
    "series_detector": "series",
}

if not TYPE_CHECKING:  # a type checker that saw this function would accept any name

    def __getattr__(name: str) -> object:
        """Import on first use (PEP 562): most need scikit-learn, which the plain detector beside them does not."""
        if name in _HOMES:
            return getattr(import_module(f"genreplay.estimators.{_HOMES[name]}"), name)
        raise AttributeError(f"module 'genreplay.estimators' has no attribute {name!r}")
