from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from genreplay.core import DreamPool, GenerativeReplay, MemoryReplay, NoReplay, Replay, rbm
from genreplay.core.ingredient import Ingredient, from_json
from genreplay.core.rbm import RBM, Array
from genreplay.core.replay import BY_NAME
from genreplay.core.replay.base import Past

RNG = np.random.default_rng


def model(n_visible: int = 10, n_hidden: int = 5) -> RBM:
    return rbm.init(n_visible, n_hidden, RNG(0))


def numbered(start: int, stop: int, n_visible: int = 10) -> Array:
    """Rows that spell their number in bits."""
    return ((np.arange(start, stop)[:, None] >> np.arange(n_visible)) & 1).astype(np.float32)


def numbers(rows: Array) -> list[int]:
    return (rows @ (1 << np.arange(rows.shape[1]))).astype(int).tolist()


def held(memory: Past) -> list[int]:
    rows = np.asarray(memory.dump()["rows"])
    return numbers(np.unpackbits(rows, axis=1, count=10) if rows.dtype == np.uint8 else rows)


EVERY = [*BY_NAME.values(), MemoryReplay(policy="reservoir"), MemoryReplay(packed=True), MemoryReplay(capacity=7)]


@pytest.mark.parametrize("strategy", EVERY, ids=str)
def test_every_strategy_keeps_the_protocol(strategy: Replay) -> None:
    assert isinstance(strategy, Replay)
    assert Ingredient.classes[type(strategy).__name__] is type(strategy)
    started = strategy.start(model())
    rng = RNG(1)
    for _ in range(3):
        started.remember(numbered(0, 20), rng, chains=numbered(0, 20))
    recalled = started.recall(30, model(), rng)
    assert recalled.shape == (0 if isinstance(strategy, NoReplay) else 30, 10)
    assert recalled.dtype == np.float32
    assert ((recalled == 0) | (recalled == 1)).all()
    assert strategy.nbytes == 0, "a strategy is only a description"
    assert from_json(strategy.to_json()) == strategy
    again = strategy.start(model())
    again.restore(started.dump())
    np.testing.assert_array_equal(again.recall(30, model(), RNG(2)), started.recall(30, model(), RNG(2)))
    assert again.nbytes == started.nbytes


def test_a_pool_of_dreams_holds_no_row_and_renews_itself_while_the_stream_grows_by_a_share() -> None:
    rng, row = RNG(0), np.ones((100, 10), np.float32)
    left = []
    for _ in range(20):
        pool = DreamPool(size=500, renewal=0.5).start(model())
        for _ in range(10):
            pool.remember(row, rng, chains=np.zeros((200, 10), np.float32))
        assert pool.recall(1000, model(), rng).sum() == 0, "rows of the stream stay out"
        for _ in range(10):  # the stream grows to twice its length
            pool.remember(row, rng, chains=np.ones((200, 10), np.float32))
        assert pool.nbytes == 500 * 2
        left.append((pool.recall(2000, model(), rng)[:, 0] == 0).mean())
    assert np.mean(left) == pytest.approx(0.5 ** (1 / 0.5), abs=0.03)


def test_dreams_of_a_strategy_are_those_of_the_model() -> None:
    big = RBM(*(100 * part for part in model()))
    dreams = GenerativeReplay(n_gibbs=4).recall(50, big, RNG(3))
    np.testing.assert_array_equal(dreams, rbm.dream(big, 50, 4, RNG(3)))
    assert GenerativeReplay().start(big).nbytes == 0


def test_limited_memory_takes_the_bytes_of_the_parameters() -> None:
    mnist = rbm.init(784, 500, RNG(0))
    assert MemoryReplay().start(mnist).max_rows == 501
    assert MemoryReplay(packed=True).start(mnist).max_rows == 393_284 * 4 // 98
    assert MemoryReplay().start(rbm.init(784, 500, RNG(0), dtype=np.float64)).max_rows == 501


