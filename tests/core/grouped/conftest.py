"""Every test of tables runs with NumPy and, where Numba is installed, with compiled loops."""

from __future__ import annotations

import importlib.util

import pytest

from genreplay.core.kernels import grouped

PATHS = ["numpy"] if importlib.util.find_spec("numba") is None else ["numpy", "compiled"]


@pytest.fixture(params=PATHS, autouse=True)
def products(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How probabilities and gradients are computed."""
    if request.param == "numpy":
        monkeypatch.setattr(grouped, "_loops", lambda: None)
    return str(request.param)
