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

from genreplay.core import GenerativeReplay, MemoryReplay, NoReplay, Replay, Settings, online
from genreplay.core.online import DivergenceError, State
from genreplay.core.rbm import RBM, Array
from genreplay.core.replay import Strategy
from tests.core.algorithm_1 import SlowLearner

STRATEGIES = [
    GenerativeReplay(),
    GenerativeReplay(n_gibbs=3),
    NoReplay(),
    MemoryReplay(),
    MemoryReplay(capacity="infinite"),
    MemoryReplay(capacity=25, policy="reservoir", packed=True),
]


def rows_of(n: int, n_visible: int, seed: int = 0, dtype: type = np.float32) -> Array:
    return (np.random.default_rng(seed).random((n, n_visible)) < 0.3).astype(dtype)


def learn(state: State, rows: Array, chosen: Settings) -> State:
    for each in online.observe(state, rows, chosen):
        state = each
    return state


def start(replay: Replay, n_visible: int = 12, n_hidden: int = 6, **options: Any) -> State:
    return online.init(n_visible, n_hidden, replay, np.random.default_rng(7), **options)


@pytest.mark.parametrize(
    ("slow", "chosen", "replay"),
    [
        ({}, {}, GenerativeReplay()),
        ({"n_Gs": 3}, {}, GenerativeReplay(n_gibbs=3)),
        ({"n_CD": 1, "n_Bhat": 0}, {}, NoReplay()),
        ({"n_CD": 3}, {"n_cd": 3}, GenerativeReplay()),
        ({"momentum_low_in": "update"}, {"momentum_schedule": "update"}, GenerativeReplay()),
        ({"sample_reconstruction": True}, {"reconstruction": "samples"}, GenerativeReplay()),
        ({"n_E": 3, "rho": 0.7, "xi": 0.1, "alpha": 0.2}, {}, GenerativeReplay()),
        ({"n_E": 2, "n_CD": 2, "sample_reconstruction": True}, {"reconstruction": "samples"}, GenerativeReplay()),
    ],
)
def test_learner_follows_algorithm_1_line_by_line(slow: dict, chosen: dict, replay: Replay) -> None:
    n_v, n_h, n_B, n_Bhat = 5, 4, 6, 9
    reference = SlowLearner(n_v, n_h, np.random.default_rng(3), **{"n_B": n_B, "n_Bhat": n_Bhat, **slow})
    names = {"n_E": "n_epochs", "n_CD": "n_cd", "rho": "momentum", "xi": "weight_decay", "alpha": "learning_rate"}
    chosen = {**chosen, **{names[key]: value for key, value in slow.items() if key in names}}
    state = online.init(n_v, n_h, replay, np.random.default_rng(3), n_B, dtype=np.float64)
    rows = rows_of(4 * n_B + 2, n_v, dtype=np.float64)
    state = learn(state, rows, Settings(batch_size=n_B, n_replay=n_Bhat, **chosen))
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
    state = learn(start(Spy()), rows_of(30, 12), Settings(batch_size=10, n_replay=17))
    assert state.replay.calls == [  # type: ignore[attr-defined]
        ("remember", 10),
        ("recall", 17),
        ("remember", 10),
        ("recall", 17),
        ("remember", 10),
    ]


@pytest.mark.parametrize("rows", [np.ones(12), np.ones((3, 1)), np.ones((3, 11)), np.ones((2, 3, 12))])
def test_rows_of_a_wrong_shape_are_refused(rows: Array) -> None:
    with pytest.raises(ValueError, match=r"observe must give rows of shape \(n, 12\)"):
        learn(start(NoReplay()), rows, Settings())


class Coins(Strategy):
    """A strategy from outside the package, that returns integers; and one row too wide if so told."""

    extra = 0

    def recall(self, n: int, model: RBM, rng: np.random.Generator) -> Any:
        return rng.integers(2, size=(n, model.n_visible + self.extra))


