"""Codes that are made anew while a model learns, and what the commands say of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from genreplay.streams import chunks
from tests.cli.tables import HEADER, run, table

N_USUAL, N_SHIFTED = 2000, 3000
SHIFTED = table(N_SHIFTED, seed=1).removeprefix(HEADER)


def shifted_stream() -> str:
    """Usual rows, one of them bad; then the ages are a hundred times as high, and stay so."""
    usual = table(N_USUAL).splitlines()
    usual[700] = "bad"
    higher = []
    for line in SHIFTED.splitlines():
        age, rest = line.split(",", 1)
        higher.append(f"{100 * float(age):.0f},{rest}" if age else line)
    return "\n".join([*usual, *higher]) + "\n"


def test_a_renewal_is_told_of_with_its_row_and_column_however_the_stream_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for size in (1000, 1_000_000, 37):
        monkeypatch.setattr(chunks, "ROWS_PER_CHUNK", size)
        path = tmp_path / f"m{size}"
        done = run("learn", "-", "-m", path, "--on-bad-row", "skip", "--json", stdin=shifted_stream())
        [renewal] = json.loads(done.stdout)["renewals"]
        assert renewal["columns"] == ["age"]
        row = renewal["row"]
        assert (
            f"Row {row:,}: the codes were made anew, because column 'age' lay outside its range; the model's dreams "
            "carry over what it knew." in done.stderr.splitlines()
        )
        found.append(row)
    assert found[0] == found[1] == found[2]
    assert N_USUAL + 500 < found[0] < N_USUAL + N_SHIFTED
    assert found[0] % 100 == 1, "the last row of a batch, with the bad row counted"


def test_info_counts_renewals_and_the_model_knows_both_ranges(tmp_path: Path) -> None:
    path = tmp_path / "m"
    run("learn", "-", "-m", path, "--on-bad-row", "skip", stdin=shifted_stream())
    facts = json.loads(run("info", path, "--json").stdout)
    assert facts["renewals"] == 1
    assert "codes made anew: 1;" in run("info", path).stdout
    first, last = facts["codes"]["age"]["usual"]
    cuts = facts["codes"]["age"]["cuts"]
    assert cuts[first - 1] < 30
    assert cuts[last] > 5000


def test_a_stream_that_fits_has_no_renewals(tmp_path: Path) -> None:
    done = run("learn", "-", "-m", tmp_path / "m", "--json", stdin=table(3000))
    assert json.loads(done.stdout)["renewals"] == []
    assert "made anew" not in done.stderr
