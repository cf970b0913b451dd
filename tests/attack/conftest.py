"""What the attacks counted, at the end of a run."""

from __future__ import annotations

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for key in ("passed", "failed") for report in terminalreporter.stats.get(key, [])]
    lines = [str(value) for report in reports for name, value in report.user_properties if name == "attack"]
    if lines:
        terminalreporter.section("attacks")
        terminalreporter.write("\n".join([*lines, ""]))
