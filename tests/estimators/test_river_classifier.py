"""The classifiers with River's interface."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from typing import Any

import pytest

river = pytest.importorskip("river")

from river.checks import yield_checks  # noqa: E402
from sklearn.neural_network import MLPClassifier  # noqa: E402

from genreplay import GenerativeReplayClassifier, OnlineRBMClassifier, TableEncoder  # noqa: E402
from genreplay.estimators.river import RBMClassifier  # noqa: E402

KINDS = dict(zip(("classes", "replay"), RBMClassifier._unit_test_params(), strict=True))
CHECKS = {
    f"{i}-{check.__name__}-{kind}": (check, params)
    for kind, params in KINDS.items()
    for i, check in enumerate(yield_checks(RBMClassifier(**params)))
}
SLOW = [name for name in CHECKS if name.endswith("-replay") or "memory_growth" in name]
MARKED = [pytest.param(*CHECKS[name], marks=[pytest.mark.slow] if name in SLOW else []) for name in CHECKS]


@pytest.mark.parametrize(("check", "params"), MARKED, ids=CHECKS)
def test_a_check_of_rivers_passes(check: Callable[[RBMClassifier], None], params: dict[str, Any]) -> None:
    check(RBMClassifier(**params))


def test_river_checks_the_whole_classifier() -> None:
    names = {name.split("-")[1] for name in CHECKS}
    assert {"check_predict_proba_one", "check_classifier_tracks_seen_labels", "check_emerging_features"} <= names


def rows(label: str, n: int, seed: int = 0) -> list[dict[str, object]]:
    rng = random.Random(f"{label}{seed}")
    mean = {"slow": 30, "fast": 60, "faster": 90}[label]
    return [{"speed": rng.gauss(mean, 4), "gear": rng.choice("234")} for _ in range(n)]


def model(classifier: Any) -> RBMClassifier:
    return RBMClassifier(classifier, TableEncoder(warm_up=100), batch_size=50, seed=0)


@pytest.mark.parametrize(
    "classifier",
    [
        OnlineRBMClassifier(8, batch_size=50),
        GenerativeReplayClassifier(MLPClassifier(learning_rate_init=0.02), OnlineRBMClassifier(8, batch_size=50)),
    ],
    ids=["classes", "replay"],
)
def test_labels_that_come_one_after_the_other_are_all_known_at_the_end(classifier: Any) -> None:
    learner = model(classifier)
    for label in ("slow", "fast", "faster") * 34:  # the warm-up, which fixes the codes
        learner.learn_one(rows(label, 1, seed=len(learner._waiting))[0], label)
    known = ["slow", "fast", "faster"]
    for label in known:
        for row in rows(label, 300):
            learner.learn_one(row, label)
    assert sorted(learner.predict_proba_one({"speed": 50.0})) == sorted(known)
    right = [learner.predict_one(row) == label for label in known for row in rows(label, 50, seed=1)]
    assert sum(right) > 0.9 * len(right)


def test_before_anything_is_learned_the_labels_have_their_shares() -> None:
    learner = model(None)
    assert learner.predict_one({"speed": 1.0}) is None
    for label in ("slow", "slow", "fast", "slow"):
        learner.learn_one({"speed": 1.0}, label)
    assert learner.predict_proba_one({"speed": 1.0}) == {"slow": 0.75, "fast": 0.25}


def test_labels_of_any_kind_stand_together_and_bad_cells_are_borne() -> None:
    learner = model(OnlineRBMClassifier(4, batch_size=20))
    labels = [True, "text", 7]
    for i in range(200):
        learner.learn_one({"x": float(i % 3)} if i != 150 else {"x": "odd", 5: object()}, labels[i % 3])
    assert set(learner.predict_proba_one({})) == set(labels)
    assert [learner.predict_one({"x": float(i)}) for i in range(3)] == labels


def test_a_stream_without_features_is_borne() -> None:
    learner = RBMClassifier(encoder=TableEncoder(warm_up=3))
    for _ in range(10):
        learner.learn_one({}, "a")
    assert learner.predict_one({"x": 1}) == "a"


def test_a_pickled_classifier_goes_on_alike() -> None:
    learner = model(GenerativeReplayClassifier(generator=OnlineRBMClassifier(4, batch_size=50)))
    for label in ("slow", "fast"):
        for row in rows(label, 130):
            learner.learn_one(row, label)
    twin = pickle.loads(pickle.dumps(learner))
    for row in rows("faster", 130):
        learner.learn_one(row, "faster")
        twin.learn_one(row, "faster")
    for row in rows("fast", 20, seed=2):
        assert learner.predict_proba_one(row) == twin.predict_proba_one(row)
