"""Tables and model files for the tests of the commands that work on streams."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from click.testing import CliRunner, Result
from safetensors.numpy import load

from genreplay.cli import main

HEADER = "age,colour,member,when\n"


def table(n_rows: int, seed: int = 0) -> str:
    """CSV of mixed columns with missing cells: red is young and a member, blue is old and is not."""
    rng = np.random.default_rng(seed)
    is_red = rng.random(n_rows) < 0.5
    age = rng.normal(np.where(is_red, 20, 60), 4)
    lacks = rng.random((n_rows, 3)) < 0.05
    day, hour = rng.integers(1, 29, size=n_rows), rng.integers(0, 24, size=n_rows)
    lines = (
        ",".join(
            [
                "" if lacks[i, 0] else f"{age[i]:.1f}",
                "NA" if lacks[i, 1] else "red" if is_red[i] else "blue",
                "?" if lacks[i, 2] else "true" if is_red[i] else "false",
                f"2024-01-{day[i]:02}T{hour[i]:02}:00:00Z",
            ]
        )
        for i in range(n_rows)
    )
    return HEADER + "\n".join(lines) + "\n"


def run(*arguments: object, stdin: str | bytes | None = None) -> Result:
    """Call the command as a user would; what is wrong with the command itself comes through."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin, catch_exceptions=False)


def content(path: Path) -> tuple[dict[str, bytes], object]:
    """What a model file holds; the order of the keys in its header is not part of it."""
    data = path.read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
    return {name: array.tobytes() for name, array in load(data).items()}, json.loads(header["learner"])
