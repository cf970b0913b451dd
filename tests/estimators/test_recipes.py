"""The recipes: what their names stand for, what they do, and that "modern" learns better with nothing stored."""

from __future__ import annotations

import inspect
import re

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import load_digits

from genreplay import (
    MODERN,
    PAPER,
    DreamPool,
    GenerativeReplay,
    OnlineRBM,
    OnlineRBMDetector,
    Recipe,
    TableEncoder,
)
from genreplay.core import RBM, contrastive, online
from genreplay.core.contrastive import FromChains, FromRows
from genreplay.core.schedules import Falling, LowAtFirst
from genreplay.experiments.beyond import DIFFERENCES
from tests.estimators.snapshot import snapshot


def test_a_name_stands_for_a_recipe_and_replay_takes_its_place_in_it() -> None:
    assert OnlineRBM().recipe_ is MODERN
    assert OnlineRBM(recipe="paper").recipe_ is PAPER
    assert OnlineRBM(replay="generative").recipe_ == MODERN.replace(replay=GenerativeReplay())
    recipe = PAPER.replace(n_cd=2, negative=FromChains())
    assert OnlineRBM(recipe=recipe).recipe_ is recipe
    assert OnlineRBM(recipe=recipe, replay=DreamPool(size=7)).recipe_ == recipe.replace(replay=DreamPool(size=7))


def test_the_differences_that_are_told_of_are_all_there_are() -> None:
    modern, paper = MODERN.get_params(deep=False), PAPER.get_params(deep=False)
    told = {path.partition("__")[0] for each in DIFFERENCES.values() for path in each.gone}
    assert told == {name for name, value in modern.items() if value != paper[name]}


def test_modern_rehearses_three_rows_for_each_new_one_as_far_as_the_stream_drifts() -> None:
    ones, zeros = np.ones((60, 6)), np.zeros((60, 6))
    for batch_size in (20, 60):
        model = OnlineRBM(4, recipe=MODERN.replace(n_epochs=1), batch_size=batch_size, random_state=0)
        model.partial_fit(ones)
        assert model.partial_fit(ones).info_ == (batch_size, 0, 0.0, pytest.approx(model.info_.learning_rate), 1)
        info = model.partial_fit(zeros[:batch_size]).info_
        assert info.drift > 0.9
        assert info.n_replayed == round(3 * batch_size * info.drift)


@pytest.mark.parametrize("batch_size", [20, 60])
def test_the_paper_rehearses_as_many_rows_whatever_the_batch_and_the_drift(batch_size: int) -> None:
    model = OnlineRBM(4, recipe=PAPER.replace(n_epochs=1), batch_size=batch_size, random_state=0)
    assert model.partial_fit(np.ones((batch_size, 6))).info_.n_replayed == 0
    assert model.partial_fit(np.ones((batch_size, 6))).info_.n_replayed == 300
    assert model.partial_fit(np.zeros((batch_size, 6))).info_.n_replayed == 300


@pytest.mark.parametrize("cls", [OnlineRBM, OnlineRBMDetector, TableEncoder])
def test_the_documented_defaults_are_those_of_the_constructor(cls: type[BaseEstimator]) -> None:
    documented = dict(re.findall(r"^    (\w+) : [^\n]*?default=([^\n]+)$", cls.__doc__ or "", re.M))
    parameters = inspect.signature(cls).parameters
    assert list(documented) == list(parameters)
    for name, parameter in parameters.items():
        default = "np.float32" if parameter.default is np.float32 else str(parameter.default)
        assert documented[name].strip('"') == default


def test_a_pool_of_dreams_without_chains_is_refused_before_anything_is_learned() -> None:
    with pytest.raises(
        ValueError, match=r"DreamPool rehearses states of persistent chains: set negative to FromChains"
    ):
        MODERN.replace(negative=FromRows())
    model = OnlineRBM(4, recipe="paper", replay="dream-pool")
    with pytest.raises(
        ValueError, match=r"DreamPool rehearses states of persistent chains: set negative to FromChains"
    ):
        model.fit(np.eye(4))
    assert not hasattr(model, "state_")


@pytest.mark.parametrize(
    ("n_epochs", "made"), [(Falling(first=80, last=1, n_first=1), [80, 40, 27]), (Falling(2, 1, n_first=1), [2, 1, 1])]
)
def test_momentum_is_low_only_in_the_first_epochs_that_were_made(
    n_epochs: Falling, made: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    used: list[float] = []

    def noting(rbm: RBM, velocity: RBM, gradient: RBM, rate: float, momentum: float, *decays: float) -> None:
        used.append(momentum)
        contrastive.momentum_step(rbm, velocity, gradient, rate, momentum, *decays)

    monkeypatch.setattr(online, "momentum_step", noting)
    recipe = PAPER.replace(n_epochs=n_epochs, rehearsal__n_rows=5, momentum=LowAtFirst())
    model, n_made = OnlineRBM(3, recipe=recipe, batch_size=10, random_state=0), []
    for _ in range(6):
        n_before = len(used)
        model.partial_fit(np.eye(10))
        n_made.append(len(used) - n_before)
    assert n_made[:3] == made
    assert model.state_.n_epochs == len(used) == sum(n_made)
    assert used == [0.5] * 5 + [0.9] * (len(used) - 5)


def test_what_is_scored_sampled_and_shown_is_the_average() -> None:
    model = OnlineRBM(4, batch_size=10, random_state=0).fit(np.eye(6).repeat(20, axis=0))
    average = model.state_.average
    assert average is not None
    assert model.components_ is average.W
    assert not np.array_equal(average.W, model.state_.rbm.W)
    assert model.nbytes.average == average.nbytes
    raw = model.state_._replace(average=None)
    before = model.free_energy(np.eye(6))
    model.state_ = raw
    assert not np.allclose(model.free_energy(np.eye(6)), before)


def test_the_modern_recipe_does_not_care_how_a_stream_is_cut() -> None:
    rows = (np.random.default_rng(0).random((230, 9)) < np.linspace(0.1, 0.9, 230)[:, np.newaxis]).astype(float)
    whole = OnlineRBM(5, batch_size=20, random_state=0).partial_fit(rows)
    cut = OnlineRBM(5, batch_size=20, random_state=0)
    for piece in np.array_split(rows, 17):
        cut.partial_fit(piece)
    assert snapshot(cut) == snapshot(whole)


def test_modern_fits_digits_better_and_remembers_the_first_of_a_sorted_stream() -> None:
    digits = load_digits()
    bits, order = (digits.data > 7.5).astype(float), np.random.default_rng(0).permutation(1797)
    train, test = order[:1400], order[1400:]
    by_class = train[np.argsort(digits.target[train], kind="stable")]
    zeros = bits[test[digits.target[test] == 0]]

    def learned(recipe: Recipe, rows: npt.NDArray[np.integer]) -> OnlineRBM:
        return OnlineRBM(16, recipe=recipe, random_state=0).partial_fit(bits[rows])

    modern, paper = (learned(recipe, train).score(bits[test]) for recipe in (MODERN, PAPER))
    assert modern > paper + 2
    sorted_modern, sorted_paper = (learned(recipe, by_class) for recipe in (MODERN, PAPER))
    assert sorted_modern.score(bits[test]) > sorted_paper.score(bits[test]) + 0.4
    assert sorted_modern.score(zeros) > sorted_paper.score(zeros) + 4
