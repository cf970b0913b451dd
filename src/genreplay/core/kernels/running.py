"""Running means and variances of a stream, and how long its values stand still: compiled, or NumPy without Numba."""

from __future__ import annotations

import numpy as np

from genreplay.core.kernels.arrays import Float64
from genreplay.core.kernels.choice import compiled_loops

N_LENGTHS = 32
"""lengths of runs that are told apart: 0, 1, 2 to 3, 4 to 7, and so on"""
SHORTEST = 4
"""repetitions of a value from which on it may be stuck; fewer are a coincidence"""


def window_means(known: Float64, n_rows: int, n: int, scales: tuple[int, ...]) -> Float64:
    """Means over the last rows, as many as each scale says, for the last ``n_rows`` of those known, after n others.

    Shape (n_rows, n_scales, n_columns). Each is added up for itself, in the order of its rows, so that rounding errors
    do not depend on the rows before.

    >>> window_means(np.array([[0.0], [0.0], [3.0], [6.0]]), n_rows=2, n=0, scales=(1, 3))[:, :, 0].tolist()
    [[3.0, 3.0], [6.0, 4.5]]
    """
    loops, means = compiled_loops(), np.zeros((n_rows, len(scales), known.shape[1]))
    if loops is not None:
        loops.running.window_means(known, n, np.array(scales), means)
        return means
    for k, scale in enumerate(scales):
        first = len(known) - n_rows - scale + 1
        for j in range(scale):
            means[:, k] += known[first + j : first + j + n_rows]
        means[:, k] /= np.minimum(np.arange(n + 1, n + n_rows + 1), scale)[:, np.newaxis]
    return means


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


def stand_still(rows: Float64, last: Float64, run: Float64, longest: Float64, ended: Float64) -> Float64:
    """-log P(a run of equal values is at least as long as the one that each number stands in), by the runs before it.

    ``last`` and ``run`` are the newest value of each column and how often it has been repeated, ``longest`` the longest
    run that has ended and ``ended`` how many runs of each length have, (columns, N_LENGTHS); all are changed in place.
    A run that has c equals or superiors among n has the probability (c + 1) / (n + 1). Beyond the longest it falls in
    inverse proportion to the length, but not below the square: no more can be known from n runs. A missing value, NaN,
    neither repeats nor changes anything.

    This function is compiled as it is, where there is Numba.
    """
    found = np.zeros(rows.shape)
    for i in range(len(rows)):
        for j in range(rows.shape[1]):
            value = rows[i, j]
            if value != value:
                continue
            if value == last[j]:
                run[j] += 1
            else:
                if last[j] == last[j]:
                    place = min(int(np.ceil(np.log2(run[j] + 1))), N_LENGTHS - 1)
                    ended[j, place] += 1
                    longest[j] = max(longest[j], run[j])
                last[j], run[j] = value, 0.0
            if run[j] >= SHORTEST:
                n, place = ended[j].sum(), min(int(np.ceil(np.log2(run[j] + 1))), N_LENGTHS - 1)
                beyond = np.log((run[j] + 1) / (longest[j] + 1))
                nats = np.log((n + 1) / (ended[j, place:].sum() + 1))
                found[i, j] = nats + min(max(beyond, 0.0), np.log(n + 1))
    return found


def standstill(
    rows: Float64, last: Float64, run: Float64, longest: Float64, ended: Float64
) -> tuple[Float64, Float64, Float64, Float64, Float64]:
    """What ``stand_still`` finds, and the four arrays after it.

    >>> rows = np.array([[1.0], [2.0], [3.0], *[[4.0]] * 10])
    >>> found, *_ = standstill(rows, np.full(1, np.nan), np.zeros(1), np.zeros(1), np.zeros((1, N_LENGTHS)))
    >>> found[:, 0].round(2).tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.77, 2.77, 2.77, 2.77, 2.77, 2.77]
    """
    held, loops = (last.copy(), run.copy(), longest.copy(), ended.copy()), compiled_loops()
    function = stand_still if loops is None else loops.running.stand_still
    return function(rows, *held), *held
