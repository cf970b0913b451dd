"""Every test of the core runs with dense products and, where Numba is installed, with sparse ones."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest

from genreplay.core import kernels

PRODUCTS = ["dense"] if importlib.util.find_spec("numba") is None else ["dense", "sparse"]


@pytest.fixture(params=PRODUCTS, autouse=True)
def products(request: pytest.FixtureRequest) -> Iterator[str]:
    """How the products are computed."""
    with kernels.use(request.param):
        yield request.param
