"""More threads against one, on both paths."""

from __future__ import annotations

import os

from genreplay.bench import peers
from genreplay.bench.cd import DENSE, N_ROWS, SPARSE, step
from genreplay.bench.figures import Curve, Figure, Part, Target
from genreplay.bench.measure import Contestant, Effort, interleave
from genreplay.bench.ours import KernelPath
from genreplay.bench.rows import mnist, model_of_mnist

PATHS: dict[str, KernelPath] = {DENSE: "dense", SPARSE: "sparse"}
TWO_THREADS = Target("at least", 1.6)
N_STEPS = 5


def threads(effort: Effort) -> Part:
    """A step of CD-1 with 1, 2, 4, ... threads, as many as there are cores."""
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    numbers = [2**k for k in range(n_cores.bit_length())]
    rows = mnist(N_ROWS, effort.seed)
    rbm = model_of_mnist(N_ROWS, effort.seed, effort.pick(300, 20))

    def steps(path: KernelPath, n_threads: int) -> Contestant:
        # several at a time, because an idle thread of BLAS keeps its core busy for a while after the last product
        return step(rbm, rows.V, path)._replace(n_threads=n_threads).repeated(N_STEPS)

    contestants, left_out = peers.gather(
        {
            _name(title, n): lambda path=path, n=n: steps(path, n)  # type: ignore[misc]
            for n in numbers
            for title, path in PATHS.items()
        }
    )
    turns = interleave(contestants, effort.pick(9, 2))
    titles = [title for title in PATHS if _name(title, 1) in turns.names]
    figures = [
        Figure(
            _name(title, n),
            "times as fast as one thread",
            *turns.ratio(_name(title, 1), unit=_name(title, n)),
            turns.median(_name(title, n)),
            TWO_THREADS if n == 2 else None,
        )
        for title in titles
        for n in numbers
    ]
    if n_cores < 2:
        left_out.append("two threads: this process may use one core")
    curve = Curve(
        "threads",
        "threads",
        "ms a step",
        [float(n) for n in numbers],
        {title: [1e3 * turns.median(_name(title, n)) for n in numbers] for title in titles},
    )
    return Part(
        "Threads",
        f"The CD-1 step at MNIST's shape: {len(rows.V)} {rows.source}, {rbm.n_visible} x {rbm.n_hidden} units, on "
        f"{n_cores} cores. Threads need an idle machine to be fast: see its load below.",
        figures,
        [curve] if n_cores > 1 else [],
        left_out,
    )


def _name(title: str, n_threads: int) -> str:
    return f"{title}, {n_threads} thread{'s' if n_threads > 1 else ''}"
