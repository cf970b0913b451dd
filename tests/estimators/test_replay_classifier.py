"""Any classifier with dreams of the past: that it does not forget, scikit-learn's checks, labels, copies, memory."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from genreplay import (
    MODERN,
    BoundaryPairs,
    GenerativeReplayClassifier,
    InfiniteMemory,
    OnlineRBMClassifier,
    RehearsedPairs,
    RelabelledPairs,
    ReservoirMemory,
)
from genreplay.estimators.rehearsed_pairs import Past

Bits = npt.NDArray[np.float64]


class Means(BaseEstimator):  # type: ignore[misc]
    """The smallest generator: independent bits with the means of each label."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def partial_fit(self, X: Bits, y: npt.NDArray[Any]) -> Means:
        self.sums = getattr(self, "sums", {})
        for label in np.unique(y):
            ones, n = self.sums.get(label, (0, 0))
            self.sums[label] = ones + X[y == label].sum(axis=0), n + (y == label).sum()
        self.classes_ = np.array(sorted(self.sums))
        return self

    def sample(self, n_samples: int, y: npt.NDArray[Any], random_state: int | None = None) -> Bits:
        means = np.array([self.sums[label][0] / self.sums[label][1] for label in y])
        return (np.random.default_rng(random_state).random(means.shape) < means).astype(float)


def digits() -> tuple[Bits, npt.NDArray[np.int64]]:
    """Digits as bits, sorted by their labels."""
    X, y = load_digits(return_X_y=True)
    order = np.argsort(y, kind="stable")
    return (X[order] > 7).astype(float), y[order]


def learned(
    model: GenerativeReplayClassifier, labels: npt.NDArray[Any] | None = None, **options: Any
) -> GenerativeReplayClassifier:
    X, y = digits()
    y = y if labels is None else labels[y]
    for batch in np.array_split(np.arange(len(X)), 36):
        model.partial_fit(X[batch], y[batch], **options)
    return model


def past_of(model: GenerativeReplayClassifier) -> Past:
    return Past(model.generator_, model.estimator_, model.classes_, model.label_counts_)


QUICK = OnlineRBMClassifier(20, recipe=MODERN.replace(n_epochs=20), replay="dream-pool", batch_size=50)
LIGHT = clone(QUICK).set_params(recipe__n_epochs=1)
MODELS = [
    GenerativeReplayClassifier(),
    GenerativeReplayClassifier(generator=Means()),
    GenerativeReplayClassifier(generator=InfiniteMemory(binarize=None)),
    GenerativeReplayClassifier(MLPClassifier(learning_rate_init=0.1), ReservoirMemory(binarize=None)),
]
LEARNERS = [SGDClassifier(loss="log_loss"), MLPClassifier(learning_rate_init=0.01)]


# scikit-learn checks with numbers that are no bits, of which the default generator warns.
@pytest.mark.filterwarnings("ignore:X has values from:UserWarning")
@parametrize_with_checks(MODELS)  # type: ignore[untyped-decorator]
def test_every_check_of_check_estimator_passes(
    estimator: GenerativeReplayClassifier, check: Callable[[GenerativeReplayClassifier], None]
) -> None:
    check(estimator)


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("memory", [QUICK, Means(), InfiniteMemory(), ReservoirMemory(2_000)])
def test_labels_that_no_longer_come_are_not_forgotten(learner: BaseEstimator, memory: BaseEstimator) -> None:
    X, y = digits()
    model = learned(GenerativeReplayClassifier(learner, memory, random_state=0), classes=range(10))
    without = RehearsedPairs(rows_per_new=0)
    alone = learned(GenerativeReplayClassifier(learner, memory, rehearsal=without, random_state=0), classes=range(10))
    assert alone.score(X, y) < 0.3
    assert model.score(X, y) > 0.6
    assert alone.n_rehearsed_ == 0


