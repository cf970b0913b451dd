from __future__ import annotations

import numpy as np
import pytest

from genreplay.core import RBM, anchored, partition
from genreplay.core.anchored import anneal_anchored
from genreplay.core.annealing import anneal
from genreplay.core.joined import Estimate, bennett, together, unreached
from genreplay.core.kernels import Array, softplus_between
from genreplay.core.kernels.arrays import Flags, Float64
from genreplay.core.mixture import Mixture, fit_means
from genreplay.core.partition import LogPartition, bound_by
from genreplay.core.two_way import n_sweeps, two_way
from genreplay.experiments.log_z import planted, rows_of
from tests.core.tiny import all_states

RNG = np.random.default_rng


def two_modes() -> tuple[RBM, np.ndarray]:
    """Model 28 of ``genreplay reproduce log-z``, with rows of it: AIS misses its deepest modes."""
    rng = RNG([0, 28])
    rbm = planted(rng)
    return rbm, rows_of(rbm, 200, rng)


def test_where_ais_and_reverse_ais_agree_on_a_wrong_answer_this_one_is_right() -> None:
    rbm, rows = two_modes()
    truth = partition.exact(rbm).log_z
    base_bias = partition.base_rate_biases(rows.sum(axis=0), len(rows))
    forward, reverse = partition.bracket(rbm, RNG(0), partition.schedule(290), base_bias=base_bias)
    assert abs(forward.log_z - reverse.log_z) < 1
    assert truth - forward.log_z > 20
    estimate = two_way(rbm, rows, RNG(0), 290)
    low, high = estimate.interval
    assert low < truth < high
    assert high - low < 2
    assert estimate.stands


def test_an_estimate_that_breaks_the_bound_by_rows_does_not_stand() -> None:
    rbm, rows = two_modes()
    base_bias = partition.base_rate_biases(rows.sum(axis=0), len(rows))
    forward = partition.ais(rbm, RNG(0), partition.schedule(290), base_bias=base_bias)
    assert forward.stands, "it knows no rows"
    told = forward.knowing(bound_by(rbm, rows))
    assert not told.stands
    assert "known rows alone give at least" in told.doubt
    assert partition.exact(rbm).knowing(bound_by(rbm, rows)).stands


def test_the_bound_by_all_states_is_log_z_and_rows_that_come_twice_count_once() -> None:
    rng = RNG(0)
    rbm = RBM(W=rng.normal(size=(5, 8)), a=rng.normal(size=8), b=rng.normal(size=5))
    states = all_states(8)
    truth = partition.exact(rbm).log_z
    assert bound_by(rbm, states) == pytest.approx(truth, rel=1e-12)
    assert bound_by(rbm, np.concatenate([states, states])) == pytest.approx(truth, rel=1e-12)
    assert bound_by(rbm, states[:100]) < truth


@pytest.mark.parametrize(("n_mixtures", "log_z_of_mixture"), [(1, 3 * np.log(2)), (2, 0.0)])
def test_weights_up_and_down_the_same_path_have_the_right_mean(n_mixtures: int, log_z_of_mixture: float) -> None:
    """Annealing is exact on average: mean weights of many chains are Z over that of the mixture, and its reciprocal.

    Anchored chains of two mixtures, of three parts and of two, are annealed side by side.
    """
    rng = RNG(0)
    rbm = RBM(W=rng.normal(size=(3, 6)), a=rng.normal(size=6), b=rng.normal(size=3))
    shares = [np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.9])][:n_mixtures]
    mixtures = [Mixture.of_means(rng.uniform(0.2, 0.8, size=(len(each), 6)), each) for each in shares]
    log_ratio = partition.exact(rbm).log_z - log_z_of_mixture
    betas, n = np.linspace(0, 1, 6), 20_000

    def annealed(v: np.ndarray, betas: np.ndarray) -> np.ndarray:
        if n_mixtures > 1:
            return anneal_anchored(rbm, v, mixtures, betas, rng, None)
        return anneal(rbm, v, mixtures[0], betas, rng, None)

    up = annealed(np.concatenate([each.draw(n, rng) for each in mixtures]), betas) - log_ratio
    states = all_states(6)
    p = np.exp(-_free_energies(rbm, states) - partition.exact(rbm).log_z)
    v = states[rng.choice(len(states), size=n * n_mixtures, p=p / p.sum())]
    down = annealed(v, betas[::-1]) + log_ratio
    for weights in np.exp(np.concatenate([np.split(up, n_mixtures), np.split(down, n_mixtures)])):
        assert abs(weights.mean() - 1) < 4 * weights.std() / np.sqrt(n)


