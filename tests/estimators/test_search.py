"""Nested names: searches over a recipe's settings, and what set_params says of names that lead nowhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MinMaxScaler

from genreplay import (
    MODERN,
    PAPER,
    Dreams,
    GenerativeReplay,
    NoReplay,
    OnlineRBM,
    OnlineRBMDetector,
    TableEncoder,
    TableRBM,
)
from genreplay.core.recipe import RECIPES

ROWS = (np.random.default_rng(0).random((240, 6)) < np.linspace(0.1, 0.9, 240)[:, np.newaxis]).astype(np.float64)
NUMBERS = np.random.default_rng(0).normal(size=(240, 3))
# A search over small data need not take 80 epochs an update.
QUICK = MODERN.replace(n_epochs__n_epochs__first=4, n_epochs__n_epochs__last=2, negative__n_chains=20)


@pytest.fixture(autouse=True)
def recipes_stay_as_they_are() -> Any:
    before = {name: recipe.to_json() for name, recipe in RECIPES.items()}
    yield
    assert {name: recipe.to_json() for name, recipe in RECIPES.items()} == before


def searched(estimator: BaseEstimator, grid: dict[str, list[Any]], rows: npt.NDArray[Any]) -> GridSearchCV:
    """A search that tried every point, each to another score, and kept the best one."""
    search = GridSearchCV(estimator, grid, cv=2, error_score="raise").fit(rows)
    n_points = np.prod([len(values) for values in grid.values()])
    assert len(set(search.cv_results_["mean_test_score"])) == n_points
    params = search.best_estimator_.get_params()
    assert {name: params[name] for name in grid} == search.best_params_
    return search


def test_a_grid_search_over_the_learning_rate_and_the_batch_size() -> None:
    model = OnlineRBM(n_hidden=16, recipe=MODERN, random_state=0)
    search = searched(model, {"recipe__learning_rate": [0.01, 0.05], "batch_size": [50, 100]}, ROWS)
    assert model.recipe is MODERN
    assert search.best_estimator_.recipe == MODERN.replace(learning_rate=search.best_params_["recipe__learning_rate"])


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("recipe__learning_rate__last", [0.01, 0.05]),
        ("recipe__rehearsal__rows_per_new", [1, 5]),
        ("recipe__replay__size", [10, 100]),
        ("recipe__n_epochs__n_epochs__first", [2, 6]),
    ],
)
def test_a_grid_search_over_a_nested_setting(name: str, values: list[float]) -> None:
    recipe = QUICK.replace(learning_rate__n_first=2)
    model = OnlineRBM(n_hidden=8, recipe=recipe, batch_size=20, random_state=0)
    search = searched(model, {name: values}, ROWS)
    assert model.recipe is recipe
    setting = name.removeprefix("recipe__")
    assert search.best_estimator_.recipe == recipe.replace(**{setting: search.best_params_[name]})


def test_a_grid_search_through_a_pipeline() -> None:
    model = OnlineRBM(n_hidden=8, recipe=QUICK, batch_size=20, random_state=0)
    pipeline = Pipeline([("scale", MinMaxScaler()), ("rbm", model)])
    grid = {"rbm__recipe__learning_rate__first": [0.01, 0.1], "rbm__recipe__rehearsal__rows_per_new": [1, 5]}
    searched(pipeline, grid, ROWS)
    assert model.recipe is QUICK


class Scored(OnlineRBMDetector):
    """A detector that a search can compare."""

    def score(self, X: object, y: object = None) -> float:
        return float(self.score_samples(X).mean())


@pytest.mark.parametrize("in_a_pipeline", [False, True])
def test_a_grid_search_over_the_parts_of_a_detector(in_a_pipeline: bool) -> None:
    encoder, rbm = TableEncoder(warm_up=60), TableRBM(8, batch_size=20)
    detector: BaseEstimator = Scored(encoder, rbm, random_state=0)
    grid = {"encoder__n_bins": [2, 4], "rbm__learning_rate": [0.003, 0.05]}
    if in_a_pipeline:
        detector = Pipeline([("scale", MinMaxScaler()), ("find", detector)])
        grid = {f"find__{name}": values for name, values in grid.items()}
    searched(detector, grid, NUMBERS)
    assert (encoder.n_bins, rbm) == (8, TableRBM(8, batch_size=20))


@pytest.mark.parametrize(
    ("estimator", "name", "message"),
    [
        (
            OnlineRBM(),
            "recipe__n_cd",
            "The 'recipe' parameter of OnlineRBM is 'modern', which has no settings of its own: give it an object to "
            "set recipe__n_cd.",
        ),
        (
            OnlineRBM(replay="generative"),
            "replay__n_gibbs",
            "The 'replay' parameter of OnlineRBM is 'generative', which has no settings of its own: give it an object "
            "to set replay__n_gibbs.",
        ),
        (
            OnlineRBM(),
            "replay__n_gibbs",
            "The 'replay' parameter of OnlineRBM is None, which has no settings of its own: give it an object to set "
            "replay__n_gibbs.",
        ),
        (
            OnlineRBMDetector(),
            "rbm__n_hidden",
            "The 'rbm' parameter of OnlineRBMDetector is None, which has no settings of its own: give it an object to "
            "set rbm__n_hidden.",
        ),
        (
            OnlineRBMDetector(rbm=TableRBM()),
            "rbm__batch_size__first",
            "TableRBM.batch_size is 100, which has no settings of its own: replace it by an ingredient that has them.",
        ),
        (
            OnlineRBM(recipe=MODERN),
            "recipe__momentum__last",
            "Recipe.momentum is 0.5, which has no settings of its own: replace it by an ingredient that has them.",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and "__" in value and " " not in value else "",
)
def test_a_nested_name_that_leads_nowhere_is_one_sentence(estimator: BaseEstimator, name: str, message: str) -> None:
    before = str(estimator)
    with pytest.raises(ValueError) as caught:
        estimator.set_params(**{name: 3})
    assert str(caught.value) == message
    assert str(estimator) == before


def test_an_unknown_name_is_answered_with_those_that_there_are() -> None:
    for name in ("recip", "recip__n_cd"):
        with pytest.raises(ValueError, match=r"Invalid parameter 'recip' for estimator OnlineRBM\(\).* 'recipe'"):
            OnlineRBM().set_params(**{name: 3})
    with pytest.raises(ValueError, match=r"Recipe has no setting 'alpha': its settings are start, .*learning_rate"):
        OnlineRBM(recipe=PAPER).set_params(recipe__alpha=0.1)
    with pytest.raises(ValueError, match="GenerativeReplay has no setting 'size': its settings are n_gibbs"):
        OnlineRBM(recipe=PAPER).set_params(recipe__replay__size=10)
    with pytest.raises(ValueError, match="NoReplay has no setting 'size': its settings are none"):
        OnlineRBM(recipe=PAPER.replace(replay=NoReplay())).set_params(recipe__replay__size=10)


def test_a_setting_of_replay_can_be_set_when_it_is_an_object() -> None:
    given = GenerativeReplay(n_gibbs=2)
    model = OnlineRBM(4, replay=given, batch_size=20).set_params(replay__n_gibbs=5)
    assert model.replay == GenerativeReplay(n_gibbs=5)
    assert given == GenerativeReplay(n_gibbs=2)
    assert model.recipe_.replay.n_gibbs == 5  # type: ignore[attr-defined]


def test_an_object_and_its_settings_can_be_set_together() -> None:
    model = OnlineRBM().set_params(recipe__n_cd=3, recipe=PAPER, recipe__momentum__last=0.8)
    assert model.recipe == PAPER.replace(n_cd=3, momentum__last=0.8)
    detector = OnlineRBMDetector().set_params(rbm__replay__size=9, rbm=TableRBM(7))
    assert detector.rbm == TableRBM(7, replay=Dreams(size=9))


def test_every_setting_can_be_got_and_set_by_its_nested_name() -> None:
    model = OnlineRBM(recipe=MODERN)
    params = model.get_params()
    assert params["recipe__learning_rate__last"] == 0.01
    nested = {name: value for name, value in params.items() if name.startswith("recipe__")}
    assert len(nested) > 25
    for name, value in nested.items():
        model.set_params(**{name: value})
    assert model.recipe == MODERN
    assert OnlineRBMDetector(rbm=TableRBM()).get_params()["rbm__replay__size"] == Dreams().size
