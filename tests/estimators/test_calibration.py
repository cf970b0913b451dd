from __future__ import annotations

import numpy as np
import pytest

from genreplay.core import rbm as rbm_module
from genreplay.estimators import calibration as calibrations
from genreplay.estimators.calibration import FAR, NEAR


def test_dreams_judged_by_dreams_have_uniform_p_values() -> None:
    rng = np.random.default_rng(0)
    rbm = rbm_module.init(n_visible=12, n_hidden=6, rng=rng, sigma=0.5, dtype=np.float64)
    chains = rbm_module.gibbs(rbm, rbm_module.dream(rbm, 6000, 1, rng), 200, rng)
    judge, judged = calibrations.of_chains(rbm, chains[:3000]), chains[3000:]
    p = np.exp(-calibrations.surprise(judge, rbm_module.free_energy(rbm, judged)))
    for rate in (0.01, 0.05, 0.2, 0.5):
        # both halves are samples: the standard error of the difference of two shares of 3,000
        assert abs(np.mean(p <= rate) - rate) < 4 * np.sqrt(2 * rate * (1 - rate) / 3000)


@pytest.mark.parametrize("p_value", [0.9, 0.3, 0.1, 0.02, 0.001, 1e-9])
def test_the_line_for_alarms_is_where_the_p_value_crosses_the_rate(p_value: float) -> None:
    dreams = calibrations.of_energies(np.random.default_rng(0).normal(size=500))._replace(near=3.0, far=4.0)
    line = calibrations.energy_at(dreams, p_value)
    just_above = np.array([line, np.nextafter(line, np.inf) + 1e-9])
    at, above = np.exp(-calibrations.surprise(dreams, just_above))
    assert above <= p_value * (1 + 1e-6)
    assert at >= p_value * (1 - 1e-6)


def test_surprise_never_falls_with_the_free_energy() -> None:
    rng = np.random.default_rng(1)
    for near, far in [(0.1, 0.1), (2.3, 3.9), (9.0, 9.0), (1.0, 30.0)]:
        dreams = calibrations.of_energies(rng.integers(20, size=200).astype(float))._replace(near=near, far=far)
        surprise = calibrations.surprise(dreams, np.linspace(-5, 60, 2000))
        assert (np.diff(surprise) >= -1e-12).all()


@pytest.mark.parametrize("stretch", [0.4, 1.0, 2.5])
def test_tracking_makes_p_values_fit_rows_that_are_more_or_less_surprising_than_dreams(stretch: float) -> None:
    rng = np.random.default_rng(2)
    dreams = calibrations.of_energies(rng.exponential(size=500))
    for _ in range(400):
        dreams = calibrations.track(dreams, stretch * rng.exponential(size=100))
    p = np.exp(-calibrations.surprise(dreams, stretch * rng.exponential(size=20_000)))
    for rate in (NEAR, 0.05, FAR, 0.01):
        assert rate / 2 < np.mean(p <= rate) < rate * 2


def test_anomalies_in_the_stream_do_not_move_what_is_usual() -> None:
    rng = np.random.default_rng(3)
    clean = polluted = calibrations.of_energies(rng.exponential(size=500))
    for _ in range(300):
        rows = rng.exponential(size=96)
        clean = calibrations.track(clean, rows)
        polluted = calibrations.track(polluted, np.concatenate([rows, [1000.0] * 4]))
    assert polluted.near == pytest.approx(clean.near, abs=0.3)
    assert polluted.far == pytest.approx(clean.far, abs=0.6)
