from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.cli.tables import content, run, table


def test_a_compressed_pipe_gives_the_same_model(tmp_path: Path) -> None:
    rows = table(700)
    (tmp_path / "rows.csv.gz").write_bytes(gzip.compress(rows.encode()))
    run("learn", "-", "-m", tmp_path / "plain", stdin=rows)
    run("learn", "-", "-m", tmp_path / "pipe", stdin=gzip.compress(rows.encode()))
    run("learn", tmp_path / "rows.csv.gz", "-m", tmp_path / "file")
    assert content(tmp_path / "plain") == content(tmp_path / "pipe") == content(tmp_path / "file")


@pytest.mark.parametrize("n_rows", [100, 3000])
@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_a_cut_pipe_is_one_sentence_and_what_came_before_is_saved(tmp_path: Path, n_rows: int, form: str) -> None:
    rows = table(n_rows)
    if form == "ndjson":
        rows = "".join(f'{{"age": {i % 50}}}\n' for i in range(n_rows))
    packed = gzip.compress(rows.encode())
    done = run("learn", "-", "--format", form, "-m", tmp_path / "m", stdin=packed[: len(packed) * 3 // 4])
    assert done.exit_code == 2
    assert sum(line.startswith("Error: The gzip data of the input are cut short") for line in done.stderr.splitlines())
    done = run("learn", "-", "--format", form, "-m", tmp_path / "m", "--resume", stdin=packed)
    assert done.exit_code == 0
    run("learn", "-", "--format", form, "-m", tmp_path / "whole", stdin=rows)
    assert content(tmp_path / "m") == content(tmp_path / "whole")
