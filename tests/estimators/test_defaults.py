"""A default means what it says: given explicitly, it changes no bit of what is learned."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import BaseEstimator

from genreplay import (
    MODERN,
    PAPER,
    Deviations,
    DreamPool,
    Dreams,
    Nothing,
    OnlineRBM,
    OnlineRBMDetector,
    Recipe,
    Stored,
    TableEncoder,
    TableRBM,
)
from genreplay.core.averaging import NoAverage
from genreplay.core.contrastive import FromRowsAndChains, NegativePhase, Uncentred
from genreplay.core.grouped import Rehearsed
from genreplay.core.ingredient import Ingredient
from genreplay.core.rehearsal import AllRows, Rehearsal
from genreplay.core.replay import Replay
from genreplay.core.schedules import EqualTime, Falling, NotCarried, Schedule
from genreplay.core.start import RandomStart
from genreplay.core.steps import AllDecay, WholeUnion
from genreplay.estimators.rehearsed_pairs import RehearsedPairs
from tests.estimators.snapshot import snapshot, table_snapshot

Rows = npt.NDArray[np.float64]
CHEAP = {"n_hidden": 6, "batch_size": 20, "random_state": 0}


def drifting(n_rows: int) -> Rows:
    """Bits that are more often on the later they come, so that rows are rehearsed."""
    often = np.linspace(0.1, 0.9, n_rows)[:, np.newaxis]
    return (np.random.default_rng(0).random((n_rows, 6)) < often).astype(np.float64)


ROWS, TABLE = drifting(100), np.random.default_rng(0).normal(size=(750, 3))


def defaults(cls: type) -> dict[str, Any]:
    """The arguments that have one, but for the seed."""
    parameters = inspect.signature(cls).parameters.items()
    found = {name: each.default for name, each in parameters if each.default is not inspect.Parameter.empty}
    found.pop("random_state", None)
    return found


@pytest.mark.parametrize("cls", [OnlineRBM, OnlineRBMDetector])
def test_a_constructor_has_at_most_nine_arguments(cls: type[BaseEstimator]) -> None:
    assert len(inspect.signature(cls).parameters) <= 9


@pytest.mark.parametrize("name", defaults(OnlineRBM))
def test_a_default_of_the_model_given_explicitly_changes_nothing(name: str) -> None:
    others: dict[str, Any] = {other: value for other, value in CHEAP.items() if other != name}
    explicit = OnlineRBM(**others, **{name: defaults(OnlineRBM)[name]}).fit(ROWS)
    assert snapshot(explicit) == snapshot(OnlineRBM(**others).fit(ROWS))
    assert explicit.n_updates_ > 0


def test_all_defaults_of_the_model_given_explicitly_change_nothing() -> None:
    rows = drifting(300)
    explicit, plain = OnlineRBM(**defaults(OnlineRBM), random_state=0), OnlineRBM(random_state=0)
    assert snapshot(explicit.fit(rows)) == snapshot(plain.fit(rows))


SAME_MODELS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"recipe": MODERN}, {}),
    ({"recipe": MODERN}, {"recipe": "modern"}),
    ({"recipe": PAPER}, {"recipe": "paper"}),
    ({"recipe": Recipe()}, {"recipe": "paper"}),
    ({"replay": "dream-pool"}, {"recipe": "modern"}),
    ({"replay": DreamPool()}, {"recipe": "modern"}),
    ({"replay": DreamPool(), "recipe": MODERN}, {"replay": "dream-pool"}),
    ({"replay": "generative", "recipe": "paper"}, {"recipe": "paper"}),
]


@pytest.mark.parametrize(("one", "other"), SAME_MODELS, ids=str)
def test_two_ways_to_say_the_same_learn_the_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert snapshot(OnlineRBM(**CHEAP, **one).fit(ROWS)) == snapshot(OnlineRBM(**CHEAP, **other).fit(ROWS))


def learned(detector: OnlineRBMDetector) -> dict[str, object]:
    """All that a detector has learned from the table, to the bit; not how it was described."""
    surprise = detector.learn_scored(TABLE)
    return {
        **table_snapshot(detector),
        "surprise": surprise.tobytes(),
        "later": detector.surprise(TABLE).tobytes(),
        "offset": detector.offset_,
    }


@pytest.fixture(scope="module")
def plain_detector() -> dict[str, object]:
    return learned(OnlineRBMDetector(random_state=0))


@pytest.mark.parametrize(
    "given",
    [
        *({name: value} for name, value in defaults(OnlineRBMDetector).items()),
        defaults(OnlineRBMDetector),
        {"encoder": TableEncoder()},
        {"encoder": TableEncoder(**defaults(TableEncoder))},
        {"warm_up": 500},
        {"encoder": TableEncoder(), "warm_up": 500},
        {"rbm": TableRBM()},
        {"rbm": TableRBM(**defaults(TableRBM))},
        {"rbm": TableRBM(replay=Dreams())},
    ],
    ids=str,
)
def test_a_default_of_the_detector_given_explicitly_changes_nothing(
    given: dict[str, Any], plain_detector: dict[str, object]
) -> None:
    assert learned(OnlineRBMDetector(**{"random_state": 0, **given})) == plain_detector


def test_what_is_compared_here_shows_a_difference(plain_detector: dict[str, object]) -> None:
    assert learned(OnlineRBMDetector(TableEncoder(n_bins=7), random_state=0)) != plain_detector
    assert learned(OnlineRBMDetector(rbm=TableRBM(replay=Nothing()), random_state=0)) != plain_detector
    assert snapshot(OnlineRBM(**CHEAP).fit(ROWS)) != snapshot(OnlineRBM(**CHEAP, recipe="paper").fit(ROWS))


@pytest.mark.parametrize("name", [*defaults(TableEncoder), "all"])
def test_a_default_of_the_encoder_given_explicitly_changes_nothing(name: str) -> None:
    rows = [[1.5, "red", True, "2024-01-01 06:00"], [2.5, "blue", None, "2024-01-02 18:00"]]
    cells = np.array(rows * 40, dtype=object)
    given = defaults(TableEncoder) if name == "all" else {name: defaults(TableEncoder)[name]}
    explicit, plain = TableEncoder(**given).fit(cells), TableEncoder().fit(cells)
    assert explicit.state() == plain.state()
    np.testing.assert_array_equal(explicit.transform(cells), plain.transform(cells))


REQUIRED: dict[type, dict[str, Any]] = {
    Falling: {"first": 0.1, "last": 0.05},
    EqualTime: {"n_epochs": 3},
    NotCarried: {"momentum": 0.5},
}
"""what an ingredient cannot be made without"""
PLACES: dict[type, str] = {
    RandomStart: "start",
    Replay: "replay",
    Rehearsal: "rehearsal",
    NegativePhase: "negative",
    Uncentred: "centring",
    AllRows: "divisor",
    WholeUnion: "steps",
    AllDecay: "decays",
    Schedule: "learning_rate",
    NoAverage: "averaging",
}
BASE = PAPER.replace(negative=FromRowsAndChains(n_chains=20), n_epochs=2)
INGREDIENTS = [
    cls
    for cls in Ingredient.classes.values()
    if cls.__module__.startswith(("genreplay.core", "genreplay.estimators"))
    and is_dataclass(cls)
    and not issubclass(cls, Recipe | TableRBM | Rehearsed | RehearsedPairs | Deviations)
]


def in_its_place(ingredient: Ingredient) -> Recipe:
    """A recipe with this ingredient."""
    (place,) = {place for kind, place in PLACES.items() if isinstance(ingredient, kind)}
    place = {EqualTime: "n_epochs", NotCarried: "momentum"}.get(type(ingredient), place)
    base = BASE.replace(replay=DreamPool(size=30)) if place in ("averaging", "rehearsal") else BASE
    return base.replace(**{place: ingredient})


def explicit_forms(cls: type[Ingredient]) -> Iterator[Ingredient]:
    """The ingredient with one default after the other given explicitly, and with all."""
    required = REQUIRED.get(cls, {})
    found = {each.name: each.default for each in fields(cls) if each.default is not MISSING}  # type: ignore[arg-type]
    for given in (*({name: value} for name, value in found.items()), found):
        yield cls(**required, **copy.deepcopy(given))


@pytest.mark.parametrize("cls", INGREDIENTS, ids=lambda cls: cls.__name__)
def test_a_default_of_an_ingredient_given_explicitly_changes_nothing(cls: type[Ingredient]) -> None:
    plain = OnlineRBM(**CHEAP, recipe=in_its_place(cls(**REQUIRED.get(cls, {})))).fit(ROWS)
    assert plain.n_updates_ == 5
    for explicit in explicit_forms(cls):
        assert snapshot(OnlineRBM(**CHEAP, recipe=in_its_place(explicit)).fit(ROWS)) == snapshot(plain)


@pytest.mark.parametrize("cls", [Dreams, Stored, Nothing])
def test_a_default_of_what_a_table_rehearses_given_explicitly_changes_nothing(cls: type[Rehearsed]) -> None:
    def with_replay(replay: Rehearsed) -> dict[str, object]:
        return learned(OnlineRBMDetector(rbm=TableRBM(4, replay=replay), random_state=0))

    plain = with_replay(cls())
    for explicit in explicit_forms(cls):
        assert with_replay(explicit) == plain  # type: ignore[arg-type]


def test_a_default_of_the_alarms_given_explicitly_changes_nothing() -> None:
    plain = learned(OnlineRBMDetector(alarms=Deviations(), random_state=0))
    for explicit in explicit_forms(Deviations):
        assert learned(OnlineRBMDetector(alarms=explicit, random_state=0)) == plain  # type: ignore[arg-type]


def test_every_place_of_a_recipe_has_been_tried() -> None:
    assert len(INGREDIENTS) >= 20
    tried = {place for cls in INGREDIENTS for kind, place in PLACES.items() if issubclass(cls, kind)}
    assert tried == set(PLACES.values())


@pytest.mark.parametrize("name", [*defaults(Recipe), "all"])
def test_a_default_of_a_recipe_given_explicitly_changes_nothing(name: str) -> None:
    given = defaults(Recipe) if name == "all" else {name: defaults(Recipe)[name]}
    explicit = OnlineRBM(**CHEAP, recipe=Recipe(**given)).fit(ROWS)
    assert snapshot(explicit) == snapshot(OnlineRBM(**CHEAP, recipe=Recipe()).fit(ROWS))
