"""``GENREPLAY_WITHOUT_NUMBA=1 pytest`` runs the tests as if Numba were not installed; counts of tests are printed."""

from __future__ import annotations

import os
import signal
import sys
from importlib.util import find_spec
from typing import Any

if os.environ.get("GENREPLAY_WITHOUT_NUMBA"):
    sys.modules["numba"] = None  # type: ignore[assignment]

_NEEDED = {"fleet/driver.py": "pyspark", "rl/worlds.py": "gymnasium"}
collect_ignore = [place for place, package in _NEEDED.items() if find_spec(package) is None]
"""modules beside the tests, which are looked through for examples"""


# A shell lets what it starts in the background ignore interrupts, and so would the processes that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print what tests have counted, which ``record_property("counted", ...)`` takes down."""
    reports = [report for group in terminalreporter.stats.values() for report in group]
    counted = [
        (report.nodeid.partition("::")[2], value)
        for report in reports
        for name, value in getattr(report, "user_properties", ())
        if name == "counted" and report.when == "call"
    ]
    if counted:
        terminalreporter.section("counted")
        for test, value in sorted(counted):
            terminalreporter.write_line(f"{test}: {value}")
