"""The classifiers of a stream: Bayes' rule, classes that appear, order, refusal, files, memory."""

from __future__ import annotations

import copy
import gc
import pickle
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from genreplay import MODERN, PAPER, CheckpointError, DreamPool, JointRBMClassifier, OnlineRBMClassifier
from genreplay.cli.main import main
from genreplay.core import checkpoint, partition
from tests.estimators.snapshot import snapshot

Model = OnlineRBMClassifier | JointRBMClassifier
SMALL = MODERN.replace(n_epochs=4, negative__n_chains=10)
RARE = [[1, 1, 1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 1, 1, 0, 0], [0, 0, 0, 0, 1, 1, 1, 1]]
"""what rows of three classes look like, but for noise"""


def classes(n_rows: int, seed: int = 0, flips: float = 0.1) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=n_rows)
    X = np.abs(np.array(RARE, dtype=np.float64)[y] - (rng.random((n_rows, 8)) < flips))
    return X, y


def class_models(**params: Any) -> OnlineRBMClassifier:
    return OnlineRBMClassifier(**{"n_hidden": 4, "recipe": SMALL, "batch_size": 20, "random_state": 0, **params})


def joint(**params: Any) -> JointRBMClassifier:
    given = {"n_hidden": 8, "recipe": SMALL, "replay": DreamPool(size=40), "batch_size": 20, "max_classes": 5}
    return JointRBMClassifier(**{**given, "random_state": 0, **params})


BOTH = pytest.mark.parametrize("make", [class_models, joint])
Make = Callable[..., Model]


def whole_state(model: Model) -> dict[str, object]:
    parts = model.models_ if isinstance(model, OnlineRBMClassifier) else {"": model.model_}
    judged = {k: v.tobytes() for k, v in model._judged.items()} if isinstance(model, OnlineRBMClassifier) else {}
    return {
        **{f"{label}": snapshot(part) for label, part in parts.items()},
        "judged": judged,
        "classes": (model.classes_.tolist(), model.class_count_.tolist()),
    }


@pytest.mark.filterwarnings("ignore::UserWarning")  # gaussian data, which a threshold makes bits
@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [
        OnlineRBMClassifier(n_hidden=3, recipe=SMALL, batch_size=5),
        JointRBMClassifier(n_hidden=3, recipe=SMALL, batch_size=5, max_classes=8),
    ]
)
def test_every_check_of_check_estimator_passes(estimator: Model, check: Callable[[Model], None]) -> None:
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks([OnlineRBMClassifier(), JointRBMClassifier(n_hidden=50)])  # type: ignore[untyped-decorator]
def test_the_defaults_pass_the_checks_too(estimator: Model, check: Callable[[Model], None]) -> None:
    check(estimator)


def test_probabilities_are_bayes_rule_with_exact_densities_and_shares_of_rows() -> None:
    X, y = classes(300)
    y[:60] = 0  # unequal shares
    model = class_models(dtype="float64").partial_fit(X, y)
    joint_p = []
    for label, count in zip(model.classes_.tolist(), np.bincount(y), strict=True):
        rbm = model.models_[label].state_.model
        energies = np.array([-(x @ rbm.a) - np.log1p(np.exp(rbm.b + rbm.W @ x)).sum() for x in X])
        joint_p.append(np.log(count / 300) - energies - partition.exact(rbm).log_z)
    expected = np.exp(joint_p) / np.exp(joint_p).sum(axis=0)
    np.testing.assert_allclose(model.predict_proba(X), expected.T, rtol=1e-9)
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(expected.T), rtol=1e-8, atol=1e-12)


def test_the_density_of_a_label_sums_to_one_over_all_rows() -> None:
    model = class_models(dtype="float64").partial_fit(*classes(300))
    every = ((np.arange(256)[:, None] >> np.arange(8)) & 1).astype(np.float64)
    np.testing.assert_allclose(np.exp(model.log_density(every)).sum(axis=0), 1, rtol=1e-9)


def test_the_joint_model_gives_the_conditional_of_its_own_energy() -> None:
    X, y = classes(300)
    model = joint(dtype="float64").partial_fit(X, y)
    rbm = model.model_.state_.model
    expected = []
    for label in model.classes_.tolist():
        code = np.zeros((300, 5))
        code[:, model._units[label]] = 1
        v = np.hstack([X, code])
        expected.append(v @ rbm.a + np.log1p(np.exp(rbm.b + v @ rbm.W.T)).sum(axis=1))
    p = np.exp(np.array(expected).T)
    np.testing.assert_allclose(model.predict_proba(X), p / p.sum(axis=1, keepdims=True), rtol=1e-9)


