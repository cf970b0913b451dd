"""Faults in a table of a factory (not in the paper): how well each kind is found, explained and filled in.

The table is that of ``genreplay.datasets.faults``, drawn from the seed: mixed columns, shifts, missing cells, and five
kinds of faults, known for each row. Rows come in the order of time or shuffled; each is scored, and then learned.
The first rows are learned and not counted. None of the methods sees a label:

- RBM: ``OnlineRBMDetector`` with its defaults, on the table as it is;
- histograms: each column for itself, counted online in the codes of the same encoder. It shows what can be found
  without any relation between columns;
- HalfSpaceTrees and LODA of River, online, and IsolationForest of scikit-learn, fitted offline on all rows: on the
  numbers of ``genreplay.experiments.faults.coding``, otherwise as in ``genreplay.experiments.anomaly``.

The RBM is also asked for more: alarms at a nominal 1 %, the column to blame, dreams, and filled cells.
"""

from genreplay.experiments.faults.rbm import NOMINAL
from genreplay.experiments.faults.run import METHODS, ONLINE, ORDERS, FaultsRun, runs

__all__ = ["METHODS", "NOMINAL", "ONLINE", "ORDERS", "FaultsRun", "runs"]