def test_capacity_is_in_rows_or_in_bytes() -> None:
    for memory, max_rows in (
        (MemoryReplay(capacity=33), 33),
        (MemoryReplay(capacity_bytes=400), 10),
        (MemoryReplay(capacity_bytes=439), 10),
        (MemoryReplay(capacity_bytes=400, packed=True), 200),
        (MemoryReplay(capacity="infinite"), None),
    ):
        started = memory.start(model())
        assert started.max_rows == max_rows
        started.remember(numbered(0, 1000), RNG(0))
        assert started.n_rows == (max_rows or 1000)
        if max_rows is not None:
            assert started.nbytes == max_rows * (2 if memory.packed else 40)


@pytest.mark.parametrize("packed", [False, True])
def test_oldest_rows_are_discarded_when_full(packed: bool) -> None:
    memory = MemoryReplay(capacity=7, packed=packed).start(model())
    memory.remember(numbered(0, 5), RNG(0))
    assert sorted(held(memory)) == [0, 1, 2, 3, 4]
    memory.remember(numbered(5, 9), RNG(0))
    assert sorted(held(memory)) == [2, 3, 4, 5, 6, 7, 8]
    memory.remember(numbered(9, 40), RNG(0))
    assert sorted(held(memory)) == [33, 34, 35, 36, 37, 38, 39]


def test_reservoir_keeps_every_row_with_the_same_chance() -> None:
    kept = np.zeros(60)
    n_trials = 4000
    for seed in range(n_trials):
        memory = MemoryReplay(capacity=12, policy="reservoir").start(model())
        for start in range(0, 60, 20):
            memory.remember(numbered(start, start + 20), RNG([seed, start]))
        rows = held(memory)
        assert len(set(rows)) == 12
        kept[rows] += 1
    assert chisquare(kept, np.full(60, n_trials * 12 / 60)).pvalue > 1e-4


@pytest.mark.parametrize("capacity", ["infinite", 200])
def test_draws_are_uniform_over_what_is_held(capacity: int) -> None:
    memory = MemoryReplay(capacity=capacity).start(model())
    memory.remember(numbered(0, 200), RNG(0))
    drawn = np.bincount(numbers(memory.recall(100_000, model(), RNG(1))), minlength=200)
    assert chisquare(drawn).pvalue > 1e-4


def test_infinite_memory_moves_its_rows_only_when_it_doubles() -> None:
    memory = MemoryReplay(capacity="infinite").start(model())
    buffers = set()
    for start in range(0, 1000, 10):
        memory.remember(numbered(start, start + 10), RNG(0))
        buffers.add(memory.nbytes)
    assert held(memory) == list(range(1000))
    assert sorted(buffers) == [40 * n for n in (64, 128, 256, 512, 1024)]


def test_packed_memory_refuses_what_is_no_bit() -> None:
    memory = MemoryReplay(packed=True).start(model())
    with pytest.raises(ValueError, match="other than 0 and 1"):
        memory.remember(np.full((1, 10), 0.5, np.float32), RNG(0))
    assert memory.n_rows == 0


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (lambda: GenerativeReplay(n_gibbs=0), "n_gibbs"),
        (lambda: DreamPool(size=0), "size"),
        (lambda: DreamPool(renewal=0), "renewal"),
        (lambda: MemoryReplay(capacity=0), "capacity"),
        (lambda: MemoryReplay(capacity="huge"), "capacity"),  # type: ignore[arg-type]
        (lambda: MemoryReplay(capacity=True), "capacity"),
        (lambda: MemoryReplay(capacity_bytes=-1), "capacity_bytes"),
        (lambda: MemoryReplay(capacity=10, capacity_bytes=100), "capacity_bytes"),
        (lambda: MemoryReplay(policy="newest"), "policy"),  # type: ignore[arg-type]
        (lambda: MemoryReplay(capacity_bytes=3).start(model()), "capacity_bytes"),
    ],
)
def test_bad_settings_are_named(make: object, parameter: str) -> None:
    with pytest.raises(ValueError, match=rf"The '{parameter}' setting of \w+ must be .* Got .* instead\."):
        make()  # type: ignore[operator]