def test_a_label_is_learned_alike_to_the_bit_in_whatever_order_the_labels_come() -> None:
    X, y = classes(300)
    mixed = class_models().partial_fit(X, y)
    by_class = class_models()
    for label in (2, 0, 1):
        by_class.partial_fit(X[y == label], y[y == label])
    alone = class_models().partial_fit(X[y == 1], y[y == 1])
    for label in (0, 1, 2):
        assert snapshot(mixed.models_[label]) == snapshot(by_class.models_[label])
    assert snapshot(alone.models_[1]) == snapshot(mixed.models_[1])
    np.testing.assert_array_equal(mixed.predict_proba(X), by_class.predict_proba(X))


@BOTH
def test_however_the_stream_is_cut_the_model_is_the_same_to_the_bit(make: Make) -> None:
    X, y = classes(300)
    whole, cut = make().partial_fit(X, y), make()
    for rows in np.array_split(np.arange(300), [1, 8, 50, 51, 190]):
        cut.partial_fit(X[rows], y[rows])
        if len(rows) > 8:
            cut.predict_proba(X[:5])  # asking changes nothing
            cut.sample(3)
    assert whole_state(whole) == whole_state(cut)


def test_classes_in_order_are_told_apart_as_well_as_mixed_ones() -> None:
    X, y = classes(900)
    order = np.argsort(y, kind="stable")
    model = class_models(recipe=MODERN.replace(n_epochs=20, negative__n_chains=20)).partial_fit(X[order], y[order])
    test, truth = classes(1000, seed=1)
    # The nearest of the three patterns is the best guess; it is right in about 0.95 of these rows.
    best = np.abs(test[:, None] - np.array(RARE)).sum(axis=2).argmin(axis=1)
    assert model.score(test, truth) > (best == truth).mean() - 0.05


@BOTH
def test_classes_grow_as_labels_appear_and_announced_ones_have_no_probability_yet(make: Make) -> None:
    X, y = classes(200)
    model = make().partial_fit(X[y == 1], y[y == 1])
    assert model.classes_.tolist() == [1]
    assert (model.predict(X) == 1).all()
    model.partial_fit(X[y == 0][:5], y[y == 0][:5], classes=[0, 7])
    assert model.classes_.tolist() == [0, 1, 7]
    p = model.predict_proba(X)
    assert p.shape == (200, 3)
    assert (p[:, 2] == 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert model.class_count_.tolist() == [5, (y == 1).sum(), 0]
    with pytest.raises(ValueError, match="No row of the label 7 was seen yet"):
        model.sample(y=7)


def test_a_label_with_a_few_rows_is_predicted_before_its_first_update() -> None:
    X, y = classes(300, flips=0.0)
    few = np.r_[np.flatnonzero(y != 2), np.flatnonzero(y == 2)[:3]]
    model = class_models(recipe=MODERN.replace(n_epochs=40, negative__n_chains=20)).partial_fit(X[few], y[few])
    assert model.models_[2].n_updates_ == 0
    assert model.predict([RARE[2]]).tolist() == [2]
    assert model.models_[2].n_updates_ == 0  # only a copy has learned them


@BOTH
@pytest.mark.parametrize("names", [["cat", "dog", "antelope"], [False, True, True], [2.0, 3.0, 10.0]])
def test_labels_may_be_text_bools_or_floats_and_come_back_as_they_were(make: Make, names: list[Any]) -> None:
    X, y = classes(200)
    labels = np.array(names)[y]
    model = make().partial_fit(X[:100], labels[:100]).partial_fit(X[100:], labels[100:])
    assert model.classes_.tolist() == sorted(set(names))
    assert set(model.predict(X).tolist()) <= set(names)


def test_data_frames_and_sparse_rows_are_taken() -> None:
    X, y = classes(100)
    frame = pd.DataFrame(X, columns=list("abcdefgh"))
    model = class_models().partial_fit(frame, pd.Series(y))
    same = class_models().partial_fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(model.predict_proba(frame), same.predict_proba(sparse.csr_array(X)), rtol=1e-6)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("hgfedcba")])


@BOTH
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_copies_learn_on_to_the_bit(make: Make, copied: Callable[[Model], Model]) -> None:
    X, y = classes(200)
    model = make().partial_fit(X[:90], y[:90])
    twin = copied(model)
    for each in (model, twin):
        each.partial_fit(X[90:], y[90:])
    assert whole_state(model) == whole_state(twin)
    fresh = clone(model)
    assert not hasattr(fresh, "classes_")
    assert fresh.get_params() == model.get_params()
    assert type(model).__name__ in repr(model)


