"""Peak memory while learning from a file: how much a fresh process grows after its imports."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from genreplay.bench import ours
from genreplay.bench.figures import Figure, Part, Target
from genreplay.bench.measure import Effort, threads
from genreplay.bench.peak import LEFT_OUT, STATUS, megabytes
from genreplay.bench.rows import N_HIDDEN, mnist
from genreplay.core import PAPER

PEAK = Target("at most", 60)
MORE_ROWS = Target("at most", 2)
"""MB that four times the rows may add, because the allocator works in blocks"""


def memory(effort: Effort) -> Part:
    """Learn few rows and four times as many; the peak should be the same."""
    few = effort.pick(5_000, 200)
    rows = mnist(few, effort.seed)
    figures, left_out = [], []
    if STATUS.exists():
        # compiles the loops and caches them on disk, because the compiler's memory must not be counted
        ours.update(rows.V[:100], N_HIDDEN, PAPER.replace(n_epochs=1))()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "rows.npy")
            np.save(path, np.tile(rows.V.astype(np.uint8), (4, 1)))
            peaks = {n: peak(path, n) for n in (few, 4 * few)}
        figures = [Figure(f"ours, {n:,} rows", "MB above the imports", peak, target=PEAK) for n, peak in peaks.items()]
        figures.append(
            Figure(
                f"ours, {4 * few:,} rows", f"MB more than {few:,} rows", peaks[4 * few] - peaks[few], target=MORE_ROWS
            )
        )
    else:
        left_out.append(LEFT_OUT)
    return Part(
        "Memory",
        f"Peak resident memory of a fresh process that learns {rows.source} (784 bytes each) from a memory-mapped .npy "
        f"file: {N_HIDDEN} hidden units, 300 dreams an update, one epoch, one thread. Before that, three units learn "
        "two rows, because Numba imports most of itself at its first loop. MB are 10^6 bytes.",
        figures,
        [],
        left_out,
    )


def peak(path: Path, n_rows: int) -> float:
    """Megabytes by which a fresh process grows while it learns the first rows of a file."""
    command = [sys.executable, "-m", __name__, str(path), str(n_rows)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def _learn(path: Path, n_rows: int) -> None:
    """What the fresh process does."""
    with threads(1):
        ours.update(np.ones((2, 3), np.float32), 3, PAPER.replace(rehearsal__n_rows=2))()
        before = megabytes("VmRSS")
        ours.learn_file(path, n_rows, N_HIDDEN, n_epochs=1)
        print(megabytes("VmHWM") - before)


if __name__ == "__main__":
    _learn(Path(sys.argv[1]), int(sys.argv[2]))
