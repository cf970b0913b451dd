from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from genreplay.bench.measure import Contestant, exponent, interleave, threads


def test_contestants_take_turns_after_a_warm_up() -> None:
    steps: list[str] = []
    turns = interleave(
        {name: Contestant(lambda name=name: steps.append(name)) for name in ("one", "two")},  # type: ignore[misc]
        n_turns=4,
    )
    assert steps == ["one", "two"] * 5
    assert turns.seconds.shape == (4, 2)
    assert turns.ratio("one", unit="one") == (1, 1, 1)


def test_the_same_work_takes_the_same_time() -> None:
    square = np.random.default_rng(0).random((200, 200))
    turns = interleave({name: Contestant(lambda: square @ square) for name in ("one", "two")}, n_turns=51)
    ratio = turns.ratio("two", unit="one")
    assert 0.5 < ratio.value < 2
    assert ratio.low <= ratio.high


@pytest.fixture
def nap(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Work of a hundredth of a second by a clock that nothing else moves."""
    seconds = 0.0

    def nap() -> None:
        nonlocal seconds
        seconds += 0.01

    monkeypatch.setattr(time, "perf_counter", lambda: seconds)
    return nap


def test_three_times_the_work_takes_three_times_the_time(nap: Callable[[], None]) -> None:
    turns = interleave({"one": Contestant(nap), "three": Contestant(lambda: [nap() for _ in range(3)])}, n_turns=15)
    assert turns.ratio("three", unit="one").value == pytest.approx(3)


def test_times_are_of_one_step(nap: Callable[[], None]) -> None:
    turns = interleave({"one": Contestant(nap), "ten": Contestant(nap, n_steps=10)}, n_turns=5)
    assert turns.ratio("ten", unit="one").value == pytest.approx(0.1)


def test_each_contestant_has_its_own_number_of_threads() -> None:
    seen: dict[int, set[int]] = {1: set(), 2: set()}

    def look(n: int) -> Contestant:
        return Contestant(lambda: seen[n].update(p["num_threads"] for p in threadpool_info()), n_threads=n)

    before = [pool["num_threads"] for pool in threadpool_info()]
    interleave({"one": look(1), "two": look(2)}, n_turns=2)
    assert seen == {1: {1}, 2: {2}}
    assert [pool["num_threads"] for pool in threadpool_info()] == before


def test_compiled_loops_are_held_to_the_same_number_of_threads() -> None:
    pytest.importorskip("numba")
    from genreplay.core.kernels.compiled import parallel

    before = parallel.n_threads
    with threads(before + 1):
        assert parallel.n_threads == before + 1
    assert parallel.n_threads == before


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 1.1, 2.0])
def test_a_known_power_is_found(power: float) -> None:
    sizes = np.array([3, 6, 12, 24, 48])
    assert exponent(sizes, 0.007 * sizes**power) == pytest.approx(power)


def test_a_fixed_part_lowers_the_exponent() -> None:
    sizes = np.array([1, 2, 4, 8, 16])
    assert exponent(sizes, 5 + sizes) < 0.5 < exponent(sizes[-2:], 5 + sizes[-2:]) < 1
