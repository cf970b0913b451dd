"""Running means and variances, and values that stand still. See ``kernels/running.py`` for what they mean."""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

from genreplay.core.kernels import running as source
from genreplay.core.kernels.arrays import Float64

# no fused products: the same bits as without Numba
deviate = numba.njit(cache=True, nogil=True, error_model="numpy")(source.deviate)
stand_still = numba.njit(cache=True, nogil=True, error_model="numpy")(source.stand_still)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def window_means(known: Float64, n: int, scales: npt.NDArray[np.int64], means: Float64) -> None:
    """Write the means over the last rows."""
    n_rows, n_scales, n_columns = means.shape
    first = len(known) - n_rows
    for i in range(n_rows):
        for k in range(n_scales):
            for c in range(n_columns):
                total = 0.0
                for j in range(first + i - scales[k] + 1, first + i + 1):
                    total += known[j, c]
                means[i, k, c] = total / min(n + i + 1, scales[k])
