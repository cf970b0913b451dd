"""Chains that are annealed between a mixture of independent units and the model, up or down."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from genreplay.core.kernels import Array, Workspace, sample, to_hidden, to_visible
from genreplay.core.kernels import anneal as anneal_hidden
from genreplay.core.mixture import Mixture
from genreplay.core.rbm import RBM, gibbs

Float64 = npt.NDArray[np.float64]
Progress = Callable[[int], object]
"""called with the number of Gibbs sweeps since the last call"""

SWEEPS_PER_CALL = 100


def anneal(
    rbm: RBM, v: Array, mixture: Mixture, betas: Float64, rng: np.random.Generator, progress: Progress | None
) -> Float64:
    """Move the chains ``v`` along ``betas``, up or down, in place. Return their log weights.

    At beta the unnormalised probability of v is

        sum_k share_k q_k(v)^(1 - beta)  exp(beta a'v) prod_j (1 + exp(beta (b_j + W_j v))),

    that of the mixture times 2^n_hidden at beta = 0, that of the model at beta = 1. In each step beta changes first,
    with the state fixed, and the change of the logarithm of this quantity is added to the log weight. Then a Gibbs step
    at the new beta changes the state: hidden units and the part k given v, then v given both.
    """
    log_weights, work = np.zeros(len(v)), Workspace()
    directions = np.ascontiguousarray(np.vstack([mixture.biases, rbm.a]).T, dtype=v.dtype)
    x_h, p_h, h = work.array("hidden", (3, len(v), rbm.n_hidden), v.dtype)
    x_v, p_v = work.array("visible", (2, *v.shape), v.dtype)
    bias_v = np.empty_like(x_v)
    for k, (beta, following) in enumerate(pairwise(betas), start=1):
        along = (v @ directions).astype(np.float64)
        log_q = along[:, :-1] - mixture.log_norms
        before, _ = log_sums(mixture.log_shares + (1 - beta) * log_q)
        after, odds = log_sums(mixture.log_shares + (1 - following) * log_q)
        log_weights += (following - beta) * along[:, -1] + after - before
        log_weights += anneal_hidden(to_hidden(v, rbm.W, rbm.b, out=x_h), beta, following, rng, p_h, h)
        to_visible(h, rbm.W, rbm.a, out=x_v)
        x_v *= float(following)
        np.take(mixture.biases, draw_part(odds, rng), axis=0, out=bias_v)
        bias_v *= float(1 - following)
        x_v += bias_v
        sample(x_v, rng, p=p_v, out=v)
        if progress is not None and (k % SWEEPS_PER_CALL == 0 or k == len(betas) - 1):
            progress((k - 1) % SWEEPS_PER_CALL + 1)
    return log_weights


def settle(rbm: RBM, v: Array, n_steps: int, rng: np.random.Generator, progress: Progress | None) -> Array:
    """Return the chains after some Gibbs steps of the model."""
    for done in range(0, n_steps, SWEEPS_PER_CALL):
        n_now = min(SWEEPS_PER_CALL, n_steps - done)
        v = gibbs(rbm, v, n_now, rng)
        if progress is not None:
            progress(n_now)
    return v


def log_sums(log_terms: Float64) -> tuple[Float64, Float64]:
    """The logarithm of the sum of the terms of each row, and these terms, the largest scaled to 1.

    >>> log_sum, terms = log_sums(np.array([[800.0, 800.0, -np.inf]]))
    >>> (log_sum - 800).round(3), terms  # log 2
    (array([0.693]), array([[1., 1., 0.]]))
    """
    largest = log_terms.max(axis=1)
    terms = np.exp(log_terms - largest[:, None])
    return largest + np.log(terms.sum(axis=1)), terms


def draw_part(odds: Float64, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Draw a part for each row."""
    upper = odds.cumsum(axis=1)
    drawn: npt.NDArray[np.intp] = (upper < rng.random((len(odds), 1)) * upper[:, -1:]).sum(axis=1)
    return drawn