@BOTH
@pytest.mark.parametrize("names", [[0, 1, 2], ["cat", "dog", "antelope"]])
def test_a_file_in_mid_stream_goes_on_to_the_bit(make: Make, names: list[Any], tmp_path: Path) -> None:
    X, y = classes(200)
    labels = np.array(names)[y]
    model = make().partial_fit(X[:90], labels[:90], classes=[*names, names[0]])
    model.save(tmp_path / "model")
    loaded = type(model).load(tmp_path / "model")
    assert whole_state(loaded) == whole_state(model)
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(loaded.sample(5), model.sample(5))
    for each in (model, loaded):
        each.partial_fit(X[90:], labels[90:])
    assert whole_state(loaded) == whole_state(model)
    for name, each in {"ours": model, "theirs": loaded}.items():
        each.save(tmp_path / name)
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()


def _swap(header: dict[str, Any]) -> None:
    header["extra"]["classes"].reverse()


@BOTH
@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_swap, "has its classes in order"),
        (lambda header: header["extra"]["counts"].__setitem__(0, 10**6), "not those of its model"),
        (lambda header: header["extra"].update(kind="str"), "labels of the kind 'str'"),
        (lambda header: header["extra"].update(seed=[1, 2]), "seed"),
        (lambda header: header["extra"].update(units=[0, 0]), "has a place of each class seen"),
        (lambda header: header["extra"].update(n_features=9), "number of units|not those of its models"),
        (lambda header: header["extra"]["params"].update(n_hidden=77), "'n_hidden' parameter"),
        (lambda header: header["learners"].append(header["learners"][0]), "lacks the array|not those of its model"),
        (lambda header: header["learners"][0].update(t=0), "t"),
    ],
)
def test_a_forged_file_is_refused_in_one_sentence(
    make: Make, change: Callable[[dict[str, Any]], None], said: str, tmp_path: Path
) -> None:
    model = make().partial_fit(*classes(100))
    model.save(tmp_path / "model")
    tensors, header = checkpoint.read(tmp_path / "model")
    change(header)
    checkpoint.write(tmp_path / "forged", tensors, header)
    with pytest.raises(CheckpointError, match=said):
        type(model).load(tmp_path / "forged")
    with pytest.raises(CheckpointError, match="holds a"):
        (JointRBMClassifier if make is class_models else OnlineRBMClassifier).load(tmp_path / "model")


def test_rows_like_those_learned_are_refused_as_often_as_asked_and_strange_ones_always() -> None:
    model = class_models(n_hidden=8, recipe=MODERN.replace(n_epochs=10, negative__n_chains=20), batch_size=50)
    model.partial_fit(*classes(6000))
    usual, truth = classes(4000, seed=1)
    own = model.p_values(usual)[np.arange(4000), truth]
    for level in (0.05, 0.2, 0.5):
        # 4,000 rows and 1,000 numbers that they are compared with: four standard errors, and discrete steps of scores
        assert (own <= level).mean() < level + 4 * np.sqrt(level * (1 - level) * (1 / 4000 + 1 / 1000)) + 0.02
    assert model.refused(usual, level=0.05).mean() < 0.08
    assert model.refused([[1, 0, 1, 0, 1, 0, 1, 0], [0, 1, 0, 0, 0, 0, 1, 0]], level=0.05).tolist() == [True, True]
    with pytest.raises(ValueError, match="'level' parameter of refused must lie between 0 and 1"):
        model.refused(usual, level=2)


@BOTH
def test_dreams_of_a_label_look_like_its_rows(make: Make) -> None:
    X, y = classes(3000, flips=0.02)
    model = make(recipe=MODERN.replace(n_epochs=15, negative__n_chains=40)).partial_fit(X, y)
    wanted = np.array([2, 0, 1, 0] * 50)
    dreams = model.sample(y=wanted)
    assert dreams.shape == (200, 8)
    near = np.abs(dreams[:, None] - np.array(RARE)).sum(axis=2).argmin(axis=1)
    assert (near == wanted).mean() > 0.85
    assert model.sample(7).shape == (7, 8)
    assert not np.array_equal(model.sample(20, y=1, random_state=1), model.sample(20, y=1, random_state=2))
    with pytest.raises(ValueError, match="one row for each label: y has 2, but n_samples=3"):
        model.sample(3, y=[0, 1])
    with pytest.raises(ValueError, match="The label 9 is not among the classes"):
        model.sample(y=9)


