"""One step of contrastive divergence with momentum and decay (Eqs. 4 and 5; Algorithm 1, lines 27-40)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from genreplay.core.rbm import RBM, Array, bernoulli, hidden_given_visible, visible_given_hidden

Reconstruction = Literal["probabilities", "samples"]


def statistics(V: Array, H: Array) -> RBM:
    """Psi: the sums over rows of h v', v and h (Eq. 5; lines 31 and 37)."""
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
    """Return the new (Theta, Delta Theta) (lines 39 and 40). The decay acts on all of Theta, biases too."""
    # Python's floats leave the arrays' number type alone; NumPy's float64 would not.
    learning_rate, momentum, weight_decay = float(learning_rate), float(momentum), float(weight_decay)
    velocity = RBM(
        *(
            momentum * delta + learning_rate * (slope - weight_decay * theta)
            for theta, delta, slope in zip(rbm, velocity, gradient, strict=True)
        )
    )
    return RBM(*(theta + delta for theta, delta in zip(rbm, velocity, strict=True))), velocity
