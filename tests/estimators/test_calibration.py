"""Scores become p-values: they fit whatever the distribution, and go on beyond what was seen."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from genreplay.core.kernels.scores import joined
from genreplay.estimators.calibration import MEMORY, Scale

Float64 = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Float64]
DRAWS: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "exponential": lambda rng, n: 7 * rng.exponential(size=n) + 100,
    "heavy tail": lambda rng, n: rng.standard_t(3, size=n),
    "whole numbers": lambda rng, n: rng.poisson(300, size=n).astype(float),
}


def tracked(draw: Draw, rng: np.random.Generator, n_rows: int = 5_000) -> Scale:
    """The scale of a stream: its warm-up, and then batch by batch."""
    scale = Scale.of(draw(rng, 500))
    for _ in range((n_rows - 500) // 100):
        scale = scale.with_scores(draw(rng, 100))
    return scale


@pytest.mark.parametrize("name", DRAWS)
@pytest.mark.parametrize("rate", [0.01, 0.05])
def test_p_values_of_fresh_scores_fit(name: str, rate: float) -> None:
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(8):  # 50 of 5,000 rows lie in the last hundredth: of one stream alone, they vary by a seventh
        scale = tracked(DRAWS[name], rng)
        shares.append(np.mean(np.exp(-scale.nats(DRAWS[name](rng, 20_000))) <= rate))
    assert rate / 1.3 < np.mean(shares) < rate * 1.3


@pytest.mark.parametrize("name", DRAWS)
def test_surprise_never_falls_with_the_score_and_is_never_negative(name: str) -> None:
    scale = tracked(DRAWS[name], np.random.default_rng(1))
    far = np.sinh(np.linspace(-40, 40, 5_001))
    nats = scale.nats(scale.centre + scale.spread * far)
    assert np.isfinite(nats).all()
    assert (nats >= 0).all()
    assert (np.diff(nats) >= 0).all()


@pytest.mark.parametrize("name", DRAWS)
def test_beyond_all_scores_seen_the_surprise_goes_on_rising(name: str) -> None:
    rng = np.random.default_rng(2)
    scale, highest = tracked(DRAWS[name], rng), DRAWS[name](rng, 20_000).max()
    beyond = highest + scale.spread * np.array([1, 10, 100, 1_490, 1_500, 1e4, 1e6])
    nats = scale.nats(beyond)
    assert nats[0] > np.log(1_000)
    assert (np.diff(nats) > 0).all()
    assert np.isfinite(nats).all()


def test_equal_scores_have_equal_p_values_of_one() -> None:
    scale = Scale.of(np.full(500, 3.0)).with_scores(np.full(1_000, 3.0))
    usual, strange = np.exp(-scale.nats(np.array([3.0, 4.0])))
    assert usual > 0.5
    assert strange < 0.01


def test_the_oldest_scores_are_forgotten() -> None:
    rng = np.random.default_rng(3)
    scale = tracked(DRAWS["normal"], rng)
    for _ in range(4 * MEMORY // 100):
        scale = scale.with_scores(rng.normal(3, 1, size=100))
    assert scale.counts.sum() == pytest.approx(MEMORY)
    assert scale.nats(np.array([3.0]))[0] == pytest.approx(np.log(2), abs=0.1)


def test_a_scale_comes_back_from_a_file_to_the_bit() -> None:
    scale = tracked(DRAWS["heavy tail"], np.random.default_rng(4))
    again = Scale.from_json(json.loads(json.dumps(scale.to_json())))
    scores = np.linspace(-100, 100, 999)
    np.testing.assert_array_equal(again.nats(scores), scale.nats(scores))


def test_joined_scores_rise_with_both_parts() -> None:
    grid = np.linspace(0, 30, 61)
    both = joined(grid[:, np.newaxis], grid)
    assert (np.diff(both, axis=0) >= 0).all()
    assert (np.diff(both, axis=1) >= 0).all()
    assert (both >= grid[:, np.newaxis]).all(), "a strange row is no less strange for usual cells"