def test_rows_of_a_strategy_are_taken_in_the_number_type_of_the_model() -> None:
    state = learn(start(Coins(), batch_size=10), rows_of(40, 12), Settings(batch_size=10, n_replay=5))
    assert {part.dtype for part in (*state.rbm, *state.velocity)} == {np.dtype(np.float32)}


def test_a_strategy_that_returns_rows_of_a_wrong_shape_is_named() -> None:
    class TooWide(Coins):
        extra = 1

    with pytest.raises(ValueError, match=r"TooWide must give rows of shape \(n, 12\). Got \(5, 13\)"):
        learn(start(TooWide(), batch_size=10), rows_of(40, 12), Settings(batch_size=10, n_replay=5))


def test_number_of_a_strategy_goes_before_that_of_the_learner() -> None:
    chosen = Settings(batch_size=10, n_replay=17)
    by_strategy = learn(start(GenerativeReplay(n_samples=5)), rows_of(40, 12), chosen)
    by_learner = learn(start(GenerativeReplay()), rows_of(40, 12), chosen._replace(n_replay=5))
    np.testing.assert_array_equal(by_strategy.rbm.W, by_learner.rbm.W)


def test_velocity_is_carried_from_update_to_update() -> None:
    chosen = Settings(batch_size=10, n_epochs=1, n_initial_epochs=0, learning_rate=1e-12)
    state = start(NoReplay(), dtype=np.float64)
    state = state._replace(velocity=RBM(*(np.ones_like(part) for part in state.velocity)))
    for update in range(1, 4):
        state = learn(state, rows_of(10, 12, dtype=np.float64), chosen)
        np.testing.assert_allclose(state.velocity.W, 0.9**update, rtol=1e-9)


def test_momentum_is_low_in_the_first_epochs_of_the_stream_or_of_every_update() -> None:
    rho = {
        schedule: [
            [online.momentum_at(t, e, Settings(n_epochs=3, momentum_schedule=schedule)) for e in (1, 2, 3)]
            for t in (1, 2, 3)
        ]
        for schedule in ("stream", "update")
    }
    assert rho["stream"] == [[0.5, 0.5, 0.5], [0.5, 0.5, 0.9], [0.9, 0.9, 0.9]]
    assert rho["update"] == [[0.5, 0.5, 0.5]] * 3
    assert [online.momentum_at(9, e, Settings(momentum_schedule="update")) for e in (5, 6)] == [0.5, 0.9]


@pytest.mark.parametrize("replay", STRATEGIES, ids=str)
@settings(max_examples=15, deadline=None)
@given(cuts=st.lists(st.integers(0, 130), max_size=12))
def test_any_chunking_of_a_stream_gives_the_same_bits(replay: Replay, cuts: list[int]) -> None:
    chosen = Settings(batch_size=20, n_replay=30, n_epochs=2)
    rows = rows_of(130, 12)
    whole = learn(start(replay, batch_size=20), rows, chosen)
    pieces = start(replay, batch_size=20)
    for piece in np.split(rows, sorted(cuts)):
        pieces = learn(pieces, piece, chosen)
    for one, other in zip((*whole.rbm, *whole.velocity), (*pieces.rbm, *pieces.velocity), strict=True):
        assert one.tobytes() == other.tobytes()
    assert whole.n_waiting == pieces.n_waiting == 10
    assert whole.rng.bit_generator.state == pieces.rng.bit_generator.state


def test_batch_size_may_change_while_rows_wait() -> None:
    state = learn(start(NoReplay(), batch_size=10), rows_of(7, 12), Settings(batch_size=10))
    state = learn(state, rows_of(2, 12, seed=1), Settings(batch_size=4))
    assert (state.t, state.n_waiting, state.n_learned) == (3, 1, 8)
    np.testing.assert_array_equal(state.waiting[0], rows_of(2, 12, seed=1)[1])


