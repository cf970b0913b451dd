"""Chains that are annealed between a mixture of both layers and the model, up or down.

Where hidden units start anew at beta = 0, as in AIS, a mode that many units hold up together falls apart on the way and
is found again late or never, however close to it the chain starts. Here each part of the mixture knows the hidden units
of its mode, too: their log-odds are those that the model gives to the means of the part. So where a part has the means
of a mode, the inputs of hidden units are on average the same at every beta, those of visible units nearly so, and a
chain can stay near its mode all the way.

References
----------
R. Grosse, C. Maddison, R. Salakhutdinov: Annealing between distributions by averaging moments. NIPS 2013. They have
other paths on which the units of an RBM keep their means.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from genreplay.core.annealing import SWEEPS_PER_CALL, Progress, draw_part, log_sums
from genreplay.core.kernels import Array, Workspace, sample, softplus_between, sum_softplus, to_hidden, to_visible
from genreplay.core.mixture import Mixture
from genreplay.core.rbm import RBM

Float64 = npt.NDArray[np.float64]

_NEGLIGIBLE = 30.0
"""nats below the term with the highest bound: less than the last digit of a sum in float32"""


def anneal_anchored(
    rbm: RBM,
    v: Array,
    mixtures: Sequence[Mixture],
    betas: Float64,
    rng: np.random.Generator,
    progress: Progress | None,
) -> Float64:
    """Move the chains ``v`` along ``betas``, up or down, in place. Return their log weights.

    The first chains belong to the first mixture, as many next ones to the second, and so on: they share nothing but the
    products with the weights, which take less time for all chains at once.

    At beta the unnormalised probability of v is

        sum_k share_k [q_k(v) prod_j S(-c_kj)]^(1 - beta)  exp(beta a'v) prod_j (1 + exp((1 - beta) c_kj + beta x_j)),

    where x = b + W v, and c_k = b + W (means of part k) are the log-odds of the hidden units of part k. That is the
    mixture, normalised, at beta = 0, and the model at beta = 1. In each step beta changes first, with the state fixed,
    and the change of the logarithm of this quantity is added to the log weight. Then a Gibbs step at the new beta
    changes the state: the part k given v, hidden units given k and v, then v given both.
    """
    log_weights, work = np.zeros(len(v)), Workspace()
    x, x_h, p_h, h = work.array("hidden", (4, len(v), rbm.n_hidden), v.dtype)
    x_v, p_v = work.array("visible", (2, *v.shape), v.dtype)
    mixture, log_shares = _side_by_side(mixtures, len(v))
    hidden = to_hidden(mixture.means.astype(v.dtype), rbm.W, rbm.b)
    at_zero = sum_softplus(hidden)

    def terms(beta: float) -> Float64:
        """The logarithms of the terms of the sum over parts, for each row; -inf where a term is negligible.

        Softplus is convex, so each sum over hidden units lies below the straight line through its values at beta = 0
        and 1. This shows at little cost which terms are negligible beside that with the highest bound: nearly all, most
        of the way.
        """
        known = log_shares + (1 - beta) * (log_q - at_zero) + beta * along
        at_most = known + (1 - beta) * at_zero + beta * at_one
        found = at_most == at_most.max(axis=1, keepdims=True)
        log_terms = known + softplus_between(x, hidden, beta, found)
        others = ~found & (at_most > log_terms.max(axis=1, keepdims=True) - _NEGLIGIBLE)
        return np.where(others, known + softplus_between(x, hidden, beta, others), log_terms)

    for k, (beta, following) in enumerate(pairwise(betas), start=1):
        to_hidden(v, rbm.W, rbm.b, out=x)
        log_q = mixture.log_densities(v)
        along = (v @ rbm.a).astype(np.float64)[:, None]
        at_one = softplus_between(x, x[:1], 1.0, np.ones((len(x), 1), dtype=np.bool_))
        (before, _), (after, odds) = log_sums(terms(beta)), log_sums(terms(following))
        log_weights += after - before
        part = draw_part(odds, rng)
        np.multiply(x, float(following), out=x_h)
        x_h += hidden[part] * float(1 - following)
        sample(x_h, rng, p=p_h, out=h)
        to_visible(h, rbm.W, rbm.a, out=x_v)
        x_v *= float(following)
        x_v += mixture.biases[part] * float(1 - following)
        sample(x_v, rng, p=p_v, out=v)
        if progress is not None and (k % SWEEPS_PER_CALL == 0 or k == len(betas) - 1):
            progress((k - 1) % SWEEPS_PER_CALL + 1)
    return log_weights


def _side_by_side(mixtures: Sequence[Mixture], n_rows: int) -> tuple[Mixture, Float64]:
    """All parts as one mixture, and the log shares of parts for each row: -inf for those of another row's mixture."""
    biases, log_shares, log_norms = (np.concatenate(each) for each in zip(*mixtures, strict=True))
    of_part = np.repeat(np.arange(len(mixtures)), [len(each) for each in mixtures])
    of_row = np.repeat(np.arange(len(mixtures)), n_rows // len(mixtures))
    return Mixture(biases, log_shares, log_norms), np.where(of_row[:, None] == of_part, log_shares, -np.inf)
