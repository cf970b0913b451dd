"""Arrays that are allocated once and reused."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from genreplay.core.kernels.arrays import Array


class Workspace:
    """Named arrays that are allocated once and reused. Each use may overwrite the content of an earlier one.

    >>> work = Workspace()
    >>> work.array("hidden", (2, 3), np.float32) is work.array("hidden", (2, 3), np.float32)
    True
    """

    def __init__(self) -> None:
        self._arrays: dict[str, npt.NDArray[Any]] = {}

    def __reduce__(self) -> tuple[type[Workspace], tuple[()]]:
        return Workspace, ()  # a copy starts empty, because no content is needed after a use

    def array(self, name: str, shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
        """Return the array of this name with this shape. Its content is arbitrary."""
        held = self._arrays.get(name)
        if held is None or held.shape != shape or held.dtype != dtype:
            held = self._arrays[name] = np.empty(shape, dtype)
        return held

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self._arrays.values())
