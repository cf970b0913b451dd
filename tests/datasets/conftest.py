"""Fixtures: a machine without data, and a made-up data set."""

from __future__ import annotations

from pathlib import Path

import pooch  # type: ignore[import-untyped]
import pytest

from genreplay.datasets import registry
from tests.datasets import tiny as tiny_module


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and GENREPLAY_DATA not set."""
    folder = tmp_path / "cache"
    monkeypatch.delenv("GENREPLAY_DATA", raising=False)
    monkeypatch.setattr(pooch, "os_cache", lambda project: folder)
    return folder


@pytest.fixture
def tiny(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The data set ``tiny``, known by its hashes and not here."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")  # the tests that fetch it ask a server on this machine
    monkeypatch.setitem(registry.SPECS, "tiny", tiny_module.SPEC)
