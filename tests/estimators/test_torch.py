"""A network of PyTorch as a classifier of scikit-learn, by itself and fed with pairs of the past."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import parametrize_with_checks

torch: Any = pytest.importorskip("torch")

from genreplay import GenerativeReplayClassifier, InfiniteMemory, RehearsedPairs  # noqa: E402
from genreplay.estimators.torch import TorchClassifier  # noqa: E402


class SmallNetwork:
    """Makes networks; written alike in every process, as the names of the checks must be."""

    def __call__(self, n_features: int, n_classes: int) -> Any:
        first, last = torch.nn.Linear(n_features, 40), torch.nn.Linear(40, n_classes)
        return torch.nn.Sequential(first, torch.nn.ReLU(), torch.nn.Dropout(0.1), last)

    def __repr__(self) -> str:
        return "SmallNetwork()"


network = SmallNetwork()


def small(**params: Any) -> TorchClassifier:
    adam = partial(torch.optim.Adam, lr=0.01)
    return TorchClassifier(network, **{"optimizer": adam, "batch_size": 50, "random_state": 0, **params})


@parametrize_with_checks([small(batch_size=10)])  # type: ignore[untyped-decorator]
def test_every_check_of_check_estimator_passes(
    estimator: TorchClassifier, check: Callable[[TorchClassifier], None]
) -> None:
    check(estimator)


def test_a_network_with_pairs_of_the_past_does_not_forget() -> None:
    X, y = load_digits(return_X_y=True)
    order = np.argsort(y, kind="stable")
    X, y = (X[order] > 7).astype(float), y[order]
    scores = []
    for rows_per_new in (0, 4):
        rehearsal = RehearsedPairs(rows_per_new=rows_per_new)
        model = GenerativeReplayClassifier(small(), InfiniteMemory(), rehearsal=rehearsal, random_state=0)
        for batch in np.array_split(np.arange(len(X)), 36):
            model.partial_fit(X[batch], y[batch], classes=range(10))
        scores.append(model.score(X, y))
    assert scores[0] < 0.3
    assert scores[1] > 0.6


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
def test_a_copy_goes_on_to_the_bit_and_leaves_the_global_random_numbers_alone(copied: Callable[[Any], Any]) -> None:
    X, y = load_digits(return_X_y=True)
    model = small().partial_fit(X[:300], y[:300], classes=range(10))
    before = torch.get_rng_state()
    twin = copied(model)
    torch.manual_seed(5)
    for each in (model, twin):
        each.partial_fit(X[300:600], y[300:600])
    np.testing.assert_array_equal(model.predict_proba(X), twin.predict_proba(X))
    torch.set_rng_state(before)
    model.partial_fit(X[:300], y[:300])
    assert torch.equal(torch.get_rng_state(), before)


def test_a_seed_of_the_meta_estimator_seeds_the_network() -> None:
    X = np.eye(6)
    found = [
        GenerativeReplayClassifier(small(random_state=None), InfiniteMemory(), random_state=seed)
        .fit(X, [0, 1] * 3)
        .predict_proba(X)
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(found[0], found[1])
    assert (found[0] != found[2]).any()


def test_labels_must_be_announced_to_the_network_itself() -> None:
    with pytest.raises(ValueError, match="first call of partial_fit needs classes"):
        small().partial_fit(np.eye(2), [0, 1])
    with pytest.raises(ValueError, match="label 3 is not one of the classes"):
        small().partial_fit(np.eye(2), [0, 3], classes=[0, 1])


def test_without_pytorch_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("genreplay.estimators.torch.import_module", missing)
    with pytest.raises(ModuleNotFoundError, match=r"needs PyTorch, .* pip install 'genreplay\[torch\]'\.$"):
        small().fit(np.eye(2), [0, 1])


def test_genreplay_does_not_import_pytorch() -> None:
    code = """if True:
        import sys, genreplay
        from genreplay import GenerativeReplayClassifier, InfiniteMemory
        from genreplay.estimators import torch
        assert "torch" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", code], check=True)
