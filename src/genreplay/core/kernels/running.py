"""Running means and variances of a stream, and how far each row is from them: compiled, or NumPy without Numba."""

from __future__ import annotations

import numpy as np

from genreplay.core.kernels.arrays import Float64
from genreplay.core.kernels.choice import compiled_loops


def deviate(
    rows: Float64, mean: Float64, variance: Float64, n: int, memory: int, n_first: int, floor: float
) -> Float64:
    """For rows of numbers that come after n others, how many standard deviations each number is above its mean.

    Each row is judged before it is added to the mean and the variance, which are changed in place. Both forget what is
    older than the memory. Before ``n_first`` rows nothing deviates; ``floor`` is added to the standard deviation.

    This function is compiled as it is, where there is Numba.
    """
    found = np.zeros(rows.shape)
    for i in range(len(rows)):
        gap = rows[i] - mean
        if n + i >= n_first:
            found[i] = gap / (np.sqrt(variance) + floor)
        share = 1.0 / min(n + i + 1, memory)
        mean += share * gap
        variance += share * (gap * (rows[i] - mean) - variance)
    return found


def deviations(
    rows: Float64, mean: Float64, variance: Float64, n: int, memory: int, n_first: int, floor: float
) -> tuple[Float64, Float64, Float64]:
    """The deviations of rows, and the mean and the variance after them.

    >>> rows, zeros = np.array([[1.0], [3.0], [2.0], [4.0]]), np.zeros(1)
    >>> found, mean, variance = deviations(rows, zeros, zeros, n=0, memory=100, n_first=2, floor=0.0)
    >>> found[:, 0].tolist(), mean.tolist(), variance.tolist()
    ([0.0, 0.0, 0.0, 2.449489742783178], [2.5], [1.25])
    """
    mean, variance, loops = mean.copy(), variance.copy(), compiled_loops()
    function = deviate if loops is None else loops.running.deviate
    return function(rows, mean, variance, n, memory, n_first, floor), mean, variance
