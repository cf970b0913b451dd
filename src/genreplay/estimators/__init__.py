"""The faces: estimators with scikit-learn's manners around the core."""

from genreplay.estimators.online_rbm import OnlineRBM

__all__ = ["OnlineRBM"]
