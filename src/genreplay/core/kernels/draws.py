"""Probabilities and random draws of binary units."""

from __future__ import annotations

import math

import numpy as np

from genreplay.core.kernels.arrays import Array, Float64, Uint16
from genreplay.core.kernels.choice import loops_for

_LARGEST = np.iinfo(np.uint64).max


def sigmoid(x: Array, out: Array | None = None) -> Array:
    """S(x) = 1 / (1 + exp(-x)). In NumPy it is computed with tanh, which cannot overflow.

    >>> sigmoid(np.array([-1000.0, 0.0, 1000.0]))
    array([0. , 0.5, 1. ])
    """
    loops = loops_for(x)
    if loops is not None:
        out = np.empty_like(x) if out is None else out
        if out is not x:
            np.copyto(out, x)
        loops.sigmoid(len(x), x.size, out)
        return out
    y = np.multiply(x, 0.5, out=out)
    np.tanh(y, out=y)
    y += 1.0
    y *= 0.5
    return y


def draw(p: Array, rng: np.random.Generator, out: Array | None = None) -> Array:
    """Draw zeros and ones, where ``p`` holds the probability of a one. ``out`` may be ``p``.

    Each unit gets an integer u of 16 random bits, which stands for the interval from u / 65536 to (u + 1) / 65536. If
    the interval lies below p, the draw is one. If it lies above p, the draw is zero. If p lies inside it, which happens
    once in 65,536 times, the draw is one with a probability equal to the share of the interval below p. A uniform real
    number decides this case. There is one such number per row: after each decision it is rescaled, so it is uniform
    again and can decide the next case. The probabilities are therefore exact, and much cheaper than one real number
    per unit.

    >>> draw(np.full((1000, 100), 0.3), np.random.default_rng(0)).mean().round(2)
    np.float64(0.3)
    """
    uniform, spare = random_bits(p.shape, rng)
    out = np.multiply(p, 65536, out=out)
    out -= uniform
    np.clip(out, 0, 1, out=out)
    rows = np.atleast_2d(out)
    for r, i in zip(*np.nonzero((rows > 0) & (rows < 1)), strict=True):
        chance = float(rows[r, i])
        on = spare[r] < chance
        spare[r] = spare[r] / chance if on else (spare[r] - chance) / (1 - chance)
        rows[r, i] = on
    return out


def sample(x: Array, rng: np.random.Generator, p: Array | None = None, out: Array | None = None) -> tuple[Array, Array]:
    """Return the probabilities S(x) and draws with these probabilities.

    ``x``, ``p`` and ``out`` must be three different arrays.

    >>> p, v = sample(np.array([[-50.0, 50.0]]), np.random.default_rng(0))
    >>> v
    array([[0., 1.]])
    """
    loops = loops_for(x)
    if loops is None:
        p = sigmoid(x, out=p)
        return p, draw(p, rng, out=out)
    p = np.empty_like(x) if p is None else p
    out = np.empty_like(x) if out is None else out
    loops.sample(len(x), x.size, x, *random_bits(x.shape, rng), p, out)
    return p, out


def random_bits(shape: tuple[int, ...], rng: np.random.Generator) -> tuple[Uint16, Float64]:
    """Return an integer of 16 random bits per unit and a uniform real number per row.

    Each 64-bit integer of the generator gives four of the 16-bit integers.
    """
    size = math.prod(shape)
    words = rng.integers(0, _LARGEST, size=-(-size // 4), dtype=np.uint64, endpoint=True)
    return words.view(np.uint16)[:size].reshape(shape), rng.random(math.prod(shape[:-1]))
