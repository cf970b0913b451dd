"""The types of array that the kernels take and return."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.floating]
Integers = npt.NDArray[np.signedinteger[Any]]
Float64 = npt.NDArray[np.float64]
Uint16 = npt.NDArray[np.uint16]
Codes = npt.NDArray[np.uint8]
"""one code for each row and group"""
MOST_CODES = 255
"""codes of a group, so that one byte holds each, and one more value is free"""
Offsets = npt.NDArray[np.int64]
"""where the codes of each group begin, and last their number"""
Flags = npt.NDArray[np.bool_]
