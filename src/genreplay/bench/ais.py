"""Annealed importance sampling against its two products, and against the AIS of others."""

from __future__ import annotations

import numpy as np

from genreplay.bench import ours, peers
from genreplay.bench.cd import N_ROWS
from genreplay.bench.figures import Figure, Part, Target, multiples, speedup
from genreplay.bench.measure import Contestant, Effort, interleave
from genreplay.bench.rows import mnist, model_of_mnist
from genreplay.core import RBM
from genreplay.core.kernels import Array
from genreplay.core.partition import base_rate_biases, bracket, schedule
from genreplay.core.two_way import two_way

N_CHAINS = 100
FLOOR, DENSE, SPARSE = "dense floor: two products", "ours, dense path", "ours, sparse path"
RBMS, TORCH = "rbms", "hand-written PyTorch"
TARGET = Target("at most", 1.6)
PAIR, BOTH_WAYS = "AIS and reverse AIS", "both ways"
PRICE = Target("at most", 1.2)
N_TEMPERATURES = 2_900


def ais(effort: Effort) -> Part:
    """One estimate of log Z, by each of the contestants."""
    rows = mnist(N_ROWS, effort.seed)
    rbm = model_of_mnist(N_ROWS, effort.seed, effort.pick(300, 20))
    betas = np.linspace(0, 1, effort.pick(200, 20))
    base_bias = base_rate_biases(rows.V.sum(axis=0, dtype=np.float64), len(rows.V)).astype(np.float32)

    def mine(path: ours.KernelPath) -> Contestant:
        return Contestant(ours.ais(rbm, N_CHAINS, betas, base_bias, path, np.random.default_rng(0)), len(betas) - 1)

    contestants, left_out = peers.gather(
        {
            FLOOR: lambda: Contestant(_two_products(rbm, len(betas) - 1), len(betas) - 1),
            DENSE: lambda: mine("dense"),
            SPARSE: lambda: mine("sparse"),
            TORCH: lambda: peers.torch_ais(rbm, N_CHAINS, len(betas), base_bias),
            RBMS: lambda: peers.rbms_ais(rbm, N_CHAINS, len(betas)),
        }
    )
    turns = interleave(contestants, effort.pick(9, 2))
    best = min((name for name in (DENSE, SPARSE) if name in turns.names), key=turns.median)
    return Part(
        "AIS",
        f"A temperature of AIS with {N_CHAINS} chains, {rbm.n_visible} x {rbm.n_hidden} units, float32, one thread, on "
        f"a model of {len(rows.V)} {rows.source}. The target is for the faster path. Whole estimates of log Z, against "
        f"the pair of AIS and reverse AIS: {N_TEMPERATURES:,} temperatures.",
        multiples(turns, FLOOR, "of the floor", {best: TARGET})
        + [speedup(turns, best, rival) for rival in (TORCH, RBMS) if rival in turns.names]
        + _price(rbm, rows.V, base_bias, effort),
        [],
        left_out,
    )


def _price(rbm: RBM, rows: Array, base_bias: Array, effort: Effort) -> list[Figure]:
    """The time of the estimate that is reported, against that of AIS and reverse AIS together."""
    betas, rng = schedule(effort.pick(N_TEMPERATURES, 29)), np.random.default_rng(0)
    n_chains = effort.pick(N_CHAINS, 20)
    turns = interleave(
        {
            PAIR: Contestant(lambda: bracket(rbm, rng, betas, n_chains, base_bias)),
            BOTH_WAYS: Contestant(lambda: two_way(rbm, rows, rng, len(betas), n_chains)),
        },
        effort.pick(3, 2),
    )
    return multiples(turns, PAIR, "of the pair", {BOTH_WAYS: PRICE})


def _two_products(rbm: RBM, n_steps: int) -> ours.Call:
    rng = np.random.default_rng(0)
    v, h = (rng.random((N_CHAINS, n), dtype=np.float32) for n in (rbm.n_visible, rbm.n_hidden))

    def floor() -> None:
        for _ in range(n_steps):
            v @ rbm.W.T
            h @ rbm.W

    return floor