def test_rows_that_wait_are_not_lost_when_the_batch_size_is_lowered_and_an_update_fails() -> None:
    state = learn(start(NoReplay(), batch_size=20), rows_of(17, 12), Settings(batch_size=20))
    chosen = Settings(batch_size=5, n_epochs=1, learning_rate=1e12, weight_decay=1.0)
    newest = state
    with pytest.raises(DivergenceError):
        for newest in online.observe(state, rows_of(500, 12, seed=1), chosen):
            assert newest.rbm.is_finite()
    assert newest.t > 1
    assert newest.n_learned + newest.n_waiting >= 17
    state = learn(start(NoReplay(), batch_size=20), rows_of(17, 12), Settings(batch_size=20))
    first = next(online.observe(state, rows_of(1, 12, seed=1), Settings(batch_size=5)))
    np.testing.assert_array_equal(first.waiting[: first.n_waiting], rows_of(17, 12)[5:])


def test_failed_update_leaves_no_trace() -> None:
    replay = MemoryReplay(capacity=50, policy="reservoir")
    good = Settings(batch_size=10, n_replay=15)
    state = learn(start(replay, batch_size=10), rows_of(65, 12), good)
    twin = learn(start(replay, batch_size=10), rows_of(65, 12), good)
    more = rows_of(40, 12, seed=1)
    with pytest.raises(DivergenceError, match=r"Update 7 .*learning_rate=1e\+30.*momentum=0.9.*weight_decay=1.0"):
        learn(state, more, good._replace(learning_rate=1e30, weight_decay=1.0))
    assert state.rng.bit_generator.state == twin.rng.bit_generator.state
    state, twin = learn(state, more, good), learn(twin, more, good)
    for one, other in zip(state.rbm, twin.rbm, strict=True):
        assert one.tobytes() == other.tobytes()


@pytest.mark.parametrize("n_cd", [1, 2])
@pytest.mark.parametrize("n_visible", [12, 400])
def test_sampled_reconstructions_of_a_diverging_model_end_in_the_same_error(n_cd: int, n_visible: int) -> None:
    chosen = Settings(batch_size=10, n_replay=15, n_cd=n_cd, reconstruction="samples")
    state = online.init(n_visible, 70, GenerativeReplay(), np.random.default_rng(7), batch_size=10)
    state = learn(state, rows_of(20, n_visible), chosen)
    with pytest.raises(DivergenceError):
        learn(state, rows_of(20, n_visible, seed=1), chosen._replace(learning_rate=1e30, weight_decay=1.0))


def test_updates_before_a_failed_one_are_kept_by_whoever_keeps_the_newest_state() -> None:
    chosen = Settings(batch_size=10, n_epochs=1, learning_rate=1e12, weight_decay=1.0, n_replay=10)
    newest = state = start(NoReplay(), batch_size=10)
    with pytest.raises(DivergenceError):
        for newest in online.observe(state, rows_of(500, 12), chosen):
            assert newest.rbm.is_finite()
    assert newest.t > 1


def test_visible_biases_start_at_the_log_odds_of_the_first_batch_if_asked() -> None:
    rows = rows_of(50, 6, dtype=np.float64)
    rows[:, 0], rows[:, 1] = 1, 0
    state = online.init(6, 3, NoReplay(), np.random.default_rng(0), batch_size=50, dtype=np.float64)
    still = Settings(batch_size=50, learning_rate=1e-12, visible_bias="data")
    a = learn(state, rows, still).rbm.a
    share = (rows.sum(axis=0) + 0.5) / 51
    np.testing.assert_allclose(1 / (1 + np.exp(-a)), share, rtol=1e-6)
    assert a[0] < 5  # a unit that was always on may still go off


def test_persistent_chains_learn_the_shares_of_modes_that_contrastive_divergence_does_not() -> None:
    rng = np.random.default_rng(0)
    patterns = np.repeat(np.eye(2, dtype=np.float32), 6, axis=1)
    rows = patterns[(rng.random(20_000) < 0.2).astype(int)]  # one pattern in five times is the second
    chosen = Settings(n_replay=1, n_epochs=2, momentum=0.5, visible_bias="data", negative="chains", n_chains=200)
    state = learn(online.init(12, 8, NoReplay(), np.random.default_rng(1)), rows, chosen)
    assert state.chains is not None
    ends = state.chains.reshape(-1, 2, 6).mean(axis=2)
    assert abs(ends[:, 1].mean() - 0.2) < 4 * 0.4 / np.sqrt(200)
    assert np.mean(np.abs(ends[:, 0] - ends[:, 1]) > 0.6) > 0.9  # the chains are in one mode or the other
    assert online.nbytes(state).chains == 200 * 12 * 4


