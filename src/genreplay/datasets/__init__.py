"""The paper's nine data sets, its toy classes and scikit-learn's digits: found, verified, made binary, ordered.

Files are looked for in the folder that the environment variable GENREPLAY_DATA names, then in the user's cache;
``genreplay.datasets.fetch`` downloads into the cache.
"""

from genreplay.datasets.base import Bits, Dataset, DatasetError
from genreplay.datasets.ordering import order
from genreplay.datasets.registry import Summary, describe, load, names
from genreplay.datasets.toy import toy_log_prob

__all__ = ["Bits", "Dataset", "DatasetError", "Summary", "describe", "load", "names", "order", "toy_log_prob"]
