"""One step of contrastive divergence with momentum and decay (Eqs. 4 and 5; Algorithm 1, lines 27-40).

The negative phase starts at the rows (the paper), at persistent chains, or at both: three ingredients of a recipe.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from genreplay.core import kernels
from genreplay.core.ingredient import MOST_ROWS, Ingredient, Layer, require_count, require_layer
from genreplay.core.kernels import Array, Near, VisibleRows, Workspace
from genreplay.core.rbm import RBM, bernoulli


class NegativePhase(Ingredient):
    """A base for negative phases.

    >>> from genreplay.core import MODERN, PAPER
    >>> PAPER.negative, MODERN.negative, isinstance(PAPER.negative, NegativePhase)
    (FromRows(), FromRowsAndChains(), True)
    """

    n_chains: int = 0
    """persistent chains that it keeps"""

    def chains_from(self, before: Array | None, rbm: RBM, rng: np.random.Generator) -> Array | None:
        """The chains that an update moves: a copy of those before it, or new ones; None without chains."""
        return None

    def gradient(
        self,
        rbm: RBM,
        V: VisibleRows,
        chains: Array | None,
        n_cd: int,
        n_new: int,
        rng: np.random.Generator,
        work: Workspace,
    ) -> RBM:
        """(Psi+ - Psi-) / number of rows (lines 29-37); the chains are moved in place."""
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class FromRows(NegativePhase):
    """The negative phase starts at the rows: contrastive divergence, as in the paper.

    >>> from genreplay import PAPER
    >>> PAPER.replace(negative=FromRows(reconstruction="samples"))
    Recipe(negative=FromRows(reconstruction='samples'))
    """

    reconstruction: Layer = "probabilities"
    """what the last visible layer holds; the paper does not say"""
    positive: Layer = "probabilities"
    """what the hidden layer of Psi+ holds; the paper does not say"""
    negative: Layer = "probabilities"
    """what the hidden layer of Psi- holds; the paper does not say"""

    def __post_init__(self) -> None:
        for name in ("reconstruction", "positive", "negative"):
            require_layer(self, name)

    def gradient(
        self,
        rbm: RBM,
        V: VisibleRows,
        chains: Array | None,
        n_cd: int,
        n_new: int,
        rng: np.random.Generator,
        work: Workspace,
    ) -> RBM:
        return cd_gradient(rbm, V, n_cd, rng, self.reconstruction, work, self.positive, self.negative)


@dataclass(frozen=True, repr=False)
class MeanField(NegativePhase):
    """Nothing is sampled: each layer holds the probabilities given those of the other. Another reading of the paper.

    Lines 29 to 35 say "Infer P(...)", and nowhere that a state is drawn.

    >>> from genreplay import PAPER
    >>> PAPER.replace(negative=MeanField())
    Recipe(negative=MeanField())
    """

    def gradient(
        self,
        rbm: RBM,
        V: VisibleRows,
        chains: Array | None,
        n_cd: int,
        n_new: int,
        rng: np.random.Generator,
        work: Workspace,
    ) -> RBM:
        return mean_field_gradient(rbm, V, n_cd, work)


@dataclass(frozen=True, repr=False)
class FromChains(NegativePhase):
    """The negative phase goes on from persistent chains, which fits the shares of the modes better (not in the paper).

    The chains start as independent units with the visible biases. See ``pcd_gradient``.

    >>> from genreplay import PAPER
    >>> PAPER.replace(negative=FromChains(n_chains=50))
    Recipe(negative=FromChains(n_chains=50))
    """

    n_chains: int = 150
    """how many"""

    def __post_init__(self) -> None:
        require_count(self, "n_chains", MOST_ROWS)

    def chains_from(self, before: Array | None, rbm: RBM, rng: np.random.Generator) -> Array | None:
        if before is not None:
            return before.copy()
        on = kernels.sigmoid(np.broadcast_to(rbm.a, (self.n_chains, rbm.n_visible)).copy())
        return bernoulli(on, rng, out=on)

    def gradient(
        self,
        rbm: RBM,
        V: VisibleRows,
        chains: Array | None,
        n_cd: int,
        n_new: int,
        rng: np.random.Generator,
        work: Workspace,
    ) -> RBM:
        assert chains is not None
        return pcd_gradient(rbm, V, chains, n_cd, rng, work, self.n_reconstructed(n_new))

    def n_reconstructed(self, n_new: int) -> int:
        """Rows that are reconstructed beside the chains."""
        return 0


@dataclass(frozen=True, repr=False)
class FromRowsAndChains(FromChains):
    """Both side by side: the chains, and reconstructions of as many rows as a batch has (not in the paper).

    >>> FromRowsAndChains().n_reconstructed(n_new=100), FromChains().n_reconstructed(n_new=100)
    (100, 0)
    """

    def n_reconstructed(self, n_new: int) -> int:
        return n_new


@dataclass(frozen=True, repr=False)
class Uncentred(Ingredient):
    """The statistics as they are, as in the paper (Eq. 5).

    >>> gradient = RBM(W=np.array([[0.5, 0.0]]), a=np.array([1.0, 0.0]), b=np.zeros(1))
    >>> Uncentred().apply(gradient, rbm=gradient, means=np.array([0.5, 0.5])) is gradient
    True
    """

    def apply(self, gradient: RBM, rbm: RBM, means: Array) -> RBM:
        """The gradient to follow."""
        return gradient


@dataclass(frozen=True, repr=False)
class Centred(Uncentred):
    """The statistics of units counted from their means, see ``centre`` (not in the paper).

    >>> rbm = RBM(W=np.zeros((1, 2)), a=np.zeros(2), b=np.zeros(1))
    >>> gradient = RBM(W=np.array([[0.5, 0.0]]), a=np.array([1.0, 0.0]), b=np.zeros(1))
    >>> Centred().apply(gradient, rbm, means=np.array([0.5, 0.5])).W
    array([[0., 0.]])
    """

    def apply(self, gradient: RBM, rbm: RBM, means: Array) -> RBM:
        return centre(gradient, rbm, means)


def cd_gradient(
    rbm: RBM,
    V: VisibleRows,
    n_cd: int,
    rng: np.random.Generator,
    reconstruction: Layer = "probabilities",
    work: Workspace | None = None,
    positive: Layer = "probabilities",
    negative: Layer = "probabilities",
) -> RBM:
    """(Psi+ - Psi-) / number of rows, the negative phase started from the rows (Eqs. 4, 5; lines 28-37).

    Inside the chain both layers are sampled. The paper does not say what enters the statistics: ``positive`` and
    ``negative`` say what the hidden layers of Psi+ and Psi- hold, ``reconstruction`` what the last visible one does.

    Two departures from the letter of the paper: line 39 divides by n_B + n_Bhat, here it is the number of rows there
    are, which differs when nothing is rehearsed (t = 1, or no replay); and the sign is that of Eqs. 3 and 5, which
    ascend the likelihood, not that of Eq. 4.

    The result may lie in ``work``, and is good until the next call with it.

    >>> rbm = RBM(W=np.zeros((1, 2)), a=np.zeros(2), b=np.zeros(1))  # reconstructs every row as [0.5, 0.5]
    >>> cd_gradient(rbm, np.array([[1.0, 0.0]]), n_cd=1, rng=np.random.default_rng(0)).a
    array([ 0.5, -0.5])
    """
    work = Workspace() if work is None else work
    n, dtype = len(V), rbm.W.dtype
    V = prepare(rbm, V, work)
    H, x_h, inputs, p_h, h = work.array("hidden", (5, n, rbm.n_hidden), dtype)
    _, x_v, p_v, v = work.array("visible", (4, n, rbm.n_visible), dtype)

    kernels.to_hidden(V, rbm.W, rbm.b, out=inputs)
    kernels.sample(inputs, rng, p=H, out=h)  # line 29
    if positive == "samples":
        np.copyto(H, h)
    for k in range(1, n_cd + 1):  # lines 32-36
        kernels.to_visible(h, rbm.W, rbm.a, out=x_v)
        visible: VisibleRows | Near
        if k < n_cd or reconstruction == "samples":
            kernels.sample(x_v, rng, p=p_v, out=v)
            visible = kernels.compact_near(v, V)
        else:
            visible = kernels.sigmoid(x_v, out=x_v)
        kernels.to_hidden(visible, rbm.W, rbm.b, out=x_h, origin=inputs)
        if k < n_cd:
            kernels.sample(x_h, rng, p=p_h, out=h)
    H_neg = kernels.sample(x_h, rng, p=p_h, out=h)[1] if negative == "samples" else kernels.sigmoid(x_h, out=x_h)
    return RBM(*kernels.contrast(V, H, visible, H_neg, work))


def mean_field_gradient(rbm: RBM, V: VisibleRows, n_steps: int, work: Workspace | None = None) -> RBM:
    """The same with probabilities in place of every state, so that nothing is random.

    >>> rbm = RBM(W=np.zeros((1, 2)), a=np.zeros(2), b=np.zeros(1))
    >>> mean_field_gradient(rbm, np.array([[1.0, 0.0]]), n_steps=1).W
    array([[ 0.25, -0.25]])
    """
    work = Workspace() if work is None else work
    V = prepare(rbm, V, work)
    H, H_neg = work.array("hidden", (2, len(V), rbm.n_hidden), rbm.W.dtype)
    visible = work.array("visible", (4, len(V), rbm.n_visible), rbm.W.dtype)[1]
    kernels.sigmoid(kernels.to_hidden(V, rbm.W, rbm.b, out=H), out=H)
    np.copyto(H_neg, H)
    for _ in range(n_steps):
        kernels.sigmoid(kernels.to_visible(H_neg, rbm.W, rbm.a, out=visible), out=visible)
        kernels.sigmoid(kernels.to_hidden(visible, rbm.W, rbm.b, out=H_neg), out=H_neg)
    return RBM(*kernels.contrast(V, H, visible, H_neg, work))


def pcd_gradient(
    rbm: RBM,
    V: VisibleRows,
    chains: Array,
    n_steps: int,
    rng: np.random.Generator,
    work: Workspace | None = None,
    n_reconstructed: int = 0,
) -> RBM:
    """The same with a negative phase that goes on from chains of its own, which are moved in place.

    The chains are states of the model and stay near its distribution while it changes slowly, which the ends of chains
    that start from rows do not: persistent contrastive divergence (T. Tieleman: Training Restricted Boltzmann Machines
    using Approximations to the Likelihood Gradient, 2008). Not in the paper.

    A model that changes fast leaves its chains behind, and the two swing about each other. Reconstructions of
    ``n_reconstructed`` of the rows, drawn at random, take part beside the chains and damp that: they follow at once.
    As in ``cd_gradient``, their last visible layer is left as probabilities.

    >>> rbm = RBM(W=np.zeros((1, 2)), a=np.full(2, 50.0), b=np.zeros(1))  # its chains are always on
    >>> chains = np.zeros((3, 2))
    >>> pcd_gradient(rbm, np.array([[1.0, 0.0]]), chains, n_steps=1, rng=np.random.default_rng(0)).a
    array([ 0., -1.])
    """
    work = Workspace() if work is None else work
    V = prepare(rbm, V, work)
    n = min(n_reconstructed, len(V))
    inputs, positive = work.array("positive", (2, len(V), rbm.n_hidden), rbm.W.dtype)
    kernels.to_hidden(V, rbm.W, rbm.b, out=inputs)
    kernels.sigmoid(inputs, out=positive)
    x_h, p_h, h = work.array("chains' hidden", (3, n + len(chains), rbm.n_hidden), rbm.W.dtype)
    x_v, p_v, v = work.array("chains' visible", (3, n + len(chains), rbm.n_visible), rbm.W.dtype)
    if n:
        x_h[:n] = inputs[rng.choice(len(V), size=n, replace=False)]
    kernels.to_hidden(chains, rbm.W, rbm.b, out=x_h[n:])
    for k in range(1, n_steps + 1):
        kernels.sample(x_h, rng, p=p_h, out=h)
        kernels.to_visible(h, rbm.W, rbm.a, out=x_v)
        kernels.sample(x_v, rng, p=p_v, out=v)
        if k < n_steps:
            kernels.to_hidden(v, rbm.W, rbm.b, out=x_h)
    chains[:] = v[n:]
    v[:n] = p_v[:n]
    states = kernels.compact(v, rbm.n_hidden)
    if n and isinstance(states, np.ndarray):  # the chains alone may be sparse
        kernels.to_hidden(v[:n], rbm.W, rbm.b, out=x_h[:n])
        kernels.to_hidden(v[n:], rbm.W, rbm.b, out=x_h[n:])
    else:
        kernels.to_hidden(states, rbm.W, rbm.b, out=x_h)
    negative = kernels.sigmoid(x_h, out=x_h)
    return RBM(*kernels.contrast(V, positive, states, negative, work))


def centre(gradient: RBM, rbm: RBM, means: Array) -> RBM:
    """The gradient for units that are counted from their means, put in terms of W, a and b (not in the paper).

    Theta moves then as if every visible unit had its mean mu subtracted, and every hidden one lambda = S(b + W mu),
    what it is for a mean row: it no longer matters which of its two states a unit calls 1, and weights do not learn
    what biases can (J. Melchior, A. Fischer, L. Wiskott: How to Center Deep Boltzmann Machines, 2016). W's part is
    changed in place.

    >>> rbm = RBM(W=np.zeros((1, 2)), a=np.zeros(2), b=np.zeros(1))
    >>> centre(RBM(W=np.array([[0.5, 0.0]]), a=np.array([1.0, 0.0]), b=np.zeros(1)), rbm, np.array([0.5, 0.5]))
    RBM(W=array([[0., 0.]]), a=array([1., 0.]), b=array([0.]))
    """
    hidden = kernels.sigmoid(rbm.b + rbm.W @ means)
    W_T, a, b = gradient.W.T, gradient.a, gradient.b  # transposed, as it lies in memory
    W_T -= np.stack([means, a], axis=1) @ np.stack([b, hidden])
    return RBM(gradient.W, a - W_T @ hidden, b - means @ W_T)


def prepare(rbm: RBM, V: VisibleRows, work: Workspace) -> VisibleRows:
    """Rows as ``cd_gradient`` wants them, for steps that take the same rows again: a list of ones, or in ``work``.

    >>> from genreplay.core import rbm
    >>> model = rbm.init(n_visible=3, n_hidden=2, rng=np.random.default_rng(0))
    >>> prepare(model, np.eye(3), Workspace()).dtype
    dtype('float32')
    """
    V = kernels.compact(V, rbm.n_hidden)
    if isinstance(V, np.ndarray):
        place: Array = work.array("visible", (4, *V.shape), rbm.W.dtype)[0]
        if not np.may_share_memory(V, place):
            np.copyto(place, V)
        return place
    return V


def momentum_step(
    rbm: RBM,
    velocity: RBM,
    gradient: RBM,
    learning_rate: float,
    momentum: float,
    weight_decay: float,
    bias_decay: float | None = None,
) -> None:
    """Move Delta Theta and Theta, both in place (lines 39 and 40). The decay is the same for the biases unless given.

    >>> theta, velocity, gradient = (RBM(W=np.ones((1, 1)), a=np.ones(1), b=np.ones(1)) for _ in range(3))
    >>> momentum_step(theta, velocity, gradient, learning_rate=0.1, momentum=0.5, weight_decay=0.2)
    >>> velocity.a.round(2), theta.a.round(2)
    (array([0.58]), array([1.58]))
    """
    others = weight_decay if bias_decay is None else bias_decay
    for part, delta, slope, decay in zip(rbm, velocity, gradient, (weight_decay, others, others), strict=True):
        kernels.momentum(part, delta, slope, float(learning_rate), float(momentum), float(decay))
