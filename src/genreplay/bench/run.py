"""A run of ``genreplay bench``: its parts and their results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from genreplay.bench import ais, cd, fleet, growth, memory, replay, series, stream, table, threads
from genreplay.bench.figures import Part
from genreplay.bench.machine import machine
from genreplay.bench.measure import Effort

PARTS: dict[str, Callable[[Effort], Part]] = {
    "cd-mnist": cd.on_mnist,
    "cd-web": cd.on_web,
    "ais": ais.ais,
    "replay": replay.strategies,
    "threads": threads.threads,
    "stream": stream.stream,
    "table": table.table,
    "series": series.series,
    "growth": growth.growth,
    "density": growth.density,
    "memory": memory.memory,
    "fleet": fleet.fleet,
}
"""what can be measured, by the name that the command takes"""

Json = dict[str, "Json"] | list["Json"] | str | float | bool | None


class Run(NamedTuple):
    """All figures of one run, and the machine that they were measured on."""

    effort: Effort
    machine: dict[str, str]
    parts: dict[str, Part]

    def to_json(self) -> dict[str, Json]:
        """The run as plain dictionaries and lists."""
        return {
            "seed": self.effort.seed,
            "quick": self.effort.quick,
            "machine": dict(self.machine),
            "parts": {
                name: {
                    **part._asdict(),
                    "figures": [
                        {**figure._asdict(), "target": figure.target and figure.target._asdict(), "met": figure.met}
                        for figure in part.figures
                    ],
                    "curves": [curve._asdict() for curve in part.curves],
                }
                for name, part in self.parts.items()
            },
        }


def run(names: Sequence[str], effort: Effort, progress: Callable[[str], object] = lambda _: None) -> Run:
    """Measure the named parts, in the order of ``PARTS``."""
    parts, facts = {}, machine()
    for name in PARTS:
        if name in names:
            progress(name)
            part = PARTS[name](effort)
            if effort.quick:  # too few turns to be judged by
                part = part._replace(figures=[figure._replace(target=None) for figure in part.figures])
            parts[name] = part
    return Run(effort, facts, parts)
