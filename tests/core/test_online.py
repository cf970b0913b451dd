from __future__ import annotations

import copy
import gc
import tracemalloc
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits

from genreplay.core import (
    PAPER,
    BaseRateStart,
    Clock,
    EqualTime,
    EveryUpdate,
    Falling,
    FromChains,
    GenerativeReplay,
    Info,
    LowAtFirst,
    MemoryReplay,
    NewRows,
    NoReplay,
    OnDrift,
    RecentAverage,
    Recipe,
    Replay,
    online,
)
from genreplay.core.online import DivergenceError
from genreplay.core.rbm import RBM, Array
from genreplay.core.rehearsal import drift_of_means
from genreplay.core.state import State, bytes_held
from tests.core.algorithm_1 import SlowLearner

STRATEGIES = [
    GenerativeReplay(),
    GenerativeReplay(n_gibbs=3),
    NoReplay(),
    MemoryReplay(),
    MemoryReplay(capacity="infinite"),
    MemoryReplay(capacity=25, policy="reservoir", packed=True),
]
NO_REPLAY = PAPER.replace(replay=NoReplay())
BAD = {"learning_rate": 1e30, "weight_decay": 1.0}
"""settings that make any update fail"""


def rows_of(n: int, n_visible: int, seed: int = 0, dtype: type = np.float32) -> Array:
    return (np.random.default_rng(seed).random((n, n_visible)) < 0.3).astype(dtype)


def learn(state: State, rows: Array, recipe: Recipe, batch_size: int = 10) -> State:
    newest = state
    for newest, _ in online.observe(state, rows, recipe, batch_size):  # noqa: B007
        pass
    return newest


def start(recipe: Recipe = NO_REPLAY, n_visible: int = 12, n_hidden: int = 6, **options: Any) -> State:
    return online.init(n_visible, n_hidden, recipe, np.random.default_rng(7), **{"batch_size": 10, **options})


@pytest.mark.parametrize(
    ("slow", "chosen"),
    [
        ({}, {}),
        ({"n_Gs": 3}, {"replay__n_gibbs": 3}),
        ({"n_CD": 1, "n_Bhat": 0}, {"replay": NoReplay()}),
        ({"n_CD": 3}, {"n_cd": 3}),
        ({"momentum_low_in": "update"}, {"momentum__of": "update"}),
        ({"sample_reconstruction": True}, {"negative__reconstruction": "samples"}),
        ({"n_E": 3, "rho": 0.7, "xi": 0.1, "alpha": 0.2}, {}),
        ({"n_E": 2, "n_CD": 2, "sample_reconstruction": True}, {"negative__reconstruction": "samples"}),
    ],
)
def test_learner_follows_algorithm_1_line_by_line(slow: dict, chosen: dict) -> None:
    n_v, n_h, n_B, n_Bhat = 5, 4, 6, 9
    reference = SlowLearner(n_v, n_h, np.random.default_rng(3), **{"n_B": n_B, "n_Bhat": n_Bhat, **slow})
    names = {"n_E": "n_epochs", "n_CD": "n_cd", "rho": "momentum__last", "xi": "weight_decay", "alpha": "learning_rate"}
    chosen = {**chosen, **{names[key]: value for key, value in slow.items() if key in names}}
    recipe = PAPER.replace(rehearsal__n_rows=n_Bhat, **chosen)
    state = online.init(n_v, n_h, recipe, np.random.default_rng(3), n_B, dtype=np.float64)
    rows = rows_of(4 * n_B + 2, n_v, dtype=np.float64)
    state = learn(state, rows, recipe, n_B)
    for row in rows:
        reference.observe(row.tolist())
    assert state.t == reference.t == 5
    assert state.n_waiting == len(reference.B) == 2
    assert state.rng.random() == reference.rng.random()
    for part, expected in zip((*state.rbm, *state.velocity), _theta(reference), strict=True):
        np.testing.assert_allclose(part, expected, rtol=1e-9, atol=1e-12)