def test_a_failed_update_leaves_the_chains_where_they_were() -> None:
    chosen = Settings(batch_size=10, n_replay=5, n_epochs=3, negative="chains", n_chains=7)
    state = learn(start(NoReplay(), batch_size=10), rows_of(30, 12), chosen)
    assert state.chains is not None
    before = state.chains.copy()
    state = online.wait(state, rows_of(10, 12, seed=1))
    with pytest.raises(DivergenceError):
        online.step(state, chosen._replace(learning_rate=1e30))
    np.testing.assert_array_equal(state.chains, before)
    once = online.step(state, chosen)
    assert once.chains is not None
    assert (once.chains != before).any()


def test_drift_is_seen_in_sorted_rows_and_not_in_shuffled_ones() -> None:
    digits = load_digits()
    bits, order = (digits.data > 7.5).astype(float), np.random.default_rng(0).permutation(1797)

    def shares(order: npt.NDArray[np.integer]) -> list[float]:
        cut = range(100, 1701, 100)
        return [online.drift(bits[order[i : i + 100]], bits[order[:i]].sum(axis=0), i) for i in cut]

    assert max(shares(order)) < 0.1
    assert np.mean(shares(order[np.argsort(digits.target[order], kind="stable")])) > 0.7


@pytest.mark.parametrize(("n_epochs", "expected"), [(4, 2), (2, 2), (1, 1), (40, 11)])
def test_rehearsal_follows_drift_and_takes_the_epochs_that_it_costs(n_epochs: int, expected: int) -> None:
    recalled = []

    @dataclass(frozen=True)
    class Spy(Strategy):
        def recall(self, n: int, model: RBM, rng: np.random.Generator) -> Array:
            recalled.append(n)
            return np.zeros((n, model.n_visible), dtype=np.float32)

    chosen = Settings(batch_size=50, n_replay=150, n_replay_epochs=2, replay_share="drift", recall="epoch")
    chosen = chosen._replace(n_epochs=n_epochs)
    state = learn(start(Spy(), batch_size=50), rows_of(200, 12), chosen)
    assert recalled == []
    learn(state, 1 - rows_of(50, 12, seed=1), chosen)
    assert len(recalled) == expected
    assert 130 < min(recalled) == max(recalled) <= 150


def test_where_there_is_nothing_to_rehearse_no_epoch_is_spared_for_it() -> None:
    chosen = Settings(batch_size=50, n_replay_epochs=2, replay_share="drift", recall="epoch", divisor="batch")
    state = learn(start(NoReplay(), batch_size=50), rows_of(200, 12), chosen)
    plain = learn(copy.deepcopy(state), 1 - rows_of(50, 12, seed=1), Settings(batch_size=50))
    np.testing.assert_array_equal(learn(state, 1 - rows_of(50, 12, seed=1), chosen).rbm.W, plain.rbm.W)


def test_updates_take_the_rate_and_the_epochs_of_their_turn() -> None:
    chosen = Settings(
        batch_size=10,
        learning_rate=0.05,
        initial_learning_rate=0.2,
        n_rising_updates=2,
        n_initial_updates=2,
        n_epochs=3,
        n_first_epochs=8,
        n_first_updates=2,
        momentum_schedule="update",
    )
    turns = [(0.1, 8), (0.2, 8), (0.4 / 3, 5), (0.1, 4), (0.08, 3)]  # alpha rises and falls, n_E stays and falls
    state, step_by_step = start(NoReplay(), batch_size=10), start(NoReplay(), batch_size=10)
    for turn, (learning_rate, n_epochs) in enumerate(turns):
        rows = rows_of(10, 12, seed=turn)
        state = learn(state, rows, chosen)
        now = Settings(batch_size=10, learning_rate=learning_rate, n_epochs=n_epochs, momentum_schedule="update")
        step_by_step = learn(step_by_step, rows, now)
        np.testing.assert_allclose(state.rbm.W, step_by_step.rbm.W, rtol=1e-5)


