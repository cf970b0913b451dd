"""Which reading of the paper gives its figures? A search over what Algorithm 1 and section 4 leave open."""

from genreplay.experiments.readings.plan import runs

__all__ = ["runs"]
