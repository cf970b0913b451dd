"""A long pipe with a fresh label in almost every row: memory does not grow, and no row takes longer than another.

``GENREPLAY_ATTACK_ROWS=1000000`` sends a million rows; the figures are printed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.processes import start

pytestmark = pytest.mark.attack

N_ROWS = int(os.environ.get("GENREPLAY_ATTACK_ROWS", "300_000"))
WARM, FIRST = 10_000, 100_000


def resident(pid: int) -> int:
    """Bytes of memory that a process has."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def seconds_of(pid: int) -> float:
    """Processor time of a process: that of the clock depends on what else the machine does."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_memory_after_the_last_row_is_that_after_100_000(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    seconds, sizes = {}, {}
    with start("learn", "-", "-m", tmp_path / "m", "--json", "--quiet") as process:
        assert process.stdin is not None
        process.stdin.write(b"n,label\n")
        for first in range(0, N_ROWS, 10_000):
            lines = (f"{i % 97},{f'label {i}' if i % 50 else 'usual'}\n" for i in range(first, first + 10_000))
            process.stdin.write("".join(lines).encode())
            process.stdin.flush()  # at most the 64 kB that a pipe holds are not taken yet
            seconds[first + 10_000], sizes[first + 10_000] = seconds_of(process.pid), resident(process.pid)
        output, _ = process.communicate()
    figures = json.loads(output)
    assert figures["read"] == N_ROWS == figures["learned"] + figures["waiting"]
    early = (FIRST - WARM) / (seconds[FIRST] - seconds[WARM])
    late = (N_ROWS - FIRST) / (seconds[N_ROWS] - seconds[FIRST])
    record_property(
        "counted",
        f"{N_ROWS:,} rows; {sizes[FIRST] / 1e6:.1f} MB after {FIRST:,}, {sizes[N_ROWS] / 1e6:.1f} MB at the end; "
        f"{early:,.0f} rows a second of processor time up to there, then {late:,.0f}: {late / early:.0%}",
    )
    assert sizes[N_ROWS] < 1.05 * sizes[FIRST]