def test_the_past_is_rehearsed_beside_a_batch_before_the_generator_learns_it() -> None:
    calls: list[tuple[str, list[Any]]] = []

    class Spy(Means):
        def partial_fit(self, X: Bits, y: npt.NDArray[Any]) -> Means:
            calls.append(("learned", np.unique(y).tolist()))
            return super().partial_fit(X, y)

        def sample(self, n_samples: int, y: npt.NDArray[Any], random_state: int | None = None) -> Bits:
            calls.append(("dreamed", np.unique(y, return_counts=True)[1].tolist()))
            return super().sample(n_samples, y, random_state)

    model = GenerativeReplayClassifier(generator=Spy(), rehearsal=RehearsedPairs(rows_per_new=2), random_state=0)
    for label, n in ((0, 30), (1, 10), (2, 20)):
        model.partial_fit(np.eye(4)[np.arange(n) % 4], np.full(n, label), classes=[0, 1, 2])
    assert calls == [
        ("learned", [0]),
        ("dreamed", [20]),
        ("learned", [1]),
        ("dreamed", [30, 10]),  # as often as in the past
        ("learned", [2]),
    ]


def test_equal_shares_give_every_label_the_same_number_of_rows() -> None:
    model = GenerativeReplayClassifier(generator=InfiniteMemory(), random_state=0)
    model.partial_fit(np.eye(4).repeat(10, axis=0), [0] * 30 + [1] * 10)
    for shares, wanted in (("past", [60, 20]), ("equal", [40, 40])):
        rehearsal = RehearsedPairs(shares=shares)  # type: ignore[arg-type]
        pairs = rehearsal.recall(80, past_of(model), np.random.default_rng(0))
        assert np.bincount(pairs.labels).tolist() == wanted


@pytest.mark.parametrize("labels", [np.arange(10), np.array(list("abcdefghij"))])
def test_labels_need_not_be_announced(labels: npt.NDArray[Any]) -> None:
    X, y = digits()
    model = GenerativeReplayClassifier(MLPClassifier(learning_rate_init=0.01), InfiniteMemory(), random_state=0)
    learned(model, labels)
    assert model.score(X, labels[y]) > 0.75
    np.testing.assert_array_equal(model.classes_, labels)
    np.testing.assert_array_equal(model.label_counts_, np.bincount(y))


def test_a_learner_is_made_once_if_all_labels_are_announced_and_anew_for_each_other_label() -> None:
    model = GenerativeReplayClassifier(generator=InfiniteMemory(), random_state=0)
    learners = []
    for label in ("b", "a", "c", "b", "d"):
        model.partial_fit(np.eye(4), [label] * 4, classes=["a", "b", "c"])
        learners.append(model.estimator_)
    assert learners[0] is learners[1] is learners[2] is learners[3]
    assert learners[4] is not learners[3]
    assert learners[4].classes_.tolist() == model.classes_.tolist() == ["a", "b", "c", "d"]


def test_a_new_learner_knows_the_past_before_it_meets_the_new_label() -> None:
    X, y = digits()
    known = y < 9
    learner = MLPClassifier(learning_rate_init=0.01)
    model = GenerativeReplayClassifier(learner, InfiniteMemory(), random_state=0).fit(X[known], y[known])
    nine = X[~known][:1]
    model.set_params(rehearsal=RehearsedPairs(rows_per_new=0)).partial_fit(nine, [9])
    assert model.score(X[known], y[known]) > 0.8


def test_relabelled_pairs_have_the_labels_of_the_learner_before_the_batch() -> None:
    model = learned(GenerativeReplayClassifier(generator=Means(), random_state=0))
    pairs = RelabelledPairs().recall(200, past_of(model), np.random.default_rng(0))
    plain = RehearsedPairs().recall(200, past_of(model), np.random.default_rng(0))
    np.testing.assert_array_equal(pairs.rows, plain.rows)
    np.testing.assert_array_equal(pairs.labels, model.predict(pairs.rows))
    assert (pairs.labels != plain.labels).any()


