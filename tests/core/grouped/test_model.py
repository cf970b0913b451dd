"""The RBM of a table against enumeration, finite differences and exact distributions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from genreplay.core.grouped import model
from genreplay.core.grouped.model import GroupedRBM
from genreplay.core.kernels import compiled_loops, grouped
from genreplay.core.kernels.arrays import Offsets
from tests.core.grouped.tiny import SIZES, all_rows, extreme_model, joint, log_conditionals, random_model

needs_numba = pytest.mark.skipif(compiled_loops() is None, reason="there is nothing to compare without Numba")


def test_the_free_energy_is_the_sum_over_all_hidden_states() -> None:
    rbm, offsets = random_model(n_hidden=3)
    for row, energy in zip(all_rows(), model.free_energy(rbm, offsets, all_rows()), strict=True):
        v = np.zeros(sum(SIZES))
        v[offsets[:-1] + row] = 1
        weights = [np.exp(rbm.a @ v + rbm.b @ h + v @ rbm.W @ h) for h in itertools.product([0, 1], repeat=3)]
        assert energy == pytest.approx(-np.log(np.sum(weights)), rel=1e-12)


@pytest.mark.parametrize("n_hidden", [1, 32, 33, 70])
def test_the_surprise_of_a_cell_is_its_enumerated_conditional(n_hidden: int) -> None:
    rbm, offsets = random_model(n_hidden)
    expected = -log_conditionals(rbm, offsets, all_rows())
    np.testing.assert_allclose(model.surprise(rbm, offsets, all_rows()), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n_hidden", [5, 32, 33, 70])
def test_the_surprise_is_exact_at_the_limits_of_the_parameters(n_hidden: int) -> None:
    rbm, offsets = extreme_model(n_hidden)
    expected = np.minimum(-log_conditionals(rbm, offsets, all_rows()), 300 * np.log(10))
    assert expected.max() > 50
    np.testing.assert_allclose(model.surprise(rbm, offsets, all_rows()), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("n_hidden", [5, 70])
def test_a_code_that_hardly_ever_comes_counts_only_in_rows_that_have_it(n_hidden: int) -> None:
    rbm, offsets = random_model(n_hidden)
    rare = int(offsets[1]) - 1  # the last code of the first group
    a = rbm.a.copy()
    a[rare] = np.log(grouped.RARE) - 3
    rbm = rbm._replace(a=a)
    has_it = all_rows()[:, 0] == rare
    exact = -log_conditionals(rbm, offsets, all_rows())
    found = model.surprise(rbm, offsets, all_rows())
    np.testing.assert_allclose(found[has_it], exact[has_it], rtol=1e-9)
    np.testing.assert_allclose(found[~has_it, 1:], exact[~has_it, 1:], rtol=1e-9)
    a[rare] = -np.inf  # as if the code did not exist
    without = -log_conditionals(rbm, offsets, all_rows()[~has_it])
    np.testing.assert_allclose(found[~has_it], without, rtol=1e-9)
    assert np.abs(without - exact[~has_it]).max() < 0.01
    assert not (model.dream(rbm, offsets, all_rows()[~has_it], 20, np.random.default_rng(0))[:, 0] == rare).any()


@pytest.mark.parametrize("make", [random_model, extreme_model])
@pytest.mark.parametrize("n_hidden", [3, 40])
def test_the_gradient_is_that_of_finite_differences(n_hidden: int, make: object) -> None:
    rbm, offsets = make(n_hidden)  # type: ignore[operator]
    rng = np.random.default_rng(1)
    rows = rng.permutation(all_rows())[:7]
    weights = rng.random(7)
    slope = model.gradient(rbm, offsets, rows, weights)

    def objective(parts: list[np.ndarray]) -> float:
        return float(weights @ log_conditionals(GroupedRBM(*parts), offsets, rows).sum(axis=1))

    step = 1e-5
    for i, part in enumerate(rbm):
        for place in itertools.islice(np.ndindex(part.shape), 0, None, 1 + part.size // 40):
            ends = []
            for sign in (-1, 1):
                parts = [each.copy() for each in rbm]
                parts[i][place] += sign * step
                ends.append(objective(parts))
            # rounding of the objective, and the codes of negligible probability that the compiled loops leave out
            tolerance = 1e-15 * abs(ends[0]) / step + 1e-5
            assert slope[i][place] == pytest.approx((ends[1] - ends[0]) / (2 * step), rel=1e-5, abs=tolerance)


def test_the_gradient_is_zero_where_rows_have_no_weight() -> None:
    rbm, offsets = random_model(n_hidden=4)
    for part in model.gradient(rbm, offsets, all_rows(), np.zeros(len(all_rows()))):
        assert (part == 0).all()


def chi_square(rows: np.ndarray, p: np.ndarray) -> float:
    """The p-value of the counts of rows, which should come with these probabilities."""
    places = (rows * [8, 4, 1]).sum(axis=1)
    counts = np.array([(places == (row * [8, 4, 1]).sum()).sum() for row in all_rows().astype(int)])
    assert counts.sum() == len(rows)
    return float(stats.chisquare(counts, len(rows) * p).pvalue)


@pytest.mark.parametrize("n_hidden", [2, 40])
def test_chains_reach_the_exact_joint_distribution(n_hidden: int) -> None:
    rbm, offsets = random_model(n_hidden, scale=1.0 if n_hidden == 2 else 0.3, seed=2)
    rng = np.random.default_rng(3)
    starts = rng.integers(0, SIZES, size=(5000, 3)).astype(np.uint8)
    assert chi_square(starts, joint(rbm, offsets)) < 1e-6, "the test can see a difference"
    assert chi_square(model.dream(rbm, offsets, starts, 40, rng), joint(rbm, offsets)) > 1e-3


def test_one_step_leaves_the_exact_joint_distribution_as_it_is() -> None:
    rbm, offsets = random_model(n_hidden=3, seed=4)
    rng, p = np.random.default_rng(5), joint(rbm, offsets)
    exact = all_rows()[rng.choice(len(p), size=20_000, p=p)]
    moved = model.dream(rbm, offsets, exact, 1, rng)
    assert (moved != exact).any()
    assert chi_square(moved, p) > 1e-3


def test_a_single_missing_cell_is_filled_with_its_exact_conditional() -> None:
    rbm, offsets = random_model(n_hidden=5)
    rows, free = all_rows(), np.zeros(all_rows().shape, dtype=bool)
    free[:, 2] = True
    p = model.fill(rbm, offsets, rows, free, 6, np.random.default_rng(0))
    for k in range(4):
        there = rows[:, 2] == k
        exact = np.exp(log_conditionals(rbm, offsets, rows[there])[:, 2])
        np.testing.assert_allclose(p[there][:, offsets[2] + k], exact, rtol=1e-9)
    assert (p[:, : offsets[2]] == 0).all(), "nothing is said of cells that are known"


def test_two_missing_cells_are_filled_with_their_exact_conditionals() -> None:
    rbm, offsets = random_model(n_hidden=5, seed=6)
    n, n_steps = 400, 60
    rows = np.tile(np.array([[1, 0, 0]], dtype=np.uint8), (n, 1))
    free = np.tile([False, True, True], (n, 1))
    p = model.fill(rbm, offsets, rows, free, n_steps, np.random.default_rng(7))
    weights = joint(rbm, offsets).reshape(SIZES)[1]
    weights /= weights.sum()
    exact = np.concatenate([weights.sum(axis=1), weights.sum(axis=0)])
    np.testing.assert_allclose(p[:, 3:].mean(axis=0), exact, atol=5 * p[:, 3:].std(axis=0).max() / np.sqrt(n))
    np.testing.assert_allclose(p[:, 3:5].sum(axis=1), 1)
    np.testing.assert_allclose(p[:, 5:].sum(axis=1), 1)


def test_cells_that_are_drawn_in_turn_have_the_exact_conditional_of_the_first() -> None:
    rbm, offsets = random_model(n_hidden=3)
    rows = np.tile(all_rows()[:1], (20_000, 1))
    free = np.zeros(rows.shape, dtype=bool)
    free[:, 1] = True
    drawn = model.drawn_in_turn(rbm, offsets, rows, free, np.random.default_rng(0))
    shares = np.bincount(drawn[:, 1], minlength=SIZES[1]) / len(drawn)
    one_of_each = np.tile(all_rows()[0], (SIZES[1], 1))
    one_of_each[:, 1] = np.arange(SIZES[1])
    expected = np.exp(log_conditionals(rbm, offsets, one_of_each)[:, 1])
    np.testing.assert_allclose(shares, expected, atol=0.015)
    np.testing.assert_array_equal(np.delete(drawn, 1, axis=1), np.delete(rows, 1, axis=1))


def test_cells_that_are_usually_missing_together_are_filled_as_the_known_ones_say() -> None:
    """Six columns are 0 or 1 together; where they are 0, all but the first are missing, code 2."""
    n_groups, strength = 6, 6.0
    offsets = model.offsets_of([3] * n_groups)
    W = np.zeros((3 * n_groups, 2))
    W[1::3, 0] = W[0, 1] = strength  # one hidden unit for each of the two kinds of rows
    W[5::3, 1] = strength
    W[[0, *range(3, 18, 3)], 0] = W[1::3, 1] = -strength
    rbm = GroupedRBM(W, np.zeros(3 * n_groups), np.full(2, -strength))
    rows = np.full((50, n_groups), 2, dtype=np.uint8)
    rows[:, 0] = 1
    free = rows == 2
    p = model.fill(rbm, offsets, rows, free, 4, np.random.default_rng(0))
    assert p[:, 4::3].min() > 0.9
    stuck = grouped.gibbs(*rbm, offsets, rows, free, 4, np.random.default_rng(0), 2)[1] / 2
    assert np.median(stuck[:, 4::3]) < 0.1, "a chain from the missing cells stays there"


def test_known_cells_stay_as_they_are() -> None:
    rbm, offsets = random_model(n_hidden=5)
    rng = np.random.default_rng(0)
    free = rng.random(all_rows().shape) < 0.5
    given = all_rows()
    drawn, _ = grouped.gibbs(*rbm, offsets, given, free, 20, rng)
    np.testing.assert_array_equal(drawn[~free], given[~free])
    assert (drawn[free] != given[free]).any()
    np.testing.assert_array_equal(given, all_rows(), "what was given is not changed")


@needs_numba
@pytest.mark.parametrize("products", ["compiled"], indirect=True)
@pytest.mark.parametrize("n_hidden", [3, 32, 33, 70])
def test_compiled_loops_agree_with_numpy(n_hidden: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def results(rbm: GroupedRBM, offsets: Offsets) -> tuple[np.ndarray, ...]:
        rng = np.random.default_rng(1)
        rows, weights = all_rows(), rng.random(len(all_rows()))
        free = rng.random(rows.shape) < 0.7
        return (
            grouped.surprise(*rbm, offsets, rows),
            *grouped.gradient(*rbm, offsets, rows, weights),
            *grouped.gibbs(*rbm, offsets, rows, free, 10, rng, n_before=5),
        )

    models = random_model(n_hidden), extreme_model(n_hidden)
    compiled = [results(*each) for each in models]
    monkeypatch.setattr(grouped, "_loops", lambda: None)
    for loops, plain in zip(compiled, [results(*each) for each in models], strict=True):
        for ours, theirs in zip(loops, plain, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-4)


def test_adam_goes_the_steps_of_its_formula() -> None:
    rng = np.random.default_rng(0)
    theta, mean, square = rng.normal(size=(3, 2)), np.zeros((3, 2)), np.zeros((3, 2))
    expected, m, v = theta.copy(), np.zeros((3, 2)), np.zeros((3, 2))
    for t in range(1, 6):
        slope = rng.normal(size=(3, 2))
        grouped.adam(theta, slope, mean, square, 0.1, t, limit=8.0)
        m, v = 0.9 * m + 0.1 * slope, 0.999 * v + 0.001 * slope**2
        expected += 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-5)
        np.testing.assert_allclose(theta, expected, rtol=1e-12)
    np.testing.assert_allclose(mean, m, rtol=1e-12)
    np.testing.assert_allclose(square, v, rtol=1e-12)


def test_no_parameter_gets_beyond_the_limit() -> None:
    theta, mean, square = np.array([7.9, -7.9]), np.zeros(2), np.zeros(2)
    for t in range(1, 20):
        grouped.adam(theta, np.array([1.0, -1.0]), mean, square, 0.5, t, limit=8.0)
    assert theta.tolist() == [8.0, -8.0]
