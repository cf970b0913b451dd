"""Columns that leave their range for good: new codes, a model that goes on in them, and nothing lost on the way."""

from __future__ import annotations

import importlib.util
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from genreplay import Dreams, Nothing, OnlineRBMDetector, Stored, TableEncoder, TableRBM
from genreplay.core.kernels import grouped
from genreplay.estimators import renewal
from tests.estimators.snapshot import table_snapshot

Float64 = npt.NDArray[np.float64]
Objects = npt.NDArray[np.object_]
PATHS = ["numpy"] if importlib.util.find_spec("numba") is None else ["numpy", "compiled"]
CORRELATION = np.full((4, 4), 0.9) + 0.1 * np.eye(4)
REVERSED = np.array([1.0, -1.0, 1.0, -1.0])
"""columns whose sign is turned, so that each of them is correlated the other way round with two of the others"""


def correlated(n: int, rng: np.random.Generator, signs: Float64 | float = 1.0, shift: float = 0.0) -> Float64:
    return rng.multivariate_normal(np.zeros(4), CORRELATION, size=n) * signs + shift


@pytest.mark.parametrize("signs", [np.ones(4), REVERSED], ids=["same correlation", "reversed correlation"])
def test_after_a_lasting_shift_a_detector_is_as_good_as_one_that_has_seen_nothing_else(signs: Float64) -> None:
    shift, alarms = 1_000.0, []
    for seed in range(4):  # how many broken relations are found differs from detector to detector
        rng = np.random.default_rng(seed)
        new = correlated(5_500, rng, signs, shift)
        walked = OnlineRBMDetector(random_state=seed).partial_fit(correlated(3_000, rng)).partial_fit(new)
        fresh = OnlineRBMDetector(random_state=seed).partial_fit(new)
        assert walked.n_renewals_ == 1
        assert walked.renewed_columns_ == ["x0", "x1", "x2", "x3"]
        assert np.mean(walked.predict(correlated(10_000, rng, signs, shift)) == -1) <= 0.02
        outliers, n = correlated(2_000, rng, signs, shift), np.arange(2_000)
        outliers[n, rng.integers(4, size=2_000)] += 8 * rng.choice([-1, 1], size=2_000)
        broken = correlated(2_000, rng, signs * REVERSED, shift)
        alarms.append([[np.mean(each.predict(x) == -1) for x in (outliers, broken)] for each in (walked, fresh)])
    found, expected = np.mean(alarms, axis=0)
    assert (found >= 0.9 * expected).all()


def cheap(**params: Any) -> OnlineRBMDetector:
    rbm = TableRBM(4, n_first=2, batch_size=20, replay=Dreams(size=30, n_rows=10))
    return OnlineRBMDetector(**{"rbm": rbm, "warm_up": 60, "random_state": 0, **params})


def walk() -> Objects:
    """Numbers, labels and times; after 200 rows a number leaves its range, and there are other labels."""
    rng, n = np.random.default_rng(0), 500
    rows = np.empty((n, 4), dtype=object)
    rows[:, 0] = rng.normal(size=n) + np.where(np.arange(n) < 200, 0, 50)
    rows[:, 1] = rng.normal(size=n)
    rows[:, 2] = np.where(np.arange(n) < 200, rng.choice(["a", "b"], size=n), rng.choice(["c", "d"], size=n))
    rows[:, 3] = [f"2024-01-{1 + i // 24:02} {i % 24:02}:00" for i in range(n)]
    rows[rng.random(n) < 0.05, 1] = None
    return rows


