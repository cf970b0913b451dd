"""Models in threads, in forks and in workers of joblib learn the same bits as alone."""

from __future__ import annotations

import os
import select
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import joblib
import numpy as np
import pytest

from genreplay import MODERN, Dreams, OnlineRBM, OnlineRBMDetector, TableEncoder, TableRBM
from tests.estimators.snapshot import snapshot, table_snapshot

BITS = (np.random.default_rng(0).random((400, 6)) < np.linspace(0.1, 0.9, 400)[:, np.newaxis]).astype(np.float64)
NUMBERS = np.random.default_rng(0).normal(size=(400, 3))


def density(seed: int) -> OnlineRBM:
    recipe = MODERN.replace(n_epochs=2, negative__n_chains=20, replay__size=50)
    return OnlineRBM(4, batch_size=20, recipe=recipe, random_state=seed)


def detector(seed: int) -> OnlineRBMDetector:
    rbm = TableRBM(4, batch_size=20, replay=Dreams(size=30))
    return OnlineRBMDetector(TableEncoder(n_bins=3), rbm, warm_up=60, random_state=seed)


def learned(model: Any, start: int = 0, stop: int = 400) -> Any:
    """The model, with some of its rows learned in small chunks."""
    rows = NUMBERS if isinstance(model, OnlineRBMDetector) else BITS
    for first in range(start, stop, 10):
        model.partial_fit(rows[first : first + 10])
    return model


def bits(model: Any) -> bytes:
    """All that a model holds, in bytes that are equal where models are."""
    return repr(table_snapshot(model) if isinstance(model, OnlineRBMDetector) else snapshot(model)).encode()


MODELS = pytest.mark.parametrize("make", [density, detector])


@MODELS
def test_two_models_learn_in_two_threads_what_they_learn_one_after_the_other(make: Callable[[int], Any]) -> None:
    alone = [bits(learned(make(seed))) for seed in (0, 1)]
    both_there = Barrier(2)

    def learn(seed: int) -> bytes:
        both_there.wait(timeout=60)
        return bits(learned(make(seed)))

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(learn, (0, 1))) == alone


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@MODELS
def test_a_fork_goes_on_to_the_bit_and_leaves_the_model_as_it_was(make: Callable[[int], Any]) -> None:
    model = learned(make(0), stop=200)
    before = bits(model)
    out, into = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks in general, where there are threads
        child = os.fork()
    if not child:
        try:
            os.write(into, joblib.hash(bits(learned(model, 200))).encode())
        finally:
            os._exit(0)
    os.close(into)
    ready, _, _ = select.select([out], [], [], 60)
    answer = os.read(out, 100).decode() if ready else "none: it hangs"
    if not ready:
        os.kill(child, 9)
    os.waitpid(child, 0)
    os.close(out)
    assert bits(model) == before
    assert answer == joblib.hash(bits(learned(model, 200)))


@pytest.mark.slow
def test_models_that_are_sent_to_workers_of_joblib_go_on_to_the_bit() -> None:
    models = [learned(make(seed), stop=200) for make in (density, detector) for seed in (0, 1)]
    again = joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(learned)(model, 200) for model in models)
    assert [bits(model) for model in again] == [bits(learned(model, 200)) for model in models]
