"""What is rehearsed: dreams that hold no row, and stored rows that are a fair sample of all."""

from __future__ import annotations

import copy
from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from genreplay.core.grouped import Dreams, Nothing, Stored
from genreplay.core.grouped.rehearsal import independent
from genreplay.core.kernels.arrays import Codes
from tests.core.grouped.tiny import SIZES, all_rows, joint, random_model

NO_ROWS = np.empty((0, 3), dtype=np.uint8)


def test_dreams_depend_on_the_model_alone_and_on_no_row_of_the_stream() -> None:
    rbm, offsets = random_model(n_hidden=3)
    rng = np.random.default_rng(0)
    some, others = (rng.integers(0, SIZES, size=(50, 3)).astype(np.uint8) for _ in range(2))
    dreams, held = Dreams(size=40), {"some": NO_ROWS, "others": NO_ROWS}
    for n_learned in (50, 100, 150):
        rngs = np.random.default_rng(n_learned), np.random.default_rng(n_learned)
        held["some"] = dreams.renewed(held["some"], rbm, offsets, some, n_learned, rngs[0])
        held["others"] = dreams.renewed(held["others"], rbm, offsets, others, n_learned, rngs[1])
        np.testing.assert_array_equal(held["some"], held["others"])
        assert held["some"].shape == (40, 3)


def test_codes_that_the_model_holds_impossible_are_never_dreamed() -> None:
    rbm, offsets = random_model(n_hidden=3)
    rbm.a[[0, 3]] = -60.0
    rows = np.zeros((50, 3), dtype=np.uint8)  # they have the codes of these biases
    dreams = Dreams(size=200).renewed(NO_ROWS, rbm, offsets, rows, 50, np.random.default_rng(0))
    assert (dreams[:, :2] > 0).all()


def test_the_first_dreams_have_the_distribution_of_the_model() -> None:
    rbm, offsets = random_model(n_hidden=3, scale=0.7, seed=1)
    dreams = Dreams(size=6_000).renewed(NO_ROWS, rbm, offsets, NO_ROWS, 100, np.random.default_rng(2))
    counts = [(dreams == row).all(axis=1).sum() for row in all_rows()]
    assert stats.chisquare(counts, 6_000 * joint(rbm, offsets)).pvalue > 1e-3


@pytest.mark.parametrize(("n_learned", "expected"), [(1_000, 500 * 100 / 200), (20_000, 500 * 100 / 4_000)])
def test_the_older_the_stream_the_fewer_dreams_go_on(n_learned: int, expected: float) -> None:
    rbm, offsets = random_model(n_hidden=2, sizes=(50, 50), seed=3)  # a chain that goes on hardly ever stays in place
    rng, rows = np.random.default_rng(0), np.zeros((100, 2), dtype=np.uint8)
    dreams = Dreams(size=500, renewal=0.2)
    held = dreams.renewed(rows[:0], rbm, offsets, rows, 100, rng)
    before = held.copy()
    moved = [(dreams.renewed(held, rbm, offsets, rows, n_learned, rng) != held).any(axis=1).sum() for _ in range(20)]
    assert 0.9 * expected < np.mean(moved) <= expected + 1
    np.testing.assert_array_equal(held, before, "what was held is not changed")


def test_independent_rows_have_the_shares_of_the_biases() -> None:
    rbm, offsets = random_model(n_hidden=1)
    rows = independent(rbm, offsets, 20_000, np.random.default_rng(0))
    for g, (first, last) in enumerate(pairwise(offsets)):
        p = np.exp(rbm.a[first:last])
        assert stats.chisquare(np.bincount(rows[:, g], minlength=last - first), 20_000 * p / p.sum()).pvalue > 1e-3


def stream(n: int) -> Codes:
    """Rows that differ from each other: their number in two digits."""
    return np.stack(np.divmod(np.arange(n), 200), axis=1).astype(np.uint8)


def stored(n: int, cuts: list[int], size: int, rng: np.random.Generator) -> np.ndarray:
    rbm, offsets = random_model(n_hidden=1)
    held, first = stream(0), 0
    for last in [*cuts, n]:
        held = Stored(size=size).renewed(held, rbm, offsets, stream(n)[first:last], last, rng)
        first = last
    return held.astype(int) @ [200, 1]


@pytest.mark.parametrize("cuts", [[], [5, 20, 33, 100, 250], [15, 16, 17, 399]])
def test_every_row_is_stored_with_the_same_probability(cuts: list[int]) -> None:
    rng, n_times = np.random.default_rng(0), 1_500
    held = [stored(400, cuts, 15, rng) for _ in range(n_times)]
    assert all(len(set(each.tolist())) == 15 for each in held)
    counts = np.bincount(np.concatenate(held), minlength=400)
    expected = n_times * 15 / 400
    # a row is at most once in a sample: its count is binomial
    statistic = np.square(counts - expected).sum() / (expected * (1 - 15 / 400))
    assert stats.chi2.ppf(1e-3, 399) < statistic < stats.chi2.ppf(1 - 1e-3, 399)


def test_fewer_rows_than_there_is_room_for_are_all_stored() -> None:
    assert sorted(stored(12, [5], 15, np.random.default_rng(0))) == list(range(12))


def test_nothing_holds_nothing() -> None:
    rbm, offsets = random_model(n_hidden=1)
    rng = np.random.default_rng(0)
    before = copy.deepcopy(rng.bit_generator.state)
    assert len(Nothing().renewed(NO_ROWS, rbm, offsets, all_rows(), 24, rng)) == 0
    assert rng.bit_generator.state == before