def _free_energies(rbm: RBM, states: np.ndarray) -> np.ndarray:
    return -(states @ rbm.a) - np.logaddexp(0, states @ rbm.W.T + rbm.b).sum(axis=1)


def test_a_mixture_is_normalised_and_its_draws_follow_it() -> None:
    rng = RNG(0)
    mixture = Mixture.of_means(rng.uniform(0.1, 0.9, size=(3, 5)), np.array([0.6, 0.3, 0.1]))
    p = np.exp(mixture.log_densities(all_states(5)) + mixture.log_shares).sum(axis=1)
    assert p.sum() == pytest.approx(1)
    n = 40_000
    counts = np.bincount(mixture.draw(n, rng).astype(int) @ 2 ** np.arange(5), minlength=32)
    expected = np.empty(32)
    expected[all_states(5).astype(int) @ 2 ** np.arange(5)] = p
    assert (np.abs(counts / n - expected) < 5 * np.sqrt(expected / n)).all()


def test_parts_are_fitted_to_clusters_also_where_all_rows_are_the_same() -> None:
    rng = RNG(0)
    means = np.array([[0.9] * 10 + [0.1] * 10, [0.1] * 10 + [0.9] * 10])
    rows = (rng.random((400, 20)) < means[rng.integers(2, size=400)]).astype(float)
    found = fit_means(rows, 2, rng)
    np.testing.assert_allclose(found[np.argsort(found[:, 10])], means, atol=0.1)
    assert fit_means(np.ones((50, 4)), 16, rng).shape == (1, 4)


def test_bennetts_ratio_of_normal_weights_is_right_and_its_error_is_stated() -> None:
    """Forward log weights N(d - s^2/2, s^2) and backward ones N(d + s^2/2, s^2) belong together (Crooks)."""
    s, d = 1.5, 7.0
    found = [
        bennett(RNG(seed).normal(d - s**2 / 2, s, size=200), RNG(seed + 1000).normal(d + s**2 / 2, s, size=200))
        for seed in range(200)
    ]
    z = np.array([(log_ratio - d) / error for log_ratio, error, _ in found])
    assert abs(z.mean()) < 4 / np.sqrt(len(z))
    assert 0.8 < z.std() < 1.2
    assert all(0.4 < overlap < 0.9 for _, _, overlap in found)


@pytest.mark.parametrize("apart", [50.0, 2_000.0])
def test_weights_that_do_not_overlap_leave_log_z_unknown(apart: float) -> None:
    _, std_error, overlap = bennett(np.zeros(100), np.full(100, apart))
    assert not np.isnan(std_error)
    estimate = LogPartition(25.0, std_error, overlap * 100, "two-way", 1, 0.0)
    assert not estimate.stands
    assert "chains overlap" in estimate.doubt


def test_progress_counts_every_sweep() -> None:
    rbm, rows = two_modes()
    swept: list[int] = []
    estimate = two_way(rbm, rows, RNG(0), 30, n_chains=5, progress=swept.append)
    assert sum(swept) == n_sweeps(30)
    assert estimate.n_sweeps == 4 * 2 * n_sweeps(30)  # four estimates with 40 % of the chains, at least two


def test_regions_where_annealing_hardly_leads_are_noticed() -> None:
    """Two regions: both directions agree in one; in the other no forward weight comes near the backward ones."""
    forward, ends = np.array([0.0, 0.1, -0.1, -30.0, -0.2]), np.array([0, 0, 0, 1, 2])
    agreeing, hidden, near = np.array([0.0, 0.05]), np.full(3, 20.0), np.array([1.0])
    checks, starts = np.concatenate([agreeing, hidden, near]), np.array([0, 0, 1, 1, 1, 2])
    above = unreached(forward, checks, ends, starts, log_ratio=0.0)
    assert above == pytest.approx(20 + np.log(1 / 5))  # a fifth of the forward chains end there
    assert unreached(forward, agreeing, ends, starts[:2], log_ratio=0.0) == 0
    assert unreached(forward, checks[:4], ends, starts[:4], log_ratio=0.0) == 0  # too few say so
    assert unreached(forward, checks, ends, starts, log_ratio=30.0) == 0  # it would not raise the estimate
    assert "up to 19 nats higher" in LogPartition(1.0, 0.1, 50.0, "two-way", 1, 0.1, unreached=18.6).doubt


