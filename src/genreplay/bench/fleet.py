"""A detector for every key in one process: rows a second, bytes a key, peak memory, and how they grow with the keys."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from genreplay.bench.figures import Curve, Figure, Part, Target
from genreplay.bench.measure import Effort, exponent, threads
from genreplay.bench.peak import LEFT_OUT, STATUS, megabytes
from genreplay.core.grouped import TableRBM
from genreplay.estimators.deviations import Deviations
from genreplay.estimators.plain_detector import SERIES_RBM, Detector
from genreplay.fleet import Blueprint, Fleet, models
from genreplay.fleet.keyed import advance
from genreplay.streams.coder import TableCoder
from genreplay.streams.schema import Schema
from genreplay.streams.series_coder import SeriesCoder

EXPONENT = Target("at most", 1.1)
PEAK = Target("at most", 500)
N_COLUMNS, N_HIDDEN, WARM_UP, ROWS_A_KEY = 4, 16, 40, 50
ROWS_AT_ONCE = 500_000
"""rows that are learned together, at most: of four numbers, the command lets a few more wait"""


def _series(n_values: int) -> Blueprint:
    schema = Schema({"time": "timestamp", **{f"value{i}": "number" for i in range(n_values)}})
    coder = SeriesCoder(kinds=schema.kinds_by_place)
    return Blueprint(schema, Detector(coder, SERIES_RBM, alarms=Deviations()), time="time")


def _table(n_columns: int, n_hidden: int, warm_up: int | None = None) -> Blueprint:
    schema = Schema({f"value{i}": "number" for i in range(n_columns)})
    coder = TableCoder(kinds=schema.kinds_by_place)
    return Blueprint(schema, Detector(coder, TableRBM(n_hidden=n_hidden), warm_up=warm_up))


SHAPES = {
    "series of 1 value": _series(1),
    "series of 3 values": _series(3),
    "table of 4 numbers, 16 hidden": _table(4, 16),
    "table of 12 numbers, 32 hidden": _table(12, 32),
}


class Measured(NamedTuple):
    """What one process took, in seconds of the processor."""

    first: float
    """to learn the first rows of each key, from the warm-up on"""
    further: float
    """to learn as many further rows of each key"""
    n_bytes: float
    """of the file of a model"""
    peak: float
    """MB of the process"""


def fleet(effort: Effort) -> Part:
    """The same rows a key with ever more keys, each in a fresh process."""
    keys = [1, 4, 16] if effort.quick else [1, 100, 10_000]
    runs = {n: measured(n, effort.seed) for n in keys}
    named = {n: f"ours, {n:,} {'key' if n == 1 else 'keys'}" for n in keys}
    figures = [Figure(named[n], "rows a second, after the warm-up", n * ROWS_A_KEY / runs[n].further) for n in keys]
    figures += [Figure(named[n], "rows a second, from the warm-up on", n * ROWS_A_KEY / runs[n].first) for n in keys]
    lines = {part: [getattr(run, part) for run in runs.values()] for part in ("first", "further")}
    for part, seconds in lines.items():
        name = f"ours, {keys[0]:,} to {keys[-1]:,} keys, {part} rows"
        figures.append(Figure(name, "exponent", exponent(keys, seconds), target=EXPONENT))
    figures.append(Figure(named[keys[-1]], "bytes a key, on disk", runs[keys[-1]].n_bytes))
    if STATUS.exists():
        figures.append(Figure(named[keys[-1]], "MB at the peak", runs[keys[-1]].peak, target=PEAK))
    steps = {name: _step(blueprint, effort) for name, blueprint in SHAPES.items()}
    for unit, place in (("bytes of a model", 0), ("ms to open, learn a row and close", 1), ("rows a second, open", 2)):
        figures += [Figure(name, unit, step[place]) for name, step in steps.items()]
    return Part(
        "A fleet of detectors",
        f"Made-up rows of {N_COLUMNS} numbers, the keys in a random order; {N_HIDDEN} hidden units. Each key gets "
        f"{ROWS_A_KEY} rows, of which {WARM_UP} are its warm-up, and then {ROWS_A_KEY} further ones; all are judged, "
        f"learned and committed to disk by one process. At most {ROWS_AT_ONCE:,} rows are learned together, and models "
        "of about 128 MB stay in memory. Seconds are those of the processor: waiting for the disk is not counted. The "
        "peak is that of the whole process, Python and Numba included. The last figures are of the step that all "
        "engines share, on one core: Spark opens and closes the model of each key that has rows in a micro-batch.",
        figures,
        [Curve("keys", "keys", "s", [float(n) for n in keys], lines)],
        [] if STATUS.exists() else [LEFT_OUT],
    )


def measured(n_keys: int, seed: int) -> Measured:
    """What a fresh process takes."""
    command = [sys.executable, "-m", __name__, str(n_keys), str(seed)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return Measured(*map(float, said))


def _learn(n_keys: int, seed: int) -> Measured:
    """What the fresh process does."""
    blueprint, rng = _table(N_COLUMNS, N_HIDDEN, WARM_UP), np.random.default_rng(seed)

    def seconds(fleet: Fleet) -> float:
        """Learn further rows of each key; the time of making them is not counted."""
        n_left, took = n_keys * ROWS_A_KEY, 0.0
        while n_left:
            n = min(ROWS_AT_ONCE, n_left)
            n_left -= n
            keys = [f"key-{key}" for key in ((n_left + rng.permutation(n)) % n_keys).tolist()]
            cells = rng.normal(size=(n, N_COLUMNS))
            began = time.process_time()
            fleet.learn(keys, cells)
            fleet.commit()
            took += time.process_time() - began
        return took

    with tempfile.TemporaryDirectory() as folder, threads(1):
        with Fleet(Path(folder, "first"), blueprint) as fleet:  # compiles the loops
            fleet.learn(["key"] * 300, rng.normal(size=(300, N_COLUMNS)))
        firsts, further = [], []
        n_turns = max(1, 20 // n_keys)  # one key takes too little time to be measured once
        for turn in range(n_turns):
            with Fleet(Path(folder, str(turn)), blueprint) as fleet:
                firsts.append(seconds(fleet))
                further.append(seconds(fleet))
        n_bytes = sum(len(file) for _, file in models(Path(folder, "0"))) / n_keys
    peak = megabytes("VmHWM") if STATUS.exists() else 0.0
    return Measured(float(np.median(firsts)), float(np.median(further)), n_bytes, peak)


def _step(blueprint: Blueprint, effort: Effort) -> tuple[float, float, float]:
    """Bytes of a model; milliseconds to open it, learn a row, and close it; rows a second while it is open."""
    n_rows, n_turns = effort.pick(2_000, 100), effort.pick(30, 2)
    cells = np.random.default_rng(effort.seed).normal(size=(1_000 + n_rows, len(blueprint.schema.names)))
    if blueprint.time is not None:
        cells[:, 0] = 1_700_000_000 + 300 * np.arange(len(cells))
    with threads(1):
        _, content = advance(None, "key", cells[:1_000], blueprint)
        began = time.process_time()
        for _ in range(n_turns):
            advance(content, "key", cells[1_000:1_001], blueprint)
        one = (time.process_time() - began) / n_turns
        began = time.process_time()
        advance(content, "key", cells[1_000:], blueprint)
        rate = n_rows / max(time.process_time() - began - one, 1e-9)
    return len(content), 1_000 * one, rate


if __name__ == "__main__":
    print(*_learn(*map(int, sys.argv[1:])))