def _theta(reference: SlowLearner) -> list[Any]:
    return [reference.W, reference.a, reference.b, reference.dW, reference.da, reference.db]


class Spy(NoReplay):
    """A strategy that notes when it is asked."""

    def start(self, model: RBM) -> Spy:
        spy = Spy()
        object.__setattr__(spy, "calls", [])
        return spy

    def recall(self, n: int, model: RBM, rng: np.random.Generator) -> Array:
        self.calls.append(("recall", n))  # type: ignore[attr-defined]
        return np.zeros((n, model.n_visible), dtype=model.W.dtype)

    def remember(self, rows: Array, rng: np.random.Generator, chains: Array | None = None) -> None:
        self.calls.append(("remember", len(rows)))  # type: ignore[attr-defined]


def test_replay_starts_at_the_second_update() -> None:
    recipe = PAPER.replace(replay=Spy(), rehearsal__n_rows=17)
    state = learn(start(recipe), rows_of(30, 12), recipe)
    assert state.past.calls == [  # type: ignore[attr-defined]
        ("remember", 10),
        ("recall", 17),
        ("remember", 10),
        ("recall", 17),
        ("remember", 10),
    ]


def test_every_update_says_what_it_did() -> None:
    recipe = PAPER.replace(rehearsal__n_rows=17, n_epochs=3, divisor=NewRows())
    infos = [info for _, info in online.observe(start(recipe), rows_of(35, 12), recipe, 10)]
    assert infos[0] == Info(n_new=10, n_replayed=0, drift=0.0, learning_rate=0.05, n_epochs=3)
    for info in infos[1:3]:
        assert info is not None
        assert (info.n_new, info.n_replayed, info.n_epochs) == (10, 17, 3)
        assert info.learning_rate == pytest.approx(2.7 * 0.05)
        assert info.replay_share == pytest.approx(17 / 27)
        assert 0 <= info.drift < 1
    assert infos[3] is None, "five rows still wait"


@pytest.mark.parametrize("rows", [np.ones(12), np.ones((3, 1)), np.ones((3, 11)), np.ones((2, 3, 12))])
def test_rows_of_a_wrong_shape_are_refused(rows: Array) -> None:
    with pytest.raises(ValueError, match=r"observe must give rows of shape \(n, 12\)"):
        learn(start(), rows, PAPER)


class Coins(Replay):
    """A strategy from outside the package, that returns integers; and one row too wide if so told."""

    extra = 0

    def recall(self, n: int, model: RBM, rng: np.random.Generator) -> Any:
        return rng.integers(2, size=(n, model.n_visible + self.extra))


def test_rows_of_a_strategy_are_taken_in_the_number_type_of_the_model() -> None:
    recipe = PAPER.replace(replay=Coins(), rehearsal__n_rows=5)
    state = learn(start(recipe), rows_of(40, 12), recipe)
    assert {part.dtype for part in (*state.rbm, *state.velocity)} == {np.dtype(np.float32)}


def test_a_strategy_that_returns_rows_of_a_wrong_shape_is_named() -> None:
    class TooWide(Coins):
        extra = 1

    recipe = PAPER.replace(replay=TooWide(), rehearsal__n_rows=5)
    with pytest.raises(ValueError, match=r"TooWide must give rows of shape \(n, 12\). Got \(5, 13\)"):
        learn(start(recipe), rows_of(40, 12), recipe)


def test_velocity_is_carried_from_update_to_update() -> None:
    recipe = NO_REPLAY.replace(n_epochs=1, momentum=0.9, learning_rate=1e-12)
    state = start(dtype=np.float64)
    state = state._replace(velocity=RBM(*(np.ones_like(part) for part in state.velocity)))
    for update in range(1, 4):
        state = learn(state, rows_of(10, 12, dtype=np.float64), recipe)
        np.testing.assert_allclose(state.velocity.W, 0.9**update, rtol=1e-9)


