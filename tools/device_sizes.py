"""Measure what models cost on Cortex-M cores: the table that ``device-size`` shows where tools are missing."""

from __future__ import annotations

import json
from pathlib import Path

from genreplay.device import Settings
from genreplay.device.size import key, measure
from genreplay.device.toolchain import CORES, HERE

SHAPES = ((16, 8), (32, 8), (64, 16), (128, 16), (128, 32), (256, 32))


def main() -> None:
    """Measure every shape, number type and core."""
    found = {}
    for core in CORES.values():
        for n_visible, n_hidden in SHAPES:
            for integer in (False, True):
                settings = Settings(n_visible=n_visible, n_hidden=n_hidden, integer=integer)
                found[key(settings, core.name)] = measure(settings, core)._asdict()
    lines = [f"  {json.dumps(name)}: {json.dumps(size)}" for name, size in found.items()]
    Path(HERE / "sizes.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
