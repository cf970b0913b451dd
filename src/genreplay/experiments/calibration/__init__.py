"""False alarms (not in the paper): how many fresh usual rows raise one, by a detector that has seen usual rows.

A p-value says how often a usual row would be as strange. Whether that is so can only be seen where it is known which
rows are usual, and where anomalies have not moved the threshold: so the usual rows of each of the twenty-nine tables
are learned in a random order, all but the last, and these are judged by the model as it is then. Small tables come in
several orders, until enough rows have been judged for a rate of 1 % to be seen. One stream is made up: a million rows
of six numbers that depend on each other, to see whether the rates still hold after so many.
"""

from genreplay.experiments.anomaly import NOMINAL
from genreplay.experiments.calibration.run import MADE_UP, CalibrationRun, runs

__all__ = ["MADE_UP", "NOMINAL", "CalibrationRun", "runs"]
