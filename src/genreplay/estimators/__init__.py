"""Estimators with scikit-learn's interface around the core."""

from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.estimators.online_rbm import OnlineRBM

__all__ = ["OnlineRBM", "OnlineRBMDetector"]
