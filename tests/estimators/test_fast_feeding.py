"""Single rows, sparse rows, and the bytes held."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from genreplay import MODERN, OnlineRBM
from genreplay.core import kernels
from tests.estimators.snapshot import snapshot

SMALL = MODERN.replace(n_epochs=2, rehearsal__rows_per_new=1.5)


def bits(n: int, m: int = 12, density: float = 0.3, seed: int = 0) -> np.ndarray:
    return (np.random.default_rng(seed).random((n, m)) < density).astype(float)


def small(**options: object) -> OnlineRBM:
    return OnlineRBM(n_hidden=5, **{"recipe": SMALL, "batch_size": 10, "random_state": 0, **options})


@pytest.mark.parametrize("binarize", [0.5, None])
@pytest.mark.parametrize("as_row", [np.asarray, list, lambda row: row.astype(bool), lambda row: row.astype(np.int8)])
def test_rows_one_by_one_give_the_same_bits_as_all_at_once(as_row: object, binarize: float | None) -> None:
    rows = bits(73)
    whole, single = small(binarize=binarize).fit(rows), small(binarize=binarize)
    for row in rows:
        single.learn_one(as_row(row))  # type: ignore[operator]
    assert snapshot(single) == snapshot(whole)
    single.learn_one(rows[0])
    single.partial_fit(rows[1:40])
    assert snapshot(single) == snapshot(whole.partial_fit(rows[:40]))


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (np.ones((1, 12)), "one row, a 1D array"),
        (np.float64(1.0), "one row, a 1D array"),
        (np.ones(11), "12 features"),
        ([np.nan, *[0.0] * 11], "NaN"),
        ([np.inf, *[0.0] * 11], "infinity"),
        (["a", *["b"] * 11], "convert|numeric|dtype"),
    ],
)
def test_a_row_that_does_not_fit_is_refused_and_nothing_is_lost(row: object, message: str) -> None:
    model = small().fit(bits(33))
    before = snapshot(model)
    with pytest.raises(ValueError, match=message):
        model.learn_one(row)
    assert snapshot(model) == before


def test_values_outside_the_range_are_warned_of_once_and_refused_as_probabilities() -> None:
    model = small().fit(bits(33))
    with pytest.warns(UserWarning, match="outside"):
        model.learn_one(7 * bits(1)[0] + 1)
    model.learn_one(7 * bits(1)[0] + 1)
    assert model.n_rows_seen_ == 35
    with pytest.raises(ValueError, match=r"must lie in \[0, 1\]"):
        small(binarize=None).fit(bits(33)).learn_one(np.full(12, 1.5))


@pytest.mark.parametrize("n_before", [0, 33, 39])
def test_masked_cells_are_refused_as_partial_fit_refuses_them(n_before: int) -> None:
    model = small()
    if n_before:
        model.fit(bits(n_before))
    before = snapshot(model) if n_before else None
    row = np.ma.array(bits(1)[0], mask=[0, 1] + [0] * 10)
    for learn in (lambda: model.learn_one(row), lambda: model.partial_fit(row[np.newaxis])):
        with pytest.raises(ValueError, match="X has masked cells: fill them first"):
            learn()
    assert before is None or snapshot(model) == before
    whole = np.ma.array(bits(1)[0], mask=False)  # a masked array without masked cells is a row like any other
    assert snapshot(model.learn_one(whole)) == snapshot(small().partial_fit(np.vstack([bits(n_before), bits(1)])))


def test_probabilities_above_one_are_refused_also_after_a_warning_of_the_range() -> None:
    model = small().fit(bits(33))
    with pytest.warns(UserWarning, match="outside"):
        model.learn_one(7 * bits(1)[0] + 1)
    model.set_params(binarize=None)
    before = snapshot(model)
    for value in (1.5, -0.5, np.nan):
        row = bits(1)[0]
        row[3] = value
        with pytest.raises(ValueError, match=r"must lie in \[0, 1\]|NaN"):
            model.learn_one(row)
        assert snapshot(model) == before
    model.learn_one(np.full(12, 0.25))
    np.testing.assert_array_equal(model.state_.waiting[model.state_.n_waiting - 1], np.full(12, 0.25))


def test_a_change_of_the_recipe_is_that_of_the_next_update() -> None:
    one_by_one, at_once = (small().partial_fit(bits(25)).set_params(recipe__learning_rate=0.2) for _ in range(2))
    for row in bits(20, seed=1):
        one_by_one.learn_one(row)
    assert snapshot(one_by_one) == snapshot(at_once.partial_fit(bits(20, seed=1)))
    assert snapshot(one_by_one) != snapshot(small().partial_fit(np.vstack([bits(25), bits(20, seed=1)])))


def test_settings_that_cannot_change_are_noticed_when_a_batch_is_full() -> None:
    model = small().fit(bits(38))
    model.set_params(n_hidden=6)
    model.learn_one(bits(1)[0])
    with pytest.raises(ValueError, match="'n_hidden' parameter"):
        model.learn_one(bits(1)[0])
    assert model.n_rows_seen_ == 39
    model.set_params(n_hidden=5)
    assert model.learn_one(bits(1)[0]).n_updates_ == 4


def test_a_model_of_named_columns_says_so_when_rows_come_without_names() -> None:
    model = small().fit(pd.DataFrame(bits(33), columns=list("abcdefghijkl")))
    with pytest.warns(UserWarning, match="feature names"):
        model.learn_one(bits(1)[0])


@pytest.mark.skipif(kernels.compiled_loops() is None, reason="sparse products need Numba")
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix, sparse.csc_array])
def test_sparse_rows_are_never_made_dense(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = bits(230, m=400, density=0.02)
    rows[0, 0] = 0.3  # below the threshold
    dense_model = OnlineRBM(n_hidden=70, random_state=0).fit(rows)
    expected = {name: getattr(dense_model, name)(rows) for name in ("transform", "free_energy")}
    held = kind(rows)
    for cls in (sparse.csr_array, sparse.csr_matrix, sparse.csc_array):
        for method in ("toarray", "todense"):
            monkeypatch.setattr(cls, method, lambda *_, **__: pytest.fail("made dense"))
    model = OnlineRBM(n_hidden=70, random_state=0).fit(held)
    assert snapshot(model) == snapshot(dense_model)
    for name, values in expected.items():
        np.testing.assert_array_equal(getattr(model, name)(held), values)


def test_single_rows_find_a_place_after_the_batch_size_was_raised() -> None:
    one_by_one, at_once = (small(batch_size=10).partial_fit(bits(5)).set_params(batch_size=20) for _ in range(2))
    for row in bits(40, seed=1):
        one_by_one.learn_one(row)
    assert snapshot(one_by_one) == snapshot(at_once.partial_fit(bits(40, seed=1)))


def test_the_bytes_held_do_not_grow_with_the_stream() -> None:
    model = small().fit(bits(50))
    early = model.nbytes
    model.partial_fit(bits(2000, seed=1))
    assert model.nbytes == early
    assert early.replay == 4_000 * 2, "dreams of 12 bits"
    assert small(replay="generative").fit(bits(50)).nbytes.replay == 0
    assert early.parameters == early.velocities == (12 * 5 + 12 + 5) * 4
    assert early.total == sum(early)
    hoarder = small(replay="infinite-memory").fit(bits(50))
    assert hoarder.nbytes.replay < hoarder.partial_fit(bits(2000, seed=1)).nbytes.replay
