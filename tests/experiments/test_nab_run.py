"""The runs on NAB: whose surprise is taken, what the control counts, what is stored, and choices by halves."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from genreplay.datasets import nab
from genreplay.datasets.base import DatasetError
from genreplay.datasets.nab import Series
from genreplay.estimators.deviations import Deviations
from genreplay.estimators.plain_detector import SERIES_RBM
from genreplay.estimators.series import series_detector
from genreplay.experiments.nab import METHODS, POLICIES, PROFILES, NabRun, halves, halves_of, run, runs, score, surprise
from genreplay.experiments.nab.surprise import Surprise, by_histograms, by_rbm, rows_of
from genreplay.streams import SeriesEncoder


def quiet(_share: float, _doing: str) -> None:
    """Report nothing."""


def made_up(name: str, n_rows: int = 800, seed: int = 0) -> Series:
    """A daily rhythm with noise, and a failure in a window."""
    rng, t = np.random.default_rng(seed), np.arange(n_rows)
    values = np.sin(t * 2 * np.pi / 48) + 0.1 * rng.normal(size=n_rows)
    values[600:612] += 5
    times = np.datetime64("2014-04-01T00:00:00") + 1800 * t
    return nab.make(name, times, values, [(590, 640)])


WARM_UP = SeriesEncoder().warm_up
CORPUS = [made_up(f"{category}/{i}.csv", seed=i) for i, category in enumerate(["one", "one", "two"])]


@pytest.fixture
def corpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "load", lambda: CORPUS)


def test_the_recorded_surprise_gives_the_anomaly_of_the_detector_itself() -> None:
    series = CORPUS[0]
    surprise = by_rbm(series, SERIES_RBM.learning_rate, seed=3)
    anomaly = series_detector(random_state=3).learn_scored(rows_of(series))
    found = run.followed(series, surprise, Deviations())
    assert np.isnan(anomaly[:WARM_UP]).all()
    np.testing.assert_array_equal(found.anomaly, anomaly[WARM_UP:])


@pytest.mark.parametrize("by_hour", [False, True])
def test_histograms_count_the_codes_of_the_batches_before(by_hour: bool) -> None:
    series = CORPUS[0]
    first, later = by_histograms(series, by_hour)
    codes = SeriesEncoder().fit(rows_of(series)[:WARM_UP]).codes(rows_of(series))
    n_codes = 27
    for row in (WARM_UP - 1, WARM_UP, WARM_UP + 25, 605):
        in_batch = max(row - WARM_UP, 0) // SERIES_RBM.batch_size * SERIES_RBM.batch_size
        seen = codes[: WARM_UP + in_batch]
        same = seen[:, 1] == codes[row, 1]
        share = (same.sum() + 0.5) / (len(seen) + 0.5 * n_codes)
        if by_hour:
            now = seen[:, 0] == codes[row, 0]
            share = ((same & now).sum() + 20 * share) / (now.sum() + 20)
        found = np.concatenate([first, later])[row, 0]
        assert found == pytest.approx(-math.log(share))
    assert len(first) + len(later) == len(codes)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.usefixtures("corpus")
def test_a_run_has_the_scores_of_its_alarms(method: str) -> None:
    figures = NabRun(method).execute(0, quiet)
    assert json.loads(json.dumps(figures)) == figures
    default = POLICIES.index(Deviations())
    for name, profile in PROFILES.items():
        gains = figures["gains"][name][default]
        wanted = 100 * sum(gains) / (sum(figures["windows"]) * (profile.tp + profile.fn))
        assert figures["scores"][name] == pytest.approx(wanted, abs=0.01)
    assert figures["n_windows"] == 3
    assert [figures["categories"][name]["n_windows"] for name in ("one", "two")] == [2, 1]
    assert figures["n_found"] == 3


@pytest.mark.usefixtures("corpus")
def test_the_first_seed_of_the_rbm_with_its_defaults_stores_pictures_with_the_alarms_that_are_scored() -> None:
    figures = NabRun().execute(0, quiet)
    pictures = figures["pictures"]
    assert list(pictures) == figures["series"]
    assert [len(each["windows"]) for each in pictures.values()] == figures["windows"]
    assert sum(found for each in pictures.values() for *_, found in each["windows"]) == figures["n_found"]
    assert sum(len(each["false_alarms"]) for each in pictures.values()) == figures["n_false"]


@pytest.mark.parametrize(("other", "seed"), [(NabRun(), 1), (NabRun(learning_rate=0.04), 0), (NabRun("histograms"), 0)])
@pytest.mark.usefixtures("corpus")
def test_other_runs_store_no_pictures(other: NabRun, seed: int) -> None:
    assert "pictures" not in other.execute(seed, quiet)


@pytest.mark.usefixtures("corpus")
def test_no_alarm_counts_in_the_probationary_period(monkeypatch: pytest.MonkeyPatch) -> None:
    def early(series: Series, *_others: object) -> Surprise:
        surprise = np.zeros((len(series.values), 1))
        surprise[50] = 100
        return Surprise(surprise[: series.probation], surprise[series.probation :])

    monkeypatch.setattr(surprise, "by_rbm", early)
    figures = NabRun().execute(0, quiet)
    assert figures["n_false"] == figures["n_found"] == 0
    assert set(figures["scores"].values()) == {0.0}


@pytest.mark.usefixtures("corpus")
def test_alarms_of_a_run_are_scored_by_nabs_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(series: Series, *_others: object) -> Surprise:
        surprise = np.zeros((len(series.values), 1))
        surprise[[300, 600]] = 100
        return Surprise(surprise[: series.probation], surprise[series.probation :])

    monkeypatch.setattr(surprise, "by_rbm", late)
    alarms = np.zeros(800)
    alarms[[300, 600]] = 1
    wanted = score({series.name: alarms for series in CORPUS}, PROFILES["standard"], 0.5, CORPUS)
    figures = NabRun().execute(0, quiet)
    assert figures["scores"]["standard"] == pytest.approx(wanted.normalised)
    assert figures["n_false"] == 3


def test_every_method_is_run_and_histograms_once() -> None:
    assert len(runs()) == len(METHODS)
    assert {each.method for each in runs()} == set(METHODS)
    assert [each.max_seeds for each in runs()[:3]] == [None, 1, 1]
    assert len({each.title for each in runs()}) == len(runs())
    assert Deviations() in POLICIES


def test_a_choice_by_halves_is_judged_where_it_was_not_made() -> None:
    # half of the series like the first setting, half the second: whoever chooses does not gain where it is judged
    n = 40
    gains = np.zeros((2, n))
    gains[0, ::2] = gains[1, 1::2] = 2
    found = halves(dict.fromkeys(PROFILES, gains), np.ones(n, dtype=int), default=0)
    assert sum(found.n_chosen) == 20
    assert found.chosen["standard"] < 50
    assert found.best["standard"] == found.defaults["standard"]
    assert found.chosen["reward_low_FN_rate"] == pytest.approx(found.chosen["standard"] * 2 / 3)


@pytest.mark.usefixtures("corpus")
def test_runs_with_other_learning_rates_are_further_settings() -> None:
    slow, usual = (NabRun(learning_rate=rate).execute(0, quiet) for rate in (1e-6, SERIES_RBM.learning_rate))
    both, alone = halves_of([slow, usual], default=1), halves_of([usual], default=0)
    assert len(both.n_chosen) == 2 * len(POLICIES) == 2 * len(alone.n_chosen)
    assert both.defaults == alone.defaults


@pytest.mark.slow
@pytest.mark.parametrize(("method", "least"), [("RBM", (62, 50, 68)), ("histograms by hour", (58, 43, 64))])
def test_the_scores_on_nab_itself(method: str, least: tuple[float, ...]) -> None:
    try:
        nab.load(nab.names()[0])
    except DatasetError:
        pytest.skip("NAB is not here")
    found = NabRun(method).execute(0, quiet)["scores"]
    assert all(found[name] > lowest for name, lowest in zip(PROFILES, least, strict=True))
