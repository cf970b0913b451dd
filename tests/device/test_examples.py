"""The examples that a maker flashes compile, run, and raise the alarms that the page speaks of."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from genreplay.device import toolchain
from genreplay.device.toolchain import CORES, HERE
from tests.device.conftest import HERE as TESTS
from tests.device.conftest import needs

EXAMPLES = TESTS.parents[1] / "device/examples"
SKETCH = EXAMPLES / "arduino/genreplay_alarm/genreplay_alarm.ino"
STRICT = ("-Wall", "-Wextra", "-Werror", "-x", "c++", "-include", str(TESTS / "arduino/Arduino.h"))


@pytest.mark.slow
@needs("arm-none-eabi-gcc", "qemu-system-arm")
def test_the_node_finds_three_faults_of_four_and_raises_no_false_alarm(tmp_path: Path) -> None:
    core = CORES["cortex-m0"]
    program = toolchain.compile_cortex([EXAMPLES / "cortex-m/main.c"], tmp_path / "alarm.elf", core)
    said = toolchain.emulate(program, core, tmp_path)
    assert "reading 6000, restarted, and loaded the model: 282" in said
    alarms = [(int(which), int(t)) for t, which in re.findall(r"reading (\d+), alarm: (\d)", said)]
    assert [which for which, _ in alarms] == [1, 2, 3]
    assert max(t % 1000 for _, t in alarms) < 20
    assert "without a fault: 0" in said


@pytest.mark.slow
@needs("make", "arm-none-eabi-gcc")
def test_the_makefile_builds_it(tmp_path: Path) -> None:
    out = f"OUT={tmp_path / 'alarm.elf'}"
    subprocess.run(["make", out], cwd=EXAMPLES / "cortex-m", check=True, capture_output=True)


@needs("g++")
def test_the_sketch_compiles_and_runs(tmp_path: Path) -> None:
    options = ("-std=gnu++11", "-fsanitize=undefined", "-fno-sanitize-recover", f"-I{HERE}", f"-I{EXAMPLES}")
    toolchain.run("g++", *STRICT, *options, str(SKETCH), "-o", str(tmp_path / "sketch"))
    subprocess.run([tmp_path / "sketch"], check=True)


@pytest.mark.slow
@needs("avr-g++", "avr-size")
def test_the_sketch_fits_into_an_uno(tmp_path: Path) -> None:
    options = ("-std=gnu++11", "-Os", "-mmcu=atmega328p", f"-I{HERE}", f"-I{EXAMPLES}")
    program = tmp_path / "sketch.elf"
    toolchain.run("avr-g++", *STRICT, *options, str(SKETCH), "-o", str(program))
    text, data, bss = map(int, toolchain.run("avr-size", str(program)).splitlines()[1].split()[:3])
    assert text + data <= 32 * 1024
    assert data + bss <= 2 * 1024 - 256