ROWS = walk()


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Codes are made anew after fewer rows outside."""
    monkeypatch.setattr(renewal, "_MEMORY", 100)


@pytest.fixture(params=PATHS)
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "numpy":
        monkeypatch.setattr(grouped, "_loops", lambda: None)
    return str(request.param)


def phases() -> tuple[int, int]:
    """After how many rows the first row waits for new codes, and after how many they are made."""
    model, started = cheap(), 0
    for n, row in enumerate(ROWS[:, np.newaxis], 1):
        model.partial_fit(row)
        if not started and model._renewal.rows is not None:
            started = n
        if model.n_renewals_:
            return started, n
    raise AssertionError("no renewal")


@pytest.mark.usefixtures("quick")
def test_rows_wait_for_new_codes_as_those_of_the_warm_up_did() -> None:
    started, made = phases()
    assert 200 < started < made <= 400
    assert made - started == 60
    model = cheap().partial_fit(ROWS)
    assert model.n_renewals_ == 1
    assert set(model.renewed_columns_) <= {"x0", "x2"}, "those that had left their range when the first row waited"
    assert model.renewed_columns_
    assert (model.n_rows_seen_, model.n_learned_ + model.n_waiting_) == (500, 500)
    assert set(model.encoder_.describe_codes()["x2"]["labels"]) == {"a", "b", "c", "d"}  # type: ignore[call-overload]


@pytest.mark.usefixtures("quick", "path")
@pytest.mark.parametrize("replay", [Dreams(size=30, n_rows=10), Stored(size=30, n_rows=10), Nothing()], ids=str)
def test_however_a_stream_is_cut_the_result_is_the_same_to_the_bit(replay: Any, tmp_path: Path) -> None:
    rbm = TableRBM(4, n_first=2, batch_size=20, replay=replay)
    at_once = cheap(rbm=rbm)
    scores = at_once.learn_scored(ROWS)
    assert at_once.n_renewals_ == 1
    expected = table_snapshot(at_once)

    rng = np.random.default_rng(1)
    edges = [0, *sorted(rng.choice(np.arange(1, 500), size=40, replace=False).tolist()), 500]
    cut = cheap(rbm=rbm)
    np.testing.assert_array_equal(np.concatenate([cut.learn_scored(ROWS[a:b]) for a, b in pairwise(edges)]), scores)
    assert table_snapshot(cut) == expected

    one_by_one = cheap(rbm=rbm).partial_fit(ROWS[:60])
    for row, nats in zip(ROWS[60:], scores[60:], strict=True):
        assert one_by_one.surprise_one(row) == pytest.approx(nats, rel=1e-9)
        one_by_one.learn_one(row)
    assert table_snapshot(one_by_one) == expected

    saved = cheap(rbm=rbm)
    for a, b in pairwise(edges):
        saved.partial_fit(ROWS[a:b]).save(tmp_path / "model")
        saved = OnlineRBMDetector.load(tmp_path / "model")
    assert table_snapshot(saved) == expected


@pytest.mark.usefixtures("quick")
def test_a_file_of_any_moment_of_a_renewal_goes_on_to_the_bit(tmp_path: Path) -> None:
    started, made = phases()
    expected = table_snapshot(cheap().partial_fit(ROWS))
    for n in (started - 1, started, started + 1, made - 1, made, made + 1):
        cheap().partial_fit(ROWS[:n]).save(tmp_path / "model")
        assert table_snapshot(OnlineRBMDetector.load(tmp_path / "model").partial_fit(ROWS[n:])) == expected


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("n_bins", [1, 8, 120, 243])
def test_new_codes_can_be_made_whatever_the_number_of_intervals(n_bins: int) -> None:
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(size=(600, 2)), rng.normal([50, 0], 1, size=(600, 2))])
    model = cheap(encoder=TableEncoder(n_bins=n_bins), warm_up=400).partial_fit(rows)
    assert model.n_renewals_ == 1
    assert np.isfinite(model.surprise(rows)).all()


@pytest.mark.usefixtures("quick")
def test_bytes_held_do_not_grow_however_often_codes_are_made_anew() -> None:
    rng, model, held = np.random.default_rng(0), cheap(), []
    for shift in 1_000.0 ** np.arange(6):
        model.partial_fit(rng.normal(size=(400, 2)) + shift)
        held.append(model.nbytes.model)
    assert model.n_renewals_ >= 3
    assert max(held[1:]) <= 2.5 * held[0], "the codes of the past and of the new rows"
    assert np.mean(model.predict(rng.normal(size=(500, 2)) + shift) == -1) < 0.1


@pytest.mark.usefixtures("quick")
def test_a_few_rows_outside_are_no_reason_for_new_codes() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(1_000, 3))
    rows[rng.random(1_000) < 0.2, 1] += 100
    assert cheap().partial_fit(rows).n_renewals_ == 0
