"""The types of array that the kernels take and return."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.floating]
Integers = npt.NDArray[np.signedinteger[Any]]
Float64 = npt.NDArray[np.float64]
Uint16 = npt.NDArray[np.uint16]
