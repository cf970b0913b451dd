"""A made-up data set of a few rows, in the text form and with a gzipped file, so that tests need no real one."""

from __future__ import annotations

import gzip
import hashlib
import os
from pathlib import Path

import numpy as np
import pytest

from genreplay.datasets.base import Bits
from genreplay.datasets.files import DataFile
from genreplay.datasets.spec import Form, Spec
from genreplay.datasets.uci import parse_text

needs_data = pytest.mark.skipif(
    not os.environ.get("GENREPLAY_DATA"), reason="needs the real files: set GENREPLAY_DATA to their folder"
)

ROWS = np.random.default_rng(0).integers(2, size=(3, 6, 9), dtype=np.uint8)
"""train, valid, test"""


def as_text(rows: Bits) -> bytes:
    return "".join(",".join(map(str, row)) + "\n" for row in rows.tolist()).encode()


def git_hash(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


SERVED = {
    "tiny/tiny.train.data.gz": gzip.compress(as_text(ROWS[0]), mtime=0),
    "tiny/tiny.valid.data": as_text(ROWS[1]),
    "tiny/tiny.test.data": as_text(ROWS[2]),
}
"""the three files by their path below the public address: one as MNIST's are, two as the UCI suite's"""

FILES = tuple(
    DataFile(
        path="uci/" + remote.split("/")[1],
        remote=remote,
        digest=f"sha256:{hashlib.sha256(gzip.decompress(content)).hexdigest()}"
        if remote.endswith(".gz")
        else f"git:{git_hash(content)}",
        published=f"md5:{hashlib.md5(content).hexdigest()}" if remote.endswith(".gz") else "",
    )
    for remote, content in SERVED.items()
)

SPEC = Spec("tiny", 9, (Form((6, 6, 6), parse_text, FILES, base_urls=("http://127.0.0.1:9/",)),))


def write_into(folder: Path) -> list[Path]:
    """Lay the files out as a data folder has them."""
    paths = [folder / file.path for file in FILES]
    for path, content in zip(paths, SERVED.values(), strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return paths
