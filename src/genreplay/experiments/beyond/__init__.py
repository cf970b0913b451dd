"""Beyond the paper: the recipe "modern" on every data set, the effect of each ingredient, and rivals that store rows.

The rivals have the same ingredients. The settings of the recipe were chosen on validation rows (for MNIST and RCV1 the
last rows of the training split). The test rows were not used for that, but an earlier recipe had been tried on them.
"""

from genreplay.experiments.beyond.differences import DIFFERENCES, RIVALS, VARIANTS
from genreplay.experiments.beyond.plan import ABLATED, runs
from genreplay.experiments.beyond.price import PriceRun
from genreplay.experiments.beyond.run import BeyondRun

__all__ = ["ABLATED", "DIFFERENCES", "RIVALS", "VARIANTS", "BeyondRun", "PriceRun", "runs"]
