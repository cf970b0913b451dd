"""What the tests of devices need: compilers, and a reason to skip where one is missing."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from genreplay.device import toolchain

HERE = Path(__file__).parent


def needs(*tools: str) -> pytest.MarkDecorator:
    """Skip a test where a tool is not installed, and say which."""
    absent = toolchain.missing(*tools)
    return pytest.mark.skipif(absent is not None, reason=absent or "")


Host = Callable[..., bytes]


@pytest.fixture
def on_host(tmp_path: Path) -> Host:
    """Compile a program for this computer, run it, and return the bytes of the file OUT that it writes."""

    def run(source: str, *options: str, compiler: str = "gcc") -> bytes:
        (tmp_path / "out.bin").unlink(missing_ok=True)
        program = toolchain.compile_host(
            [HERE / source], tmp_path / "program", *options, '-DOUT="out.bin"', compiler=compiler
        )
        subprocess.run([program], cwd=tmp_path, check=True, timeout=300)
        out = tmp_path / "out.bin"
        return out.read_bytes() if out.exists() else b""

    return run
