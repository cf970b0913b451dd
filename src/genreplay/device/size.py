"""What a model costs on a core, before it is flashed: measured by the compiler and under qemu."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from genreplay.device import toolchain
from genreplay.device.settings import Settings
from genreplay.device.toolchain import CORES, CORTEX_M, Core, ToolError


class Size(NamedTuple):
    """What a model costs.

    >>> Size(flash=3884, ram=9088, stack=300, update=60_000_000, score=60_000).ram
    9088
    """

    flash: int
    """bytes of code and tables for learning and scoring, with what the compiler's library adds"""
    ram: int
    """bytes of ``gr_model``"""
    stack: int
    """bytes of stack, at most, while it learned and scored"""
    update: int
    """instructions of an update, counted by qemu: not cycles"""
    score: int
    """instructions of a score"""


def measure(settings: Settings, core: Core) -> Size:
    """Compile for a core at -Os, and run three updates under qemu.

    Flash and RAM are the differences to the same program without a model. Code for a Cortex-M0 runs on a machine with
    a Cortex-M3, which knows all its instructions, because that one has room for any model.
    """
    if core.name == "cortex-m0":
        larger = CORES["cortex-m3"]
        core = replace(core, machine=larger.machine, hertz=larger.hertz)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script = (CORTEX_M / "cortex_m.ld").read_text("utf-8")
        script = script.replace("LENGTH = 256K", "LENGTH = 4M").replace("LENGTH = 16K", "LENGTH = 4M")
        (folder / "memory.ld").write_text(script, "utf-8")
        programs = {
            kind: toolchain.compile_cortex(
                [CORTEX_M / "size.c"],
                folder / f"{kind}.elf",
                core,
                *options,
                script=folder / "memory.ld",
            )
            for kind, options in {"model": toolchain.macros(settings), "empty": ["-DEMPTY"]}.items()
        }
        sizes = {kind: _sections(program) for kind, program in programs.items()}
        flash, ram = (sizes["model"][k] - sizes["empty"][k] for k in range(2))
        said = toolchain.emulate(programs["model"], core, folder, "-icount", "shift=0")
    found = dict(line.split(maxsplit=1) for line in said.splitlines() if line.startswith(("update", "score", "stack")))
    update, score = (_instructions(found[name], core) for name in ("update", "score"))
    return Size(flash, ram, int(found["stack"], 16), update, score)


def size_of(settings: Settings, core: str) -> tuple[Size, bool]:
    """What a model costs, and whether it was measured now; where the tools are missing, from the committed table.

    >>> size, _ = size_of(Settings(n_visible=64, n_hidden=16), "cortex-m0")
    >>> size.flash <= 4096 and size.ram <= 10_000
    True
    """
    absent = toolchain.missing("arm-none-eabi-gcc", "qemu-system-arm", "arm-none-eabi-size")
    if absent is None:
        return measure(settings, CORES[core]), True
    found = table().get(key(settings, core))
    if found is None:
        raise ToolError(f"No measurement of such a model is stored, and {absent}")
    return Size(**found), False


@cache
def table() -> Mapping[str, Mapping[str, int]]:
    """The committed measurements, by ``key``."""
    held: dict[str, Any] = json.loads(files("genreplay.device").joinpath("sizes.json").read_text("utf-8"))
    return held


def key(settings: Settings, core: str) -> str:
    """What names a measurement.

    >>> key(Settings(n_visible=64, n_hidden=16, n_epochs=3), "cortex-m0")
    'cortex-m0 n_visible=64 n_hidden=16 n_epochs=3'
    """
    return " ".join([core, *repr(settings)[len("Settings(") : -1].split(", ")])


def _sections(program: Path) -> tuple[int, int]:
    """Bytes of flash and of RAM of a program."""
    line = toolchain.run("arm-none-eabi-size", str(program)).splitlines()[1]
    text, data, bss = map(int, line.split()[:3])
    return text + data, data + bss


def _instructions(said: str, core: Core) -> int:
    """What SysTick counted: one nanosecond for each instruction."""
    n_wraps, ticks = (int(number, 16) for number in said.split())
    return round((n_wraps * 2**24 + ticks) * 1_000_000_000 / core.hertz)
