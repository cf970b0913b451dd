"""Models of keys on disk, the ones used lately in memory: what a process keeps of a fleet.

A folder has one SQLite file for each shard of the keys, and ``fleet.json``. A key may have two models: that of the
last commit, and a later one that is written while rows are learned. A commit writes the shards first, and then, in one
rename, the number of the commit to ``fleet.json``. What a shard has of a later commit is deleted when it is opened: so
after a crash all shards are as they were at one commit, whatever processes wrote them.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from genreplay.core import checkpoint
from genreplay.core.ingredient import Json
from genreplay.core.model_file import checked
from genreplay.estimators.alarms import ExplainedRows
from genreplay.estimators.plain_detector import Detector
from genreplay.fleet.keyed import Blueprint, Cells, FleetError

N_SHARDS = 16
"""files that the keys are divided into, so that processes can share the work; no result depends on it"""
_VERSION = 1
"""of the folder; raised by any change that an older genreplay could not read"""
HEAD, _PRIOR = "fleet.json", "prior.safetensors"
_SECONDS = 60
"""to wait for a process that was told to end and still has a file open"""
_OBJECTS = 70_000
"""bytes of a detector beside its arrays, about: codes, judge and other small objects of Python"""
_WAITING_CELL = 64
"""bytes of a cell that waits in a warm-up, about"""


def shard_of(key: str) -> int:
    """The shard of a key: the same on every machine.

    >>> shard_of("meter-7") == shard_of("meter-7") < N_SHARDS
    True
    """
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=1, person=b"shard").digest()[0] % N_SHARDS


class Head(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ``fleet.json`` says."""

    version: int
    commit: int
    """number of the last commit"""
    blueprint: dict[str, Any]
    notes: dict[str, Any]
    """what the caller keeps beside the models, such as the place in the input"""

    @classmethod
    def read(cls, folder: Path) -> Head:
        """That of a folder."""
        path = folder / HEAD
        try:
            content = path.read_bytes()
        except OSError as error:
            raise FleetError(f"{folder} has no fleet: {path.name} cannot be read ({error.strerror}).") from error
        try:
            head = checked(json.loads(content), cls)
        except ValueError as error:
            raise FleetError(f"{path} is damaged: {error}") from error
        if head.version != _VERSION:
            raise FleetError(f"{folder} has a fleet of version {head.version}, but this genreplay reads {_VERSION}.")
        return head

    def write(self, folder: Path) -> None:
        """Replace that of a folder, atomically."""
        content = json.dumps(msgspec.to_builtins(self), indent=1).encode()
        checkpoint.write_atomically(folder / HEAD, content + b"\n")


def create(folder: Path, blueprint: Blueprint, notes: Mapping[str, Json]) -> Head:
    """A folder without any model yet. What was a fleet there before is removed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / HEAD).unlink(missing_ok=True)
    for shard in range(N_SHARDS):
        for path in folder.glob(f"{_file_of(shard).name}*"):  # and its journal
            path.unlink()
    (folder / _PRIOR).unlink(missing_ok=True)
    if blueprint.prior is not None:
        checkpoint.write_atomically(folder / _PRIOR, blueprint.prior)
    head = Head(_VERSION, 0, dict(blueprint.to_json()), dict(notes))
    head.write(folder)
    return head


def blueprint_of(folder: Path, head: Head) -> Blueprint:
    """How the detectors of a folder start."""
    prior = folder / _PRIOR
    with checkpoint.refusing(folder / HEAD):
        return Blueprint.from_json(head.blueprint, prior.read_bytes() if prior.exists() else None)


def kept(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The keys of a folder, in no order, and their model files, as they were at the last commit."""
    commit = Head.read(folder).commit
    newest = "SELECT key, file, max(number) FROM models WHERE number <= ? GROUP BY key"
    for shard in range(N_SHARDS):
        if (folder / _file_of(shard)).exists():
            with _refusing(folder), closing(_connected(folder, shard)) as database:
                for key, file, _ in database.execute(newest, (commit,)):
                    yield key, file


class _Live(NamedTuple):
    detector: Detector
    n_bytes: int


