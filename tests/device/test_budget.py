"""What a model may cost on a Cortex-M0, and what it must not need."""

from __future__ import annotations

from pathlib import Path

import pytest

from genreplay.device import Settings, toolchain
from genreplay.device.size import key, measure, size_of, table
from genreplay.device.toolchain import CORES, CORTEX_M, ToolError
from tests.device.conftest import needs

FLOAT = Settings(n_visible=64, n_hidden=16, batch_size=20, n_dreams=60)
INTEGER = FLOAT.replace(integer=True)
M0 = CORES["cortex-m0"]


@pytest.mark.slow
@needs("arm-none-eabi-gcc", "arm-none-eabi-size", "qemu-system-arm")
def test_64_x_16_units_in_float32_fit_into_10_kb_of_ram_and_4_kb_of_flash() -> None:
    size = measure(FLOAT, M0)
    assert size.flash <= 4_096
    assert size.ram + size.stack <= 10_000
    assert size.stack <= 400


@pytest.mark.slow
@needs("arm-none-eabi-gcc", "arm-none-eabi-size", "qemu-system-arm")
def test_the_integer_form_fits_into_4_kb_of_ram() -> None:
    size = measure(INTEGER, M0)
    assert size.ram + size.stack <= 4_000
    assert size.flash <= 3_000


@pytest.mark.slow
@needs("arm-none-eabi-gcc", "arm-none-eabi-size", "qemu-system-arm")
@pytest.mark.parametrize("settings", [FLOAT, INTEGER])
def test_stored_measurements_are_those_of_today(settings: Settings) -> None:
    stored, now = table()[key(settings, "cortex-m0")], measure(settings, M0)._asdict()
    for name, value in stored.items():
        assert now[name] == pytest.approx(value, rel=0.1), name  # another compiler gives slightly different code


@pytest.mark.slow
@needs("arm-none-eabi-gcc", "arm-none-eabi-nm")
@pytest.mark.parametrize("settings", [FLOAT, INTEGER])
def test_no_heap_and_no_stack_of_unknown_size(settings: Settings, tmp_path: Path) -> None:
    program = tmp_path / "size.elf"
    toolchain.compile_cortex([CORTEX_M / "size.c"], program, M0, *toolchain.macros(settings), "-fstack-usage")
    names = toolchain.run("arm-none-eabi-nm", str(program))
    assert not any(word in names for word in ("malloc", "sbrk", "expf", "__aeabi_d", "__aeabi_fsub"))
    if settings.integer:
        assert "__aeabi_f" not in names
    usage = [line.split("\t") for path in tmp_path.glob("*.su") for line in path.read_text("utf-8").splitlines()]
    learning = [line for line in usage if ":gr_" in line[0]]
    assert len(learning) > 5
    assert {line[2] for line in learning} == {"static"}


def test_without_the_tools_stored_measurements_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain.shutil, "which", lambda tool: None)
    size, is_new = size_of(FLOAT, "cortex-m0")
    assert not is_new
    assert size.ram == 9_088
    with pytest.raises(ToolError, match=r"arm-none-eabi-gcc is not installed: apt-get install gcc-arm-none-eabi"):
        size_of(FLOAT.replace(n_visible=65), "cortex-m0")