def test_boundary_pairs_are_half_those_that_the_learner_is_least_sure_of() -> None:
    model = learned(GenerativeReplayClassifier(generator=Means(), random_state=0))
    pairs = BoundaryPairs(n_candidates=4).recall(100, past_of(model), np.random.default_rng(0))
    candidates = RehearsedPairs().recall(400, past_of(model), np.random.default_rng(0))
    sure, of_all = (
        model.predict_proba(each.rows)[np.arange(len(each.rows)), each.labels] for each in (pairs, candidates)
    )
    assert len(sure) == 100
    np.testing.assert_allclose(np.sort(sure[:50]), np.sort(of_all)[:50])
    assert sure[50:].min() >= sure[:50].max()


def test_with_boundary_pairs_labels_are_not_forgotten_and_need_not_be_announced() -> None:
    X, y = digits()
    learner = MLPClassifier(learning_rate_init=0.01)
    model = learned(GenerativeReplayClassifier(learner, InfiniteMemory(), rehearsal=BoundaryPairs(), random_state=0))
    assert model.score(X, y) > 0.6


def test_one_label_is_predicted_without_a_learner() -> None:
    model = GenerativeReplayClassifier(generator=InfiniteMemory()).partial_fit(np.eye(3), ["only"] * 3)
    assert model.estimator_ is None
    assert model.predict(np.eye(3)).tolist() == ["only"] * 3
    assert model.predict_proba(np.eye(3)).tolist() == [[1.0]] * 3
    assert model.decision_function(np.eye(3)).tolist() == [0.0] * 3


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("memory", [LIGHT, Means(), ReservoirMemory(2_000)])
def test_a_pickled_copy_goes_on_to_the_bit(learner: BaseEstimator, memory: BaseEstimator) -> None:
    X, y = digits()
    order = np.random.default_rng(0).permutation(len(X))[:1000]
    model = GenerativeReplayClassifier(learner, memory, random_state=3)
    for batch in np.split(order[:500], 10):
        model.partial_fit(X[batch], y[batch])
    copies = [model, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
    for each in copies:
        for batch in np.split(order[500:], 10):
            each.partial_fit(X[batch], y[batch])
    first, *others = (each.predict_proba(X) for each in copies)
    for other in others:
        np.testing.assert_array_equal(first, other)


def test_the_same_seed_gives_the_same_model() -> None:
    X, y = digits()
    one, same, other = (
        GenerativeReplayClassifier(generator=Means(), random_state=seed)
        .fit(X[:900], y[:900])
        .partial_fit(X[900:], y[900:])
        .predict_proba(X)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


def test_seeds_of_the_parts_stay_where_they_are_given() -> None:
    model = GenerativeReplayClassifier(SGDClassifier(random_state=7), ReservoirMemory(), random_state=0)
    model.fit(np.eye(4), [0, 1, 0, 1])
    assert model.estimator_.random_state == 7
    assert model.generator_.random_state is not None
    assert model.generator.random_state is None  # the user's object is only a description


def test_settings_have_nested_names_and_survive_a_clone() -> None:
    model = GenerativeReplayClassifier(MLPClassifier(), ReservoirMemory(), rehearsal=RehearsedPairs())
    model.set_params(estimator__alpha=0.5, generator__n_bytes=9_000, rehearsal__rows_per_new=2)
    twin = clone(model)
    assert twin.estimator.alpha == 0.5
    assert twin.generator.n_bytes == 9_000
    assert twin.rehearsal == RehearsedPairs(rows_per_new=2)
    assert "ReservoirMemory(n_bytes=9000)" in repr(twin)
    assert "RehearsedPairs(rows_per_new=2)" in repr(twin)


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({"estimator": LogisticRegression()}, r"'estimator' .* classifier with partial_fit, .* Got LogisticRegression"),
        ({"generator": LogisticRegression()}, r"'generator' .* partial_fit and sample, .* Got LogisticRegression"),
        ({"rehearsal": "all"}, r"'rehearsal' parameter of GenerativeReplayClassifier must be .* Got 'all' instead"),
    ],
)
def test_a_bad_setting_is_refused_in_one_sentence(params: dict[str, Any], sentence: str) -> None:
    model = GenerativeReplayClassifier(**{"generator": InfiniteMemory(), **params})
    with pytest.raises(ValueError, match=sentence):
        model.partial_fit(np.eye(4), [0, 1, 0, 1])
    assert not hasattr(model, "classes_")


