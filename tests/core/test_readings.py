"""The other readings of the paper: each does what its name says, by arithmetic that can be done by hand."""

from __future__ import annotations

import numpy as np
import pytest

from genreplay.core import (
    PAPER,
    GenerativeReplay,
    LowAtFirst,
    MeanField,
    MiniBatches,
    NotCarried,
    RandomWeights,
    WeightsDecay,
    kernels,
    online,
)
from genreplay.core.contrastive import cd_gradient, mean_field_gradient, momentum_step
from genreplay.core.rbm import RBM, hidden_given_visible, visible_given_hidden, zeros_like
from tests.core.tiny import random_rbm

RNG = np.random.default_rng


def learned(recipe: online.Recipe, n_updates: int = 2, seed: int = 0) -> online.State:
    """A state after some updates of eight rows, in float64."""
    state = online.init(6, 4, recipe, RNG(seed), batch_size=8, dtype=np.float64)
    rows = (RNG(9).random((8 * n_updates, 6)) < 0.4).astype(float)
    return [after for after, _ in online.observe(state, rows, recipe, batch_size=8)][-1]


def test_hidden_samples_of_the_positive_statistics_average_to_the_probabilities() -> None:
    rbm, V = random_rbm(4, 3, scale=0.7), np.tile([[1.0, 0.0, 1.0, 1.0]], (40_000, 1))
    error = 5 * 0.5 / np.sqrt(len(V))
    by_probabilities = cd_gradient(rbm, V, 1, RNG(0))
    for phase in ({"positive": "samples"}, {"negative": "samples"}, {"positive": "samples", "negative": "samples"}):
        by_samples = cd_gradient(rbm, V, 1, RNG(1), **phase)  # type: ignore[arg-type]
        for part, expected in zip(by_samples, by_probabilities, strict=True):
            np.testing.assert_allclose(part, expected, atol=2 * error)


@pytest.mark.parametrize("n_cd", [1, 3])
def test_hidden_samples_are_zeros_and_ones(n_cd: int) -> None:
    rbm, V = random_rbm(4, 3, scale=0.7), np.ones((1, 4))
    both = cd_gradient(rbm, V, n_cd, RNG(0), positive="samples", negative="samples")
    assert set(both.b.tolist()) <= {-1.0, 0.0, 1.0}
    one = cd_gradient(rbm, V, n_cd, RNG(0), positive="samples")
    assert not set(one.b.tolist()) <= {-1.0, 0.0, 1.0}


@pytest.mark.parametrize("n_steps", [1, 2])
def test_mean_field_passes_probabilities_up_and_down(n_steps: int) -> None:
    rbm, V = random_rbm(4, 3, scale=0.7), (RNG(2).random((10, 4)) < 0.5).astype(float)
    h = h_neg = hidden_given_visible(rbm, V)
    for _ in range(n_steps):
        v_neg = visible_given_hidden(rbm, h_neg)
        h_neg = hidden_given_visible(rbm, v_neg)
    gradient = mean_field_gradient(rbm, V, n_steps)
    np.testing.assert_allclose(gradient.W, (h.T @ V - h_neg.T @ v_neg) / 10)
    np.testing.assert_allclose(gradient.a, (V - v_neg).mean(axis=0))
    np.testing.assert_allclose(gradient.b, (h - h_neg).mean(axis=0))


def test_mini_batches_make_one_step_for_each_part_of_every_epoch() -> None:
    recipe = PAPER.replace(negative=MeanField(), steps=MiniBatches(3), n_epochs=2, momentum=LowAtFirst())
    state, batch = online.init(6, 4, recipe, RNG(0), dtype=np.float64), (RNG(1).random((8, 6)) < 0.4).astype(float)
    rbm, velocity, rng = state.rbm.copy(), zeros_like(state.rbm), RNG(5)
    for _ in range(2):
        order = rng.permutation(8)
        for part in (order[:3], order[3:6], order[6:]):
            momentum_step(rbm, velocity, mean_field_gradient(rbm, batch[part], 1), 0.05, 0.5, 0.0002)
    state = online.wait(state._replace(rng=RNG(5)), batch)
    state, info = online.step(state, recipe, batch_size=8)
    assert info.n_epochs == 2
    for part, expected in zip(state.rbm, rbm, strict=True):
        np.testing.assert_allclose(part, expected)


def test_momentum_that_is_not_carried_starts_every_update_from_rest() -> None:
    recipe = PAPER.replace(negative=MeanField(), steps=MiniBatches(3), momentum=NotCarried(0.9))
    state = learned(recipe, n_updates=1)
    batch = (RNG(3).random((8, 6)) < 0.4).astype(float)
    assert state.velocity.W.any()
    at_rest = state._replace(velocity=zeros_like(state.rbm), rng=RNG(7))
    after = [online.step(online.wait(each, batch), recipe, 8)[0] for each in (state._replace(rng=RNG(7)), at_rest)]
    carried, _ = online.step(online.wait(state._replace(rng=RNG(7)), batch), recipe.replace(momentum=0.9), 8)
    np.testing.assert_array_equal(after[0].rbm.W, after[1].rbm.W)
    assert not np.array_equal(after[0].rbm.W, carried.rbm.W)


def test_only_the_weights_decay() -> None:
    theta = RBM(W=np.ones((2, 3)), a=np.ones(3), b=np.ones(2))
    momentum_step(theta, zeros_like(theta), zeros_like(theta), 0.1, 0.5, 0.2, WeightsDecay().of_biases(0.2))
    assert theta.W.max() == 0.98
    assert theta.a.min() == theta.b.min() == 1
    biases = [
        learned(PAPER.replace(weight_decay=0.5, decays=decays)).rbm.a for decays in (PAPER.decays, WeightsDecay())
    ]
    assert not np.array_equal(*biases)


def test_dreams_kept_as_probabilities_are_the_means_of_sampled_ones() -> None:
    rbm = random_rbm(4, 3, scale=0.7)
    for n_gibbs in (1, 3):
        p = GenerativeReplay(n_gibbs, visible="probabilities").recall(40_000, rbm, RNG(0))
        v = GenerativeReplay(n_gibbs).recall(40_000, rbm, RNG(1))
        assert p.min() > 0
        assert p.max() < 1
        np.testing.assert_allclose(p.mean(axis=0), v.mean(axis=0), atol=5 * 0.7 / 200)


def test_only_the_weights_start_at_random() -> None:
    state = online.init(6, 4, PAPER.replace(start=RandomWeights(0.1)), RNG(0))
    assert not state.rbm.a.any()
    assert not state.rbm.b.any()
    assert 0.05 < state.rbm.W.std() < 0.2


@pytest.mark.skipif(kernels.compiled_loops() is None, reason="sparse products need Numba")
def test_readings_take_sparse_and_grey_rows_alike() -> None:
    """Dreams of probabilities beside sparse rows, in parts: the same whichever way products are computed."""
    recipe = PAPER.replace(steps=MiniBatches(50), replay=GenerativeReplay(visible="probabilities"))
    rows, ends = (RNG(0).random((200, 300)) < 0.05).astype(np.float32), []
    for products in ("sparse", "dense"):
        with kernels.use(products):  # type: ignore[arg-type]
            state = online.init(300, 200, recipe, RNG(1))
            ends.append([after for after, _ in online.observe(state, rows, recipe)][-1].rbm.W)
    np.testing.assert_allclose(ends[0], ends[1], atol=2e-3)
