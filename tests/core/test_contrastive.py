from __future__ import annotations

import importlib.util
import itertools

import numpy as np
import pytest

from genreplay.core import contrastive, partition
from genreplay.core.kernels import Sparse, Workspace, contrast
from genreplay.core.rbm import RBM, free_energy, hidden_given_visible
from tests.core.tiny import random_rbm


def test_contrast_is_the_difference_of_the_sums_of_equation_5() -> None:
    rng = np.random.default_rng(0)
    V, H, V_neg, H_neg = rng.random((5, 4)), rng.random((5, 3)), rng.random((5, 4)), rng.random((5, 3))
    W = sum(np.outer(h, v) - np.outer(h_neg, v_neg) for v, h, v_neg, h_neg in zip(V, H, V_neg, H_neg, strict=True))
    mean = contrast(V, H.copy(), V_neg, H_neg.copy(), Workspace())
    for part, expected in zip(mean, (W / 5, (V - V_neg).mean(axis=0), (H - H_neg).mean(axis=0)), strict=True):
        np.testing.assert_allclose(part, expected)


def test_contrast_takes_negative_phases_of_other_sizes_and_forms() -> None:
    rng = np.random.default_rng(1)
    V, V_neg = (rng.random((5, 70)) < 0.1).astype(float), (rng.random((8, 70)) < 0.1).astype(float)
    H, H_neg = rng.random((5, 70)), rng.random((8, 70))
    expected = (
        H.T @ V / 5 - H_neg.T @ V_neg / 8,
        V.mean(axis=0) - V_neg.mean(axis=0),
        H.mean(axis=0) - H_neg.mean(axis=0),
    )
    forms = [lambda rows: rows] if importlib.util.find_spec("numba") is None else [lambda rows: rows, Sparse.of]
    for form, form_neg in itertools.product(forms, repeat=2):
        mean = contrast(form(V), H.copy(), form_neg(V_neg), H_neg.copy(), Workspace())
        for part, wanted in zip(mean, expected, strict=True):
            np.testing.assert_allclose(part, wanted, atol=1e-12)


def test_gradient_of_persistent_chains_is_that_of_the_log_likelihood() -> None:
    rbm, rng = random_rbm(4, 3, scale=0.7), np.random.default_rng(3)
    V = (rng.random((500, 4)) < [0.8, 0.2, 0.5, 0.6]).astype(float)
    chains = np.zeros((200_000, 4))
    for _ in range(60):  # the model stands still, and the chains come to its distribution
        gradient = contrastive.pcd_gradient(rbm, V, chains, n_steps=1, rng=rng)
    error = 5 * 0.5 / np.sqrt(len(chains))
    for name in RBM._fields:
        expected = log_likelihood_gradient(rbm, V, name)
        np.testing.assert_allclose(getattr(gradient, name), expected, atol=error, err_msg=name)


def test_reconstructions_take_part_in_the_negative_phase_beside_the_chains() -> None:
    rbm = RBM(W=np.zeros((3, 2)), a=np.array([0.0, 50.0]), b=np.zeros(3))  # reconstructs rows as [0.5, 1]
    V, chains = np.zeros((4, 2)), np.zeros((6, 2))
    gradient = contrastive.pcd_gradient(rbm, V, chains, 1, np.random.default_rng(0), n_reconstructed=4)
    assert set(np.unique(chains[:, 0])) <= {0.0, 1.0}
    np.testing.assert_allclose(gradient.a, [-(4 * 0.5 + chains[:, 0].sum()) / 10, -1])


def test_reconstructions_are_of_rows_drawn_from_all() -> None:
    rbm = RBM(W=np.array([[100.0, -100.0]]), a=np.array([-50.0, 50.0]), b=np.zeros(1))  # gives back what it is given
    V = np.array([[1.0, 0.0]] * 30 + [[0.0, 1.0]] * 10)
    rng = np.random.default_rng(0)
    shares = [
        contrastive.pcd_gradient(rbm, V, np.tile(V[:1], (20, 1)), 1, rng, n_reconstructed=20).a[0] for _ in range(200)
    ]
    assert np.mean(shares) == pytest.approx(0.75 - (20 + 20 * 0.75) / 40, abs=0.01)


