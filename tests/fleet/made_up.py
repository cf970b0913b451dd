"""Rows of several keys, and the blueprint of their detectors."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from genreplay.core.grouped import TableRBM
from genreplay.estimators.plain_detector import Detector
from genreplay.fleet import Blueprint
from genreplay.streams.coder import TableCoder
from genreplay.streams.schema import Schema

SCHEMA = Schema({"mode": "category", "speed": "number", "temp": "number"})


def blueprint(warm_up: int = 30, seed: int = 0) -> Blueprint:
    """A small model of a table."""
    coder = TableCoder(kinds=SCHEMA.kinds_by_place)
    return Blueprint(SCHEMA, Detector(coder, TableRBM(n_hidden=4, batch_size=10), warm_up=warm_up), seed)


def rows(n_keys: int, n_rows: int, seed: int = 0) -> tuple[list[str], npt.NDArray[np.object_]]:
    """Keys in a random order, and typed cells: machines that run or are idle, each with a speed of its own."""
    rng = np.random.default_rng(seed)
    which = rng.integers(n_keys, size=n_rows)
    runs = rng.random(n_rows) < 0.6
    cells = np.empty((n_rows, 3), dtype=object)
    cells[:, 0] = np.where(runs, "run", "idle")
    cells[:, 1] = np.where(runs, rng.normal(1000 + 100 * which, 30), 0).round(1)
    cells[:, 2] = rng.normal(np.where(runs, 60, 25), 2).round(2)
    return [f"m{key}" for key in which], cells
