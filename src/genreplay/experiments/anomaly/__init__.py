"""Anomaly detection on fourteen streams (not in the paper): each row is scored, and then learned.

The rows of a set come in a random order, drawn from the seed and so the same for every method. The first rows are
learned but not counted. Online methods see a row once: the RBM with the defaults of ``OnlineRBMDetector``, the same for
all sets; River's HalfSpaceTrees behind a MinMaxScaler, as in its documentation; River's LODA behind a
StandardScaler (without one, on the first 6,000 rows of ADBench's sets and with one seed, its mean AUC was 0.80 in place
of 0.84; the whole difference came from smtp). Two are fitted offline, for reference, on rows that
they score afterwards: scikit-learn's IsolationForest on all of them, and LocalOutlierFactor, whose time grows with the
square of the rows, on a random sample. All have the defaults of their libraries; none sees a label.

For the RBM there is one more figure: how many of the usual rows raise an alarm at a nominal 1 % and 5 %, if the
threshold comes from the model's dreams, and if it is a quantile of stored scores.
"""

from genreplay.experiments.anomaly.rbm import NOMINAL
from genreplay.experiments.anomaly.run import OFFLINE, ONLINE, AnomalyRun, runs

__all__ = ["NOMINAL", "OFFLINE", "ONLINE", "AnomalyRun", "runs"]
