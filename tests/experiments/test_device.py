"""The experiment that compares the learner for devices with the one in Python."""

from __future__ import annotations

import numpy as np
import pytest

from genreplay.experiments.device import LEARNERS, TABLES, DeviceRun, coded, runs, toy
from genreplay.experiments.results import Results
from genreplay.report import device
from tests.report.made_up import records, right


def test_learners_on_one_stream_learn_the_same_rows_and_are_alike() -> None:
    found = [
        DeviceRun("digits", learner, n_hidden=6, max_rows=400).execute(0, lambda *_: None) for learner in LEARNERS[:3]
    ]
    assert {each["n_rows"] for each in found} == {400}
    nats = [each["nats"] for each in found]
    assert max(nats) - min(nats) < 3
    assert min(nats) > -33  # without weights, 64 units cost 44 nats


def test_the_toy_classes_come_one_after_the_other() -> None:
    rows, test = toy(seed=0, n_each=200)
    assert rows.shape == (2000, 100)
    assert test.shape == (200, 100)
    assert rows[:200, 10:].sum() == 0
    assert rows[:200, :10].mean() == pytest.approx(0.3, abs=0.05)
    assert rows[1800:, :90].sum() == 0


def test_a_row_of_a_table_has_one_bit_for_each_column() -> None:
    cells = np.random.default_rng(0).normal(size=(400, 3)) * [1, 1e-6, 1e9]
    rows = coded(cells, n_head=200, n_codes=8)
    assert rows.shape == (200, 24)
    assert (rows.reshape(200, 3, 8).sum(axis=2) == 1).all()


def test_every_stream_has_every_learner_and_tables_the_detector_too() -> None:
    listed = [(run.dataset, run.learner) for run in runs()]
    assert len(listed) == 2 * 4 + len(TABLES) * 4
    assert ("cardio", "detector") in listed
    assert ("toy", "detector") not in listed


def test_the_table_of_the_report_shows_the_distance_to_python() -> None:
    lines = device.table(Results(records(right, ["device"]))).splitlines()
    assert lines[0] == f"| stream | measured | {' | '.join(LEARNERS)} |"
    assert lines[2].endswith("| test nats | -20.10 (-1.0%) | -20.10 (-1.0%) | -19.90 | -19.90 |  |")
    assert lines[-1] == "| vowels | ROC-AUC | 0.891 (-1.0%) | 0.891 (-1.0%) | 0.900 |  | 0.900 |"
    assert device.table(Results([])) == ""