def test_independent_estimates_that_differ_by_more_than_they_state_say_so_together() -> None:
    """Log Z is 0; an estimate meets half of Z, or all of it, and always states an error of a tenth."""
    rng, n_inside = RNG(0), 0
    for _ in range(1_000):
        found = [Estimate(each, 0.1, 40.0, 0.0) for each in rng.normal(np.log(rng.choice([0.5, 1.0], size=4)), 0.1)]
        mean = together(found)
        n_inside += abs(mean.log_z) < 3 * mean.std_error
    assert n_inside > 0.85 * 1_000  # in one case of 16, no estimate met the other half
    alone = rng.normal(np.log(rng.choice([0.5, 1.0], size=1_000)), 0.1)
    assert (abs(alone) < 0.3).mean() < 0.6


def test_an_estimate_without_overlap_counts_by_its_share_of_z() -> None:
    sound, broken = Estimate(0.0, 0.1, 40.0, 0.0), Estimate(0.0, np.inf, 0.0, 0.0)
    assert together([sound] * 4).ess == pytest.approx(160)
    assert together([sound] * 3 + [broken]).ess < 1e-6
    low = together([sound] * 3 + [broken._replace(log_z=-30.0, std_error=1e6)])
    assert low.ess == pytest.approx(120)
    assert low.std_error < 0.4  # it makes the mean a quarter smaller
    assert together([sound] * 3 + [broken._replace(log_z=-2_000.0)]).std_error < 0.4


def test_a_region_is_hardly_reached_where_half_of_the_estimates_say_so() -> None:
    sound, doubtful = Estimate(0.0, 0.1, 40.0, 0.0), Estimate(0.0, 0.1, 40.0, 8.0)
    assert together([sound, sound, sound, doubtful]).unreached == 0
    assert together([sound, doubtful, sound, doubtful]).unreached == pytest.approx(8)
    high = together([sound, sound, sound._replace(log_z=7.0), doubtful, doubtful])
    assert high.unreached == 0, "the others found what was hardly reached"


def test_compiled_sums_between_parts_and_model_are_those_of_numpy() -> None:
    rng = RNG(0)
    x, c = rng.normal(scale=5, size=(60, 130)), rng.normal(scale=5, size=(4, 130))
    wanted = rng.random((60, 4)) < 0.9
    for beta in (0.0, 0.3, 1.0):
        expected = np.where(wanted, np.logaddexp(0, beta * x[:, None] + (1 - beta) * c).sum(axis=2), -np.inf)
        for dtype in (np.float32, np.float64):  # float32 is compiled where there is Numba: 28,000 numbers are enough
            found = softplus_between(x.astype(dtype), c.astype(dtype), beta, wanted)
            np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_negligible_parts_are_left_out_without_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = RNG(0)
    rbm = RBM(W=rng.normal(scale=0.5, size=(30, 300)), a=rng.normal(size=300), b=rng.normal(size=30))
    mixture = Mixture.of_means(rng.uniform(0.02, 0.98, size=(5, 300)), np.full(5, 0.2))
    computed = []

    def counted(x: Array, c: Array, beta: float, wanted: Flags) -> Float64:
        computed.append(wanted.sum())
        return softplus_between(x, c, beta, wanted)

    def weights() -> Float64:
        computed.clear()
        return anchored.anneal_anchored(rbm, mixture.draw(40, RNG(1)), [mixture], np.linspace(0, 1, 30), RNG(2), None)

    monkeypatch.setattr(anchored, "softplus_between", counted)
    few, n_few = weights(), sum(computed)
    monkeypatch.setattr(anchored, "_NEGLIGIBLE", np.inf)
    every, n_every = weights(), sum(computed)
    np.testing.assert_allclose(few, every, rtol=0, atol=1e-9)
    assert n_few < 0.8 * n_every
