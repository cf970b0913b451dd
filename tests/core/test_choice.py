"""When Numba is imported: at once, or after the first work."""

from __future__ import annotations

import numpy as np
import pytest

from genreplay.core.grouped.model import GroupedRBM, offsets_of, surprise
from genreplay.core.kernels.choice import LITTLE, compiled_loops, numba_later, spend

needs_numba = pytest.mark.skipif(compiled_loops() is None, reason="there is nothing to choose without Numba")


@needs_numba
def test_the_first_work_is_left_to_numpy_and_more_to_the_compiled_loops() -> None:
    with numba_later():
        assert compiled_loops() is None
        spend(LITTLE)
        assert compiled_loops() is None
        spend(1)
        assert compiled_loops() is not None
    assert compiled_loops() is not None


@needs_numba
def test_work_counts_only_where_numba_can_wait() -> None:
    spend(LITTLE + 1)
    with numba_later():
        assert compiled_loops() is None
    assert compiled_loops() is not None


@needs_numba
def test_many_rows_are_more_than_little_work() -> None:
    rng = np.random.default_rng(0)
    rbm, offsets = GroupedRBM(rng.normal(size=(500, 64)), np.zeros(500), np.zeros(64)), offsets_of([250, 250])
    rows = rng.integers(250, size=(1000, 2)).astype(np.uint8)
    with numba_later():
        few = surprise(rbm, offsets, rows[:1000])
        assert compiled_loops() is None
        many = surprise(rbm, offsets, rows)
        assert compiled_loops() is not None
    np.testing.assert_allclose(few, many, atol=1e-12)
    np.testing.assert_array_equal(surprise(rbm, offsets, rows), many)
