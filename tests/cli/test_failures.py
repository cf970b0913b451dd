"""A ``learn`` that fails leaves nothing useless behind, and what was there as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from genreplay.cli import models
from genreplay.estimators.plain_detector import Detector
from tests.cli.tables import HEADER, content, run, table


def test_a_file_that_fails_in_the_warm_up_leaves_no_model(tmp_path: Path) -> None:
    source, path = tmp_path / "rows.csv", tmp_path / "m"
    source.write_text(table(100) + "bad\n")
    done = run("learn", source, "-m", path, "--checkpoint-rows", 1)
    assert done.exit_code == 2
    assert "Line 102 is a bad row" in done.stderr
    assert "Read 100 rows: 0 learned, 100 waiting, 0 skipped. No model is saved" in done.stderr
    assert not path.exists()
    source.write_text(table(100))
    assert run("learn", source, "-m", path).exit_code == 0, "the command can be repeated as it was"


def test_rows_of_a_pipe_are_kept_because_they_cannot_be_read_again(tmp_path: Path) -> None:
    done = run("learn", "-", "-m", tmp_path / "m", stdin=table(100) + "bad\n")
    assert done.exit_code == 2
    assert (tmp_path / "m").exists()


@pytest.mark.parametrize("n_rows", [80, 700])
def test_a_model_that_finds_no_memory_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, n_rows: int
) -> None:
    def begin(self: Detector, *tables: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Detector, "_begin_learning", begin)
    path = tmp_path / "m"
    done = run("learn", "-", "-m", path, "--checkpoint-rows", "1", stdin=table(n_rows))
    assert done.exit_code == 1
    assert "There is not enough memory for such a model" in done.stderr
    assert "No model is saved" in done.stderr
    assert not path.exists()


def test_the_largest_learning_rate_does_not_diverge(tmp_path: Path) -> None:
    path = tmp_path / "m"
    done = run("learn", "-", "-m", path, "--learning-rate", "1e308", "--score", stdin=table(3000))
    assert done.exit_code == 0
    assert all(line.split(",")[1] not in ("", "inf") for line in done.stdout.splitlines()[501:])
    tensors = load_file(path)
    assert all(np.isfinite(tensors[name]).all() for name in tensors if tensors[name].dtype.kind == "f")
    assert models.load(path).model.n_learned_ == 3000, "the model that it speaks of is in the file"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m"
    assert run("learn", "-", "-m", path, "--quiet", stdin=table(700)).exit_code == 0
    return path


@pytest.mark.parametrize("stdin", ["", "x,y\n1,2\n", HEADER, HEADER + "bad\n"])
def test_a_further_input_that_cannot_be_read_changes_nothing(model: Path, stdin: str) -> None:
    before = content(model)
    run("learn", "-", "-m", model, "--more", stdin=stdin)
    assert content(model) == before
    done = run("learn", "-", "-m", model, "--resume", stdin=table(700))
    assert "Read 700 rows (0 of them now)" in done.stderr, "the first input can still be resumed"
    assert content(model) == before


def test_a_missing_file_changes_nothing(model: Path, tmp_path: Path) -> None:
    before = model.read_bytes()
    for option in ("--more", "--resume", "--force"):
        assert run("learn", tmp_path / "none.csv", "-m", model, option).exit_code == 2
        assert model.read_bytes() == before


def test_an_old_model_stays_until_the_new_one_has_learned_something(model: Path) -> None:
    before = model.read_bytes()
    done = run("learn", "-", "-m", model, "--force", "--checkpoint-rows", 1, stdin=table(300, seed=1) + "bad\n")
    assert done.exit_code == 2
    assert model.read_bytes() == before
    assert run("learn", "-", "-m", model, "--force", stdin=table(300, seed=1)).exit_code == 0
    assert model.read_bytes() != before


def test_a_bad_row_says_that_learning_can_go_on_where_a_model_was_saved(tmp_path: Path) -> None:
    rows = table(700).splitlines(keepends=True)
    torn = "".join([*rows[:650], "torn\n", *rows[650:]])
    done = run("learn", "-", "-m", tmp_path / "m", stdin=torn)
    assert done.exit_code == 2
    assert done.stderr.endswith("or --quarantine FILE. --resume goes on from there.\n")
    assert run("learn", "-", "-m", tmp_path / "m", "--resume", "--on-bad-row", "skip", stdin=torn).exit_code == 0
    early = "".join([*rows[:20], "torn\n"])
    (tmp_path / "early.csv").write_text(early)
    assert "--resume" not in run("learn", tmp_path / "early.csv", "-m", tmp_path / "no").stderr, "nothing was saved"
