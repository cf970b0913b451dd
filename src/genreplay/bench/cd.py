"""A step of CD-1 against its five products, and against the steps of others."""

from __future__ import annotations

import numpy as np

from genreplay.bench import ours, peers
from genreplay.bench.figures import Part, Target, multiples, speedup
from genreplay.bench.measure import Contestant, Effort, Turns, interleave
from genreplay.bench.rows import N_HIDDEN, Rows, mnist, model_of_mnist, web
from genreplay.core import RBM
from genreplay.core.ingredient import Layer
from genreplay.core.kernels import Array

N_ROWS = 400
"""a batch of 100 and 300 dreams"""
FLOOR, DENSE, SPARSE = "dense floor: five products", "ours, dense path", "ours, sparse path"
FIT, PARTIAL_FIT = "scikit-learn fit", "scikit-learn partial_fit"
RBMS, RBMS_PCD, TORCH = "rbms, cd", "rbms, pcd", "hand-written PyTorch"

MNIST_TARGETS = {DENSE: Target("at most", 1.12), SPARSE: Target("at most", 0.75)}
WEB_TARGETS = {SPARSE: Target("at most", 0.50)}
FASTER_THAN = {FIT: Target("at least", 2.5), PARTIAL_FIT: Target("at least", 4), RBMS: Target("at least", 4)}


def on_mnist(effort: Effort) -> Part:
    """All contestants on rows of MNIST."""
    rows = mnist(N_ROWS, effort.seed)
    rbm = model_of_mnist(N_ROWS, effort.seed, effort.pick(300, 20))
    contestants, left_out = peers.gather(
        {
            FLOOR: lambda: Contestant(five_products(rbm, rows.V)),
            DENSE: lambda: step(rbm, rows.V, "dense"),
            SPARSE: lambda: step(rbm, rows.V, "sparse"),
            TORCH: lambda: peers.torch_step(rbm, rows.V),
            FIT: lambda: peers.sklearn_fit(rows.V, N_HIDDEN),
            PARTIAL_FIT: lambda: peers.sklearn_partial_fit(rows.V, N_HIDDEN),
            RBMS: lambda: peers.rbms_step(rbm, rows.V, "cd"),
            RBMS_PCD: lambda: peers.rbms_step(rbm, rows.V, "pcd"),
        }
    )
    turns = _in_turns(contestants, effort)
    best = SPARSE if SPARSE in turns.names else DENSE
    rivals = [name for name in (TORCH, FIT, PARTIAL_FIT, RBMS, RBMS_PCD) if name in turns.names]
    return Part(
        "CD-1 at MNIST's shape",
        f"{_about(rows, rbm)} Against the others: {best}.",
        multiples(turns, FLOOR, "of the floor", MNIST_TARGETS)
        + [speedup(turns, best, rival, FASTER_THAN.get(rival)) for rival in rivals],
        [],
        left_out,
    )


def on_web(effort: Effort) -> Part:
    """Our two paths on the sparsest rows of the paper."""
    rows = web(N_ROWS, effort.seed)
    rbm = ours.trained(rows.V, N_HIDDEN, effort.pick(300, 20), np.random.default_rng(effort.seed))
    contestants, left_out = peers.gather(
        {
            FLOOR: lambda: Contestant(five_products(rbm, rows.V)),
            DENSE: lambda: step(rbm, rows.V, "dense"),
            SPARSE: lambda: step(rbm, rows.V, "sparse"),
        }
    )
    turns = _in_turns(contestants, effort)
    return Part(
        "CD-1 at Web's shape", _about(rows, rbm), multiples(turns, FLOOR, "of the floor", WEB_TARGETS), [], left_out
    )


def _in_turns(contestants: dict[str, Contestant], effort: Effort) -> Turns:
    """Ten steps a turn, as an update takes them."""
    n_steps = effort.pick(10, 1)
    return interleave(
        {name: each.repeated(n_steps) if each.n_steps == 1 else each for name, each in contestants.items()},
        effort.pick(21, 2),
    )


def step(rbm: RBM, V: Array, path: ours.KernelPath) -> Contestant:
    """Our step on one path. The sparse path samples, to have zeros to skip; the dense path needs no sampling."""
    reconstruction: Layer = "probabilities" if path == "dense" else "samples"
    return Contestant(ours.cd_step(rbm, V, path, reconstruction, np.random.default_rng(0)))


def five_products(rbm: RBM, V: Array) -> ours.Call:
    """The floor: what CD-1 multiplies, and nothing else."""
    W, H = rbm.W, np.random.default_rng(0).random((len(V), rbm.n_hidden), dtype=np.float32)

    def floor() -> None:
        V @ W.T
        H @ W
        V @ W.T
        H.T @ V
        H.T @ V

    return floor


def _about(rows: Rows, rbm: RBM) -> str:
    n, n_visible = rows.V.shape
    return (
        f"One step with momentum and decay on {n} {rows.source}, {rows.ones}; {n_visible} x {rbm.n_hidden} units, "
        "float32, one thread. The dense path reconstructs probabilities, the sparse path samples."
    )
