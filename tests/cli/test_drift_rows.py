from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from genreplay.streams import chunks
from tests.cli.tables import run, table


def changed_stream() -> str:
    """5,000 usual rows, then others; two bad rows among the first."""
    lines = table(5000).splitlines()
    lines[100] = lines[4000] = "bad"
    strange = [f"{1000 + i % 7},green,,2024-01-0{1 + i % 7}T03:00" for i in range(900)]
    return "\n".join([*lines, *strange])


def test_a_drift_has_the_row_of_its_own_batch_however_the_stream_is_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = changed_stream()
    found = []
    for size in (1000, 1000_000, 37):
        monkeypatch.setattr(chunks, "ROWS_PER_CHUNK", size)
        done = run("learn", "-", "-m", tmp_path / f"m{size}", "--on-bad-row", "skip", "--json", stdin=rows)
        figures = json.loads(done.stdout)
        said = [
            int(row.replace(",", "")) for row in re.findall(r"no longer fit the model, after row ([\d,]+)", done.stderr)
        ]
        assert said == figures["drift_rows"]
        assert len(said) == figures["drifts"]
        found.append(said)
    assert found[0] == found[1] == found[2]
    [first, *_] = found[0]
    assert 5000 < first <= 5900
    assert first % 100 == 2, "the last row of a batch, with the two bad rows counted"


def test_a_resumed_stream_gives_the_same_row(tmp_path: Path) -> None:
    rows = changed_stream()
    lines = rows.splitlines()
    whole = json.loads(run("learn", "-", "-m", tmp_path / "a", "--on-bad-row", "skip", "--json", stdin=rows).stdout)
    run("learn", "-", "-m", tmp_path / "b", "--on-bad-row", "skip", stdin="\n".join(lines[:4951]))
    resumed = run("learn", "-", "-m", tmp_path / "b", "--resume", "--on-bad-row", "skip", "--json", stdin=rows)
    assert json.loads(resumed.stdout)["drift_rows"] == whole["drift_rows"]
