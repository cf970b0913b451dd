"""Rows of a table through the anomaly detector: from a CSV file by the command line, and as dictionaries by River."""

from __future__ import annotations

import tempfile
from collections.abc import Hashable
from pathlib import Path

import numpy as np

from genreplay.bench import ours, peers
from genreplay.bench.figures import Part, Target, rows_per_second, speedup
from genreplay.bench.measure import Contestant, Effort, interleave

COMMAND = Target("at least", 20_000)
AS_FAST = Target("at least", 1)
LEARN, FACE, TREES = "ours, learn --score", "ours, River's interface", "River's HalfSpaceTrees"
N_NUMBERS = 8


def table(effort: Effort) -> Part:
    """Rows a second, scored and learned, by both ways in."""
    n_rows = effort.pick(40_000, 1_200)
    numbers, text = made_up(n_rows, effort.seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.csv")
        path.write_text(text, encoding="utf-8")
        learn = Contestant(lambda: ours.learn_and_score(path), n_steps=n_rows)
        command = interleave({LEARN: learn}, effort.pick(5, 2))
    rows: list[dict[Hashable, float]] = [
        dict(zip(NAMES, row, strict=False)) for row in numbers[: effort.pick(2_000, 600)].tolist()
    ]
    contestants, left_out = peers.gather(
        {
            FACE: lambda: Contestant(ours.score_and_learn(rows), n_steps=len(rows)),
            TREES: lambda: peers.scaled_half_space_trees(rows),
        }
    )
    turns = interleave(contestants, effort.pick(9, 2))
    figures = [rows_per_second(LEARN, command, COMMAND)]
    figures += [rows_per_second(name, turns) for name in turns.names]
    if {FACE, TREES} <= set(turns.names):
        figures.append(speedup(turns, FACE, TREES, AS_FAST))
    return Part(
        "Rows of a table",
        f"A CSV file of {n_rows:,} made-up rows with {len(NAMES)} columns: {N_NUMBERS} numbers, 2 categories, a "
        "boolean and a time. The command reads, scores and learns them in this process, from the warm-up on. Through "
        f"River, {len(rows):,} dictionaries of the {N_NUMBERS} numbers come again and again, each is scored and "
        "then learned: by the detector and by HalfSpaceTrees behind a MinMaxScaler, both with their defaults.",
        figures,
        [],
        left_out,
    )


NAMES = [*(f"n{i}" for i in range(N_NUMBERS)), "region", "kind", "on", "time"]


def made_up(n_rows: int, seed: int) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.float64]], str]:
    """The numbers of a table whose columns depend on each other, and the whole table as CSV.

    >>> numbers, text = made_up(2, seed=0)
    >>> numbers.shape, text.splitlines()[0], text.count("2024-01-01T00:00:")
    ((2, 8), 'n0,n1,n2,n3,n4,n5,n6,n7,region,kind,on,time', 2)
    """
    rng = np.random.default_rng(seed)
    region, kind = rng.integers(4, size=n_rows), rng.integers(3, size=n_rows)
    hidden, noise = rng.normal(size=(n_rows, 2)), rng.normal(size=(n_rows, N_NUMBERS))
    numbers = 10 * noise
    numbers[:, 0] = 20 + 5 * region + hidden[:, 0]
    numbers[:, 1] = 3 * hidden[:, 0] + noise[:, 1]
    numbers[:, 2] = 10 * hidden[:, 1]
    numbers[:, 3] = np.exp(hidden[:, 1])
    numbers[:, 4] = rng.integers(100, size=n_rows)
    numbers = numbers.round(3)
    first = np.datetime64("2024-01-01T00:00:00")
    others = zip(
        np.array(["north", "south", "east", "west"])[region].tolist(),
        np.array(["a", "b", "c"])[kind].tolist(),
        np.where(hidden[:, 0] > 0, "true", "false").tolist(),
        (first + 7 * np.arange(n_rows)).astype(str).tolist(),
        strict=True,
    )
    rows = (",".join([*map(repr, row), *rest]) for row, rest in zip(numbers.tolist(), others, strict=True))
    return numbers, "\n".join([",".join(NAMES), *rows, ""])
