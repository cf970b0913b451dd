"""Readings become the same bits in C and in Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from genreplay.device import Coder
from tests.device.conftest import Host, needs


def windows_of(readings: np.ndarray, window: int) -> np.ndarray:
    """Sliding windows: (n, channels, window)."""
    return np.lib.stride_tricks.sliding_window_view(readings, window, axis=0)


def test_the_usual_range_goes_from_the_1st_to_the_99th_percentile() -> None:
    readings = np.random.default_rng(0).permutation(1000)[:, np.newaxis].astype(np.int16)
    coder = Coder(1, window=1, n_codes=8, warm_up=1000).learn(windows_of(readings, 1))
    code = coder.encode(np.arange(-3000, 4000, dtype=np.int16).reshape(-1, 1, 1)).argmax(axis=1)
    changes = (np.flatnonzero(np.diff(code)) + 1 - 3000).tolist()
    assert changes[1] == 10  # the 11th lowest of 1,000 values, as 1000 / 100 + 1 are kept
    inner = np.diff(changes[1:6])
    assert inner.min() == inner.max() == (989 - 10) // 4 + 1
    span = inner[0] * 4
    assert changes[0] == 10 - span
    assert changes[6] == 10 + 2 * span
    assert code.min() == 0
    assert code.max() == 7


def test_a_constant_sensor_has_a_code_of_its_own_and_jumps_are_seen() -> None:
    coder = Coder(1, window=2, n_codes=8, warm_up=100).learn(np.full((100, 1, 2), 7, dtype=np.int16))
    usual, jump = (
        coder.encode(np.array([[[7, 7]], [[7, 900]]], dtype=np.int16)).reshape(2, 3, 8).argmax(axis=2).tolist()
    )
    assert usual == [2, 2, 2]
    assert jump == [2, 7, 7]


def test_windows_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Windows must have shape \(n, 2, 3\)"):
        Coder(2, window=3).learn(np.zeros((5, 3, 2), dtype=np.int16))


def test_rows_are_refused_in_the_warm_up() -> None:
    with pytest.raises(ValueError, match="0 of the 500 windows"):
        Coder(1).encode(np.zeros((1, 1, 2), dtype=np.int16))


@needs("gcc")
@pytest.mark.parametrize(
    ("n_channels", "window", "n_codes", "warm_up"), [(2, 2, 10, 300), (3, 1, 7, 100), (1, 5, 6, 999)]
)
def test_c_and_python_give_the_same_bits(
    n_channels: int, window: int, n_codes: int, warm_up: int, on_host: Host, tmp_path: Path
) -> None:
    rng = np.random.default_rng(window)
    readings = np.clip(rng.standard_cauchy((2000, n_channels)) * 200, -32768, 32767).astype(np.int16)
    windows = windows_of(readings, window)
    (tmp_path / "windows.bin").write_bytes(windows.astype("<i2").tobytes())
    coder = Coder(n_channels, window, n_codes, warm_up).learn(windows)
    sizes = {"VISIBLE": coder.n_visible, "HIDDEN": 4, "CHANNELS": n_channels, "WINDOW": window, "CODES": n_codes}
    macros = [f"-DGR_{name}={value}" for name, value in {**sizes, "WARM_UP": warm_up}.items()]
    expected = np.packbits(coder.encode(windows[warm_up - 1 :]), axis=1, bitorder="little").tobytes()
    assert on_host("coder.c", *macros) == expected
