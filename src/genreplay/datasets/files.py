"""Data files: where they are looked for, and how their content is verified.

A file is read once, and the bytes that were verified are the bytes that are parsed.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import pooch  # type: ignore[import-untyped]

from genreplay.datasets.base import DatasetError

VARIABLE = "GENREPLAY_DATA"


class DataFile(NamedTuple):
    """One file of a data set and what is known of its content."""

    path: str
    """path below a data folder, such as "uci/adult.npz" """
    digest: str
    """ "algorithm:hex" of the content, decompressed if the name ends in .gz"""
    remote: str = ""
    """path below a public address"""
    published: str = ""
    """ "algorithm:hex" of the file as it is served, where that is known apart from ``digest``"""

    @property
    def expected(self) -> str:
        """The hash that a copy of the file should have, in words."""
        algorithm, value = (self.published or self.digest).split(":")
        return f"git hash-object {value}" if algorithm == "git" else f"{algorithm} {value}"


class Folder(NamedTuple):
    """A folder where data files are looked for."""

    kind: Literal["GENREPLAY_DATA", "cache", "built in"]
    path: Path


def cache() -> Folder:
    """Return the folder in the user's cache, where downloads go."""
    return Folder("cache", Path(pooch.os_cache("genreplay")))


def folders() -> Iterator[Folder]:
    """Yield the places to look in, in this order: the folder that GENREPLAY_DATA names, the user's cache."""
    if os.environ.get(VARIABLE):
        yield Folder("GENREPLAY_DATA", Path(os.environ[VARIABLE]).expanduser())
    yield cache()


def folder_with(files: tuple[DataFile, ...]) -> Folder | None:
    """Return the first folder that has all of the files, or None."""
    if not files:
        return Folder("built in", Path())
    return next((f for f in folders() if all((f.path / file.path).is_file() for file in files)), None)


def read(path: Path, file: DataFile) -> bytes:
    """Return the content of ``path``, decompressed, if it is what ``file`` should hold."""
    try:
        raw = path.read_bytes()
        content = gzip.decompress(raw) if file.path.endswith(".gz") else raw
    except (gzip.BadGzipFile, EOFError, zlib.error):
        content = None
    except OSError as error:
        raise DatasetError(f"{path} cannot be read ({error.strerror}).") from error
    if content is None or not matches(content, file.digest):
        raise DatasetError(f"{path} is damaged: its content is not the expected one. Delete it and fetch it again.")
    return content


def matches(content: bytes, digest: str) -> bool:
    """Tell whether the content has this "algorithm:hex" digest; "git" is the hash that git gives a file.

    >>> matches(b"0,1,1\\n", "git:e8283cd065413aec6024f16870d8c0beea4d279c")
    True
    """
    algorithm, value = digest.split(":")
    if algorithm == "git":
        algorithm, content = "sha1", b"blob %d\0" % len(content) + content
    return hashlib.new(algorithm, content, usedforsecurity=False).hexdigest() == value
