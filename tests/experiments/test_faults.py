from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from genreplay.cli import main
from genreplay.datasets.faults import COLUMNS, KINDS, NUMBERS, FaultyTable, faults
from genreplay.estimators.detector import OnlineRBMDetector
from genreplay.experiments import runner
from genreplay.experiments.faults import METHODS, ORDERS, FaultsRun, filling, rbm, runs
from genreplay.experiments.faults.coding import to_numbers
from genreplay.experiments.run import Figures


@pytest.fixture(scope="module")
def by_method() -> dict[str, Figures]:
    """The quick runs in the order of time."""
    return {run.method: run.execute(0, lambda share, doing: None) for run in runs(quick=True) if run.order == "time"}


def test_every_method_ranks_the_same_faults(by_method: dict[str, Figures]) -> None:
    assert list(by_method) == list(METHODS)
    (counts,) = {tuple(figures["n_faults"].values()) for figures in by_method.values()}
    assert min(counts) > 0
    for figures in by_method.values():
        assert figures["n_counted"] == 2_500
        for name in ("auc", "average_precision"):
            assert list(figures[name]) == ["all", *KINDS]
            assert all(0 <= share <= 1 for share in figures[name].values())


def test_only_the_rbm_is_asked_for_more(by_method: dict[str, Figures]) -> None:
    found = by_method["RBM"]
    assert set(found["recall"]) == {"all", *KINDS}
    assert set(found["blamed_right"]) == set(KINDS)
    assert all(0 <= found[name] <= 1 for name in ("false_alarms", "impossible_dreams", "timeless_dreams"))
    assert set(found["fill_errors"]) == {"RBM", "KNNImputer", filling.COLUMN_MEANS}
    assert all("recall" not in by_method[method] for method in METHODS[1:])


def test_looking_at_columns_and_cells_leaves_no_trace_in_the_scores(by_method: dict[str, Figures]) -> None:
    table = faults(3_000, fault_share=0.02)
    scores = OnlineRBMDetector(random_state=0).learn_scored(table.rows)[500:]
    is_alarm = scores >= -np.log(0.01) - 1e-9
    usual = table.kinds[500:] == ""
    assert by_method["RBM"]["false_alarms"] == is_alarm[usual].mean()
    assert by_method["RBM"]["recall"]["all"] == is_alarm[~usual].mean()


def test_faulty_rows_are_explained_by_the_model_that_scores_them() -> None:
    table = faults(1_200, fault_share=0.05)
    blaming = rbm.BlamingDetector(OnlineRBMDetector(random_state=0), table)
    blaming.learn_scored(table.rows)
    row = next(row for row in blaming.blamed if 900 <= row < 1_000)
    before = OnlineRBMDetector(random_state=0).partial_fit(table.rows[:900])
    assert blaming.blamed[row] == before.explain(table.rows[[row]]).argmax()
    assert set(blaming.blamed) == {row for row in np.flatnonzero(table.is_faulty).tolist() if row >= 500}


def test_blame_is_right_where_it_names_a_column_at_fault() -> None:
    table = FaultyTable(
        np.empty((3, 2), dtype=object),
        np.array(["single", "single", "swapped"], dtype=object),
        np.array([[True, False], [True, False], [True, True]]),
    )
    assert rbm.blamed_right({0: 0, 1: 1, 2: 1}, table) == {"single": 0.5, "swapped": 1.0}


def test_neighbours_fill_better_than_means_and_a_perfect_model_without_error() -> None:
    table = faults(2_000, fault_share=0)
    learned, held_out = table.rows[:1_500], table.take(slice(1_500, None))

    class Oracle:
        def impute(self, rows: np.ndarray, random_state: int) -> np.ndarray:
            assert sum(cell is None for cell in rows.ravel()) > sum(cell is None for cell in held_out.rows.ravel())
            return held_out.rows

    found = filling.errors(Oracle(), learned, held_out, 0.1, 1_000, 0)  # type: ignore[arg-type]
    assert found["RBM"] == 0
    assert found["KNNImputer"] < 0.5 < found[filling.COLUMN_MEANS] < 1.5


def test_numbers_for_rivals_have_no_missing_cell_and_a_column_for_labels_not_in_the_head() -> None:
    table = faults(2_000, fault_share=0.05)
    numbers = to_numbers(table.rows, n_head=500)
    assert np.isfinite(numbers).all()
    known = [cell is not None for cell in table.column("speed")]
    place = 1  # after the setpoint
    assert (numbers[known, place] == table.column("speed")[known]).all()
    products = sorted(set(table.column("product")[:500]))
    other = numbers[:, -3 - 1]  # before idle, running and other modes
    assert (other == ~np.isin(table.column("product").astype(str), products)).all()
    assert other[table.kinds == "label"][-1] == 1


def test_runs_are_all_methods_in_both_orders() -> None:
    assert {(run.method, run.order) for run in runs()} == {(method, order) for method in METHODS for order in ORDERS}
    assert {run.n_rows for run in runs()} == {100_000}
    assert len(runs(quick=True)) == len(runs()) == 10
    assert set(NUMBERS) <= set(COLUMNS)


def test_without_river_its_runs_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "river.anomaly", None)
    assert [run.method for run in runs() if run.obstacle and run.order == "time"] == ["HalfSpaceTrees", "LODA"]


def test_reproduce_writes_a_result_for_each_run(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text('n_rows = 1_000\nn_filled = 100\nmethod = "histograms"')
    out = tmp_path / "runs.jsonl"
    arguments = ["reproduce", "faults", "--quick", "--seeds", "1", "--jobs", "1", "--out", str(out)]
    done = CliRunner().invoke(main, [*arguments, "--settings", str(tmp_path / "small.toml")], catch_exceptions=False)
    assert done.exit_code == 0
    assert [record["settings"].get("order", "time") for record in runner.read(out)] == list(ORDERS)


def test_a_run_names_what_it_does() -> None:
    assert FaultsRun("LODA", "shuffled").title == "faults, shuffled order, LODA"
