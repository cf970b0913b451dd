"""What SECURITY.md says about model files: which rows they hold, and that they cannot choose what is imported."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genreplay import CheckpointError, Dreams, OnlineRBMDetector, Stored, TableEncoder, TableRBM
from genreplay.core import checkpoint
from genreplay.core.grouped import Rehearsed

LABEL, NUMBER = "only in one row", 1234.56789


def stream(n_rows: int = 300) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Rows of which one, among the first, has a label and a number of its own."""
    rng = np.random.default_rng(0)
    rows = np.empty((n_rows, 2), dtype=object)
    rows[:, 0], rows[:, 1] = rng.choice(["red", "green", "blue"], n_rows), 1000 + 500 * rng.random(n_rows)
    rows[10] = LABEL, NUMBER
    return rows


def learned(n_rows: int, replay: Rehearsed | None = None) -> OnlineRBMDetector:
    encoder = TableEncoder(max_categories=3, warm_up=100)
    rbm = TableRBM(n_hidden=4, batch_size=50, replay=replay or Dreams(size=40))
    model = OnlineRBMDetector(encoder, rbm, random_state=0)
    return model.partial_fit(stream()[:n_rows]) if n_rows else model


def test_rows_of_the_warm_up_are_in_the_file_until_the_codes_are_made(tmp_path: Path) -> None:
    learned(99).save(tmp_path / "before")
    learned(100).save(tmp_path / "after")
    before, after = ((tmp_path / name).read_bytes() for name in ("before", "after"))
    assert LABEL.encode() in before
    assert str(NUMBER).encode() in before
    assert LABEL.encode() not in after
    assert b"green" in after, "a label that has a code is there"


def test_rows_that_wait_for_new_codes_are_in_the_file_until_these_are_made(tmp_path: Path) -> None:
    rows = stream(1700)
    rows[100:, 1] += 1e6
    model = learned(0).partial_fit(rows[:100])
    was_waiting = False
    for start in range(100, 1700, 50):
        model.partial_fit(rows[start : start + 50]).save(tmp_path / "model")
        held = checkpoint.read(tmp_path / "model")[1]["extra"]["renewal"]["rows"]
        was_waiting |= bool(held)
        if model.n_renewals_:
            break
    assert was_waiting
    assert held is None
    assert all(str(number).encode() not in (tmp_path / "model").read_bytes() for number in rows[100:300:50, 1])


def test_numbers_of_single_rows_may_be_in_the_file_as_quartiles(tmp_path: Path) -> None:
    model = learned(100)
    (code,) = (code for code in model.encoder_.describe_codes().values() if code["kind"] == "number")
    assert {value for row in code["quantiles"] for value in row} & set(stream()[:100, 1])


def test_rows_that_wait_for_a_batch_are_in_the_file_as_codes_and_no_others(tmp_path: Path) -> None:
    model = learned(130)
    model.save(tmp_path / "model")
    tensors, _ = checkpoint.read(tmp_path / "model")
    np.testing.assert_array_equal(tensors["waiting"], model.encoder_.codes(stream()[100:130]))
    model.flush().save(tmp_path / "model")
    assert len(checkpoint.read(tmp_path / "model")[0]["waiting"]) == 0


def test_only_a_model_that_stores_rows_rehearses_rows_of_the_stream(tmp_path: Path) -> None:
    stored = learned(100, Stored(size=40))
    rows = {tuple(row) for row in stored.encoder_.codes(stream()[:100])[:, :2]}
    assert {tuple(row) for row in stored.dreams_} <= rows
    assert not {tuple(row) for row in learned(100).dreams_} <= rows, "dreams go beyond the rows that came"


def test_a_file_cannot_name_a_module_to_import(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text("")
    path = tmp_path / "model"
    learned(150).save(path)
    tensors, header = checkpoint.read(path)
    header["extra"]["frame"] = "planted"
    checkpoint.write(path, tensors, header)
    with pytest.raises(CheckpointError, match=r"wrong at extra\.frame: Invalid enum value 'planted'"):
        OnlineRBMDetector.load(path)
    assert "planted" not in sys.modules
