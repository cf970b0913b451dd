"""Tables in which a few rows are anomalies: thirteen sets of ADBench, and the Shuttle that comes with River.

They are real-valued and have a label for every row, but no splits, so they are kept apart from the paper's nine sets.
None is ever downloaded. The thirteen are looked for in ``anomaly/`` below the folder that GENREPLAY_DATA names, then
below the user's cache. A file is recognised by its numbers of rows, columns and anomalies, not by a hash: copies are
compressed in different ways.
"""

from __future__ import annotations

import io
import zipfile
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.datasets import files
from genreplay.datasets.base import DatasetError

SOURCE = "https://github.com/Minqi824/ADBench, folder adbench/datasets/Classical"
RIVER_SHUTTLE = "river-shuttle"
"""the name of River's set: the same rows as ADBench's shuttle, in the same order"""
NEEDS_RIVER = "River is not installed, or has no LODA and no Shuttle yet: pip install --upgrade 'genreplay[river]'"


class Known(NamedTuple):
    """What is known of a set before its file is opened."""

    file: str
    """path below a data folder; empty for River's"""
    n_rows: int
    n_columns: int
    n_anomalies: int


KNOWN = {
    "campaign": Known("anomaly/5_campaign.npz", 41_188, 62, 4_640),
    "cardio": Known("anomaly/6_cardio.npz", 1_831, 21, 176),
    "celeba": Known("anomaly/8_celeba.npz", 202_599, 39, 4_547),
    "cover": Known("anomaly/10_cover.npz", 286_048, 10, 2_747),
    "http": Known("anomaly/16_http.npz", 567_498, 3, 2_211),
    "internetads": Known("anomaly/17_InternetAds.npz", 1_966, 1_555, 368),
    "mammography": Known("anomaly/23_mammography.npz", 11_183, 6, 260),
    "pendigits": Known("anomaly/28_pendigits.npz", 6_870, 16, 156),
    "satimage-2": Known("anomaly/31_satimage-2.npz", 5_803, 36, 71),
    "shuttle": Known("anomaly/32_shuttle.npz", 49_097, 9, 3_511),
    "smtp": Known("anomaly/34_smtp.npz", 95_156, 3, 30),
    "spambase": Known("anomaly/35_SpamBase.npz", 4_207, 57, 1_679),
    "thyroid": Known("anomaly/38_thyroid.npz", 3_772, 6, 93),
    RIVER_SHUTTLE: Known("", 49_097, 9, 3_511),
}


class Labelled(NamedTuple):
    """A table and which of its rows are anomalies."""

    name: str
    rows: npt.NDArray[np.float64]
    is_anomaly: npt.NDArray[np.bool_]


def names() -> list[str]:
    """Return the names that ``load`` knows.

    >>> len(names()), names()[:3]
    (14, ['campaign', 'cardio', 'celeba'])
    """
    return list(KNOWN)


def load(name: str) -> Labelled:
    """Find a set and return it; if it is missing, the error says where to get it."""
    if name not in KNOWN:
        raise DatasetError(f"There is no anomaly set {name!r}. Known are: {', '.join(KNOWN)}.")
    if name == RIVER_SHUTTLE:
        return _river_shuttle()
    known = KNOWN[name]
    path = next((path for folder in files.folders() if (path := folder.path / known.file).is_file()), None)
    if path is None:
        raise DatasetError(
            f"The rows of {name} are not here: put {known.file} into the folder that {files.VARIABLE} names. "
            f"The file is one of ADBench's ({SOURCE})."
        )
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            rows, labels = np.asarray(arrays["X"], dtype=np.float64), np.asarray(arrays["y"])
    except OSError as error:
        raise DatasetError(f"{path} cannot be read ({error.strerror or error}).") from error
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise DatasetError(f"{path} is damaged: get it again from {SOURCE}.") from error
    found = (*rows.shape, int((labels == 1).sum()))
    if found != known[1:] or len(labels) != len(rows):
        raise DatasetError(f"{path} has other rows than ADBench's {name}: get it again from {SOURCE}.")
    return Labelled(name, rows, labels == 1)


def _river_shuttle() -> Labelled:
    try:
        from river.datasets import Shuttle
    except ImportError as error:
        raise DatasetError(f"{NEEDS_RIVER}.") from error
    pairs = list(Shuttle())
    rows = np.array([list(row.values()) for row, _ in pairs], dtype=np.float64)
    return Labelled(RIVER_SHUTTLE, rows, np.array([label == 1 for _, label in pairs]))
