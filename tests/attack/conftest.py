"""The process that commands are forks of, started once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.attack.children import Children, children


@pytest.fixture(scope="session")
def commands() -> Iterator[Children]:
    with children() as started:
        yield started
