"""Estimates of log Z held against the truth (not in the paper), on models with planted deep modes.

Each model has a few hidden units that prefer patterns of their own, strongly; the base rates of its rows say little
about any of these patterns. The hidden layer is small, so that log Z can be enumerated. Rows are drawn from the model
itself, exactly. Beside the estimate that this package reports stand AIS from the base rates and reverse AIS from where
it ended: they can agree with each other and both be wrong.
"""

from genreplay.experiments.log_z.planted import planted, rows_of
from genreplay.experiments.log_z.run import PlantedRun, runs

__all__ = ["PlantedRun", "planted", "rows_of", "runs"]
