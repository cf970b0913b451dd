"""NAB's score: small cases by hand, all thresholds of a random corpus one by one, and the published figures."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from genreplay.datasets import files, nab
from genreplay.datasets.nab import Series
from genreplay.experiments.nab import PROFILES, best_threshold, score, score_alarms, sweep
from genreplay.experiments.nab.scorer import Profile, sigmoid
from tests.datasets.tiny import needs_data

STANDARD = PROFILES["standard"]
WINDOW = (10, 14)
DETECTORS = ("numenta", "contextOSE", "windowedGaussian")


def series(*windows: tuple[int, int], n_rows: int = 40, probation: int = 6, name: str = "made up/a.csv") -> Series:
    times = np.datetime64("2014-04-01T00:00:00") + np.arange(n_rows)
    return nab.make(name, times, np.zeros(n_rows), list(windows), probation)


def raw(one: Series, *rows: int, profile: Profile = STANDARD) -> float:
    """What alarms in these rows of a series are worth."""
    return score_alarms({one.name: np.isin(np.arange(len(one.times)), rows)}, profile, [one]).total.raw


def s(y: float) -> float:
    return 2 / (1 + math.exp(5 * y)) - 1


@pytest.mark.parametrize("profile", PROFILES.values())
def test_an_alarm_in_the_first_row_of_a_window_has_the_full_points(profile: Profile) -> None:
    assert raw(series(WINDOW), 10, profile=profile) == pytest.approx(profile.tp)


@pytest.mark.parametrize(("row", "y"), [(11, -4 / 5), (12, -3 / 5), (14, -1 / 5)])
def test_a_later_alarm_has_fewer_points(row: int, y: float) -> None:
    assert raw(series(WINDOW), row) == pytest.approx(s(y) / s(-1))


def test_a_window_counts_once_by_its_earliest_alarm() -> None:
    assert raw(series(WINDOW), 12, 13, 14) == raw(series(WINDOW), 12)


@pytest.mark.parametrize("profile", PROFILES.values())
def test_a_missed_window_has_its_cost(profile: Profile) -> None:
    assert raw(series(WINDOW), profile=profile) == -profile.fn


def test_each_of_two_windows_counts() -> None:
    two = series(WINDOW, (20, 29))
    assert raw(two, 12) == pytest.approx(s(-3 / 5) / s(-1) - 1)
    assert raw(two, 12, 28) == pytest.approx((s(-3 / 5) + s(-2 / 10)) / s(-1))


@pytest.mark.parametrize(
    ("row", "cost"),
    [(7, 1), (9, 1), (15, -s(1 / 4)), (16, -s(2 / 4)), (25, -s(11 / 4)), (26, 1), (39, 1)],
    ids=["before any window", "just before it", "just behind it", "near", "far", "3 widths", "very far"],
)
@pytest.mark.parametrize("profile", PROFILES.values())
def test_a_false_alarm_costs_more_the_farther_behind_a_window_it_is(row: int, cost: float, profile: Profile) -> None:
    assert raw(series(WINDOW), 10, row, profile=profile) == pytest.approx(profile.tp - profile.fp * cost)


def test_three_widths_behind_a_window_the_cost_is_full() -> None:
    assert sigmoid([2.99, 3, 300]).tolist() == [pytest.approx(s(2.99), abs=1e-12), -1, -1]
    assert sigmoid(2.99) > -1


def test_a_false_alarm_is_measured_from_the_last_window_before_it() -> None:
    assert raw(series(WINDOW, (20, 29)), 10, 20, 17, 31) == pytest.approx(2 + 0.11 * (s(3 / 4) + s(2 / 9)))


def test_each_false_alarm_costs() -> None:
    assert raw(series(WINDOW), 10, 7, 8) == pytest.approx(1 - 2 * 0.11)


def test_alarms_in_the_probationary_period_do_not_count() -> None:
    one = series(WINDOW)
    assert raw(one, 0, 5, 10) == 1
    assert raw(one, 6, 10) == pytest.approx(1 - 0.11)
    cut = series((4, 8))
    assert raw(cut, 5) == -1
    assert raw(cut, 5, 7) == pytest.approx(s(-2 / 5) / s(-1))


def test_a_window_within_the_probationary_period_is_left_out_and_lies_behind_later_alarms() -> None:
    both = series((1, 5), WINDOW)
    found = score_alarms({both.name: np.arange(40) == 7}, STANDARD, [both])
    assert found.total[:3] == (1, 0, 1)
    assert found.total.raw == pytest.approx(-1 + 0.11 * s(2 / 4))


@pytest.mark.parametrize("profile", PROFILES.values())
def test_a_detector_that_never_fires_has_0_and_a_perfect_one_100(profile: Profile) -> None:
    corpus = [series(WINDOW, (20, 29)), series((8, 9), name="made up/b.csv"), series(name="quiet/c.csv")]
    null = {one.name: np.zeros(40) for one in corpus}
    assert score_alarms(null, profile, corpus).normalised == 0
    perfect = {one.name: np.isin(np.arange(40), [first for first, _ in one.windows]) for one in corpus}
    found = score_alarms(perfect, profile, corpus)
    assert found.normalised == pytest.approx(100)
    assert [found.points(part) for part in found.categories.values()] == pytest.approx([100, 0])
    assert [found.points(part) for part in found.series.values()] == pytest.approx([200 / 3, 100 / 3, 0])
    assert found.alone(found.series["made up/b.csv"]) == pytest.approx(100)
    assert math.isnan(found.alone(found.series["quiet/c.csv"]))


def test_the_points_of_the_parts_add_up_to_the_score() -> None:
    scores, corpus = random_corpus()
    found = score(scores, STANDARD, 0.8, corpus)
    assert found.total.n_found > 0
    assert found.total.n_false > 0
    assert sum(map(found.points, found.series.values())) == pytest.approx(found.normalised)
    assert sum(map(found.points, found.categories.values())) == pytest.approx(found.normalised)
    assert list(found.categories) == ["made up", "quiet"]


def random_corpus() -> tuple[dict[str, np.ndarray], list[Series]]:
    """Scores with many ties, somewhat higher in the windows."""
    rng = np.random.default_rng(3)
    corpus = [
        series(WINDOW, (20, 29)),
        series((4, 9), (30, 31), name="made up/b.csv"),
        series((2, 3), (39, 39), name="made up/c.csv"),
        series(name="quiet/d.csv"),
    ]
    return {one.name: (rng.random(40) + 0.3 * one.is_in_window).round(1) for one in corpus}, corpus


@pytest.mark.parametrize("profile", PROFILES.values())
def test_the_sweep_has_the_score_of_each_threshold(profile: Profile) -> None:
    scores, corpus = random_corpus()
    thresholds, normalised = sweep(scores, profile, corpus)
    assert thresholds[0] == np.inf
    assert thresholds[1:].tolist() == sorted(
        {height for one in corpus for height in scores[one.name][one.probation :]}, reverse=True
    )
    one_by_one = [score(scores, profile, threshold, corpus).normalised for threshold in thresholds]
    np.testing.assert_allclose(normalised, one_by_one, atol=1e-9)
    assert best_threshold(scores, profile, corpus) == thresholds[np.argmax(one_by_one)]


def test_never_firing_is_best_for_scores_that_are_high_outside_of_windows_only() -> None:
    one = series(WINDOW)
    scores = {one.name: np.where(one.is_in_window, 0.0, np.arange(40) + 1.0)}
    assert best_threshold(scores, STANDARD, [one]) == np.inf
    assert score(scores, STANDARD, np.inf, [one]).normalised == 0


def test_scores_that_do_not_fit_the_corpus_are_refused() -> None:
    one = series(WINDOW)
    with pytest.raises(ValueError, match=r"every series of the corpus. made up/a.csv is missing"):
        score({}, STANDARD, 0.5, [one])
    with pytest.raises(ValueError, match=r"each of the 40 rows of made up/a.csv. Got the shape \(39,\) instead"):
        score({one.name: np.zeros(39)}, STANDARD, 0.5, [one])
    with pytest.raises(ValueError, match=r"must be finite. Got nan in row 7 of made up/a.csv"):
        sweep({one.name: np.where(np.arange(40) == 7, np.nan, 0)}, STANDARD, [one])
    with pytest.raises(ValueError, match="0 or 1 for every row"):
        score_alarms({one.name: np.full(40, 0.7)}, STANDARD, [one])
    with pytest.raises(ValueError, match="must have a window"):
        score({one.name: np.zeros(40)}, STANDARD, 0.5, [series()])


@pytest.fixture(scope="module")
def folder() -> Path:
    """The folder with the real files."""
    return next(one.path / "nab" for one in files.folders() if (one.path / "nab").is_dir())


@pytest.fixture(scope="module")
def corpus() -> list[Series]:
    return nab.corpus()


@needs_data
def test_the_profiles_are_those_of_nab(folder: Path) -> None:
    published = json.loads((folder / "profiles.json").read_text())
    costs = {name: profile["CostMatrix"] for name, profile in published.items()}
    assert {name: (c["tpWeight"], c["fpWeight"], c["fnWeight"]) for name, c in costs.items()} == PROFILES


@needs_data
@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("detector", DETECTORS)
def test_three_detectors_have_their_published_scores(
    detector: str, name: str, folder: Path, corpus: list[Series]
) -> None:
    published = json.loads((folder / "published_results.json").read_text())[detector][name]
    threshold = json.loads((folder / "published_thresholds.json").read_text())[detector][name]["threshold"]
    with np.load(folder / f"scores_{detector}.npz") as arrays:
        scores = dict(arrays)
    profile = PROFILES[name]
    assert score(scores, profile, threshold, corpus).normalised == pytest.approx(published, abs=1e-6)
    # the published thresholds were found by hill climbing, which may miss the best one
    tolerance = 0.1 if name == "reward_low_FP_rate" else 0.01
    best = score(scores, profile, best_threshold(scores, profile, corpus), corpus).normalised
    assert best == pytest.approx(published, abs=tolerance)
    assert best == pytest.approx(sweep(scores, profile, corpus).normalised.max(), abs=1e-9)
