r"""Models that dream for others: endless rows, each model with its share (not in the paper).

A model that has learned can be asked for as many rows as one likes, so others can learn from it without its data. But
which rows? While a model learns, its persistent chains are spread as the data are. Let them go on with parameters that
stand still, and they gather where the model is densest. The chains were that good because the parameters kept moving,
away from where the chains were (A. Decelle, C. Furtlehner, B. Seoane: Equilibrium and non-equilibrium regimes in the
learning of RBMs, 2021). So the parameters of a dreamer go on moving, by fast weights that soon decay (T. Tieleman, G.
Hinton: Using Fast Weights to Improve Persistent Contrastive Divergence, 2009). In place of rows, they follow the states
that learning left: the pool of dreams if the model has one, else its persistent chains.

$$\theta_{fast} \leftarrow \gamma \, \theta_{fast} + \alpha \, (\Psi^+ - \Psi^-),$$

with $\Psi^+$ the statistics of these states, $\Psi^-$ those of the chains now, and the chains moved by $\theta +
\theta_{fast}$. The model itself stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from genreplay.core.kernels import Array
from genreplay.core.rbm import RBM, dream, gibbs, hidden_given_visible, zeros_like
from genreplay.core.replay.dream_pool import Pool
from genreplay.core.state import State

MOST_CHAINS, LEAST_CHAINS, CHAINS_OF_ALL = 4_000, 500, 40_000
"""of a model that has a pool of dreams or nothing to start from; of many models together, to bound the memory"""
N_BURN_IN = 20
"""Gibbs steps before the first dream is taken"""
N_GIBBS = 10
"""Gibbs steps between two dreams of a chain"""
RATE, KEEP = 0.05, 0.95
"""alpha and gamma of the fast weights; with alpha = 0 the parameters stand still"""
_ROWS_PER_BLOCK = 1_000


class Dreamer:
    """Gibbs chains of one model, which start from states that learning left, and dream without end.

    >>> from genreplay.core import MODERN, online
    >>> rng = np.random.default_rng(0)
    >>> state = online.init(n_visible=6, n_hidden=4, recipe=MODERN, rng=rng)
    >>> Dreamer(state, rng).rows(200, rng).shape
    (200, 6)
    """

    def __init__(self, state: State, rng: np.random.Generator, rate: float = RATE, n_chains: int = MOST_CHAINS) -> None:
        self._model, self._rate = state.model, rate
        self._fast = zeros_like(state.model)
        self._chains = _starts(state, n_chains, rng)
        self._wanted = _statistics(self._model, self._chains)
        self._move(N_BURN_IN, rng)
        self._left: npt.NDArray[np.intp] = np.arange(0)
        """chains that have not given their dream since they last moved"""

    def rows(self, n: int, rng: np.random.Generator) -> Array:
        """So many dreams; a chain gives no second one before it has gone on."""
        taken = [self._chains[:0]]
        while n > 0:
            if len(self._left) == 0:
                self._move(N_GIBBS, rng)
                self._left = rng.permutation(len(self._chains))
            some, self._left = self._left[:n], self._left[n:]
            taken.append(self._chains[some])
            n -= len(some)
        return np.concatenate(taken)

    def _move(self, n_steps: int, rng: np.random.Generator) -> None:
        for _ in range(n_steps):
            moving = RBM(*(part + fast for part, fast in zip(self._model, self._fast, strict=True)))
            self._chains = gibbs(moving, self._chains, 1, rng)
            for fast, wanted, now in zip(self._fast, self._wanted, _statistics(moving, self._chains), strict=True):
                fast *= KEEP
                fast += self._rate * (wanted - now)


def _starts(state: State, n: int, rng: np.random.Generator) -> Array:
    """States that learning left: dreams of the pool, each once, or persistent chains; dreams from noise if none."""
    if isinstance(state.past, Pool) and state.past.n_held:
        held = state.past.dreams(state.model)
        return held[rng.permutation(len(held))[:n]]
    return dream(state.model, n, N_BURN_IN, rng) if state.chains is None else state.chains


def _statistics(rbm: RBM, v: Array) -> RBM:
    """The means of h v^T, v and h over the rows, in the memory order of W."""
    h = hidden_given_visible(rbm, v)
    return RBM((v.T @ h / len(v)).T, v.mean(axis=0), h.mean(axis=0))


def dreams_of(
    states: Sequence[State], shares: npt.NDArray[np.float64], n: int, rng: np.random.Generator
) -> Iterator[Array]:
    """Dreams of several models, mixed at random, each model with its share of them; in blocks.

    >>> from genreplay.core import PAPER, online
    >>> rng = np.random.default_rng(0)
    >>> states = [online.init(n_visible=6, n_hidden=n, recipe=PAPER, rng=rng) for n in (2, 5)]
    >>> [rows.shape for rows in dreams_of(states, np.array([0.1, 0.9]), 1_500, rng)]
    [(1000, 6), (500, 6)]
    """
    n_chains = min(max(CHAINS_OF_ALL // len(states), LEAST_CHAINS), MOST_CHAINS)
    dreamers = [Dreamer(state, rng, n_chains=n_chains) for state in states]
    for start in range(0, n, _ROWS_PER_BLOCK):
        numbers = rng.multinomial(min(_ROWS_PER_BLOCK, n - start), shares)
        rows = np.concatenate([dreamer.rows(int(k), rng) for dreamer, k in zip(dreamers, numbers, strict=True)])
        yield rows[rng.permutation(len(rows))]
