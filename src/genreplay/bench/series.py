"""Time series through the command line: values a second, and bytes held whatever the length."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from genreplay.bench import ours
from genreplay.bench.figures import Figure, Part, Target, rows_per_second
from genreplay.bench.measure import Contestant, Effort, interleave
from genreplay.estimators.detector import OnlineRBMDetector

ONE_COLUMN = Target("at least", 20_000)
NO_MORE = Target("at most", 0)
ONE, SIX = "ours, learn --time, one column", "ours, learn --time, six columns"


def series(effort: Effort) -> Part:
    """Rows a second with one column and with six, and what the model of a series holds after few and many rows."""
    n_rows = effort.pick(40_000, 900)
    with tempfile.TemporaryDirectory() as folder:
        paths = {ONE: Path(folder, "one.csv"), SIX: Path(folder, "six.csv"), "few": Path(folder, "few.csv")}
        paths[ONE].write_text(made_up(n_rows, 1, effort.seed), encoding="utf-8")
        paths[SIX].write_text(made_up(n_rows, 6, effort.seed), encoding="utf-8")
        paths["few"].write_text(made_up(n_rows // 2, 1, effort.seed), encoding="utf-8")

        def learn(name: str) -> OnlineRBMDetector:
            return OnlineRBMDetector.load(ours.learn_and_score(paths[name], "--time", "time"))

        contestants = {name: Contestant(partial(learn, name), n_steps=n_rows) for name in (ONE, SIX)}
        turns = interleave(contestants, effort.pick(5, 2))
        held = {name: learn(name).nbytes.total for name in (ONE, SIX, "few")}
    figures = [rows_per_second(ONE, turns, ONE_COLUMN), rows_per_second(SIX, turns)]
    figures += [Figure(name, "bytes held", held[name]) for name in (ONE, SIX)]
    figures.append(Figure(ONE, "bytes more than after half the rows", held[ONE] - held["few"], target=NO_MORE))
    return Part(
        "Time series",
        f"CSV files of {n_rows:,} rows, one every five minutes, with a time and one value or six: a daily cycle and "
        "noise. The command reads, scores and learns them in this process, from the warm-up on, and saves the model. "
        "Bytes are those that the model holds, batch included.",
        figures,
        [],
        [],
    )


def made_up(n_rows: int, n_columns: int, seed: int) -> str:
    """A series as CSV.

    >>> print(made_up(2, 1, seed=0))
    time,value0
    2024-01-01T00:00:00,50.126
    2024-01-01T00:05:00,50.304
    <BLANKLINE>
    """
    rng, t = np.random.default_rng(seed), np.arange(n_rows)
    load = 50 + 20 * np.sin(2 * np.pi * t / 288)
    values = (load[:, np.newaxis] * np.linspace(1, 2, n_columns) + rng.normal(size=(n_rows, n_columns))).round(3)
    times = (np.datetime64("2024-01-01T00:00:00") + 300 * t).astype(str).tolist()
    header = ",".join(["time", *(f"value{i}" for i in range(n_columns))])
    lines = (",".join([time, *map(repr, row)]) for time, row in zip(times, values.tolist(), strict=True))
    return "\n".join([header, *lines, ""])
