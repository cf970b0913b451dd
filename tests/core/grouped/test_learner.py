"""Learning a table: one step by its formula, shares that forget, states that are never changed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from genreplay.core.grouped import Dreams, GroupedRBM, Nothing, State, Stored, TableRBM, learner, model, start, update
from genreplay.core.kernels import grouped as kernels
from genreplay.core.kernels.arrays import Codes, Float64
from tests.core.grouped.tiny import SIZES

RNG = np.random.default_rng
PRIOR = np.full(sum(SIZES), 0.5)


def rows_of(n: int, seed: int = 0) -> Codes:
    """The first two groups agree, the third has its own mind."""
    rng = RNG(seed)
    first = rng.integers(0, 2, size=n)
    return np.stack([first, first, rng.integers(0, 4, size=n)], axis=1).astype(np.uint8)


def started(settings: TableRBM, n_groups: int = 3, n_rows: int = 60) -> State:
    return start(settings, np.array(SIZES), n_groups, PRIOR, rows_of(n_rows), RNG(0))


def arrays_of(state: State) -> dict[str, np.ndarray]:
    parts = {f"{name}.{key}": part for name in ("rbm", "mean", "square") for key, part in _parts(state, name)}
    return parts | {name: getattr(state, name) for name in ("learned", "counts", "prior", "offsets", "rehearsed")}


def _parts(state: State, name: str) -> Any:
    return getattr(state, name)._asdict().items()


@pytest.mark.parametrize("replay", [Dreams(size=20, n_rows=10), Stored(size=20, n_rows=10), Nothing()], ids=str)
def test_an_update_leaves_the_old_state_as_it_was(replay: Any) -> None:
    settings = TableRBM(4, n_first=2, replay=replay)
    state = started(settings)
    before = {name: array.copy() for name, array in arrays_of(state).items()}
    later = update(state, settings, rows_of(50, seed=1), np.ones(50))
    for name, array in arrays_of(state).items():
        np.testing.assert_array_equal(array, before[name], name)
    assert all((later.rbm[i] != state.rbm[i]).any() for i in range(3))
    assert (later.n_learned, later.n_updates) == (state.n_learned + 50, state.n_updates + 1)


def test_one_step_follows_the_gradient_by_adam_with_the_new_shares() -> None:
    settings = TableRBM(4, n_first=1, learning_rate=0.1, replay=Nothing())
    state = started(settings)
    n = learner.ROWS_PER_STEP
    rows, p_values = rows_of(n, seed=1), np.where(np.arange(n) < n // 2, 0.01, 1.0) * RNG(2).random(n)
    counts = state.counts + learner.count(rows, np.sqrt(p_values), state.offsets)
    shares = learner.log_shares(counts, PRIOR, state.offsets)
    rbm = GroupedRBM(state.rbm.W, shares + state.learned, state.rbm.b)
    slope = model.gradient(rbm, state.offsets, rows, np.minimum(100 * p_values, 1) / n)  # a doubtful row teaches less
    later = update(state, settings, rows, p_values)
    t = state.n_steps + 1
    assert later.n_steps == t
    for now, then, d, m, v in zip(
        (later.rbm.W, later.learned, later.rbm.b),
        (state.rbm.W, state.learned, state.rbm.b),
        slope,
        state.mean,
        state.square,
        strict=True,
    ):
        m, v = 0.9 * m + 0.1 * d, 0.999 * v + 0.001 * d**2
        step = 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-5)
        np.testing.assert_allclose(now, then + step, rtol=0, atol=1e-6)  # gradients have single precision
    np.testing.assert_allclose(later.rbm.a, shares + later.learned, rtol=1e-12)


@pytest.mark.parametrize("n_hidden", [4, 33])
def test_compiled_loops_learn_what_numpy_learns(n_hidden: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def learned() -> State:
        settings = TableRBM(n_hidden, n_first=2, learning_rate=0.02, replay=Stored(size=20, n_rows=10))
        state = started(settings)
        for seed in range(5):
            state = update(state, settings, rows_of(50, seed), RNG(seed).random(50))
        return state

    on_this_path = learned()
    monkeypatch.setattr(kernels, "_loops", lambda: None)
    for name, array in arrays_of(learned()).items():
        np.testing.assert_allclose(arrays_of(on_this_path)[name], array, rtol=1e-3, atol=1e-3, err_msg=name)


@pytest.mark.parametrize(("n_epochs", "n_rows", "n_steps"), [(1, 100, 5), (3, 100, 15), (2, 45, 6)])
def test_each_epoch_takes_all_rows_in_steps_of_a_few(n_epochs: int, n_rows: int, n_steps: int) -> None:
    settings = TableRBM(4, n_first=1, n_epochs=n_epochs, replay=Nothing())
    state = started(settings)
    assert update(state, settings, rows_of(n_rows), np.ones(n_rows)).n_steps - state.n_steps == n_steps
    dreaming = TableRBM(4, n_first=1, n_epochs=n_epochs, replay=Dreams(size=30, n_rows=40))
    state = started(dreaming)
    steps = update(state, dreaming, rows_of(n_rows), np.ones(n_rows)).n_steps - state.n_steps
    assert steps == n_epochs * -(-(n_rows + 40) // learner.ROWS_PER_STEP)


def test_shares_forget_the_oldest_rows_beyond_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learner, "MEMORY", 1_000)
    settings = TableRBM(1, n_first=1, replay=Nothing())
    state = started(settings)
    old, new = np.zeros((100, 3), dtype=np.uint8), np.ones((100, 3), dtype=np.uint8)
    for _ in range(60):
        state = update(state, settings, old, np.ones(100))
    assert state.counts[:3].sum() == pytest.approx(1_000)
    before = state.counts[0]
    for _ in range(20):
        state = update(state, settings, new, np.ones(100))
    assert state.counts[0] == pytest.approx(before * (1_000 / 1_100) ** 20)
    assert state.counts[:3].sum() == pytest.approx(1_000)
    for g in range(3):
        assert np.exp(-state.rarity[state.offsets[g] : state.offsets[g + 1]]).sum() == pytest.approx(1)


def test_a_row_without_weight_teaches_nothing() -> None:
    settings = TableRBM(4, n_first=1, replay=Nothing())
    state = started(settings)
    strange = np.full((30, 3), 1, dtype=np.uint8)
    later = update(state, settings, strange, np.zeros(30))
    np.testing.assert_array_equal(later.counts, state.counts)


def test_groups_of_combinations_are_counted_but_not_a_part_of_the_rbm() -> None:
    settings = TableRBM(4, n_first=1)
    state = started(settings, n_groups=2)
    assert state.n_groups == 2
    assert state.rbm.W.shape == (5, 4)
    assert state.rehearsed.shape == (Dreams().size, 2)
    weights: Float64 = np.ones(50)
    later = update(state, settings, rows_of(50), weights)
    assert later.counts[5:].sum() == pytest.approx(state.counts[5:].sum() + 50)


def test_a_relation_is_learned_and_rare_rows_of_the_warm_up_count_less() -> None:
    settings = TableRBM(8, learning_rate=0.05)
    rows = rows_of(500)
    rows[7] = [2, 1, 0]  # the only one of its kind
    state = start(settings, np.array(SIZES), 3, PRIOR, rows, RNG(0))
    assert state.counts[2] < 0.2
    for seed in range(1, 20):
        state = update(state, settings, rows_of(100, seed), np.ones(100))
    together, apart = np.array([[0, 0, 0], [0, 1, 0]], dtype=np.uint8)
    nats = model.surprise(state.rbm, state.offsets, np.stack([together, apart]))
    assert nats[0, 1] < 0.05
    assert nats[1, 1] > 3


@pytest.mark.parametrize(
    "bad",
    [{"n_hidden": 0}, {"learning_rate": 0}, {"n_epochs": 1.5}, {"batch_size": "all"}, {"replay": "dreams"}],
    ids=str,
)
def test_a_bad_setting_is_refused_by_name(bad: dict[str, Any]) -> None:
    (name,) = bad
    with pytest.raises(ValueError, match=name):
        TableRBM(**bad)
