"""One key of a fleet: its detector, and the one step by which every engine makes it learn.

What is learned for a key depends on its rows, in their order, on the blueprint and on a seed that follows from the key.
It does not depend on other keys, on how the stream is cut, or on the engine: so engines agree to the last bit.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from genreplay.core.ingredient import Json
from genreplay.estimators import arguments
from genreplay.estimators.alarms import ExplainedRows
from genreplay.estimators.arguments import arguments_of
from genreplay.estimators.notes import Account, Saved, Times
from genreplay.estimators.plain_detector import Detector
from genreplay.streams.chunks import Chunk, Column, InputError, listed, short
from genreplay.streams.schema import Schema

Cells = npt.NDArray[Any]
"""rows of typed cells, as ``Schema.parse`` returns them"""


class FleetError(InputError):
    """Rows, or what is kept of a fleet, do not fit it; the message says why, and what to do."""


def seed_of(seed: int, key: str) -> int:
    """The seed of a key, from that of the fleet: the same on every machine.

    >>> seed_of(0, "meter-7") == seed_of(0, "meter-7"), seed_of(0, "meter-7") == seed_of(0, "meter-8")
    (True, False)
    """
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=4, salt=seed.to_bytes(4, "little"))
    return int.from_bytes(digest.digest(), "little")


@dataclass(frozen=True, eq=False)
class Blueprint:
    """How the detector of each key starts.

    >>> blueprint = Blueprint(Schema({"load": "number"}), Detector(warm_up=100))
    >>> rows = np.random.default_rng(0).normal(size=(300, 1))
    >>> found, content = advance(None, "meter-7", rows[:200], blueprint)
    >>> found, content = advance(content, "meter-7", rows[200:], blueprint)
    >>> blueprint.opened(content, "meter-7").n_rows_seen_
    300
    """

    schema: Schema
    """the columns of the rows; that of the key is among those that are ignored, or left out"""
    detector: Detector
    """one that has learned nothing, with the arguments of all others but for the seed"""
    seed: int = 0
    """seed of the fleet; each key has one that follows from it"""
    time: str | None = None
    """column of the times of a series"""
    prior: bytes | None = None
    """a model file that new keys go on from; None if they start from nothing"""

    def with_prior(self, content: bytes) -> Blueprint:
        """New keys start from a model that has learned such rows: its codes, its model, its settings.

        Rows that still wait in it are learned first, so that no key learns them again.
        """
        detector = Detector.from_bytes(content, "The prior")
        if not detector.is_ready_:
            raise FleetError("The prior is still in its warm-up: give it more rows, or call flush, before it is saved.")
        if (detector.alarms is None) != (self.detector.alarms is None):
            kinds = ("a time series", "a table")
            is_series = detector.alarms is None
            raise FleetError(f"The prior is that of {kinds[is_series]}, and the fleet that of {kinds[not is_series]}.")
        self._compare(_columns(detector), "The prior")
        detector.flush().extra_ = {}
        return replace(self, detector=Detector(**arguments_of(detector)), prior=self.closed(detector))

    def opened(self, held: bytes | None, key: str) -> Detector:
        """The detector of a key: the one that is kept, or a new one."""
        if held is None:
            seed = seed_of(self.seed, key)
            if self.prior is not None:
                return Detector.from_bytes(self.prior, "The prior").reseed(seed)
            return Detector(**{**arguments_of(self.detector), "random_state": seed})
        detector = Detector.from_bytes(held, f"The model of key {short(key)}")
        self._compare(_columns(detector), f"The model of key {short(key)}")
        return detector

    def learn(self, detector: Detector, cells: Cells) -> ExplainedRows:
        """Judge further rows of a key, in their order, and learn them."""
        found = detector.learn_explained(cells)
        if self.time is not None:
            times = cells[:, self.schema.names.index(self.time)].astype(np.float64)
            known = times[~np.isnan(times)]
            if len(known):
                detector.extra_["times"] = [self.time, float(known[-1])]
        return found

    def closed(self, detector: Detector) -> bytes:
        """The file of a detector, which ``genreplay info`` and ``genreplay score`` can read."""
        times = detector.extra_.get("times")
        noted = Times(*times) if isinstance(times, list) else None  # type: ignore[arg-type]
        return detector.to_bytes(Saved(detector, self.schema, Account(n_read=detector.n_rows_seen_), noted).notes())

    def cells(self, columns: Mapping[str, Column], key: str) -> Cells:
        """The typed cells of rows of a key; an error names what cannot be read."""
        n_rows = len(next(iter(columns.values())))
        rows = self.schema.parse(Chunk(columns, range(1, n_rows + 1), range(1, n_rows + 1)))
        if rows.bad:
            raise FleetError(f"Key {short(key)}, {rows.bad[0].reason}: correct the cell, or leave the row out.")
        return rows.cells

    def to_json(self) -> dict[str, Json]:
        """All but the prior."""
        return {
            "schema": [[name, kind] for name, kind in self.schema.kinds.items()],
            "detector": dict(arguments.to_json(arguments_of(self.detector))),
            "seed": self.seed,
            "time": self.time,
        }

    @classmethod
    def from_json(cls, held: Mapping[str, Any], prior: bytes | None) -> Blueprint:
        """What ``to_json`` wrote."""
        detector = Detector(**arguments.from_json(held["detector"], Detector._encoders))
        return cls(Schema(dict(held["schema"])), detector, held["seed"], held["time"], prior)

    def _compare(self, known: Mapping[str, str], whose: str) -> None:
        """Refuse a model of other columns."""
        kinds = {name: self.schema.kinds[name] for name in self.schema.names}
        if list(known.items()) == list(kinds.items()):
            return
        for name, kind in kinds.items():
            if name not in known:
                raise FleetError(f"{whose} does not know the column {short(name)}: leave it out, or start a new fleet.")
            if known[name] != kind:
                raise FleetError(f"{whose} has learned column {short(name)} as {known[name]}, but now it is {kind}.")
        lacking = [name for name in known if name not in kinds]
        if lacking:
            raise FleetError(f"{whose} needs the column {short(lacking[0])}, which the rows do not have.")
        raise FleetError(f"{whose} has the columns in the order {listed(known)}: put them into that order.")


def advance(held: bytes | None, key: str, cells: Cells, blueprint: Blueprint) -> tuple[ExplainedRows, bytes]:
    """Judge and learn further rows of a key: what they were, and the file of its detector after them.

    >>> blueprint = Blueprint(Schema({"load": "number"}), Detector(warm_up=100))
    >>> rows = np.random.default_rng(0).normal(size=(300, 1))
    >>> whole = advance(None, "meter-7", rows, blueprint)
    >>> first = advance(None, "meter-7", rows[:150], blueprint)
    >>> again = advance(first[1], "meter-7", rows[150:], blueprint)
    >>> again[1] == whole[1], bool((again[0].anomaly == whole[0].anomaly[150:]).all())
    (True, True)
    """
    detector = blueprint.opened(held, key)
    found = blueprint.learn(detector, cells)
    return found, blueprint.closed(detector)


def _columns(detector: Detector) -> dict[str, str]:
    """The kinds of the columns that a model has learned, by the names in its notes, or of its data frame."""
    noted: Any = detector.extra_.get("schema")
    if noted is None:
        return dict(zip(detector.encoder_.column_names_, detector.encoder_.kinds_, strict=True))
    return {name: kind for name, kind in noted if kind != "ignore"}
