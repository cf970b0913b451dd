"""Compilers and machines: programs for this computer, and for Cortex-M cores that qemu emulates."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from genreplay.device.settings import Settings

HERE = Path(__file__).parent
HEADER = HERE / "genreplay.h"
CORTEX_M = HERE / "cortex_m"
"""start-up file, semihosting and linker script"""
WARNINGS = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Wdouble-promotion", "-Werror")
EMBEDDED = ("-ffunction-sections", "-fdata-sections", "-nostartfiles", "-Wl,--gc-sections")
INSTALL = "apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm"
"""what installs all that is needed on Debian and Ubuntu"""


@dataclass(frozen=True)
class Core:
    """A core, its compiler flags, and a machine of qemu that has it."""

    name: str
    flags: tuple[str, ...]
    machine: str
    hertz: int
    """frequency of SysTick on that machine"""


CORES = {
    core.name: core
    for core in (
        Core("cortex-m0", ("-mcpu=cortex-m0", "-mthumb"), "microbit", 16_000_000),
        Core("cortex-m3", ("-mcpu=cortex-m3", "-mthumb"), "mps2-an385", 25_000_000),
        Core(
            "cortex-m4f",
            ("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"),
            "mps2-an386",
            25_000_000,
        ),
        Core(
            "cortex-m7",
            ("-mcpu=cortex-m7", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv5-sp-d16"),
            "mps2-an500",
            25_000_000,
        ),
    )
}


class ToolError(RuntimeError):
    """A tool is missing, or it failed; the message says which, and what to do."""


def missing(*tools: str) -> str | None:
    """One sentence about the first tool that is not installed; None if all are.

    >>> missing("sh") is None, missing("no-such-compiler")
    (True, 'no-such-compiler is not installed.')
    """
    for tool in tools:
        if shutil.which(tool) is None:
            how = f": {INSTALL}" if tool.startswith(("arm-none-eabi", "qemu-system-arm")) else ""
            return f"{tool} is not installed{how}."
    return None


def macros(settings: Settings) -> list[str]:
    """The settings as options of a compiler."""
    return [f"-D{define.replace(' ', '=', 1)}" for define in settings.defines()]


def compile_host(
    sources: Sequence[Path], out: Path, *options: str, compiler: str = "gcc", warnings: Sequence[str] = WARNINGS
) -> Path:
    """Compile for this computer."""
    run(compiler, *warnings, *options, f"-I{HERE}", *map(str, sources), "-o", str(out))
    return out


def compile_cortex(
    sources: Sequence[Path], out: Path, core: Core, *options: str, level: str = "-Os", script: Path | None = None
) -> Path:
    """Compile for a Cortex-M, with the start-up file and a linker script."""
    places = (f"-I{HERE}", f"-I{CORTEX_M}", f"-T{script or CORTEX_M / 'cortex_m.ld'}", str(CORTEX_M / "startup.c"))
    how = (*WARNINGS, level, *core.flags, *EMBEDDED, *options)
    run("arm-none-eabi-gcc", *how, *places, *map(str, sources), "-o", str(out))
    return out


def emulate(program: Path, core: Core, folder: Path, *options: str, seconds: float = 600) -> str:
    """Run a program under qemu, in a folder for the files that it writes. Return what it printed."""
    semihosting = (
        "-nographic",
        "-semihosting-config",
        "enable=on,target=native",
        "-monitor",
        "none",
        "-serial",
        "none",
    )
    command = ("qemu-system-arm", "-M", core.machine, *semihosting, *options, "-kernel", str(program))
    return run(*command, folder=folder, seconds=seconds)


def run(*command: str, folder: Path | None = None, seconds: float = 600) -> str:
    """Run a tool. Return what it printed."""
    absent = missing(command[0])
    if absent is not None:
        raise ToolError(absent)
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as error:
        raise ToolError(f"{command[0]} did not end within {seconds:g} seconds.") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise ToolError(f"{command[0]} failed: {said[0] if said else f'exit code {done.returncode}'}")
    return done.stdout + done.stderr