def test_momentum_is_low_in_the_first_epochs_of_the_stream_or_of_every_update() -> None:
    rho = {
        of: [[LowAtFirst(of=of).at(Clock(t, e, 3 * (t - 1))) for e in (1, 2, 3)] for t in (1, 2, 3)]
        for of in ("stream", "update")
    }
    assert rho["stream"] == [[0.5, 0.5, 0.5], [0.5, 0.5, 0.9], [0.9, 0.9, 0.9]]
    assert rho["update"] == [[0.5, 0.5, 0.5]] * 3


def test_momentum_counts_the_epochs_that_were_made() -> None:
    seen: list[tuple[int, float]] = []

    @dataclass(frozen=True)
    class Noted(LowAtFirst):
        def at(self, clock: Clock) -> float:
            seen.append((clock.t, super().at(clock)))
            return seen[-1][1]

    recipe = NO_REPLAY.replace(n_epochs=Falling(first=4, last=1, n_first=1), momentum=Noted())
    state = learn(start(recipe), rows_of(50, 12), recipe)
    assert seen == [(1, 0.5)] * 4 + [(2, 0.5), (2, 0.9), (3, 0.9), (4, 0.9), (5, 0.9)]
    assert state.n_epochs == 9


@pytest.mark.parametrize("replay", STRATEGIES, ids=str)
@settings(max_examples=15, deadline=None)
@given(cuts=st.lists(st.integers(0, 130), max_size=12))
def test_any_chunking_of_a_stream_gives_the_same_bits(replay: Replay, cuts: list[int]) -> None:
    recipe = PAPER.replace(replay=replay, rehearsal__n_rows=30, n_epochs=2)
    rows = rows_of(130, 12)
    whole = learn(start(recipe, batch_size=20), rows, recipe, 20)
    pieces = start(recipe, batch_size=20)
    for piece in np.split(rows, sorted(cuts)):
        pieces = learn(pieces, piece, recipe, 20)
    for one, other in zip((*whole.rbm, *whole.velocity), (*pieces.rbm, *pieces.velocity), strict=True):
        assert one.tobytes() == other.tobytes()
    assert whole.n_waiting == pieces.n_waiting == 10
    assert whole.rng.bit_generator.state == pieces.rng.bit_generator.state


def test_batch_size_may_change_while_rows_wait() -> None:
    state = learn(start(), rows_of(7, 12), NO_REPLAY)
    state = learn(state, rows_of(2, 12, seed=1), NO_REPLAY, batch_size=4)
    assert (state.t, state.n_waiting, state.n_learned) == (3, 1, 8)
    np.testing.assert_array_equal(state.waiting[0], rows_of(2, 12, seed=1)[1])
    state = learn(state, rows_of(30, 12, seed=2), NO_REPLAY, batch_size=50)
    assert (state.t, state.n_waiting, state.n_learned) == (3, 31, 8)


def test_rows_that_wait_are_not_lost_when_the_batch_size_is_lowered_and_an_update_fails() -> None:
    state = learn(start(batch_size=20), rows_of(17, 12), NO_REPLAY, 20)
    recipe = NO_REPLAY.replace(n_epochs=1, learning_rate=1e12, weight_decay=1.0)
    newest = state
    with pytest.raises(DivergenceError):
        for newest, _ in online.observe(state, rows_of(500, 12, seed=1), recipe, 5):
            assert newest.rbm.is_finite()
    assert newest.t > 1
    assert newest.n_learned + newest.n_waiting >= 17
    state = learn(start(batch_size=20), rows_of(17, 12), NO_REPLAY, 20)
    first, _ = next(online.observe(state, rows_of(1, 12, seed=1), NO_REPLAY, 5))
    np.testing.assert_array_equal(first.waiting[: first.n_waiting], rows_of(17, 12)[5:])


