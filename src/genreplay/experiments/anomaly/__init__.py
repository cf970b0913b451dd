"""Anomaly detection on twenty-nine streams (not in the paper): each row is scored, and then learned.

The rows of a set come in a random order, drawn from the seed and so the same for every method. At most 50,000 of them
are streamed. The first rows are learned but not counted. Online methods see a row once:

- RBM: ``OnlineRBMDetector`` with its defaults, the same for all sets;
- histograms: each code for itself, counted in the codes of the same encoder, combinations of columns included, and in
  batches as large. They show what can be found without learning any relation between columns;
- HalfSpaceTrees: River's, behind a MinMaxScaler, as in its documentation;
- LODA: River's, behind a StandardScaler (without one, on the first 6,000 rows of thirteen of the sets and with one
  seed, its mean AUC was 0.80 in place of 0.84; the whole difference came from smtp).

Two are fitted offline, for reference, on rows that they score afterwards: scikit-learn's IsolationForest on all of
them, and LocalOutlierFactor, whose time grows with the square of the rows, on a random sample. All have the defaults of
their libraries; none sees a label.

For the RBM there is one more figure: how many of the usual rows raise an alarm at a nominal 1 % and 5 %, if the
threshold is a p-value of the detector, and if it is a quantile of stored scores.

``variant_runs`` has the RBM with other settings, on at most 5,000 rows of each set but the widest, internetads. From
their results the report tells how much is lost when the settings are chosen on one half of the sets and judged on the
other.
"""

from genreplay.experiments.anomaly.rbm import NOMINAL
from genreplay.experiments.anomaly.run import OFFLINE, ONLINE, VARIANT_ROWS, AnomalyRun, runs, variant_runs
from genreplay.experiments.anomaly.variants import VARIANTS

__all__ = ["NOMINAL", "OFFLINE", "ONLINE", "VARIANTS", "VARIANT_ROWS", "AnomalyRun", "runs", "variant_runs"]
