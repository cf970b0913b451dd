"""Commands with little work do it without Numba: what they print and save is the same."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from genreplay.cli import learn as learn_module
from genreplay.cli.rows import Reading
from genreplay.core.kernels import choice, compiled_loops
from tests.cli.series import series
from tests.cli.tables import run, table

needs_numba = pytest.mark.skipif(compiled_loops() is None, reason="there is nothing to compare without Numba")


def model(folder: Path, is_series: bool) -> tuple[Path, list[str]]:
    """A model that has learned the first rows of a stream, and the lines of all its rows, the header first."""
    lines = (series(900) if is_series else table(900)).splitlines(keepends=True)
    first = "".join(lines[:701])
    options = ["--time", "when"] if is_series else []
    assert run("learn", "-", "-m", folder / "m", *options, stdin=first).exit_code == 0
    return folder / "m", lines


@needs_numba
@pytest.mark.parametrize("is_series", [False, True], ids=["table", "series"])
def test_rows_that_only_wait_are_saved_and_scored_alike(
    is_series: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, lines = model(tmp_path, is_series)
    first, results = path.read_bytes(), []
    for is_light in (True, False):
        path.write_bytes(first)
        if not is_light:
            monkeypatch.setattr(learn_module, "_only_wait", lambda *_: False)
        for line in lines[701:730]:
            (tmp_path / "row.csv").write_text(lines[0] + line)
            done = run("learn", tmp_path / "row.csv", "-m", path, "--more", "--score", "--quiet")
            results.append((is_light, done.stdout, path.read_bytes()))
    light, usual = ([found for was_light, *found in results if was_light == is_light] for is_light in (True, False))
    assert light == usual


@needs_numba
@pytest.mark.parametrize("is_series", [False, True], ids=["table", "series"])
@pytest.mark.parametrize("command", ["score", "explain"])
def test_numpy_and_the_compiled_loops_print_the_same(
    command: str, is_series: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, lines = model(tmp_path, is_series)
    rows = "".join([lines[0], *lines[701:]])
    light = run(command, "-", "-m", path, stdin=rows).stdout
    monkeypatch.setattr(choice, "LITTLE", -1)
    usual = run(command, "-", "-m", path, stdin=rows).stdout
    if command == "score":
        assert light == usual
    else:  # the p-values of cells are those of dreams, whose draws are rounded differently
        scores, others = ([line.split(",")[:5] for line in text.splitlines()] for text in (light, usual))
        assert scores == others


def reading(path: Path) -> Reading:
    return Reading(str(path), None, True, None, None, "error", None)


def test_a_small_file_of_text_says_how_many_rows_it_has_at_most(tmp_path: Path) -> None:
    small, large, packed, array = (tmp_path / name for name in ("a.csv", "b.csv", "c.csv.gz", "d.npy"))
    small.write_text(table(20))
    large.write_text(table(5000))
    packed.write_bytes(gzip.compress(table(20).encode()))
    np.save(array, np.eye(3))
    assert reading(small).most_rows == 21, "the header counts"
    assert [reading(path).most_rows for path in (large, packed, array, Path("-"))] == [None] * 4
