"""The small table that is damaged and forged."""

from __future__ import annotations

import random
from typing import Any

N_ROWS = 60
Rows = list[dict[str, Any]]


def rows() -> Rows:
    """A number, a label, a boolean and a time."""
    rng = random.Random(0)
    return [
        {
            "a": round(rng.gauss(0, 1), 3),
            "b": rng.choice("xyz"),
            "c": rng.random() < 0.5,
            "t": f"2024-01-{1 + i % 28:02}",
        }
        for i in range(N_ROWS)
    ]
