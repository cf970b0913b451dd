from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from genreplay.core import rbm as m
from genreplay.core.rbm import RBM
from tests.core.tiny import all_states, joint_weights, random_rbm, visible_distribution

RNG = np.random.default_rng


def test_energy_of_every_state_is_that_of_the_loops() -> None:
    rbm = random_rbm(4, 3)
    expected = -np.log(joint_weights(rbm))
    for x, v in enumerate(all_states(4)):
        energies = m.energy(rbm, np.tile(v, (8, 1)), all_states(3))
        np.testing.assert_allclose(energies, expected[x], rtol=1e-12)


def test_free_energy_sums_the_hidden_layer_out() -> None:
    rbm = random_rbm(5, 4)
    np.testing.assert_allclose(m.free_energy(rbm, all_states(5)), -np.log(joint_weights(rbm).sum(axis=1)), rtol=1e-12)


def test_conditionals_are_those_of_the_enumerated_joint() -> None:
    rbm = random_rbm(4, 3)
    joint = joint_weights(rbm)
    hidden = joint @ all_states(3) / joint.sum(axis=1, keepdims=True)
    visible = joint.T @ all_states(4) / joint.T.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(m.hidden_given_visible(rbm, all_states(4)), hidden, rtol=1e-12)
    np.testing.assert_allclose(m.visible_given_hidden(rbm, all_states(3)), visible, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nothing_overflows_at_inputs_of_a_thousand(dtype: type) -> None:
    x = np.array([[-1000.0, -88.0, 0.0, 88.0, 1000.0]], dtype=dtype)
    with np.errstate(all="raise", under="ignore"):
        np.testing.assert_allclose(m.sigmoid(x), [[0, 0, 0.5, 1, 1]], atol=1e-6)
        np.testing.assert_allclose(m.sum_softplus(x.T), [0, 0, np.log(2), 88, 1000], atol=1e-6)
        rbm = RBM(W=np.full((300, 2), 1000, dtype), a=np.full(2, -1000, dtype), b=np.full(300, -1000, dtype))
        assert m.free_energy(rbm, np.ones((1, 2), dtype)) == pytest.approx(2000 - 300 * 1000)


@pytest.mark.parametrize("n_units", [1, 99, 100, 101, 250])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sum_of_softplus_is_exact_across_block_edges(n_units: int, dtype: type) -> None:
    x = (5 * RNG(0).standard_normal((7, n_units))).astype(dtype)
    exact = np.logaddexp(0, x.astype(np.float64)).sum(axis=1)
    np.testing.assert_allclose(m.sum_softplus(x), exact, rtol=2e-6 if dtype is np.float32 else 1e-13)


def test_init_draws_all_of_theta_with_the_given_spread() -> None:
    rbm = m.init(300, 200, RNG(0), sigma=0.01)
    for part in rbm:
        # the standard deviation of n draws has a relative error of 1 / sqrt(2 n)
        assert abs(part.std() / 0.01 - 1) < 5 / np.sqrt(2 * part.size)
        assert part.dtype == np.float32
    assert m.init(3, 2, RNG(0), dtype=np.float64).W.dtype == np.float64


def test_bernoulli_draws_have_the_asked_mean_and_type() -> None:
    n = 200_000
    for p in (0.0, 0.1, 0.5, 1.0):
        draws = m.bernoulli(np.full(n, p, np.float32), RNG(1))
        assert set(np.unique(draws)) <= {0.0, 1.0}
        assert draws.dtype == np.float32
        assert abs(draws.mean(dtype=float) - p) <= 5 * np.sqrt(p * (1 - p) / n) + 1e-12


def test_long_gibbs_chains_visit_states_as_often_as_enumeration_says() -> None:
    rbm = random_rbm(4, 3)
    n = 40_000
    ends = m.gibbs(rbm, np.zeros((n, 4)), 50, RNG(2))
    visits = np.bincount((ends @ [8, 4, 2, 1]).astype(int), minlength=16)
    assert chisquare(visits, n * visible_distribution(rbm)).pvalue > 1e-4


def test_chi_square_above_sees_chains_that_did_not_start_to_mix() -> None:
    rbm = random_rbm(4, 3)
    visits = np.bincount((m.gibbs(rbm, np.zeros((40_000, 4)), 1, RNG(2)) @ [8, 4, 2, 1]).astype(int), minlength=16)
    assert chisquare(visits, 40_000 * visible_distribution(rbm)).pvalue < 1e-4


def test_gibbs_step_is_in_detailed_balance_with_the_model() -> None:
    rbm = random_rbm(3, 2)
    n = 100_000
    states, p = all_states(3), visible_distribution(rbm)
    flow = np.empty((8, 8))
    for x, v in enumerate(states):
        ends = m.gibbs(rbm, np.tile(v, (n, 1)), 1, RNG(x))
        flow[x] = p[x] * np.bincount((ends @ [4, 2, 1]).astype(int), minlength=8) / n
    # each entry is p times a proportion, whose standard error is below sqrt(proportion / n)
    error = np.sqrt(p[:, None] * flow / n)
    assert (np.abs(flow - flow.T) <= 5 * (error + error.T) + 1e-12).all()


def test_dreams_start_from_hidden_values_uniform_between_0_and_1() -> None:
    # One hidden unit: E[S(w h + a)] over h ~ U(0, 1) is (softplus(w + a) - softplus(a)) / w = 0.734;
    # a hidden layer of coins would give (S(a) + S(w + a)) / 2 = 0.558.
    w, a, n = 8.0, -2.0, 100_000
    rbm = RBM(W=np.array([[w]]), a=np.array([a]), b=np.array([0.0]))
    expected = (np.logaddexp(0, w + a) - np.logaddexp(0, a)) / w
    assert abs(m.dream(rbm, n, 1, RNG(3)).mean() - expected) < 5 * np.sqrt(expected * (1 - expected) / n)


def test_long_dreams_are_samples_of_the_model() -> None:
    rbm = random_rbm(4, 3)
    n = 40_000
    visits = np.bincount((m.dream(rbm, n, 50, RNG(4)) @ [8, 4, 2, 1]).astype(int), minlength=16)
    assert chisquare(visits, n * visible_distribution(rbm)).pvalue > 1e-4


def test_conditional_gibbs_gives_the_enumerated_conditional() -> None:
    rbm = random_rbm(4, 3)
    states, p = all_states(4), visible_distribution(rbm)
    n = 20_000
    unknown = np.tile([False, True, True, False], (n, 1))
    start = np.tile([1.0, np.nan, np.nan, 0.0], (n, 1))
    ends, probabilities = m.conditional_gibbs(rbm, start, unknown, 60, RNG(5))
    fits = (states[:, 0] == 1) & (states[:, 3] == 0)
    expected = p[fits] @ states[fits] / p[fits].sum()
    assert (ends[:, 0] == 1).all()
    assert (ends[:, 3] == 0).all()
    np.testing.assert_allclose(ends[:, 1:3].mean(axis=0), expected[1:3], atol=5 * 0.5 / np.sqrt(n))
    # probabilities vary less than the draws they are averaged from
    np.testing.assert_allclose(probabilities[:, 1:3].mean(axis=0), expected[1:3], atol=5 * 0.5 / np.sqrt(n))