class Keeper:
    """Learns the rows of the keys of some shards. Nobody else may have these shards open.

    Models that were used lately stay in memory, up to about ``most_bytes``. The others are written before the commit
    that they belong to, and count only after it.
    """

    def __init__(self, folder: Path, shards: Iterable[int], blueprint: Blueprint, commit: int, most_bytes: int) -> None:
        self._folder, self._blueprint, self._most_bytes = folder, blueprint, most_bytes
        self._databases = {shard: _connected(folder, shard) for shard in shards}
        self._number = commit + 1
        self._live: OrderedDict[str, _Live] = OrderedDict()
        self._unwritten: set[str] = set()
        """keys in memory that have learned since they were written"""
        self._n_bytes = 0
        with _refusing(folder):
            for database in self._databases.values():
                database.execute("DELETE FROM models WHERE number > ?", (commit,))
                database.execute("COMMIT")
                database.execute("BEGIN")

    def learn(self, rows: Iterable[tuple[str, Cells]]) -> dict[str, ExplainedRows]:
        """Judge and learn further rows of keys, each of which comes once."""
        found = {}
        for key, cells in rows:
            detector = self._taken(key)
            try:
                found[key] = self._blueprint.learn(detector, cells)
            except ValueError as error:
                raise FleetError(f"Key {key!r}: {error}") from error
            self._keep(key, detector)
        return found

    def write(self) -> None:
        """Write all that was learned since the last call, under the number of the next commit."""
        with _refusing(self._folder):
            for key in self._unwritten:
                self._write(key, self._live[key].detector)
            self._unwritten.clear()
            for database in self._databases.values():
                database.execute("COMMIT")
                database.execute("BEGIN")
        self._number += 1

    def close(self) -> None:
        """Close the files; what was not written is given up."""
        for database in self._databases.values():
            database.close()

    @property
    def n_bytes(self) -> int:
        """Bytes of the models in memory, about."""
        return self._n_bytes

    def _taken(self, key: str) -> Detector:
        if key in self._live:
            live = self._live.pop(key)
            self._n_bytes -= live.n_bytes
            return live.detector
        with _refusing(self._folder):
            newest = "SELECT file FROM models WHERE key = ? ORDER BY number DESC LIMIT 1"
            held = self._databases[shard_of(key)].execute(newest, (key,)).fetchone()
        return self._blueprint.opened(None if held is None else held[0], key)

    def _keep(self, key: str, detector: Detector) -> None:
        n_bytes = _bytes_of(detector)
        self._live[key] = _Live(detector, n_bytes)
        self._unwritten.add(key)
        self._n_bytes += n_bytes
        while self._n_bytes > self._most_bytes and self._live:
            oldest, live = self._live.popitem(last=False)
            self._n_bytes -= live.n_bytes
            if oldest in self._unwritten:
                self._unwritten.remove(oldest)
                with _refusing(self._folder):
                    self._write(oldest, live.detector)

    def _write(self, key: str, detector: Detector) -> None:
        database, now = self._databases[shard_of(key)], self._number
        # the model of the last commit stays, in case that this one is never reached
        committed = "SELECT max(number) FROM models WHERE key = ? AND number < ?"
        database.execute(f"DELETE FROM models WHERE key = ? AND number < ({committed})", (key, key, now))
        database.execute("REPLACE INTO models VALUES (?, ?, ?)", (key, now, self._blueprint.closed(detector)))


def _bytes_of(detector: Detector) -> int:
    """Bytes that a detector takes in memory, about."""
    judge = detector.judge_
    if judge is None:
        return _OBJECTS + detector.n_waiting_ * detector.n_features_in_ * _WAITING_CELL
    return _OBJECTS + judge.state.nbytes + judge.state.rehearsed.nbytes


def _file_of(shard: int) -> Path:
    return Path(f"models-{shard:02}.sqlite")


def _connected(folder: Path, shard: int) -> sqlite3.Connection:
    """The file of a shard, with a transaction open."""
    with _refusing(folder):
        database = sqlite3.connect(folder / _file_of(shard), timeout=_SECONDS, isolation_level=None)
        database.execute("PRAGMA cache_size = -512")  # kB: the models in memory are the cache
        database.execute(
            "CREATE TABLE IF NOT EXISTS models (key TEXT, number INTEGER, file BLOB, PRIMARY KEY (key, number))"
        )
        database.execute("BEGIN")
    return database


@contextmanager
def _refusing(folder: Path) -> Iterator[None]:
    """Turn what SQLite says into one sentence."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if "locked" in str(error):
            raise FleetError(f"Another process is learning the models in {folder}: wait for it.") from error
        raise OSError(f"The models in {folder} cannot be read or written: {error}.") from error
    except sqlite3.DatabaseError as error:
        raise FleetError(f"The models in {folder} are damaged: {error}.") from error
