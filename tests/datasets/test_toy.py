from __future__ import annotations

import itertools

import numpy as np
import pytest

from genreplay import datasets
from genreplay.datasets import DatasetError, toy_log_prob

BLOCK = np.array(list(itertools.product([0, 1], repeat=10)), dtype=np.uint8)


def rows_of_class(label: int) -> datasets.Bits:
    """Every row that a class can give."""
    rows = np.zeros((len(BLOCK), 100), dtype=np.uint8)
    rows[:, 10 * label : 10 * label + 10] = BLOCK
    return rows


def brute_force(row: datasets.Bits) -> float:
    """p(v) as section 4.1 has it, unit by unit."""
    total = 0.0
    for label in range(10):
        p = 0.1
        for i, v in enumerate(row):
            on = 0.3 if 10 * label <= i < 10 * label + 10 else 0.0
            p *= on if v else 1 - on
        total += p
    return total


def test_each_class_sets_its_own_ten_units_with_probability_0_3() -> None:
    dataset = datasets.load("toy", seed=5)
    assert dataset.train.shape == dataset.test.shape == (10000, 100)
    for rows, labels in ((dataset.train, dataset.train_labels), (dataset.test, dataset.test_labels)):
        assert labels is not None
        np.testing.assert_array_equal(labels, np.repeat(np.arange(10), 1000))
        for label in range(10):
            blocks = rows[labels == label].reshape(-1, 10, 10)
            own = blocks[:, label]
            assert abs(own.mean(axis=0) - 0.3).max() < 5 * np.sqrt(0.3 * 0.7 / 1000)
            assert blocks.sum() == own.sum()


def test_toy_rows_follow_the_seed_and_not_the_number_of_test_rows() -> None:
    first, again = datasets.load("toy", seed=1), datasets.load("toy", seed=1, n_test_per_class=7)
    np.testing.assert_array_equal(first.train, again.train)
    assert again.test.shape == (70, 100)
    assert (datasets.load("toy", seed=2).train != first.train).any()
    assert (first.train != first.test).any()


def test_log_prob_equals_the_mixture_written_out() -> None:
    rows = rows_of_class(3)[::5]
    np.testing.assert_allclose(toy_log_prob(rows), np.log([brute_force(row) for row in rows]), rtol=1e-12)


def test_probabilities_of_all_possible_rows_sum_to_one() -> None:
    # the empty row is common to all classes
    possible = np.concatenate([rows_of_class(0), *(rows_of_class(label)[1:] for label in range(1, 10))])
    assert np.exp(toy_log_prob(possible)).sum() == pytest.approx(1, abs=1e-12)


def test_rows_that_no_class_can_give_are_impossible() -> None:
    row = np.zeros(100)
    row[[9, 10]] = 1
    assert toy_log_prob(row) == -np.inf
    assert np.isneginf(toy_log_prob(np.ones((2, 3, 100)))).all()


def test_the_mean_log_prob_of_toy_rows_is_minus_the_entropy() -> None:
    possible = np.concatenate([rows_of_class(0), *(rows_of_class(label)[1:] for label in range(1, 10))])
    log_p = toy_log_prob(possible)
    entropy = -(np.exp(log_p) * log_p).sum()
    drawn = toy_log_prob(datasets.load("toy").test)
    assert abs(drawn.mean() + entropy) < 5 * drawn.std() / np.sqrt(len(drawn))


@pytest.mark.parametrize("rows", [np.zeros((3, 99)), np.full((3, 100), 0.5), 1.0])
def test_log_prob_refuses_what_is_not_a_toy_row(rows: object) -> None:
    with pytest.raises(DatasetError, match="rows of 100 zeros and ones"):
        toy_log_prob(rows)  # type: ignore[arg-type]
