"""Other packages, called as their authors intend, and a hand-written implementation in PyTorch.

Each function needs a package that may not be installed; ``gather`` names those that are not.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from genreplay.bench.measure import Contestant
from genreplay.core import RBM
from genreplay.core.kernels import Array


def gather(makers: Mapping[str, Callable[[], Contestant]]) -> tuple[dict[str, Contestant], list[str]]:
    """The contestants that can be made, and the reason for each that cannot.

    >>> gather({"a peer": lambda: import_module("no_such_package")})
    ({}, ['a peer: no_such_package is not installed'])
    """
    contestants, left_out = {}, []
    for name, make in makers.items():
        try:
            contestants[name] = make()
        except ModuleNotFoundError as error:
            left_out.append(f"{name}: {error.name} is not installed")
    return contestants, left_out


def sklearn_fit(V: Array, n_hidden: int, n_batches: int = 5) -> Contestant:
    """BernoulliRBM.fit over several batches of these rows, so that its set-up counts less."""
    model = _import("sklearn.neural_network").BernoulliRBM(
        n_hidden, learning_rate=0.05, batch_size=len(V), n_iter=1, random_state=0
    )
    rows = np.tile(V, (n_batches, 1))
    return Contestant(lambda: model.fit(rows), n_steps=n_batches)


def sklearn_partial_fit(V: Array, n_hidden: int) -> Contestant:
    """BernoulliRBM.partial_fit on these rows."""
    model = _import("sklearn.neural_network").BernoulliRBM(
        n_hidden, learning_rate=0.05, batch_size=len(V), random_state=0
    )
    return Contestant(lambda: model.partial_fit(V))


def rbms_step(rbm: RBM, V: Array, training_type: Literal["cd", "pcd"]) -> Contestant:
    """The body of the training loop of rbms: one Gibbs step of its chains, its gradient, PyTorch's SGD.

    With "cd" the chains start from the rows, as ours do; its default, "pcd", lets them go on and saves a product. The
    gradient is centred, by its default. The time that its loop spends on its progress bar and its HDF5 log is not
    counted.
    """
    torch, pcd = _import("torch"), _import("rbms.training.pcd")
    model = _rbms_model(rbm)
    model.init_grad()
    rows, weights = torch.from_numpy(V), torch.ones(len(V))
    chains = model.init_chains(len(V), weights=weights, start_v=rows)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, maximize=True)

    def step() -> RBM:
        nonlocal chains
        with torch.no_grad():
            if training_type == "cd":
                chains = model.init_chains(len(V), weights=weights, start_v=rows)
            optimizer.zero_grad(set_to_none=False)
            chains, _ = pcd.fit_batch_pcd((rows, weights), chains, model, gibbs_steps=1, beta=1.0)
            optimizer.step()
        W, a, b = (parameter.numpy() for parameter in model.parameters())
        return RBM(W.T, a, b)

    return Contestant(step)


def rbms_ais(rbm: RBM, n_chains: int, n_betas: int) -> Contestant:
    """The log Z of rbms by AIS; its temperatures are evenly spaced."""
    ais, model = _import("rbms.partition_function.ais"), _rbms_model(rbm)
    return Contestant(lambda: ais.compute_partition_function_ais(n_chains, n_betas, model), n_steps=n_betas - 1)


def torch_step(rbm: RBM, V: Array) -> Contestant:
    """CD-1 with momentum and decay, written by hand: in place, without autograd, factors inside the products."""
    torch = _import("torch")
    W, a, b = (torch.from_numpy(part.copy()) for part in rbm)
    dW, da, db = (torch.zeros_like(part) for part in (W, a, b))
    v = torch.from_numpy(V)
    n, n_hidden = len(V), len(b)
    h, uniform, sampled, h_model = (torch.empty(n, n_hidden) for _ in range(4))
    v_model = torch.empty_like(v)
    rate, momentum, decay = 0.05, 0.9, 0.0002

    def step() -> RBM:
        with torch.no_grad():
            torch.addmm(b, v, W.T, out=h).sigmoid_()
            torch.lt(uniform.uniform_(), h, out=sampled)  # a quarter of the time of torch.bernoulli
            torch.addmm(a, sampled, W, out=v_model).sigmoid_()
            torch.addmm(b, v_model, W.T, out=h_model).sigmoid_()
            dW.addmm_(h.T, v, beta=momentum, alpha=rate / n)
            dW.addmm_(h_model.T, v_model, alpha=-rate / n)
            da.mul_(momentum).add_(v.sum(0) - v_model.sum(0), alpha=rate / n)
            db.mul_(momentum).add_(h.sum(0) - h_model.sum(0), alpha=rate / n)
            for parameter, velocity in ((W, dW), (a, da), (b, db)):
                velocity.add_(parameter, alpha=-rate * decay)
                parameter.add_(velocity)
        return RBM(W.numpy(), a.numpy(), b.numpy())

    return Contestant(step)


def torch_ais(rbm: RBM, n_chains: int, n_betas: int, base_bias: Array) -> Contestant:
    """AIS written by hand, temperatures evenly spaced as in rbms: one product up and one down for each."""
    torch = _import("torch")
    W, a, b = (torch.from_numpy(part) for part in rbm)
    base = torch.from_numpy(base_bias)
    gap = a - base
    betas = np.linspace(0, 1, n_betas).tolist()
    softplus = torch.nn.functional.softplus

    def anneal() -> float:
        with torch.no_grad():
            v = (torch.rand(n_chains, len(a)) < base.sigmoid()).float()
            log_weights = torch.zeros(n_chains, dtype=torch.float64)
            for beta, following in pairwise(betas):
                x = torch.addmm(b, v, W.T)
                log_weights += (following - beta) * (v @ gap)
                log_weights += (softplus(following * x) - softplus(beta * x)).sum(1)
                h = (torch.rand_like(x) < x.mul_(following).sigmoid_()).float()
                p = torch.addmm(gap, h, W).mul_(following).add_(base).sigmoid_()
                v = (torch.rand_like(p) < p).float()
            log_z_base = float(softplus(base).sum()) + len(b) * np.log(2)
            return float(log_z_base + log_weights.logsumexp(0) - np.log(n_chains))

    return Contestant(anneal, n_steps=n_betas - 1)


def half_space_trees(rows: Array) -> Contestant:
    """River's HalfSpaceTrees with its defaults, learning one dictionary after the other."""
    model = _import("river.anomaly").HalfSpaceTrees(seed=0)
    dictionaries = [{f"x{k}": float(value) for k, value in enumerate(row)} for row in rows]

    def feed() -> None:
        for dictionary in dictionaries:
            model.learn_one(dictionary)

    return Contestant(feed, n_steps=len(rows))


def scaled_half_space_trees(rows: Sequence[dict[Hashable, float]]) -> Contestant:
    """River's HalfSpaceTrees as its documentation has it, behind a MinMaxScaler: each row is scored, then learned."""
    anomaly, compose, preprocessing = map(_import, ("river.anomaly", "river.compose", "river.preprocessing"))
    model = compose.Pipeline(preprocessing.MinMaxScaler(), anomaly.HalfSpaceTrees(seed=0))

    def feed() -> None:
        for row in rows:
            model.score_one(row)
            model.learn_one(row)

    return Contestant(feed, n_steps=len(rows))


def _rbms_model(rbm: RBM) -> Any:
    torch, classes = _import("torch"), _import("rbms.bernoulli_bernoulli.classes")
    W, a, b = (torch.from_numpy(part.copy()) for part in rbm)
    return classes.BBRBM(weight_matrix=W.T.contiguous(), vbias=a, hbias=b)


def _import(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings that are meant for the package's authors
        return import_module(name)
