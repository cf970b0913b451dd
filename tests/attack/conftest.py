"""The process that commands are forks of, started once, and what the attacks counted, at the end of a run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.attack.children import Children, children


@pytest.fixture(scope="session")
def commands() -> Iterator[Children]:
    with children() as started:
        yield started


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for key in ("passed", "failed") for report in terminalreporter.stats.get(key, [])]
    lines = [str(value) for report in reports for name, value in report.user_properties if name == "attack"]
    if lines:
        terminalreporter.section("attacks")
        terminalreporter.write("\n".join([*lines, ""]))
