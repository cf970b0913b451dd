"""The hidden layer's part of one step of annealing."""

from __future__ import annotations

import numpy as np

from genreplay.core.kernels.arrays import Array, Flags, Float64
from genreplay.core.kernels.choice import COMPILED_FROM, compiled_loops, loops_for
from genreplay.core.kernels.draws import draw, random_bits, sigmoid
from genreplay.core.kernels.softplus import sum_log1p_exp_neg, sum_softplus


def anneal(x: Array, beta: float, following: float, rng: np.random.Generator, p: Array, h: Array) -> Float64:
    """Move the hidden layer from inverse temperature ``beta`` to ``following``; ``x`` are its inputs at 1.

    Returns sum_j softplus(following x_j) - softplus(beta x_j), one value per row. Writes the probabilities
    S(following x) to ``p`` and draws with them to ``h``.

    >>> x = np.zeros((2, 3))
    >>> p, h = np.empty_like(x), np.empty_like(x)
    >>> anneal(x, beta=0.0, following=1.0, rng=np.random.default_rng(0), p=p, h=h), p[0]
    (array([0., 0.]), array([0.5, 0.5, 0.5]))
    """
    loops, number = loops_for(x), x.dtype.type
    if loops is not None:
        change = np.empty(len(x))
        loops.anneal(len(x), x.size, x, *random_bits(x.shape, rng), number(beta), number(following), p, h, change)
        return change
    size = np.abs(x)
    positive: Float64 = np.maximum(x, 0.0).sum(axis=1, dtype=np.float64)
    before, after = (sum_log1p_exp_neg(number(each) * size) for each in (beta, following))
    draw(sigmoid(np.multiply(x, number(following), out=p), out=p), rng, out=h)
    return (following - beta) * positive + after - before


def softplus_between(x: Array, c: Array, beta: float, wanted: Flags) -> Float64:
    """sum_j softplus((1 - beta) c_kj + beta x_rj), for each row r of ``x`` and each k that is wanted for it, else -inf.

    >>> softplus_between(np.array([[0.0, 1000.0]]), np.zeros((2, 2)), 0.5, wanted=np.array([[True, False]])).round(3)
    array([[500.693,    -inf]])
    """
    number, sums = x.dtype.type, np.full(wanted.shape, -np.inf)
    work = np.count_nonzero(wanted) * x.shape[1]
    loops = compiled_loops() if x.dtype == np.float32 and work >= COMPILED_FROM else None
    if loops is not None:
        loops.softplus_between(len(x), work, x, c, number(beta), wanted, sums)
        return sums
    rows, parts = wanted.nonzero()
    sums[rows, parts] = sum_softplus(number(beta) * x[rows] + number(1 - beta) * c[parts])
    return sums
