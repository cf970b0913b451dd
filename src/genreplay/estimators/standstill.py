"""Numbers that no longer change: a sensor that is stuck shows values that are usual one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from genreplay.core.ingredient import Json
from genreplay.core.kernels.running import N_LENGTHS, standstill
from genreplay.estimators.calibration import Float64


@dataclass(frozen=True, eq=False)
class Standstill:
    """How long each number of a series has been the same, and how long its runs were: never changed in place.

    Some numbers repeat often, such as counts and rounded values, others never. So a run is compared with the runs of
    the same number before it: see ``kernels/running.py``.
    """

    last: Float64
    """newest value of each number"""
    run: Float64
    """how often it has been repeated"""
    longest: Float64
    """longest run that has ended"""
    ended: Float64
    """how many runs of each length have ended, (n_numbers, n_lengths)"""

    @classmethod
    def start(cls, n_numbers: int) -> Standstill:
        """No value is known."""
        zeros = np.zeros(n_numbers)
        return cls(np.full(n_numbers, np.nan), zeros, zeros, np.zeros((n_numbers, N_LENGTHS)))

    def followed(self, numbers: Float64) -> tuple[Float64, Standstill]:
        """How surprising it is that each number has not changed for so long, in nats, and the state after these rows.

        >>> values = np.random.default_rng(0).normal(size=(3000, 1))
        >>> values[2900:] = values[2900]
        >>> nats, _ = Standstill.start(1).followed(values)
        >>> nats[[2000, 2901, 2904, 2950], 0].round(1).tolist()
        [0.0, 0.0, 9.6, 11.9]
        """
        nats, *held = standstill(numbers, self.last, self.run, self.longest, self.ended)
        return nats, Standstill(*held)

    @property
    def nbytes(self) -> int:
        return sum(getattr(self, field.name).nbytes for field in fields(self))

    def to_json(self) -> dict[str, Json]:
        """All of it, for a file."""
        last = [None if value != value else value for value in self.last.tolist()]
        return {"last": last, **{name: getattr(self, name).tolist() for name in ("run", "longest", "ended")}}

    @classmethod
    def from_json(cls, held: Mapping[str, Any]) -> Standstill:
        """What ``to_json`` wrote."""
        last, run, longest = (np.array(held[name], dtype=np.float64) for name in ("last", "run", "longest"))
        return cls(last, run, longest, np.array(held["ended"], dtype=np.float64).reshape(len(last), N_LENGTHS))
