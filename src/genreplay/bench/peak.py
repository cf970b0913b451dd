"""The memory of this process, as Linux counts it."""

from __future__ import annotations

from pathlib import Path

STATUS = Path("/proc/self/status")
LEFT_OUT = "peak memory: it is read from /proc, which this system does not have"


def megabytes(field: str) -> float:
    """A line of this process's status; its peak is VmHWM (ru_maxrss would count the parent's memory too)."""
    lines = dict(line.split(":", 1) for line in STATUS.read_text("ascii", errors="replace").splitlines())
    return 1.024e-3 * int(lines[field].split()[0])
