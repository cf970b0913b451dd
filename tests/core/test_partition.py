from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from genreplay.core import partition
from genreplay.core.rbm import RBM
from tests.core.tiny import all_states, joint_weights, random_rbm

RNG = np.random.default_rng


@pytest.mark.parametrize(("n_visible", "n_hidden"), [(1, 1), (5, 3), (3, 5), (4, 4)])
def test_enumeration_equals_the_sum_over_all_pairs_of_states(n_visible: int, n_hidden: int) -> None:
    rbm = random_rbm(n_visible, n_hidden)
    estimate = partition.exact(rbm)
    assert estimate.log_z == pytest.approx(np.log(joint_weights(rbm).sum()), rel=1e-12)
    assert (estimate.std_error, estimate.ess, estimate.n_sweeps) == (0, np.inf, 2 ** min(n_visible, n_hidden))


def pairs(n_units: int) -> tuple[RBM, float]:
    """Units that interact only with their partner in the other layer, and their log Z in closed form."""
    rbm = random_rbm(n_units, n_units)
    rbm = rbm._replace(W=np.diag(np.diag(rbm.W)))
    a, b, w = rbm.a, rbm.b, np.diag(rbm.W)
    return rbm, float(np.log(1 + np.exp(a) + np.exp(b) + np.exp(a + b + w)).sum())


@pytest.mark.parametrize("n_units", [9, 10, 11, 14])
def test_enumeration_is_exact_across_block_edges(n_units: int) -> None:
    rbm, log_z = pairs(n_units)
    assert partition.exact(rbm).log_z == pytest.approx(log_z, rel=1e-12)


def test_wide_models_are_enumerated_in_small_blocks() -> None:
    rbm = random_rbm(200_000, 3, scale=0.01)
    tracemalloc.start()
    estimate = partition.exact(rbm)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    terms = [rbm.b @ h + np.logaddexp(0, h @ rbm.W + rbm.a).sum() for h in all_states(3)]
    assert estimate.log_z == pytest.approx(np.logaddexp.reduce(terms), rel=1e-12)
    assert peak < 100e6


@pytest.mark.slow
def test_25_units_are_enumerated_in_a_few_megabytes() -> None:
    rbm, log_z = pairs(25)
    tracemalloc.start()
    estimate = partition.exact(rbm)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert estimate.log_z == pytest.approx(log_z, rel=1e-12)
    assert peak < 10e6


def test_more_than_25_units_are_refused_with_a_way_out() -> None:
    with pytest.raises(ValueError, match=r"at most 25 units.*26.*AIS"):
        partition.exact(random_rbm(26, 30))


def test_schedule_is_that_of_salakhutdinov_and_murray() -> None:
    betas = partition.schedule()
    assert len(betas) == 14_500
    assert [np.count_nonzero((low <= betas) & (betas < high)) for low, high in ((0, 0.5), (0.5, 0.9), (0.9, 1.1))] == [
        500,
        4_000,
        10_000,
    ]
    assert len(partition.schedule(2_900)) == 2_900


@pytest.mark.parametrize("dtype", [np.float32, pytest.param(np.float64, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("n_visible", "n_hidden"), [(12, 8), (8, 12)])
@pytest.mark.parametrize("scale", [pytest.param(0.1, marks=pytest.mark.slow), 0.5, 1.0])
@pytest.mark.parametrize("direction", [partition.ais, partition.reverse_ais])
def test_ais_both_ways_is_within_its_own_error(
    direction: type, scale: float, n_visible: int, n_hidden: int, dtype: type
) -> None:
    rbm = RBM(*(part.astype(dtype) for part in random_rbm(n_visible, n_hidden, scale, seed=n_visible)))
    exact = partition.exact(rbm)
    estimate = direction(rbm, RNG(0), betas=partition.schedule(1_450), base_bias=0.5 * rbm.a)
    assert 0 < estimate.std_error < 0.3
    assert abs(estimate.log_z - exact.log_z) < 4 * estimate.std_error
    assert 1 <= estimate.ess <= 100
    assert estimate.seconds > 0


@pytest.mark.slow
def test_stated_error_of_ais_is_the_spread_over_repetitions() -> None:
    rbm = random_rbm(10, 8, scale=0.7)
    exact = partition.exact(rbm).log_z
    betas = partition.schedule(290)
    estimates = [partition.ais(rbm, RNG(seed), betas) for seed in range(100)]
    pulls = np.array([(each.log_z - exact) / each.std_error for each in estimates])
    # the standard deviation of 100 normal draws has a relative error of 7 %
    assert 0.7 < pulls.std() < 1.4
    assert abs(pulls.mean()) < 0.5


@pytest.mark.slow
def test_few_temperatures_flatter_forwards_and_slander_backwards() -> None:
    rbm = random_rbm(12, 10, scale=2.0)
    exact = partition.exact(rbm).log_z
    betas = np.linspace(0, 1, 5)
    forward = np.mean([partition.ais(rbm, RNG(seed), betas, n_chains=5).log_z for seed in range(40)])
    reverse = np.mean(
        [partition.reverse_ais(rbm, RNG(seed), betas, n_chains=5, n_burn_in=2_000).log_z for seed in range(40)]
    )
    assert forward < exact < reverse


def test_any_rising_schedule_is_taken_and_any_other_refused() -> None:
    rbm = random_rbm(6, 5, scale=0.3)
    exact = partition.exact(rbm).log_z
    estimate = partition.ais(rbm, RNG(0), betas=np.linspace(0, 1, 300) ** 2)
    assert abs(estimate.log_z - exact) < 4 * estimate.std_error
    for betas in ([0.0, 0.5], [0.1, 1.0], [0.0, 0.7, 0.5, 1.0], [1.0], [[0.0, 1.0]]):
        with pytest.raises(ValueError, match="rises from 0 to 1"):
            partition.ais(rbm, RNG(0), betas=np.array(betas))
    with pytest.raises(ValueError, match="at least 29"):
        partition.schedule(5)
    with pytest.raises(ValueError, match="base_bias"):
        partition.ais(rbm, RNG(0), base_bias=np.zeros(5))


def test_price_and_progress_add_up() -> None:
    rbm = random_rbm(6, 5, scale=0.3)
    for direction, sweeps in ((partition.ais, 299), (partition.reverse_ais, 299 + 1_000 + 299)):
        steps: list[int] = []
        estimate = direction(rbm, RNG(0), betas=np.linspace(0, 1, 300), n_chains=7, progress=steps.append)
        assert sum(steps) == sweeps
        assert estimate.n_sweeps == 7 * sweeps


def test_base_rates_come_from_the_means_and_are_finite() -> None:
    biases = partition.base_rate_biases(np.array([0.0, 30.0, 100.0]), n_rows=100, smoothing=1e-9)
    assert np.isfinite(biases).all()
    assert biases[1] == pytest.approx(np.log(0.3 / 0.7), abs=1e-6)
    assert (partition.base_rate_biases(np.zeros(3), n_rows=0) == 0).all()
