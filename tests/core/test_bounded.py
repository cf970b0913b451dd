"""A bound on what one row can do to a model: exact norms, clipped sums, noise of the right size, and its promise."""

from __future__ import annotations

import math

import numpy as np
import pytest

from genreplay import MODERN, PAPER, OnlineRBM
from genreplay.core import contrastive
from genreplay.core.bounded import BoundedRows, delta_of, norms
from genreplay.core.kernels import Sparse, Workspace
from genreplay.core.rbm import RBM
from tests.core.tiny import random_rbm


def gradient(negative: BoundedRows, rbm: RBM, V: np.ndarray, seed: int = 0, n_cd: int = 1) -> RBM:
    return negative.gradient(rbm, V, None, n_cd, len(V), np.random.default_rng(seed), Workspace())


def flat(theta: RBM) -> np.ndarray:
    return np.concatenate([part.ravel() for part in theta])


def test_norms_are_those_of_the_whole_difference_of_each_row() -> None:
    rng = np.random.default_rng(0)
    V, V_neg, H, H_neg = rng.random((6, 5)), rng.random((6, 5)), rng.random((6, 3)), rng.random((6, 3))
    for row, norm in enumerate(norms(V, H, V_neg, H_neg)):
        outer = np.outer(H[row], V[row]) - np.outer(H_neg[row], V_neg[row])
        whole = np.concatenate([outer.ravel(), V[row] - V_neg[row], H[row] - H_neg[row]])
        assert norm == pytest.approx(np.linalg.norm(whole))


def test_without_a_bound_in_reach_and_without_noise_it_is_contrastive_divergence() -> None:
    # biases that decide every unit: both ways of drawing give the same states
    rbm = RBM(W=np.zeros((3, 4)), a=np.array([50.0, -50, 50, -50]), b=np.array([50.0, -50, 50]))
    V = (np.random.default_rng(0).random((20, 4)) < 0.5).astype(float)
    ours = gradient(BoundedRows(bound=1e9, noise=0), rbm, V, n_cd=2)
    theirs = contrastive.cd_gradient(rbm, V, 2, np.random.default_rng(0))
    np.testing.assert_allclose(flat(ours), flat(theirs), atol=1e-12)


@pytest.mark.parametrize("form", [np.asarray, Sparse.of])
def test_no_row_contributes_more_than_the_bound(form: object) -> None:
    rbm, bound = random_rbm(70, 66, scale=0.3), 0.5
    for seed in range(5):
        V = (np.random.default_rng(seed).random((1, 70)) < 0.1).astype(float)
        found = gradient(BoundedRows(bound, noise=0), rbm, form(V), seed)  # type: ignore[operator]
        assert np.linalg.norm(flat(found)) == pytest.approx(bound)


def test_the_noise_has_the_standard_deviation_that_is_promised() -> None:
    rbm = RBM(W=np.zeros((40, 50)), a=np.full(50, 50.0), b=np.zeros(40))
    V = np.ones((8, 50))  # which the model gives back exactly: nothing but noise is left
    found = flat(gradient(BoundedRows(bound=3.0, noise=2.0), rbm, V))
    scale = 2.0 * 3.0 / 8
    n = len(found)
    assert found.mean() == pytest.approx(0, abs=5 * scale / math.sqrt(n))
    assert found.std() == pytest.approx(scale, rel=5 / math.sqrt(2 * n))


@pytest.mark.parametrize(("mu", "epsilon"), [(0.5, 0.3), (1.0, 1.0), (2.0, 3.0)])
def test_delta_is_the_most_that_a_set_can_differ_between_two_gaussians(mu: float, epsilon: float) -> None:
    x = np.linspace(-12, 14, 400_001)
    densities = [np.exp(-0.5 * (x - shift) ** 2) / math.sqrt(2 * math.pi) for shift in (mu, 0.0)]
    excess = np.maximum(densities[0] - math.exp(epsilon) * densities[1], 0).sum() * (x[1] - x[0])
    assert delta_of(mu, epsilon) == pytest.approx(excess, rel=1e-6)


def test_epsilon_belongs_to_its_delta_and_grows_with_the_steps_of_an_update() -> None:
    negative = BoundedRows(noise=2.0)
    for n_epochs in (1, 4, 10):
        epsilon = negative.epsilon(n_epochs, delta=1e-5)
        assert delta_of(math.sqrt(n_epochs) / 2, epsilon) == pytest.approx(1e-5, rel=1e-6)
    assert negative.epsilon(1, 1e-5) < negative.epsilon(4, 1e-5) < negative.epsilon(10, 1e-5)
    assert BoundedRows(noise=1e6).epsilon(1, delta=1e-5) == 0.0


def test_a_model_learns_through_a_bound_and_goes_on_from_its_file(tmp_path: object) -> None:
    rng = np.random.default_rng(0)
    rows = np.repeat(rng.random((2000, 1)) < 0.5, 12, axis=1) ^ (rng.random((2000, 12)) < 0.05)
    rbm = OnlineRBM(8, recipe=PAPER.replace(negative=BoundedRows(bound=5, noise=0.05)), random_state=0).fit(rows)
    independent = 12 * math.log(0.5)
    assert rbm.score(rows) > independent + 2
    rbm.save(f"{tmp_path}/model")
    again = OnlineRBM.load(f"{tmp_path}/model")
    assert again.recipe_.negative == BoundedRows(bound=5, noise=0.05)


@pytest.mark.parametrize("settings", [{"bound": 0}, {"bound": math.inf}, {"noise": -1}, {"noise": math.nan}])
def test_settings_that_make_no_sense_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="setting of BoundedRows must be"):
        BoundedRows(**settings)


def test_other_ingredients_stay_possible_but_delta_must_be_a_probability() -> None:
    assert MODERN.replace(negative=BoundedRows(), replay=PAPER.replay).negative.n_chains == 0
    with pytest.raises(ValueError, match="'delta' parameter"):
        BoundedRows().epsilon(1, delta=0)
