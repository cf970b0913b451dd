"""Fresh usual rows: which rows are judged, in how many orders, and what is counted."""

from __future__ import annotations

import numpy as np
import pytest

from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.experiments import calibration
from genreplay.experiments.calibration import MADE_UP, CalibrationRun, run, runs


def quiet(_share: float, _doing: str) -> None:
    """Report nothing."""


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    """A table of 1,000 usual rows of two columns, each row with a number of its own."""
    rows = np.random.default_rng(0).normal(size=(1_000, 2))
    monkeypatch.setattr(run, "usual", lambda _dataset: rows)
    return rows


def test_the_last_rows_of_each_order_are_judged_and_not_learned(
    table: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned, judged = [], []
    learn, judge = OnlineRBMDetector.learn_scored, OnlineRBMDetector.p_values
    monkeypatch.setattr(OnlineRBMDetector, "learn_scored", lambda self, X: (learned.append(X), learn(self, X))[1])
    monkeypatch.setattr(OnlineRBMDetector, "p_values", lambda self, X: (judged.append(X), judge(self, X))[1])
    figures = CalibrationRun("any", max_rows=500, n_judged=150).execute(0, quiet)
    assert (figures["n_judged"], figures["n_orders"], figures["n_learned"]) == (200, 2, 400)
    assert [len(each) for each in learned] == [400, 400]
    assert [len(each) for each in judged] == [100, 100]
    for known, fresh in zip(learned, judged, strict=True):
        assert not set(known[:, 0]) & set(fresh[:, 0])
    assert set(judged[0][:, 0]) != set(judged[1][:, 0])


def test_alarms_are_shares_of_p_values_at_or_below_the_nominal_rate(
    table: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OnlineRBMDetector, "p_values", lambda _self, X: np.linspace(0.01, 1, len(X)))
    figures = CalibrationRun("any", max_rows=500, n_judged=100).execute(0, quiet)
    assert figures["alarms"] == [0.01, 0.05]


def test_the_made_up_stream_needs_no_table_and_keeps_its_rates() -> None:
    figures = CalibrationRun(MADE_UP, max_rows=10_000, n_judged=2_000).execute(0, quiet)
    assert figures["n_orders"] == 1
    assert 0.003 < figures["alarms"][0] < 0.025
    assert 0.03 < figures["alarms"][1] < 0.08


def test_a_wide_table_comes_in_one_order(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).normal(size=(100, run.WIDE + 1))
    monkeypatch.setattr(run, "usual", lambda _dataset: rows)
    monkeypatch.setattr(CalibrationRun, "_judged", lambda _self, n_last, _rng, _report: np.ones(n_last))
    assert CalibrationRun("any").execute(0, quiet)["n_orders"] == 1


def test_every_table_is_run_and_a_million_rows() -> None:
    assert len(runs()) == len({each.dataset for each in runs()}) == 30
    assert runs()[-1].max_rows - runs()[-1].n_judged == 1_000_000
    assert len(runs(quick=True)) == 30
    assert calibration.NOMINAL == (0.01, 0.05)
