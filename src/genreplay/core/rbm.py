"""The Restricted Boltzmann Machine: energy, free energy, conditionals, Gibbs chains (Eqs. 1 and 2).

Rows are observations: ``v`` has shape (n_rows, n_visible), ``h`` has shape (n_rows, n_hidden). ``kernels`` decides how
products with W are computed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core.ingredient import Layer
from genreplay.core.kernels import (
    Array,
    VisibleRows,
    bias_of,
    compact,
    draw,
    sample,
    sigmoid,
    sum_softplus,
    to_hidden,
    to_visible,
)


class RBM(NamedTuple):
    """The free parameters Theta = {W, a, b} of section 2.2.

    The velocity and the gradient of Theta have the same three parts, so they use this class too.

    >>> rbm = RBM(W=np.zeros((3, 2)), a=np.zeros(2), b=np.zeros(3))
    >>> rbm.n_visible, rbm.n_hidden, rbm.n_parameters
    (2, 3, 11)
    """

    W: Array
    """weights, (n_hidden, n_visible); fastest if the weights of each visible unit are contiguous (order "F")"""
    a: Array
    """visible biases, (n_visible,)"""
    b: Array
    """hidden biases, (n_hidden,)"""

    @property
    def n_visible(self) -> int:
        return int(self.W.shape[1])

    @property
    def n_hidden(self) -> int:
        return int(self.W.shape[0])

    @property
    def n_parameters(self) -> int:
        return sum(part.size for part in self)

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self)

    def copy(self) -> RBM:
        """Return a copy with the same memory order."""
        return RBM(*(part.copy("K") for part in self))

    def is_finite(self) -> bool:
        return all(bool(np.isfinite(part).all()) for part in self)


def init(
    n_visible: int,
    n_hidden: int,
    rng: np.random.Generator,
    sigma: float = 0.01,
    dtype: npt.DTypeLike = np.float32,
) -> RBM:
    """Draw all of Theta from N(0, sigma) (Algorithm 1, line 3).

    >>> rbm = init(n_visible=784, n_hidden=500, rng=np.random.default_rng(0))
    >>> rbm.n_parameters, rbm.nbytes
    (393284, 1573136)
    """
    shapes = ((n_hidden, n_visible), (n_visible,), (n_hidden,))
    W, a, b = (np.asarray(sigma * rng.standard_normal(shape), dtype=dtype, order="F") for shape in shapes)
    return RBM(W, a, b)


def zeros_like(rbm: RBM) -> RBM:
    """Return a Theta of zeros, the initial velocity (Algorithm 1, line 4).

    >>> zeros_like(RBM(W=np.ones((1, 2)), a=np.ones(2), b=np.ones(1)))
    RBM(W=array([[0., 0.]]), a=array([0., 0.]), b=array([0.]))
    """
    return RBM(*(np.zeros_like(part) for part in rbm))


def energy(rbm: RBM, v: Array, h: Array) -> Array:
    """E(v, h) = -a'v - b'h - h'Wv, one value per row (Eq. 1).

    >>> rbm = RBM(W=np.array([[1.0, 2.0]]), a=np.array([0.5, 0.0]), b=np.array([-1.0]))
    >>> energy(rbm, v=np.array([[1.0, 1.0]]), h=np.array([[1.0]]))
    array([-2.5])
    """
    interaction: Array = np.einsum("ij,ij->i", h @ rbm.W, v)
    return -(v @ rbm.a) - h @ rbm.b - interaction


def free_energy(rbm: RBM, v: VisibleRows) -> npt.NDArray[np.float64]:
    """F(v) = -a'v - sum_j log(1 + exp(b_j + W_j v)), one value per row (Eq. 2). The sum over j is in float64.

    >>> flat = RBM(W=np.zeros((3, 2)), a=np.zeros(2), b=np.zeros(3))
    >>> free_energy(flat, np.ones((1, 2))) / np.log(2)
    array([-3.])
    """
    v = compact(v, rbm.n_hidden)
    return -bias_of(v, rbm.a).astype(np.float64) - sum_softplus(to_hidden(v, rbm.W, rbm.b))


def hidden_given_visible(rbm: RBM, v: VisibleRows) -> Array:
    """P(h = 1 | v) = S(b + Wv) (section 2.2).

    >>> rbm = RBM(W=np.array([[1.0, 2.0]]), a=np.zeros(2), b=np.array([-3.0]))
    >>> hidden_given_visible(rbm, np.array([[1.0, 1.0]]))
    array([[0.5]])
    """
    x = to_hidden(v, rbm.W, rbm.b)
    return sigmoid(x, out=x)


def visible_given_hidden(rbm: RBM, h: Array) -> Array:
    """P(v = 1 | h) = S(a + W'h) (section 2.2).

    >>> rbm = RBM(W=np.array([[1.0, 2.0]]), a=np.array([-1.0, -2.0]), b=np.zeros(1))
    >>> visible_given_hidden(rbm, np.array([[1.0]]))
    array([[0.5, 0.5]])
    """
    x = to_visible(h, rbm.W, rbm.a)
    return sigmoid(x, out=x)


def bernoulli(probabilities: Array, rng: np.random.Generator, out: Array | None = None) -> Array:
    """Draw zeros and ones with the given probabilities of a one, in the same dtype.

    >>> bernoulli(np.array([0.0, 1.0]), np.random.default_rng(0))
    array([0., 1.])
    """
    return draw(probabilities, rng, out)


def gibbs(rbm: RBM, v: Array, n_steps: int, rng: np.random.Generator) -> Array:
    """Run ``n_steps`` Gibbs steps v -> h -> v. Both layers are sampled. The chain converges to P(v).

    >>> always_on = RBM(W=np.zeros((3, 2)), a=np.full(2, 50.0), b=np.zeros(3))
    >>> gibbs(always_on, np.zeros((1, 2)), n_steps=5, rng=np.random.default_rng(0))
    array([[1., 1.]])
    """
    for _ in range(n_steps):
        h = sample(to_hidden(v, rbm.W, rbm.b), rng)[1]
        v = sample(to_visible(h, rbm.W, rbm.a), rng)[1]
    return v


def dream(rbm: RBM, n_samples: int, n_gibbs: int, rng: np.random.Generator, visible: Layer = "samples") -> Array:
    """Generate rows from the model, to replay what it has learned (Algorithm 1, lines 14-22).

    The hidden layer starts at real values h ~ U(0, 1) (line 16). After that, both layers are sampled; the last visible
    one may be left as probabilities. Line 19 is not computed after the last step, because its result is not used.

    >>> always_on = RBM(W=np.zeros((3, 2)), a=np.full(2, 50.0), b=np.zeros(3))
    >>> dream(always_on, n_samples=2, n_gibbs=1, rng=np.random.default_rng(0))
    array([[1., 1.],
           [1., 1.]])
    """
    h = rng.random((n_samples, rbm.n_hidden), dtype=rbm.b.dtype.type)
    for _ in range(n_gibbs - 1):
        v = bernoulli(visible_given_hidden(rbm, h), rng)
        h = bernoulli(hidden_given_visible(rbm, v), rng)
    p = visible_given_hidden(rbm, h)
    return p if visible == "probabilities" else bernoulli(p, rng)


def conditional_gibbs(
    rbm: RBM, v: Array, unknown: npt.NDArray[np.bool_], n_steps: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Run the Gibbs chain with the known units fixed. The chain converges to P(unknown | known).

    Returns the last state, and the mean of the visible probabilities over the second half of the chain.

    >>> always_on = RBM(W=np.zeros((3, 2)), a=np.full(2, 50.0), b=np.zeros(3))
    >>> v, unknown = np.array([[0.0, np.nan]]), np.array([[False, True]])
    >>> conditional_gibbs(always_on, v, unknown, n_steps=10, rng=np.random.default_rng(0))[0]
    array([[0., 1.]])
    """
    v = np.where(unknown, bernoulli(np.broadcast_to(sigmoid(rbm.a), v.shape), rng), v)
    total = np.zeros_like(v)
    n_averaged = n_steps - n_steps // 2
    for step in range(n_steps):
        probabilities = visible_given_hidden(rbm, bernoulli(hidden_given_visible(rbm, v), rng))
        v = np.where(unknown, bernoulli(probabilities, rng), v)
        if step >= n_steps // 2:
            total += probabilities
    return v, total / n_averaged
