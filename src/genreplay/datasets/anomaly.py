"""Tables in which a few rows are anomalies: twenty-nine sets of ADBench.

They are real-valued and have a label for every row, but no splits, so they are kept apart from the paper's nine sets.
None is ever downloaded. They are looked for in ``anomaly/`` below the folder that GENREPLAY_DATA names, then below the
user's cache. A file is recognised by its numbers of rows, columns and anomalies, and by its sha256 where one is known:
of the others there are copies that are compressed in different ways.
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


class Known(NamedTuple):
    """What is known of a set before its file is opened."""

    file: str
    """path below a data folder"""
    n_rows: int
    n_columns: int
    n_anomalies: int


KNOWN = {
    "aloi": Known("anomaly/1_ALOI.npz", 49_534, 27, 1_508),
    "campaign": Known("anomaly/5_campaign.npz", 41_188, 62, 4_640),
    "cardio": Known("anomaly/6_cardio.npz", 1_831, 21, 176),
    "cardiotocography": Known("anomaly/7_Cardiotocography.npz", 2_114, 21, 466),
    "celeba": Known("anomaly/8_celeba.npz", 202_599, 39, 4_547),
    "cover": Known("anomaly/10_cover.npz", 286_048, 10, 2_747),
    "fault": Known("anomaly/12_fault.npz", 1_941, 27, 673),
    "http": Known("anomaly/16_http.npz", 567_498, 3, 2_211),
    "internetads": Known("anomaly/17_InternetAds.npz", 1_966, 1_555, 368),
    "ionosphere": Known("anomaly/18_Ionosphere.npz", 351, 32, 126),
    "landsat": Known("anomaly/19_landsat.npz", 6_435, 36, 1_333),
    "letter": Known("anomaly/20_letter.npz", 1_600, 32, 100),
    "magic.gamma": Known("anomaly/22_magic.gamma.npz", 19_020, 10, 6_688),
    "mammography": Known("anomaly/23_mammography.npz", 11_183, 6, 260),
    "optdigits": Known("anomaly/26_optdigits.npz", 5_216, 64, 150),
    "pendigits": Known("anomaly/28_pendigits.npz", 6_870, 16, 156),
    "pima": Known("anomaly/29_Pima.npz", 768, 8, 268),
    "satimage-2": Known("anomaly/31_satimage-2.npz", 5_803, 36, 71),
    "shuttle": Known("anomaly/32_shuttle.npz", 49_097, 9, 3_511),
    "skin": Known("anomaly/33_skin.npz", 245_057, 3, 50_859),
    "smtp": Known("anomaly/34_smtp.npz", 95_156, 3, 30),
    "spambase": Known("anomaly/35_SpamBase.npz", 4_207, 57, 1_679),
    "stamps": Known("anomaly/37_Stamps.npz", 340, 9, 31),
    "thyroid": Known("anomaly/38_thyroid.npz", 3_772, 6, 93),
    "vertebral": Known("anomaly/39_vertebral.npz", 240, 6, 30),
    "vowels": Known("anomaly/40_vowels.npz", 1_456, 12, 50),
    "wdbc": Known("anomaly/43_WDBC.npz", 367, 30, 10),
    "wilt": Known("anomaly/44_Wilt.npz", 4_819, 5, 257),
    "yeast": Known("anomaly/47_yeast.npz", 1_484, 8, 507),
}
SHA256 = {
    "aloi": "792d0b5bd1147bfc9574a1974f157b39fbd4cbed8ecd04cf983fd554498ed477",
    "cardiotocography": "5ae84910430f05923e11b6f537243263977c9136949dabd891e3570aeec51e29",
    "fault": "ec27301f9a4cf7c5d8b22c360cf37ddb043b7fb062465723dfd8b34e2771e5dd",
    "ionosphere": "bca46cb0cfd1bf9ddef6cde5ad2215d54fb0189508d0d4c4eb98e788cad69001",
    "landsat": "ba17e2158c07469597b89db49d3982c874c6b713ff6670721ddc88969da77987",
    "letter": "f986d3da80cf1fa2aea83a5ebe73b7d4800e0d4c01fdd1ae074b58d20f10d039",
    "magic.gamma": "0be375984d7af9ea7a63b12206c240840d8b7daa3607021c5fb8756407dd86f1",
    "optdigits": "60de17a375a278ba220a7849727d998aa02b5e2f9fd17732a004bba28de4656e",
    "pima": "215454bb263a2f040945c9ea7bd7f06f1e89a61a3143bdb6f196e3887e801a7d",
    "skin": "d02aa01ffc1b6bf2b8b1ac250c90e8a8eacd0cefc962940ed5cc4bf5deac9c95",
    "stamps": "99fe739447284f613fa54bf2dccdb51c5120175ce6260adec6dad77576c42509",
    "vertebral": "0816286f92b96fe6867664a41a031ac7228dcfbf1a5feefe50ca3883b2e9073d",
    "vowels": "4bfc4244d1c882773bbbc50d4a5db5e52276e53506e46b2d45e02d074cfcb1b6",
    "wdbc": "78d4606a1ab516f5b60b00c196497f3bbd6bd5e4548fd04cf5f2475209b34b85",
    "wilt": "c70b72aa611ec87b20efb400943ef3ce4f8bf7aa58fcef825fbd28cc5cee3cc9",
    "yeast": "bbb15c873d78a4f6a589f46d0f75814595e2282d2ae7ce7779c750f276c3770d",
}
"""of the files that are recognised by their bytes, too"""


class Labelled(NamedTuple):
    """A table and which of its rows are anomalies."""

    name: str
    rows: npt.NDArray[np.float64]
    is_anomaly: npt.NDArray[np.bool_]


def names() -> list[str]:
    """Return the names that ``load`` knows.

    >>> len(names()), names()[:3]
    (29, ['aloi', 'campaign', 'cardio'])
    """
    return list(KNOWN)


def load(name: str) -> Labelled:
    """Find a set and return it; if it is missing, the error says where to get it."""
    if name not in KNOWN:
        raise DatasetError(f"There is no anomaly set {name!r}. Known are: {', '.join(KNOWN)}.")
    known = KNOWN[name]
    path = next((path for folder in files.folders() if (path := folder.path / known.file).is_file()), None)
    if path is None:
        raise DatasetError(
            f"The rows of {name} are not here: put {known.file} into the folder that {files.VARIABLE} names. "
            f"The file is one of ADBench's ({SOURCE})."
        )
    try:
        content = path.read_bytes()
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            rows, labels = np.asarray(arrays["X"], dtype=np.float64), np.asarray(arrays["y"])
    except OSError as error:
        raise DatasetError(f"{path} cannot be read ({error.strerror or error}).") from error
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise DatasetError(f"{path} is damaged: get it again from {SOURCE}.") from error
    found = (*rows.shape, int((labels == 1).sum()))
    is_known = name not in SHA256 or files.matches(content, f"sha256:{SHA256[name]}")
    if found != known[1:] or len(labels) != len(rows) or not is_known:
        raise DatasetError(f"{path} has other rows than ADBench's {name}: get it again from {SOURCE}.")
    return Labelled(name, rows, labels == 1)
