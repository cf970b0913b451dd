"""The C code, on every compiler and core, learns what the reference learns: every bit of every parameter."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest

from genreplay.device import Settings, toolchain
from genreplay.device.toolchain import CORES
from tests.device import golden
from tests.device.conftest import HERE, Host, needs

N_UPDATES = 2_000
SMALL = Settings(n_visible=20, n_hidden=6, batch_size=5, n_dreams=15)
"""odd sizes; small, so that a core without floating point, emulated, makes the updates in seconds"""
if os.environ.get("GENREPLAY_GOLDEN") == "full":  # takes some ten minutes
    SMALL = Settings(n_visible=64, n_hidden=16)
FORMS = {
    "float": SMALL,
    "integer": SMALL.replace(integer=True),
    "float, all settings": SMALL.replace(n_epochs=2, n_cd=2, n_gibbs=2, base_rates=True, sigma=0.1, momentum=0.5),
    "integer, all settings": SMALL.replace(integer=True, n_epochs=2, n_cd=2, n_gibbs=2, base_rates=True, sigma=0.1),
    "float, chains": SMALL.replace(n_chains=7, base_rates=True, n_dreams=0),
    "integer, chains": SMALL.replace(integer=True, n_chains=7, base_rates=True, n_cd=2),
    "float, without momentum": SMALL.replace(momentum=0.0, weight_decay=0.0),
}
BOTH = ("float", "integer")
LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os", "-O3 -march=native")


@cache
def expected(settings: Settings, n_updates: int) -> bytes:
    return golden.expected(settings, n_updates * settings.batch_size)


def options(settings: Settings, n_updates: int) -> list[str]:
    return [*toolchain.macros(settings), f"-DN_ROWS={n_updates * settings.batch_size}"]


@needs("gcc")
@pytest.mark.parametrize("form", FORMS)
def test_c_and_the_reference_learn_the_same_bits(form: str, on_host: Host) -> None:
    settings = FORMS[form]
    assert on_host("golden.c", "-O1", *options(settings, 100)) == expected(settings, 100)


@needs("gcc")
def test_a_difference_in_one_bit_of_a_constant_is_seen(on_host: Host) -> None:
    settings = SMALL.replace(learning_rate=0.05000001)
    assert on_host("golden.c", "-O1", *options(settings, 100)) != expected(SMALL, 100)


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("compiler", [pytest.param(each, marks=needs(each)) for each in ("gcc", "clang")])
@pytest.mark.parametrize("form", BOTH)
def test_optimisation_changes_no_bit_in_2000_updates(form: str, compiler: str, level: str, on_host: Host) -> None:
    settings = FORMS[form]
    found = on_host("golden.c", *level.split(), *options(settings, N_UPDATES), compiler=compiler)
    assert found == expected(settings, N_UPDATES)


@pytest.mark.slow
@needs("arm-none-eabi-gcc", "qemu-system-arm")
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("form", BOTH)
def test_cores_learn_the_same_bits_in_2000_updates(form: str, core: str, tmp_path: Path) -> None:
    settings = FORMS[form]
    made = toolchain.compile_cortex(
        [HERE / "golden.c"], tmp_path / "golden.elf", CORES[core], *options(settings, N_UPDATES), '-DOUT="out.bin"'
    )
    toolchain.emulate(made, CORES[core], tmp_path, seconds=3_000)
    assert (tmp_path / "out.bin").read_bytes() == expected(settings, N_UPDATES)


@pytest.mark.slow
@needs("riscv64-unknown-elf-gcc", "qemu-system-riscv32")
@pytest.mark.parametrize("form", BOTH)
def test_risc_v_learns_the_same_bits_in_500_updates(form: str, tmp_path: Path) -> None:
    settings, program = FORMS[form], tmp_path / "golden.elf"
    folder = HERE / "riscv"
    target = ("-march=rv32imac", "-mabi=ilp32", "-mcmodel=medany", "-Os", "-ffreestanding", "-nostdlib")
    places = (f"-I{folder}", f"-I{toolchain.HERE}", f"-I{toolchain.CORTEX_M}", f"-T{folder / 'virt.ld'}")
    sources = (str(folder / "start.c"), str(HERE / "golden.c"), "-lgcc", "-o", str(program))
    macros = (*options(settings, 500), '-DOUT="out.bin"')
    toolchain.run("riscv64-unknown-elf-gcc", *toolchain.WARNINGS, *target, *macros, *places, *sources)
    semihosting = (
        "-nographic",
        "-semihosting-config",
        "enable=on,target=native",
        "-monitor",
        "none",
        "-serial",
        "none",
    )
    machine = ("-M", "virt", "-bios", "none", *semihosting, "-kernel", str(program))
    toolchain.run("qemu-system-riscv32", *machine, folder=tmp_path)
    assert (tmp_path / "out.bin").read_bytes() == expected(settings, 500)


@pytest.mark.slow
@needs("arm-none-eabi-gcc", "qemu-system-arm")
@pytest.mark.parametrize("form", BOTH)
def test_the_model_of_the_budget_learns_the_same_bits_on_a_cortex_m0(form: str, tmp_path: Path) -> None:
    settings = Settings(n_visible=64, n_hidden=16, integer=form == "integer")
    made = toolchain.compile_cortex(
        [HERE / "golden.c"], tmp_path / "golden.elf", CORES["cortex-m0"], *options(settings, 20), '-DOUT="out.bin"'
    )
    toolchain.emulate(made, CORES["cortex-m0"], tmp_path)
    assert (tmp_path / "out.bin").read_bytes() == expected(settings, 20)


@pytest.mark.slow
@needs("clang")
@pytest.mark.parametrize("form", FORMS)
def test_sanitizers_find_nothing(form: str, on_host: Host) -> None:
    checks = ("-g", "-O1", "-fsanitize=address,undefined,integer", "-fno-sanitize=unsigned-integer-overflow")
    allowed = ("-fno-sanitize=unsigned-shift-base", "-fno-sanitize-recover=all")
    settings = FORMS[form]
    assert on_host("golden.c", *checks, *allowed, *options(settings, 100), compiler="clang") == expected(settings, 100)
