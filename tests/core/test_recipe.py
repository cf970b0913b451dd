from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass

import numpy as np
import pytest

from genreplay.core import (
    MODERN,
    PAPER,
    RECIPES,
    Clock,
    DreamPool,
    EqualTime,
    Falling,
    FromChains,
    FromRows,
    GenerativeReplay,
    NoReplay,
    Recipe,
    Schedule,
)
from genreplay.core.ingredient import Ingredient, from_json, require


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_comes_back_from_json_as_it_was(name: str) -> None:
    assert from_json(RECIPES[name].to_json()) == RECIPES[name]


def test_replace_changes_a_copy_at_any_depth() -> None:
    changed = MODERN.replace(learning_rate__last=0.02, n_epochs__n_epochs__first=40, n_cd=2)
    assert changed.learning_rate == Falling(first=0.06, last=0.02, n_first=100, n_warm_up=6)
    assert changed.n_epochs == EqualTime(Falling(first=40, last=10, n_first=20), at_least=8)
    assert changed.n_cd == 2
    assert MODERN.learning_rate.last == 0.01  # type: ignore[union-attr]


def test_a_new_ingredient_and_its_settings_may_be_given_together() -> None:
    changed = PAPER.replace(learning_rate=Falling(first=0.1, last=0.01), learning_rate__last=0.02)
    assert changed.learning_rate == Falling(first=0.1, last=0.02)


def test_nested_names_are_those_that_get_params_lists() -> None:
    names = MODERN.get_params()
    assert names["learning_rate__last"] == 0.01
    assert names["n_epochs__n_epochs__first"] == 80
    for name, value in names.items():
        assert MODERN.replace(**{name: value}) == MODERN


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"n_cdd": 3}, "Recipe has no setting 'n_cdd': its settings are start, replay,"),
        ({"weight_decay__last": 3}, "Recipe.weight_decay is 0.0002, which has no settings of its own"),
        ({"momentum__lastt": 3}, "LowAtFirst has no setting 'lastt'"),
        ({"n_cd": 0}, "The 'n_cd' setting of Recipe must be a positive int, up to 1,000. Got 0 instead."),
        ({"n_cd": True}, "The 'n_cd' setting of Recipe must be a positive int"),
        ({"learning_rate": 0}, "The 'learning_rate' setting of Recipe must be a positive number or a Schedule"),
        ({"learning_rate": "fast"}, "The 'learning_rate' setting of Recipe must be a positive number or a Schedule"),
        ({"learning_rate": float("nan")}, "The 'learning_rate' setting of Recipe must be a positive number"),
        ({"momentum": 1.0}, "The 'momentum' setting of Recipe must be less than 1"),
        ({"weight_decay": -1.0}, "The 'weight_decay' setting of Recipe must be a number, 0 or more"),
        ({"negative": FromChains}, "The 'negative' ingredient must be an object, not a class: write FromChains()"),
        ({"negative": "chains"}, r"The 'negative' setting of Recipe must be an ingredient such as FromRows\(\)"),
        ({"replay": DreamPool()}, "DreamPool rehearses states of persistent chains: set negative to FromChains()"),
    ],
)
def test_what_cannot_stand_in_a_recipe_is_refused_in_one_sentence(changes: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence.replace("()", r"\(\)").replace(r"\\(\\)", r"\(\)")):
        PAPER.replace(**changes)


def test_a_file_that_names_an_unknown_ingredient_says_so() -> None:
    json = PAPER.to_json()
    json["settings"]["learning_rate"] = {"class": "Cosine", "settings": {}}  # type: ignore[index,call-overload]
    with pytest.raises(ValueError, match="names the ingredient 'Cosine', which is not known"):
        from_json(json)


def test_what_is_written_shows_only_what_differs() -> None:
    assert repr(PAPER) == "Recipe()"
    assert repr(PAPER.replace(n_cd=3, replay=NoReplay())) == "Recipe(replay=NoReplay(), n_cd=3)"
    assert repr(GenerativeReplay(n_gibbs=5)) == "GenerativeReplay(n_gibbs=5)"


def test_every_ingredient_is_frozen_and_documents_each_setting() -> None:
    for cls in Ingredient.classes.values():
        if is_dataclass(cls) and cls.__module__.startswith("genreplay"):
            assert cls.__doc__
            assert cls.__dataclass_params__.frozen, cls  # type: ignore[attr-defined]
            assert cls.__repr__ is Ingredient.__repr__, cls
            if not [field for field in fields(cls) if field.default is field.default_factory]:
                hash(cls())


def test_numpy_numbers_are_taken_as_numbers() -> None:
    recipe = PAPER.replace(n_cd=np.int64(2), learning_rate=np.float32(0.25))
    assert from_json(recipe.to_json()) == PAPER.replace(n_cd=2, learning_rate=0.25)


def test_a_schedule_of_ones_own_is_one_class() -> None:
    @dataclass(frozen=True)
    class Halving(Schedule):
        first: float = 0.1

        def __post_init__(self) -> None:
            require(self, "first", "positive", self.first > 0)

        def at(self, clock: Clock) -> float:
            return self.first / 2 ** (clock.t - 1)

    recipe = PAPER.replace(learning_rate=Halving(first=0.4))
    assert isinstance(from_json(recipe.to_json()), Recipe)
    assert from_json(recipe.to_json()) == recipe
    assert recipe.get_params()["learning_rate__first"] == 0.4


def test_reconstructions_are_a_setting_of_contrastive_divergence_alone() -> None:
    with pytest.raises(ValueError, match="FromChains has no setting 'reconstruction': its settings are n_chains"):
        PAPER.replace(negative=FromChains(), negative__reconstruction="samples")
    with pytest.raises(ValueError, match="'probabilities' or 'samples'"):
        FromRows(reconstruction="bits")  # type: ignore[arg-type]
