"""Copies and texts of estimators and recipes: clone, pickle, deepcopy, repr."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.utils import estimator_html_repr

from genreplay import (
    MODERN,
    PAPER,
    DreamPool,
    Dreams,
    MemoryReplay,
    Nothing,
    OnlineRBM,
    OnlineRBMDetector,
    Recipe,
    Stored,
    TableEncoder,
    TableRBM,
)
from genreplay.core import FromChains
from genreplay.core.ingredient import Ingredient
from tests.estimators.snapshot import snapshot, table_snapshot

ROWS = (np.random.default_rng(0).random((210, 6)) < np.linspace(0.1, 0.9, 210)[:, np.newaxis]).astype(np.float64)
NUMBERS = np.random.default_rng(0).normal(size=(210, 3))
QUICK = MODERN.replace(n_epochs=2, negative__n_chains=20, replay__size=50)
CHAINS = PAPER.replace(n_epochs=1, negative=FromChains(n_chains=50))
VARIANTS = [
    PAPER,
    MODERN,
    QUICK,
    PAPER.replace(n_cd=3, rehearsal__n_rows=30, momentum__of="update", replay=MemoryReplay(capacity=7, packed=True)),
]


def pickled(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


COPIES: list[Callable[[Any], Any]] = [clone, copy.copy, copy.deepcopy, pickled]
DEEP_COPIES: list[Callable[[Any], Any]] = [copy.deepcopy, pickled]
MODELS = [
    OnlineRBM(4, batch_size=20, recipe=QUICK, random_state=0),
    OnlineRBM(4, batch_size=20, recipe="paper", replay=MemoryReplay(capacity=25, policy="reservoir"), random_state=0),
    OnlineRBM(4, batch_size=20, recipe=CHAINS, replay=DreamPool(size=30), random_state=0),
]


def detector() -> OnlineRBMDetector:
    rbm = TableRBM(4, batch_size=20, replay=Dreams(size=30))
    return OnlineRBMDetector(TableEncoder(n_bins=3), rbm, warm_up=60, on_drift="faster", random_state=0)


@pytest.mark.parametrize("copied", COPIES, ids=lambda each: each.__name__)
@pytest.mark.parametrize("recipe", VARIANTS, ids=str)
def test_a_copy_of_a_recipe_is_equal_to_it(recipe: Recipe, copied: Callable[[Recipe], Recipe]) -> None:
    again = copied(recipe)
    assert again == recipe
    assert hash(again) == hash(recipe)
    assert again.to_json() == recipe.to_json()
    assert again.replace(n_cd=7) != recipe


@pytest.mark.parametrize("recipe", VARIANTS, ids=str)
def test_the_text_of_a_recipe_is_the_code_that_makes_it(recipe: Recipe) -> None:
    assert eval(repr(recipe), dict(Ingredient.classes)) == recipe


def test_the_text_of_a_recipe_has_only_what_differs_from_the_paper() -> None:
    assert repr(PAPER) == "Recipe()"
    assert repr(PAPER.replace(n_cd=3, rehearsal__n_rows=30)) == "Recipe(rehearsal=EveryUpdate(n_rows=30), n_cd=3)"
    assert repr(PAPER.replace(weight_decay=PAPER.weight_decay)) == "Recipe()"
    assert repr(MODERN.learning_rate) == "Falling(first=0.06, last=0.01, n_warm_up=6)"
    assert len(repr(MODERN)) < 400


def test_a_recipe_cannot_be_changed_in_place() -> None:
    with pytest.raises(AttributeError):
        MODERN.n_cd = 3  # type: ignore[misc]
    with pytest.raises(AttributeError):
        MODERN.learning_rate.last = 3  # type: ignore[union-attr]


@pytest.mark.parametrize("copied", [clone, *DEEP_COPIES], ids=lambda each: each.__name__)
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_copy_of_an_unfitted_model_learns_the_same(model: OnlineRBM, copied: Callable[[Any], Any]) -> None:
    again = copied(model)
    assert again.get_params() == model.get_params()
    assert snapshot(again.fit(ROWS)) == snapshot(clone(model).fit(ROWS))
    assert not hasattr(model, "state_")


@pytest.mark.parametrize("copied", DEEP_COPIES, ids=lambda each: each.__name__)
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_copy_of_a_fitted_model_goes_on_to_the_bit_and_by_itself(
    model: OnlineRBM, copied: Callable[[Any], Any]
) -> None:
    first = clone(model).partial_fit(ROWS[:110])
    before, again = snapshot(first), copied(first)
    assert snapshot(again) == before
    assert again.info_ == first.info_
    again.partial_fit(ROWS[110:])
    assert snapshot(first) == before
    assert snapshot(first.partial_fit(ROWS[110:])) == snapshot(again)
    with pytest.raises(ValueError, match="'replay' parameter of OnlineRBM cannot change"):
        again.set_params(replay=MemoryReplay(capacity=3)).partial_fit(ROWS)


@pytest.mark.parametrize("n_before", [0, 30, 150])
@pytest.mark.parametrize("copied", DEEP_COPIES, ids=lambda each: each.__name__)
def test_a_copy_of_a_detector_goes_on_to_the_bit_and_by_itself(n_before: int, copied: Callable[[Any], Any]) -> None:
    first = detector().partial_fit(NUMBERS[:n_before]) if n_before else detector()
    again = copied(first)
    assert again.get_params(deep=False).keys() == first.get_params(deep=False).keys()
    again.partial_fit(NUMBERS[n_before:])
    assert not n_before or first.n_rows_seen_ == n_before
    first.partial_fit(NUMBERS[n_before:])
    assert table_snapshot(again) == table_snapshot(first)
    np.testing.assert_array_equal(again.surprise(NUMBERS), first.surprise(NUMBERS))
    assert (again.drift_, again.offset_) == (first.drift_, first.offset_)


def test_a_clone_of_a_detector_shares_no_part_with_it() -> None:
    model = detector().partial_fit(NUMBERS)
    again = clone(model)
    assert str(again) == str(model)
    assert again.encoder is not model.encoder
    assert not hasattr(again, "judge_")
    again.set_params(rbm__n_hidden=9, rbm__replay__size=7, encoder__n_bins=5)
    assert again.rbm == TableRBM(9, batch_size=20, replay=Dreams(size=7))
    assert model.rbm == TableRBM(4, batch_size=20, replay=Dreams(size=30))
    assert model.encoder.n_bins == 3  # type: ignore[union-attr]


TEXTS: list[tuple[BaseEstimator | Ingredient, str]] = [
    (OnlineRBM(), "OnlineRBM()"),
    (OnlineRBM(500, recipe="modern", replay=None, batch_size=100), "OnlineRBM()"),
    (OnlineRBM(16, recipe="paper"), "OnlineRBM(n_hidden=16, recipe='paper')"),
    (OnlineRBM(recipe=PAPER.replace(n_cd=3)), "OnlineRBM(recipe=Recipe(n_cd=3))"),
    (OnlineRBM(replay=DreamPool(size=9)), "OnlineRBM(replay=DreamPool(size=9))"),
    (OnlineRBMDetector(), "OnlineRBMDetector()"),
    (
        OnlineRBMDetector(TableEncoder(n_bins=4), TableRBM(16)),
        "OnlineRBMDetector(encoder=TableEncoder(n_bins=4), rbm=TableRBM(n_hidden=16))",
    ),
    (TableRBM(64, n_first=5, replay=Nothing()), "TableRBM(n_first=5, replay=Nothing())"),
    (TableRBM(replay=Stored(size=9)), "TableRBM(replay=Stored(size=9))"),
    (TableEncoder(), "TableEncoder()"),
]


@pytest.mark.parametrize(("estimator", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_the_text_has_only_what_differs_from_the_defaults(estimator: BaseEstimator | Ingredient, text: str) -> None:
    assert " ".join(repr(estimator).split()) == text
    if isinstance(estimator, BaseEstimator):
        assert type(estimator).__name__ in estimator_html_repr(estimator)
