"""Log-likelihoods of the tables beside the truth, and what becomes of those whose log Z is unknown."""

from __future__ import annotations

import numpy as np
import pytest

from genreplay import OnlineRBM
from genreplay.core import LogPartition, partition
from genreplay.core.rbm import RBM
from genreplay.experiments.paper import likelihood

LABELS = np.arange(300) % 3
ROWS = (np.random.default_rng(0).random((300, 12)) < (0.2 + 0.3 * LABELS)[:, None]).astype(np.uint8)


def test_the_figures_are_those_of_the_exact_log_z() -> None:
    model = OnlineRBM(8, batch_size=10, random_state=0).fit(ROWS)
    found = likelihood.evaluate(model, ROWS, LABELS, n_temperatures=290, seed=0)
    log_p = -model.free_energy(ROWS) - model.log_partition("exact").log_z
    assert found.doubt == ""
    assert found.nats == pytest.approx(log_p.mean(), abs=4 * found.error)
    assert found.class_nats is not None
    by_class = np.array([log_p[label == LABELS].mean() for label in range(3)])
    assert found.nats - np.array(found.class_nats) == pytest.approx(log_p.mean() - by_class, abs=1e-4)
    assert found.class_std == pytest.approx(by_class.std(), abs=1e-4)
    alone = likelihood.evaluate_rbm(model.state_.model, ROWS, None, 290, np.random.default_rng(0))
    assert alone.nats == pytest.approx(log_p.mean(), abs=4 * alone.error)
    assert (alone.class_nats, alone.class_std) == (None, None)


def test_progress_ends_at_one() -> None:
    shares: list[float] = []
    model = OnlineRBM(8, batch_size=10, random_state=0).fit(ROWS)
    likelihood.evaluate(model, ROWS, LABELS, n_temperatures=290, seed=0, progress=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


@pytest.mark.parametrize(
    ("ess", "n_asked", "doubt"), [(50.0, 1, ""), (1.0, 2, "the weights of only 1.0 chains overlap")]
)
def test_an_unknown_log_z_is_annealed_once_more_with_more_temperatures(ess: float, n_asked: int, doubt: str) -> None:
    asked: list[int] = []

    def anneal(n_temperatures: int) -> LogPartition:
        asked.append(n_temperatures)
        return LogPartition(5.0, 0.1, ess, "two-way", 100, 0.1)

    rbm = RBM(W=np.zeros((3, 2)), a=np.zeros(2), b=np.zeros(3))
    assert likelihood.with_care(anneal, rbm, np.zeros((1, 2), dtype=np.uint8), 100).doubt == doubt
    assert asked == [100, 500][:n_asked]


def test_no_estimate_stands_that_the_rows_contradict() -> None:
    rbm = RBM(W=np.zeros((3, 2)), a=np.zeros(2), b=np.zeros(3))
    rows = np.array([[0, 0], [0, 1]], dtype=np.uint8)
    assert partition.bound_by(rbm, rows.astype(float)) == pytest.approx(np.log(2 * 8))
    found = likelihood.with_care(lambda n: LogPartition(1.0, 0.1, 50.0, "two-way", n, 0.1), rbm, rows, 100)
    assert "known rows alone give at least 2.8" in found.doubt
