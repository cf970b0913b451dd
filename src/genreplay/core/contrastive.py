"""One step of contrastive divergence with momentum and decay (Eqs. 4 and 5; Algorithm 1, lines 27-40)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from genreplay.core.rbm import RBM, Array, bernoulli, hidden_given_visible, visible_given_hidden

Reconstruction = Literal["probabilities", "samples"]


def statistics(V: Array, H: Array) -> RBM:
    """Psi: the sums over rows of h v', v and h (Eq. 5; lines 31 and 37).

    >>> statistics(V=np.array([[1.0, 0.0], [1.0, 1.0]]), H=np.array([[0.5], [1.0]]))
    RBM(W=array([[1.5, 1. ]]), a=array([2., 1.]), b=array([1.5]))
    """
    return RBM(W=H.T @ V, a=V.sum(axis=0), b=H.sum(axis=0))


def cd_gradient(
    rbm: RBM,
    V: Array,
    n_cd: int,
    rng: np.random.Generator,
    reconstruction: Reconstruction = "probabilities",
) -> RBM:
    """(Psi+ - Psi-) / number of rows, the negative phase started from the rows (Eqs. 4, 5; lines 28-37).

    Both statistics use hidden probabilities. Inside the chain both layers are sampled; the last visible layer, which
    enters Psi-, is left as probabilities or sampled, as ``reconstruction`` says. The paper does not say which.

    Two departures from the letter of the paper: line 39 divides by n_B + n_Bhat, here it is the number of rows there
    are, which differs when nothing is rehearsed (t = 1, or no replay); and the sign is that of Eqs. 3 and 5, which
    ascend the likelihood, not that of Eq. 4.

    >>> rbm = RBM(W=np.zeros((1, 2)), a=np.zeros(2), b=np.zeros(1))  # reconstructs every row as [0.5, 0.5]
    >>> cd_gradient(rbm, np.array([[1.0, 0.0]]), n_cd=1, rng=np.random.default_rng(0)).a
    array([ 0.5, -0.5])
    """
    hidden = hidden_given_visible(rbm, V)
    positive = statistics(V, hidden)
    for k in range(1, n_cd + 1):
        visible = visible_given_hidden(rbm, bernoulli(hidden, rng))
        if k < n_cd or reconstruction == "samples":
            visible = bernoulli(visible, rng)
        hidden = hidden_given_visible(rbm, visible)
    negative = statistics(visible, hidden)
    return RBM(*((plus - minus) / len(V) for plus, minus in zip(positive, negative, strict=True)))


def momentum_step(
    rbm: RBM,
    velocity: RBM,
    gradient: RBM,
    learning_rate: float,
    momentum: float,
    weight_decay: float,
) -> tuple[RBM, RBM]:
    """Return the new (Theta, Delta Theta) (lines 39 and 40). The decay acts on all of Theta, biases too.

    >>> one = RBM(W=np.ones((1, 1)), a=np.ones(1), b=np.ones(1))
    >>> theta, velocity = momentum_step(one, one, one, learning_rate=0.1, momentum=0.5, weight_decay=0.2)
    >>> velocity.a.round(2), theta.a.round(2)
    (array([0.58]), array([1.58]))
    """
    # Python's floats leave the arrays' number type alone; NumPy's float64 would not.
    learning_rate, momentum, weight_decay = float(learning_rate), float(momentum), float(weight_decay)
    velocity = RBM(
        *(
            momentum * delta + learning_rate * (slope - weight_decay * theta)
            for theta, delta, slope in zip(rbm, velocity, gradient, strict=True)
        )
    )
    return RBM(*(theta + delta for theta, delta in zip(rbm, velocity, strict=True))), velocity
