"""Sums of softplus(x) = log(1 + exp(x)), with few logarithms and without overflow."""

from __future__ import annotations

import numpy as np

from genreplay.core.kernels.arrays import Array, Float64

# Each factor 1 + exp(-|x|) is at most 2, so the product of this many does not overflow even in float32.
_FACTORS_PER_LOG = 100


def sum_softplus(x: Array) -> Float64:
    """sum_j log(1 + exp(x_j)) over the last axis, for x of any size.

    softplus(x) = max(x, 0) + log(1 + exp(-|x|)). A sum of logarithms is the logarithm of a product, so one logarithm is
    enough for a hundred units.

    >>> sum_softplus(np.array([[0.0, 1000.0]])).round(3)
    array([1000.693])
    """
    positive: Float64 = np.maximum(x, 0.0).sum(axis=-1, dtype=np.float64)
    return positive + sum_log1p_exp_neg(np.abs(x))


def sum_log1p_exp_neg(x: Array) -> Float64:
    """sum_j log(1 + exp(-x_j)) over the last axis, for x >= 0.

    >>> sum_log1p_exp_neg(np.array([[0.0, 1000.0]])).round(3)
    array([0.693])
    """
    factors = np.exp(-x)
    factors += 1.0
    starts = np.arange(0, x.shape[-1], _FACTORS_PER_LOG)
    products = np.multiply.reduceat(factors, starts, axis=-1)
    total: Float64 = np.log(products.astype(np.float64)).sum(axis=-1)
    return total