def test_failed_update_leaves_no_trace() -> None:
    good = PAPER.replace(replay=MemoryReplay(capacity=50, policy="reservoir"), rehearsal__n_rows=15)
    state = learn(start(good), rows_of(65, 12), good)
    twin = learn(start(good), rows_of(65, 12), good)
    more = rows_of(40, 12, seed=1)
    with pytest.raises(DivergenceError, match=r"Update 7 .*learning_rate=1e\+30.*momentum=0.9.*weight_decay=1"):
        learn(state, more, good.replace(**BAD))
    assert state.rng.bit_generator.state == twin.rng.bit_generator.state
    state, twin = learn(state, more, good), learn(twin, more, good)
    for one, other in zip(state.rbm, twin.rbm, strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("n_cd", [1, 2])
@pytest.mark.parametrize("n_visible", [12, 400])
def test_sampled_reconstructions_of_a_diverging_model_end_in_the_same_error(n_cd: int, n_visible: int) -> None:
    recipe = PAPER.replace(rehearsal__n_rows=15, n_cd=n_cd, negative__reconstruction="samples")
    state = learn(start(recipe, n_visible, 70), rows_of(20, n_visible), recipe)
    with pytest.raises(DivergenceError):
        learn(state, rows_of(20, n_visible, seed=1), recipe.replace(**BAD))


def test_updates_before_a_failed_one_are_kept_by_whoever_keeps_the_newest_state() -> None:
    recipe = NO_REPLAY.replace(n_epochs=1, learning_rate=1e12, weight_decay=1.0)
    newest = state = start()
    with pytest.raises(DivergenceError):
        for newest, _ in online.observe(state, rows_of(500, 12), recipe, 10):
            assert newest.rbm.is_finite()
    assert newest.t > 1


def test_visible_biases_start_at_the_log_odds_of_the_first_batch_if_asked() -> None:
    rows = rows_of(50, 6, dtype=np.float64)
    rows[:, 0], rows[:, 1] = 1, 0
    still = NO_REPLAY.replace(learning_rate=1e-12, start=BaseRateStart())
    a = learn(start(still, 6, 3, batch_size=50, dtype=np.float64), rows, still, 50).rbm.a
    share = (rows.sum(axis=0) + 0.5) / 51
    np.testing.assert_allclose(1 / (1 + np.exp(-a)), share, rtol=1e-6)
    assert a[0] < 5  # a unit that was always on may still go off


def test_persistent_chains_learn_the_shares_of_modes_that_contrastive_divergence_does_not() -> None:
    rng = np.random.default_rng(0)
    patterns = np.repeat(np.eye(2, dtype=np.float32), 6, axis=1)
    rows = patterns[(rng.random(20_000) < 0.2).astype(int)]  # one pattern in five times is the second
    recipe = NO_REPLAY.replace(n_epochs=2, momentum=0.5, start=BaseRateStart(), negative=FromChains(n_chains=200))
    state = learn(online.init(12, 8, recipe, np.random.default_rng(1)), rows, recipe, 100)
    assert state.chains is not None
    ends = state.chains.reshape(-1, 2, 6).mean(axis=2)
    assert abs(ends[:, 1].mean() - 0.2) < 4 * 0.4 / np.sqrt(200)
    assert np.mean(np.abs(ends[:, 0] - ends[:, 1]) > 0.6) > 0.9  # the chains are in one mode or the other
    assert bytes_held(state).chains == 200 * 12 * 4


def test_a_failed_update_leaves_the_chains_where_they_were() -> None:
    recipe = NO_REPLAY.replace(n_epochs=3, negative=FromChains(n_chains=7))
    state = learn(start(recipe), rows_of(30, 12), recipe)
    assert state.chains is not None
    before = state.chains.copy()
    state = online.wait(state, rows_of(10, 12, seed=1))
    with pytest.raises(DivergenceError):
        online.step(state, recipe.replace(**BAD), 10)
    np.testing.assert_array_equal(state.chains, before)
    once, _ = online.step(state, recipe, 10)
    assert once.chains is not None
    assert (once.chains != before).any()


def test_drift_is_seen_in_sorted_rows_and_not_in_shuffled_ones() -> None:
    digits = load_digits()
    bits, order = (digits.data > 7.5).astype(float), np.random.default_rng(0).permutation(1797)

    def shares(order: npt.NDArray[np.integer]) -> list[float]:
        cut = range(100, 1701, 100)
        return [drift_of_means(bits[order[i : i + 100]], bits[order[:i]].sum(axis=0), i) for i in cut]

    assert max(shares(order)) < 0.1
    assert np.mean(shares(order[np.argsort(digits.target[order], kind="stable")])) > 0.7


@pytest.mark.parametrize(("n_epochs", "expected"), [(4, 2), (2, 2), (1, 1), (40, 11)])
def test_rehearsal_follows_drift_and_takes_the_epochs_that_it_costs(n_epochs: int, expected: int) -> None:
    recalled = []

    @dataclass(frozen=True)
    class Spy(Replay):
        def recall(self, n: int, model: RBM, rng: np.random.Generator) -> Array:
            recalled.append(n)
            return np.zeros((n, model.n_visible), dtype=np.float32)

    recipe = PAPER.replace(replay=Spy(), rehearsal=OnDrift(), n_epochs=EqualTime(n_epochs, at_least=2))
    state = learn(start(recipe, batch_size=50), rows_of(200, 12), recipe, 50)
    assert recalled == []
    learn(state, 1 - rows_of(50, 12, seed=1), recipe, 50)
    assert len(recalled) == expected
    assert 130 < min(recalled) == max(recalled) <= 150


def test_where_there_is_nothing_to_rehearse_no_epoch_is_spared_for_it() -> None:
    recipe = NO_REPLAY.replace(rehearsal=OnDrift(), n_epochs=EqualTime(10, at_least=2), divisor=NewRows())
    state = learn(start(batch_size=50), rows_of(200, 12), recipe, 50)
    plain = learn(copy.deepcopy(state), 1 - rows_of(50, 12, seed=1), NO_REPLAY, 50)
    np.testing.assert_array_equal(learn(state, 1 - rows_of(50, 12, seed=1), recipe, 50).rbm.W, plain.rbm.W)


def test_updates_take_the_rate_and_the_epochs_of_their_turn() -> None:
    recipe = NO_REPLAY.replace(
        learning_rate=Falling(first=0.2, last=0.05, n_first=2, n_warm_up=2),
        n_epochs=Falling(first=8, last=3, n_first=2),
        momentum__of="update",
    )
    turns = [(0.1, 8), (0.2, 8), (0.4 / 3, 5), (0.1, 4), (0.08, 3)]  # a warm-up, then the rate and the epochs fall
    state, step_by_step = start(), start()
    for turn, (learning_rate, n_epochs) in enumerate(turns):
        rows = rows_of(10, 12, seed=turn)
        state = learn(state, rows, recipe)
        now = NO_REPLAY.replace(learning_rate=learning_rate, n_epochs=n_epochs, momentum__of="update")
        step_by_step = learn(step_by_step, rows, now)
        np.testing.assert_allclose(state.rbm.W, step_by_step.rbm.W, rtol=1e-5)


def test_a_new_row_counts_as_much_beside_dreams_as_without_if_asked() -> None:
    recipe = PAPER.replace(rehearsal__n_rows=30, n_epochs=2)
    union, batch = (learn(start(recipe), rows_of(20, 12), each) for each in (recipe, recipe.replace(divisor=NewRows())))
    first = learn(start(recipe), rows_of(10, 12), recipe)
    four_times = learn(first, rows_of(20, 12)[10:], recipe.replace(learning_rate=4 * 0.05))
    np.testing.assert_array_equal(batch.rbm.W, four_times.rbm.W)
    assert not np.array_equal(union.rbm.W, batch.rbm.W)


def test_the_average_is_what_a_model_scores_with_and_theta_what_it_learns_with() -> None:
    recipes = (NO_REPLAY, NO_REPLAY.replace(averaging=RecentAverage(keep=0.5)))
    plain, averaged = (
        [state for state, _ in online.observe(start(), rows_of(100, 12), recipe, 10)] for recipe in recipes
    )
    expected = plain[0].rbm.W
    for t, (one, other) in enumerate(zip(plain, averaged, strict=True), start=1):
        np.testing.assert_array_equal(one.rbm.W, other.rbm.W)
        assert one.model is one.rbm
        assert other.model is other.average
        expected = expected + max(0.5, 5 / (t + 4)) * (one.rbm.W - expected)
        np.testing.assert_allclose(other.model.W, expected, rtol=1e-5, atol=1e-7)


def test_base_rates_count_the_learned_rows() -> None:
    rows = rows_of(95, 12)
    state = learn(start(), rows, NO_REPLAY)
    np.testing.assert_array_equal(state.ones, rows[:90].sum(axis=0))
    assert state.n_learned == 90


def traced(replay: Replay, n_visible: int = 16) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], State]:
    """Bytes left behind, and at their peak, by each of 200 calls that learn 1,000 rows."""
    recipe = PAPER.replace(replay=replay, rehearsal=EveryUpdate(n_rows=100), n_epochs=1)
    rows = rows_of(1000, n_visible)
    state = online.init(n_visible, 8, recipe, np.random.default_rng(0), batch_size=500)
    state = learn(state, rows, recipe, 500)  # Numba loads its loops now, and not while bytes are counted
    left, peaks = np.zeros((2, 199), dtype=np.int64)
    gc.collect()
    gc.freeze()  # what other tests left need not be gone through again and again
    tracemalloc.start()
    try:
        for i in range(199):
            tracemalloc.reset_peak()
            state = learn(state, rows, recipe, 500)
            peaks[i] = tracemalloc.get_traced_memory()[1]
            gc.collect()  # empties Python's own lists of used tuples, which would count as traced
            left[i] = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
        gc.unfreeze()
    return left, peaks, state


