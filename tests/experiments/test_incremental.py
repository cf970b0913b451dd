"""Classes that come one after the other: the order of rows, forgetting, learners, and the quick form."""

from __future__ import annotations

import numpy as np
import pytest

from genreplay.experiments.incremental import METHODS, forgetting, runs
from genreplay.experiments.incremental.run import ordered


@pytest.mark.parametrize(("order", "tasks"), [("split", [0, 1, 2]), ("sorted", [0, 1, 2, 3, 4, 5]), ("random", None)])
def test_rows_come_task_by_task_and_those_of_a_class_in_the_same_order_in_every_stream(
    order: str, tasks: list[int] | None
) -> None:
    labels = np.random.default_rng(0).integers(6, size=300)
    places = ordered(labels, order, np.random.default_rng(1))
    assert sorted(places.tolist()) == list(range(300))
    if tasks is not None:
        task = labels[places] // 2 if order == "split" else labels[places]
        assert np.unique(task).tolist() == tasks
        assert (np.diff(task) >= 0).all()
    mixed = ordered(labels, "random", np.random.default_rng(1))
    for label in range(6):
        np.testing.assert_array_equal(places[labels[places] == label], mixed[labels[mixed] == label])


def test_forgetting_counts_a_class_from_when_all_of_its_rows_have_come() -> None:
    matrix = np.array([[0.9, 0.5], [0.7, 0.8], [0.6, 0.9]])
    assert forgetting(matrix, np.array([[5, 2], [5, 4], [5, 6]])) == pytest.approx(0.3)
    assert forgetting(matrix, np.array([[1, 2], [2, 4], [3, 6]])) == pytest.approx((0.3 - 0.1) / 2)


@pytest.mark.slow
def test_the_quick_form_runs_and_a_model_for_each_label_forgets_nothing() -> None:
    possible = [run for run in runs(quick=True) if run.obstacle is None]
    found = {run.method: run.execute(0, lambda share, doing: None) for run in possible}
    assert set(found) >= set(METHODS) - {"PyTorch, dreams"}
    ours, without = found["class models"], found["no replay"]
    assert ours["accuracy"][-1] > 0.8 > 0.4 > without["accuracy"][-1]
    assert ours["forgetting"] < 0.15 < 0.5 < without["forgetting"]  # measured at the ends of the tasks
    assert ours["rows_kept"] == without["rows_kept"] == 0
    assert len(ours["by_class"]) == len(ours["rows"]) == 5
    assert ours["rows"][-1] == 1437
    assert ours["nbytes"] > 100_000