def test_centred_steps_do_not_depend_on_which_state_a_unit_calls_one() -> None:
    rng = np.random.default_rng(0)
    rbm = random_rbm(5, 4)
    V, V_neg = ((rng.random((n, 5)) < 0.4).astype(float) for n in (7, 9))
    flipped = np.array([True, False, True, False, False])

    def flip_rows(rows: np.ndarray) -> np.ndarray:
        return np.where(flipped, 1 - rows, rows)

    def flip(theta: RBM) -> RBM:
        sign = np.where(flipped, -1.0, 1.0)
        return RBM(theta.W * sign, theta.a * sign, theta.b + theta.W[:, flipped].sum(axis=1))

    def stepped(theta: RBM, V: np.ndarray, V_neg: np.ndarray, centred: bool) -> RBM:
        H, H_neg = hidden_given_visible(theta, V), hidden_given_visible(theta, V_neg)
        gradient = RBM(*contrast(V, H, V_neg, H_neg, Workspace()))
        gradient = contrastive.centre(gradient, theta, V.mean(axis=0)) if centred else gradient
        return RBM(*(part + 0.1 * slope for part, slope in zip(theta, gradient, strict=True)))

    for centred in (True, False):
        one = flip(stepped(rbm, V, V_neg, centred))
        other = stepped(flip(rbm), flip_rows(V), flip_rows(V_neg), centred)
        alike = all(np.allclose(x, y) for x, y in zip(one, other, strict=True))
        assert alike is centred


def log_likelihood_gradient(rbm: RBM, V: np.ndarray, name: str, step: float = 1e-5) -> np.ndarray:
    """Central differences of the exact mean log-likelihood, one parameter after the other."""
    theta = getattr(rbm, name)
    slope = np.empty_like(theta)
    for index in np.ndindex(theta.shape):
        shift = np.zeros_like(theta)
        shift[index] = step
        up, down = (rbm._replace(**{name: theta + sign * shift}) for sign in (1, -1))
        means = [-free_energy(each, V).mean() - partition.exact(each).log_z for each in (up, down)]
        slope[index] = (means[0] - means[1]) / (2 * step)
    return slope


def test_gradient_of_long_chains_is_that_of_the_log_likelihood() -> None:
    rbm = random_rbm(4, 3, scale=0.7)
    n = 200_000
    V = (np.random.default_rng(1).random((n, 4)) < [0.8, 0.2, 0.5, 0.6]).astype(float)
    gradient = contrastive.cd_gradient(rbm, V, n_cd=60, rng=np.random.default_rng(2), reconstruction="samples")
    # a statistic lies in [0, 1], so the standard error of its mean over n chains is at most 0.5 / sqrt(n)
    for name in RBM._fields:
        np.testing.assert_allclose(
            getattr(gradient, name), log_likelihood_gradient(rbm, V, name), atol=5 * 0.5 / np.sqrt(n), err_msg=name
        )


def test_one_step_chains_have_another_gradient_than_the_log_likelihood() -> None:
    rbm = random_rbm(4, 3, scale=2.0)
    V = np.tile([1.0, 0.0, 1.0, 0.0], (50_000, 1))
    short, long = (
        contrastive.cd_gradient(rbm, V, n_cd=k, rng=np.random.default_rng(2), reconstruction="samples") for k in (1, 60)
    )
    assert np.abs(short.W - long.W).max() > 0.05


def test_reconstructions_are_samples_only_on_request() -> None:
    rbm = random_rbm(6, 4)
    V = (np.random.default_rng(0).random((10, 6)) < 0.5).astype(float)
    gradients = {
        kind: contrastive.cd_gradient(rbm, V, 1, np.random.default_rng(1), kind)
        for kind in ("probabilities", "samples")
    }
    # the visible statistics of ten rows of zeros and ones are tenths
    assert np.allclose(gradients["samples"].a * 10, np.round(gradients["samples"].a * 10))
    assert not np.allclose(gradients["probabilities"].a * 10, np.round(gradients["probabilities"].a * 10))


@pytest.mark.parametrize("part", RBM._fields)
def test_momentum_and_decay_act_on_weights_and_both_biases(part: str) -> None:
    theta, delta, slope = random_rbm(3, 2, seed=1), random_rbm(3, 2, seed=2), random_rbm(3, 2, seed=3)
    rbm, velocity = theta.copy(), delta.copy()
    contrastive.momentum_step(rbm, velocity, slope, 0.1, 0.9, 0.01)
    expected = 0.9 * getattr(delta, part) + 0.1 * (getattr(slope, part) - 0.01 * getattr(theta, part))
    np.testing.assert_allclose(getattr(velocity, part), expected)
    np.testing.assert_allclose(getattr(rbm, part), getattr(theta, part) + expected)
