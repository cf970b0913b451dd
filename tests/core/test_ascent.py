"""An update of a table's model in one compiled loop takes the steps that its formulas say."""

from __future__ import annotations

import numpy as np
import pytest

from genreplay.core.grouped import GroupedRBM, model
from genreplay.core.kernels.grouped import Ascent, Odds, adam, ascend, gradient

OFFSETS = model.offsets_of([3, 2, 7])
RATE, LIMIT = 0.05, 8.0


def made_up(n_hidden: int) -> tuple[GroupedRBM, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    rbm = GroupedRBM(rng.normal(size=(12, n_hidden)), rng.normal(size=12), rng.normal(size=n_hidden))
    rows = np.stack([rng.integers(n, size=50) for n in (3, 2, 7)], axis=1).astype(np.uint8)
    return rbm, rows, rng.random(50)


def zeros(rbm: GroupedRBM) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return np.zeros_like(rbm.W), np.zeros_like(rbm.a), np.zeros_like(rbm.b)


@pytest.mark.parametrize("n_hidden", [4, 40])
def test_a_climb_takes_a_step_of_adam_for_every_few_rows(n_hidden: int) -> None:
    rbm, rows, weights = made_up(n_hidden)
    theta, means, squares = (rbm.W.copy(), np.zeros(12), rbm.b.copy()), zeros(rbm), zeros(rbm)
    assert ascend(Ascent(theta, means, squares, RATE, LIMIT), rbm.a, OFFSETS, rows, weights, 20, 5) == 8
    expected, mean, square = (rbm.W.copy(), np.zeros(12), rbm.b.copy()), zeros(rbm), zeros(rbm)
    for t, some in enumerate((slice(0, 20), slice(20, 40), slice(40, 50)), 6):
        W, learned, b = expected
        n = len(rows[some])
        slopes = gradient(W, rbm.a + learned, b, OFFSETS, rows[some], weights[some] / n)
        for parts in zip(expected, slopes, mean, square, strict=True):
            adam(*parts, RATE, t, LIMIT)
    for found, known in zip((*theta, *means, *squares), (*expected, *mean, *square), strict=True):
        np.testing.assert_allclose(found, known, rtol=0, atol=1e-3 * RATE)  # gradients have single precision


@pytest.mark.parametrize("n_hidden", [4, 100])
def test_the_largest_weights_neither_overflow_nor_vanish(n_hidden: int) -> None:
    _, rows, weights = made_up(n_hidden)
    signs = np.where(np.arange(12) % 2 == 0, 1.0, -1.0)[:, np.newaxis]
    extreme = GroupedRBM(LIMIT * np.repeat(signs, n_hidden, axis=1), np.zeros(12), np.zeros(n_hidden))
    nats = model.surprise(extreme, OFFSETS, rows)
    assert np.isfinite(nats).all()
    assert nats.min() < 1 < 50 < nats.max()
    theta = (extreme.W.copy(), np.zeros(12), extreme.b.copy())
    ascend(Ascent(theta, zeros(extreme), zeros(extreme), RATE, LIMIT), extreme.a, OFFSETS, rows, weights, 20, 0)
    assert all(np.isfinite(part).all() for part in theta)


def test_odds_are_kept_with_the_model_that_they_are_of() -> None:
    rbm, rows, _ = made_up(4)
    assert rbm.odds is rbm.odds
    for kept, known in zip(rbm.odds, Odds.of(rbm.W, rbm.a), strict=True):
        np.testing.assert_array_equal(kept, known)
    other = GroupedRBM(*rbm._replace(W=rbm.W + 1))
    assert not np.array_equal(other.odds.E, rbm.odds.E)
    usual = model.surprise(rbm, OFFSETS, rows)
    assert not np.allclose(usual, model.surprise(rbm._replace(a=rbm.a[::-1].copy()), OFFSETS, rows))
