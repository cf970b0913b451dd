"""Estimates of log Z held against the truth (not in the paper), on models with planted deep modes.

Each model has a few hidden units that prefer patterns of their own, strongly; the base rates of its rows say little
about any of these patterns. The hidden layer is small, so that log Z can be enumerated. Rows are drawn from the model
itself, exactly. Beside the estimate that this package reports stand AIS from the base rates and reverse AIS from where
it ended: they can agree with each other and both be wrong.

Models that learned MNIST or Web are hard in another way: they have very many modes, of which chains meet some. Their
log Z is not known, but estimates of the same model can be held against each other.
"""

from collections.abc import Sequence
from dataclasses import replace

from genreplay.experiments.log_z.planted import planted, rows_of
from genreplay.experiments.log_z.repeated import RepeatedRun
from genreplay.experiments.log_z.run import PlantedRun

__all__ = ["PlantedRun", "RepeatedRun", "planted", "rows_of", "runs"]

LEARNED = [
    ("mnist", "paper", "OCD_GR"),
    ("mnist", "paper", "ER-IM"),
    ("mnist", "C", "ER-ML"),
    ("web", "paper", "ER-IM"),
]
"""data set, reading of the paper and method: the models on which the settings of the estimate were chosen"""


def runs(quick: bool = False) -> Sequence[PlantedRun | RepeatedRun]:
    """Planted models, and models that learned."""
    learned = [RepeatedRun(*each) for each in LEARNED]
    if quick:
        few = [replace(each, n_hidden=20, max_rows=300, n_temperatures=29, n_estimates=2) for each in learned[:1]]
        return [PlantedRun(n_models=4, n_temperatures=290), *few]
    return [PlantedRun(), *learned]
