"""A time series for the tests of the commands."""

from __future__ import annotations

import numpy as np

HEADER = "when,load,noise,shop\n"
FIRST = np.datetime64("2014-04-01T00:00:00")
STUCK = 700
"""the first of twelve rows in which the load is stuck"""


def times(n_rows: int) -> list[str]:
    """One row every half hour."""
    return [str(FIRST + 1800 * i).replace("T", " ") for i in range(n_rows)]


def series(n_rows: int = 900, when: list[str] | None = None) -> str:
    """CSV of a load with a daily rhythm, which is stuck for a while, of noise, and of a label."""
    rng, t = np.random.default_rng(0), np.arange(n_rows)
    load = 50 + 20 * np.sin(t * 2 * np.pi / 48) + rng.normal(size=n_rows)
    load[STUCK : STUCK + 12] = 150
    noise = rng.uniform(size=n_rows)
    cells = zip(when or times(n_rows), load.tolist(), noise.tolist(), "ab" * n_rows, strict=False)
    return HEADER + "".join(f"{at},{x:.3f},{y:.3f},{shop}\n" for at, x, y, shop in cells)
