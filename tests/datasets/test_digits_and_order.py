from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from genreplay import datasets
from genreplay.datasets import Dataset, DatasetError


@pytest.fixture(scope="module")
def digits() -> Dataset:
    return datasets.load("digits")


def as_multiset(rows: datasets.Bits, labels: datasets.base.Labels | None) -> list[bytes]:
    assert labels is not None
    return sorted(
        np.column_stack([rows, labels]).astype(np.uint8).tobytes()[i : i + 65] for i in range(0, 65 * len(rows), 65)
    )


def test_digits_are_all_of_scikit_learns_at_half_intensity(digits: Dataset) -> None:
    images, labels = load_digits(return_X_y=True)
    assert digits.train_labels is not None
    assert digits.test_labels is not None
    ours = as_multiset(
        np.concatenate([digits.train, digits.test]), np.concatenate([digits.train_labels, digits.test_labels])
    )
    assert ours == as_multiset((images > 8).astype(np.uint8), labels)


def test_a_fifth_of_each_digit_is_kept_to_test(digits: Dataset) -> None:
    assert digits.train_labels is not None
    assert digits.test_labels is not None
    share = np.bincount(digits.test_labels) / np.bincount(np.concatenate([digits.train_labels, digits.test_labels]))
    np.testing.assert_allclose(share, 0.2, atol=0.005)


def test_the_split_is_fixed_by_the_seed(digits: Dataset) -> None:
    np.testing.assert_array_equal(datasets.load("digits", seed=0).train, digits.train)
    assert (datasets.load("digits", seed=1).train != digits.train).any()


def test_sorted_order_is_by_class_and_random_within_a_class(digits: Dataset) -> None:
    by_class, otherwise = datasets.order(digits, "sorted", seed=0), datasets.order(digits, "sorted", seed=1)
    assert by_class.train_labels is not None
    assert (np.diff(by_class.train_labels) >= 0).all()
    np.testing.assert_array_equal(by_class.train_labels, otherwise.train_labels)
    assert (by_class.train != otherwise.train).any()
    assert as_multiset(by_class.train, by_class.train_labels) == as_multiset(digits.train, digits.train_labels)
    np.testing.assert_array_equal(by_class.test, digits.test)


def test_random_order_keeps_rows_with_their_labels(digits: Dataset) -> None:
    shuffled = datasets.order(digits, "random", seed=np.random.default_rng(0))
    assert (shuffled.train != digits.train).any()
    assert as_multiset(shuffled.train, shuffled.train_labels) == as_multiset(digits.train, digits.train_labels)
    np.testing.assert_array_equal(datasets.order(digits, "random", seed=0).train, shuffled.train)


def test_rows_without_classes_can_be_shuffled_but_not_sorted(digits: Dataset) -> None:
    unlabelled = digits._replace(name="adult", train_labels=None)
    assert datasets.order(unlabelled, "random").train_labels is None
    with pytest.raises(DatasetError, match="adult has no classes to sort by: use the order 'random'"):
        datasets.order(unlabelled, "sorted")


def test_another_order_is_refused(digits: Dataset) -> None:
    with pytest.raises(DatasetError, match=r"must be 'sorted' or 'random'\. Got 'backwards'"):
        datasets.order(digits, "backwards")  # type: ignore[arg-type]
