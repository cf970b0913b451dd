"""One row judged by itself, and by compiled loops: the same scores as with its table, and with NumPy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from genreplay import OnlineRBMDetector
from genreplay.core.kernels import compiled_loops, scores
from genreplay.estimators.calibration import Scale
from genreplay.estimators.judge import Judge, cell_surprise, weighed_rarity
from genreplay.streams import TableEncoder

needs_numba = pytest.mark.skipif(compiled_loops() is None, reason="there is nothing to compare without Numba")


def numbers(n: int, n_columns: int = 4, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, n_columns))
    rows[:, -1] += rows[:, 0]
    return rows


def started(rows: np.ndarray, **settings: bool) -> OnlineRBMDetector:
    encoder = TableEncoder(warm_up=300, **settings)  # type: ignore[arg-type]
    return OnlineRBMDetector(encoder, random_state=0).partial_fit(rows)


def judge_of(detector: OnlineRBMDetector) -> Judge:
    assert detector.judge_ is not None
    return detector.judge_


@pytest.mark.parametrize("n_columns", [1, 2, 5])
@pytest.mark.parametrize("combinations", [True, False])
def test_a_single_row_has_the_score_of_its_table(n_columns: int, combinations: bool) -> None:
    detector = started(numbers(700, n_columns), combinations=combinations)
    rows = np.vstack([numbers(50, n_columns, seed=1), 1e9 * numbers(20, n_columns, seed=2)])
    rows = np.vstack([rows, np.full(n_columns, np.nan), np.full(n_columns, -0.0), np.full(n_columns, 1e308)])
    rows[::7, 0] = np.nan
    expected = detector.surprise(rows)
    assert np.allclose([detector.surprise_one(row) for row in rows], expected, rtol=1e-9, atol=1e-9)
    assert np.allclose([detector.surprise_one(row.tolist()) for row in rows], expected, rtol=1e-9, atol=1e-9)


def test_a_single_row_of_several_kinds_has_the_score_of_its_table() -> None:
    rng = np.random.default_rng(0)
    rows = np.array([[x, "ab"[x > 0], bool(x > 1)] for x in rng.normal(size=800).tolist()], dtype=object)
    detector = started(rows[:700])
    assert np.allclose([detector.surprise_one(row) for row in rows[700:]], detector.surprise(rows[700:]))


@needs_numba
def test_compiled_scores_agree_with_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    detector = started(numbers(700))
    judge = judge_of(detector)
    judge = replace(judge, judged=np.array([True, False, True, True]))
    rows = detector.encoder_.codes(np.vstack([numbers(300, seed=1), 100 * numbers(100, seed=2)]))
    cells = cell_surprise(judge.state, rows)
    found = judge.scores(rows, cells)
    one_by_one = [judge.one(row) for row in rows]
    monkeypatch.setattr(scores, "loops", lambda: None)
    expected = judge.scores(rows, cells)
    for compiled, plain in zip(found, expected, strict=True):
        assert np.allclose(compiled, plain, rtol=1e-12, atol=1e-9)
    assert np.allclose(np.concatenate([each for each, _ in one_by_one]), cells, rtol=0, atol=2e-9)
    assert np.allclose([nats for _, nats in one_by_one], expected.nats, rtol=1e-9, atol=1e-8)
    assert judge.one(rows[0])[0].shape == (1, 4)


@needs_numba
def test_a_row_without_a_judged_cell_is_judged_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = replace(judge_of(started(numbers(400))), judged=np.zeros(4, dtype=bool))
    rows = np.zeros((1, len(judge.state.offsets) - 1), dtype=np.uint8)
    cells = cell_surprise(judge.state, rows)
    found = judge.scores(rows, cells)
    assert found.cell == [scores.LOWEST_CELL]
    monkeypatch.setattr(scores, "loops", lambda: None)
    assert np.allclose(found, judge.scores(rows, cells))


@needs_numba
@pytest.mark.parametrize("spread", [1e-3, 1.0, 50.0])
def test_compiled_scales_agree_with_numpy(spread: float, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    draws = [spread * rng.exponential(size=n) for n in (1, 2, 500, 5_000)]
    far = np.concatenate([[-1e300, 1e300], spread * np.sinh(np.linspace(-9, 9, 999))])
    found = [Scale.of(draw) for draw in draws]
    nats = [scale.yardstick for scale in found]
    at_once = compiled_loops().scores.nats  # type: ignore[union-attr]
    by_loop = [[at_once(scale.yardstick, score) for score in far] for scale in found]
    monkeypatch.setattr(scores, "loops", lambda: None)
    for draw, scale, compiled, each in zip(draws, found, nats, by_loop, strict=True):
        again = Scale.of(draw)
        assert np.array_equal(again.counts, scale.counts)
        assert np.allclose(again.yardstick, compiled, rtol=1e-12)
        assert np.allclose(again.nats(far), each, rtol=1e-10, atol=1e-10)


def test_combinations_usually_add_twice_what_the_columns_add() -> None:
    rows = np.random.default_rng(0).normal(size=(600, 3))
    for combinations in (True, False):
        detector = OnlineRBMDetector(TableEncoder(combinations=combinations), random_state=0).partial_fit(rows)
        state = detector.judge_.state
        shares, weighed = np.exp(-state.rarity), weighed_rarity(state)
        first = state.offsets[state.n_groups]
        np.testing.assert_array_equal(weighed[:first], state.rarity[:first])
        if combinations:
            usual = shares * weighed
            assert usual[first:].sum() == pytest.approx(2 * usual[:first].sum())
        else:
            assert len(weighed) == first