def assert_bounded(left: npt.NDArray[np.int64], peaks: npt.NDArray[np.int64]) -> None:
    """Of every call's 1,000 rows fewer than ten stay; and in all, with lists that double, less than a byte a row.

    Single jumps of some 20,000 bytes come by chance: NumPy keeps small arrays for itself, and lists of ones are longer
    or shorter. So the first is asked of the middle one of many spans. A cache of 512 short strings, which other code in
    the process may fill meanwhile, adds some 150 bytes a call until it is full. 1,000 rows as bits are 2,000 bytes.
    """
    later, span, row = left[100:], 20, 16 * 4
    assert np.median(later[span:] - later[:-span]) < span * 10 * row
    for bytes_ in (left, peaks):
        assert bytes_[20:].max() - bytes_[:20].max() < 179_000


def test_learning_200_000_rows_with_dreams_allocates_nothing_that_grows() -> None:
    left, peaks, state = traced(GenerativeReplay())
    assert state.n_learned == 200_000
    assert_bounded(left, peaks)
    assert state.past.nbytes == 0


def test_infinite_memory_grows_linearly() -> None:
    left, peaks, state = traced(MemoryReplay(capacity="infinite"))
    row = 16 * 4
    assert 179_000 * row < left[-1] - left[20] < 2 * 200_000 * row  # doubled at most
    assert peaks.max() < (2 + 1) * 200_000 * row  # and the old one held while it is copied
    assert 200_000 * row <= state.past.nbytes < 2 * 200_000 * row


def test_limited_memory_stops_at_its_limit() -> None:
    left, peaks, state = traced(MemoryReplay())
    assert_bounded(left, peaks)
    assert state.rbm.nbytes - 64 < state.past.nbytes <= state.rbm.nbytes