@BOTH
def test_bytes_do_not_grow_with_the_stream(make: Make) -> None:
    X, y = classes(4000)
    model = make().partial_fit(X[:2000], y[:2000])
    if isinstance(model, OnlineRBMClassifier):
        model.partial_fit(np.tile(X, (2, 1)), np.tile(y, 2))  # fills the numbers that p-values are compared with
    held = model.nbytes_ - work_of(model)
    model.partial_fit(X, y)
    assert model.nbytes_ - work_of(model) == held
    # A batch with three dreams for each row, ten chains beside it, and the gradient: work space has a limit, too.
    assert work_of(model) < 8 * 4 * (80 + 30) * (13 + 8) * 4


def work_of(model: Model) -> int:
    part = next(iter(model.models_.values())) if isinstance(model, OnlineRBMClassifier) else model.model_
    return part.nbytes.work


def test_the_models_share_their_work_space() -> None:
    model = class_models().partial_fit(*classes(300))
    works = {id(each.state_.work) for each in model.models_.values()}
    assert len(works) == 1
    assert len({id(each.state_.work) for each in copy.deepcopy(model).models_.values()}) == 1
    parts = [each.nbytes for each in model.models_.values()]
    assert model.nbytes_ == sum(p.total - p.work for p in parts) + parts[0].work + 8 * sum(
        map(len, model._judged.values())
    )


@BOTH
def test_bad_input_is_refused_in_a_sentence_and_changes_nothing(make: Make) -> None:
    X, y = classes(100)
    model = make().partial_fit(X, y)
    before = whole_state(model)
    for rows, labels, more, said in [
        (X, y[:-1], {}, "as many rows"),
        (X, y + 0.5, {}, "Unknown label type"),
        (X, ["a"] * 100, {}, "one kind: those before were numbers, y has text"),
        (X, np.array([1, "a"] * 50, dtype=object), {}, "all text or all numbers"),
        (X, y, {"classes": [0, 1]}, "label 2 is not among the classes"),
        (X[:, :3], y, {}, "features"),
    ]:
        with pytest.raises(ValueError, match=said):
            model.partial_fit(rows, labels, **more)
    with pytest.raises(ValueError, match=r"'n_hidden' parameter .* cannot change while it learns"):
        model.set_params(n_hidden=5).partial_fit(X, y)
    assert whole_state(model.set_params(n_hidden=4 if make is class_models else 8)) == before


def test_more_labels_than_the_joint_model_has_units_for_are_refused() -> None:
    X, _ = classes(20)
    with pytest.raises(ValueError, match="There are 20 labels, more than max_classes=5"):
        joint().partial_fit(X, np.arange(20))
    model = joint().partial_fit(X, np.arange(20) % 5)
    with pytest.raises(ValueError, match="There are 6 labels"):
        model.partial_fit(X[:1], [5])
    assert model.partial_fit(X[:1], [4]).class_count_.tolist() == [4, 4, 4, 4, 5]


def test_a_few_rows_at_the_end_wait_because_they_would_do_harm() -> None:
    X, _ = classes(100)
    one = np.zeros(100, dtype=int)
    assert class_models().fit(X[:49], one[:49]).models_[0].state_.n_waiting == 9  # less than half a batch
    assert class_models().fit(X[:51], one[:51]).models_[0].state_.n_waiting == 0
    assert class_models().fit(X[:2], one[:2]).models_[0].n_updates_ == 1


def test_recipes_without_chains_work() -> None:
    model = class_models(recipe=PAPER.replace(n_epochs=2)).fit(*classes(100))
    assert model.sample(4, y=1).shape == (4, 8)


@BOTH
def test_the_command_info_says_what_a_file_holds(make: Make, tmp_path: Path) -> None:
    model = make().partial_fit(*classes(100))
    model.save(tmp_path / "model")
    asked = CliRunner().invoke(main, ["info", str(tmp_path / "model")])
    assert asked.exit_code == 0
    assert f"{type(model).__name__}, " in asked.output
    assert "8 features" in asked.output
    assert "labels: 0, 1, 2" in asked.output


@BOTH
@pytest.mark.slow
def test_memory_is_flat_over_200_000_rows(make: Make) -> None:
    model = make(recipe=SMALL.replace(n_epochs=1), batch_size=500)
    X, y = classes(10_000)
    held = []
    tracemalloc.start()
    try:
        for _ in range(20):
            model.partial_fit(X, y)
            gc.collect()  # also the tuples that CPython keeps for later use
            held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    assert model.class_count_.sum() == 200_000
    assert max(held[2:]) < held[1] + 20_000