def test_a_new_row_counts_as_much_beside_dreams_as_without_if_asked() -> None:
    chosen = Settings(batch_size=10, n_replay=30, n_epochs=2)
    union, batch = (
        learn(start(GenerativeReplay(), batch_size=10), rows_of(20, 12), each)
        for each in (chosen, chosen._replace(divisor="batch"))
    )
    first = learn(start(GenerativeReplay(), batch_size=10), rows_of(10, 12), chosen)
    four_times = learn(first, rows_of(20, 12)[10:], chosen._replace(learning_rate=4 * chosen.learning_rate))
    np.testing.assert_array_equal(batch.rbm.W, four_times.rbm.W)
    assert not np.array_equal(union.rbm.W, batch.rbm.W)


def test_the_average_is_what_a_model_scores_with_and_theta_what_it_learns_with() -> None:
    plain, averaged = (
        [*online.observe(start(NoReplay(), batch_size=10), rows_of(100, 12), Settings(batch_size=10, averaging=keep))]
        for keep in (0.0, 0.5)
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
    state = learn(start(NoReplay(), batch_size=10), rows, Settings(batch_size=10))
    np.testing.assert_array_equal(state.ones, rows[:90].sum(axis=0))
    assert state.n_learned == 90


def traced(replay: Replay, n_visible: int = 16) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], State]:
    """Bytes left behind, and at their peak, by each of 200 calls that learn 1,000 rows."""
    chosen = Settings(batch_size=500, n_replay=100, n_epochs=1)
    rows = rows_of(1000, n_visible)
    state = online.init(n_visible, 8, replay, np.random.default_rng(0), batch_size=500)
    state = learn(state, rows, chosen)  # Numba loads its loops now, and not while bytes are counted
    left, peaks = np.zeros((2, 199), dtype=np.int64)
    gc.collect()
    gc.freeze()  # what other tests left need not be gone through again and again
    tracemalloc.start()
    try:
        for i in range(199):
            tracemalloc.reset_peak()
            state = learn(state, rows, chosen)
            peaks[i] = tracemalloc.get_traced_memory()[1]
            gc.collect()  # empties Python's own lists of used tuples, which would count as traced
            left[i] = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
        gc.unfreeze()
    return left, peaks, state


def assert_bounded(left: npt.NDArray[np.int64], peaks: npt.NDArray[np.int64]) -> None:
    """Of every call's 1,000 rows less than one stays; and in all, with lists that double, less than a byte a row.

    Single jumps of some 20,000 bytes come by chance: NumPy keeps small arrays for itself, and lists of ones are longer
    or shorter. So the first is asked of the middle one of many spans.
    """
    later, span, row = left[100:], 20, 16 * 4
    assert np.median(later[span:] - later[:-span]) < span * row
    for bytes_ in (left, peaks):
        assert bytes_[20:].max() - bytes_[:20].max() < 179_000


def test_learning_200_000_rows_with_dreams_allocates_nothing_that_grows() -> None:
    left, peaks, state = traced(GenerativeReplay())
    assert state.n_learned == 200_000
    assert_bounded(left, peaks)
    assert state.replay.nbytes == 0


def test_infinite_memory_grows_linearly() -> None:
    left, peaks, state = traced(MemoryReplay(capacity="infinite"))
    row = 16 * 4
    assert 179_000 * row < left[-1] - left[20] < 2 * 200_000 * row  # doubled at most
    assert peaks.max() < (2 + 1) * 200_000 * row  # and the old one held while it is copied
    assert 200_000 * row <= state.replay.nbytes < 2 * 200_000 * row


def test_limited_memory_stops_at_its_limit() -> None:
    left, peaks, state = traced(MemoryReplay())
    assert_bounded(left, peaks)
    assert state.rbm.nbytes - 64 < state.replay.nbytes <= state.rbm.nbytes