@pytest.mark.parametrize(
    ("setting", "value"), [("rows_per_new", -1), ("shares", "fair"), ("n_relearn", 0), ("rows_per_new", float("nan"))]
)
def test_bad_settings_of_the_rehearsal_are_refused_by_name(setting: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"'{setting}' setting of RehearsedPairs must be"):
        RehearsedPairs(**{setting: value})  # type: ignore[arg-type]


def test_a_reservoir_keeps_a_uniform_sample_in_its_bytes() -> None:
    rows, kept = np.eye(64), np.zeros(64)
    for seed in range(100):
        memory = ReservoirMemory(10 * 16, random_state=seed)  # 8 bytes of bits and 2 of the label: 16 rows
        for chunk in np.split(np.arange(64), 8):
            memory.partial_fit(rows[chunk], chunk)
        assert memory.nbytes == 160
        kept[memory.classes_] += 1
    # Each of 64 rows is kept with probability 1/4: 25 times in 100, with a standard deviation of 4.3.
    assert abs(kept - 25).max() < 5 * 4.3


def test_an_infinite_memory_returns_rows_of_the_label_that_is_asked_for() -> None:
    memory = InfiniteMemory()
    for label in range(8):
        memory.partial_fit(np.eye(8)[[label] * 5], [label] * 5)
    asked = np.arange(8).repeat(3)[::-1]
    np.testing.assert_array_equal(memory.sample(24, y=asked).argmax(axis=1), asked)
    with pytest.raises(ValueError, match="holds no row with the label 9"):
        memory.sample(1, y=[9])


def test_a_reservoir_that_cannot_hold_one_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="at least the 10 bytes of one pair"):
        ReservoirMemory(9).partial_fit(np.eye(64), np.arange(64))


def test_dreams_come_from_the_pool_of_each_label() -> None:
    X, y = digits()
    model = clone(LIGHT).set_params(random_state=0).fit(X, y)
    asked: dict[Any, int] = {}

    def watched(label: int, recall: Callable[..., Any]) -> Callable[..., Any]:
        def recalled(n: int, *others: Any) -> Any:
            asked[label] = n
            return recall(n, *others)

        return recalled

    for label, rbm in model.models_.items():
        rbm.state_.past.recall = watched(label, rbm.state_.past.recall)
    assert model.sample(y=[3, 3, 5]).shape == (3, 64)
    assert asked == {3: 2, 5: 1}


@pytest.mark.slow
def test_memory_is_flat_over_200_000_rows_with_dreams() -> None:
    quick = clone(LIGHT).set_params(n_hidden=4, batch_size=500)
    model = GenerativeReplayClassifier(generator=quick, rehearsal=RehearsedPairs(rows_per_new=1), random_state=0)
    rng, sizes = np.random.default_rng(0), []
    for _ in range(200):
        X = (rng.random((1000, 12)) < 0.3).astype(float)
        sizes.append(len(pickle.dumps(model.partial_fit(X, X[:, 0].astype(int)))))
    assert model.n_rows_seen_ == 200_000
    assert max(sizes[50:]) < 1.01 * sizes[20]


def test_memory_is_flat() -> None:
    model = GenerativeReplayClassifier(generator=ReservoirMemory(3_000), random_state=0)
    rng = np.random.default_rng(0)
    sizes = []
    for _ in range(60):
        X = (rng.random((100, 20)) < 0.3).astype(float)
        sizes.append(len(pickle.dumps(model.partial_fit(X, X[:, 0].astype(int)))))
    assert max(sizes[20:]) - min(sizes[20:]) < 100
