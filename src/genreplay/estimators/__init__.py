"""Estimators with scikit-learn's interface around the core."""

from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.estimators.deviations import Deviations
from genreplay.estimators.online_rbm import OnlineRBM
from genreplay.estimators.series import series_detector

__all__ = ["Deviations", "OnlineRBM", "OnlineRBMDetector", "series_detector"]
