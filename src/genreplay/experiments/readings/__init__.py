"""Which reading of the paper gives its figures? A search over what Algorithm 1 and section 4 leave open."""

from genreplay.experiments.readings.plan import runs
from genreplay.experiments.readings.run import ReadingRun

__all__ = ["ReadingRun", "runs"]
