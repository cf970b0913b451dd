"""The eight binary sets of the UCI evaluation suite, split as in NADE (2011) and MADE (2015) (Table 1).

Two forms are read: one npz file per set, its splits packed eight bits to a byte; and three text files per set, as in
the public repository arranger1044/DEBD, verified by the hashes that git gives them there.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np

from genreplay.datasets.base import Bits, Splits
from genreplay.datasets.files import DataFile
from genreplay.datasets.spec import Form, Spec

DEBD = "https://raw.githubusercontent.com/arranger1044/DEBD/master/datasets/"


def parse_packed(contents: Sequence[bytes]) -> Splits:
    """Unpack the three splits of an npz."""
    with np.load(io.BytesIO(contents[0]), allow_pickle=False) as packed:
        n_features = int(packed["n_features"])
        train, valid, test = (np.unpackbits(packed[s], axis=1, count=n_features) for s in ("train", "valid", "test"))
    return Splits(train, valid, test)


def parse_text(contents: Sequence[bytes]) -> Splits:
    """Read three text files of rows "0,1,...".

    >>> parse_text([b"0,1\\n1,1\\n", b"0,0\\n", b"1,0\\n"]).train
    array([[0, 1],
           [1, 1]], dtype=uint8)
    """
    train, valid, test = (_parse_rows(content) for content in contents)
    return Splits(train, valid, test)


def _parse_rows(content: bytes) -> Bits:
    n_features = content.split(b"\n", 1)[0].count(b",") + 1
    characters = np.frombuffer(content, dtype=np.uint8)
    # The content is verified, so every other character is a separator: no need to parse 22 million numbers one by one.
    digits = characters[(characters == ord("0")) | (characters == ord("1"))]
    bits: Bits = digits - np.uint8(ord("0"))
    return bits.reshape(-1, n_features)


def parse_rcv1_validation(contents: Sequence[bytes]) -> Splits:
    """Make training and test rows from RCV1's validation rows: the first 8,000 and the last 2,000."""
    with np.load(io.BytesIO(contents[0]), allow_pickle=False) as packed:
        rows = np.unpackbits(packed["valid"], axis=1, count=int(packed["n_features"]))
    return Splits(train=rows[:8000], valid=rows[:0], test=rows[8000:])


def _packed(name: str, n_rows: tuple[int, int, int], sha256: str) -> Form:
    return Form(n_rows, parse_packed, (DataFile(f"uci/{name}.npz", f"sha256:{sha256}"),))


def _text(name: str, n_rows: tuple[int, int, int], *git: str) -> Form:
    splits = zip(("train", "valid", "test"), git, strict=True)
    files = (
        DataFile(f"uci/{name}.{split}.data", f"git:{digest}", f"{name}/{name}.{split}.data") for split, digest in splits
    )
    return Form(n_rows, parse_text, tuple(files), (DEBD,))


_ADULT = (5000, 1414, 26147)
_CONNECT4 = (16000, 4000, 47557)
_MUSHROOMS = (2000, 500, 5624)
_NIPS = (400, 100, 1240)
_OCR_LETTERS = (32152, 10000, 10000)

SPECS = (
    Spec(
        "adult",
        n_features=123,
        forms=(
            _packed("adult", _ADULT, "141c68260af1fe308e7387891527c1e951c5b65ad3b7c7a735fcfc70a533f6b4"),
            _text(
                "adult",
                _ADULT,
                "101be82a729802294177e86594095fa14fc5d5ca",
                "1d1f0853a75e2db49968c3380d5db92692c7d26a",
                "ca1a6642228f20971897abba6fb5ddc620bc80a3",
            ),
        ),
    ),
    Spec(
        "connect4",
        n_features=126,
        forms=(
            _packed("connect4", _CONNECT4, "67beb2e9afabc0ec9d54051dfba956ac2d9e7cbf0250c064979992c9bd406698")._replace(
                note="The test rows are the original ones in another order."
            ),
            _text(
                "connect4",
                _CONNECT4,
                "93b42c60aeca67df76fd821ef0ae5b8ceb8b8b01",
                "71f641a9b87507bb3e9f930c455748f118a6c9e0",
                "088e6da63a6e9d5cab1af67518fd6b202cef6f51",
            ),
        ),
    ),
    Spec(
        "dna",
        n_features=180,
        forms=(_packed("dna", (1400, 600, 1186), "e1051a7ef0df646d84d29cd47ca10046c88cfff0ad6306d29e6eb061d177bda4"),),
    ),
    Spec(
        "mushrooms",
        n_features=112,
        forms=(
            _packed("mushrooms", _MUSHROOMS, "4db3a0a517f219e8f01259b2969395028ddf1f3ffb98caff4d04979cca04cdf8"),
            _text(
                "mushrooms",
                _MUSHROOMS,
                "563ba3a28eb60c63fc39b46134d5914738e7a09e",
                "9f125c50d027c89cc56a704c5b3c4db6bb165893",
                "1372a949dbcf6bc62e19885d59dac25f8f88477f",
            ),
        ),
    ),
    Spec(
        "nips",
        n_features=500,
        forms=(
            _packed("nips", _NIPS, "3649a0686fd9588b548e80a9bc0ed1859bdf291e9fe61cef49cf60a9af21176d"),
            _text(
                "nips",
                _NIPS,
                "583d8a180c2851793724e6d93f701966a079c817",
                "5e0137e210086a03b342a692705bd806b90f4c3c",
                "8787df72842c24be8af223ddd773998c5095b65f",
            ),
        ),
    ),
    Spec(
        "ocr_letters",
        n_features=128,
        forms=(
            _packed("ocr_letters", _OCR_LETTERS, "1cd65be35ea61336f68306300957d1ff034f87ac04df316e30e0d83fd6d56328"),
            _text(
                "ocr_letters",
                _OCR_LETTERS,
                "5deb8ce789bfb4f94849b1b5f57e7c841ec9f538",
                "ebbd09fef2383f0b507ee4addd17f0c5f3b4313b",
                "25b4cdcc1b5fb8602a4baacf7df16bd15947565c",
            ),
        ),
    ),
    Spec(
        "rcv1",
        n_features=150,
        forms=(
            _text(
                "rcv1",
                (40000, 10000, 150000),
                "25ee49d9df5566669d5994db5acf32844d8f4f7b",
                "890d4558bcb738690ef775a4fbdeb7ef9511d377",
                "0d9b096f4b8a62dec4634f3f87a73e292b5cffc8",
            ),
            Form(
                n_rows=(8000, 0, 2000),
                parse=parse_rcv1_validation,
                files=(
                    DataFile(
                        "uci/rcv1_valid_only.npz",
                        "sha256:8943b8b35a2c083f810a7516054ea3f3b1323defbf3b1a5409b8ae9531e1fe33",
                    ),
                ),
                state="surrogate",
                note="RCV1's 10,000 validation rows alone: the first 8,000 to train, the last 2,000 to test.",
            ),
        ),
    ),
    Spec(
        "web",
        n_features=300,
        forms=(
            _packed(
                "web", (14000, 3188, 32561), "9be52e541cc8050b7f5bc0fe8435c937fd17aefb150082d21cc78ba5634d2069"
            )._replace(
                state="partial",
                note="The test rows are exact; training and validation rows only together, as their split is unknown.",
            ),
        ),
    ),
)
