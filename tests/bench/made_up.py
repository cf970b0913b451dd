"""A run of the bench with made-up figures, for what is shown of it."""

from __future__ import annotations

from genreplay.bench.figures import Curve, Figure, Part, Target
from genreplay.bench.measure import Effort
from genreplay.bench.run import Run


def a_run(quick: bool = False) -> Run:
    cd = [
        Figure("dense floor: five products", "of the floor", 1.0, 1.0, 1.0, 0.011),
        Figure("ours, dense path", "of the floor", 1.3, 1.2, 1.4, 0.0143, Target("at most", 1.12)),
        Figure("ours, sparse path", "of the floor", 0.6, 0.55, 0.64, 0.0066, Target("at most", 0.75)),
        Figure("ours against scikit-learn fit", "times as fast", 3.1, 3.0, 3.2, target=Target("at least", 2.5)),
    ]
    exponents = [Figure("ours, n_v from 98 to 1568", "exponent", 0.9, 0.8, 1.0, target=Target("at most", 1.1))]
    sizes = [98.0, 196.0, 392.0, 784.0, 1568.0]
    curves = [
        Curve("n_v", "n_v (n_visible)", "ms an update", sizes, {"ours": [2.0, 3.5, 6.0, 12.0, 25.0]}),
        Curve(
            "density", "% ones", "multiple of the dense floor", [1.0, 60.0], {"dense": [1.1, 1.1], "sparse": [0.3, 2]}
        ),
    ]
    memory = [Figure("ours, 5,000 rows", "MB above the imports", 26.0, target=Target("at most", 60))]
    parts = {
        "cd-mnist": Part("CD-1 at MNIST's shape", "Made up.", cd, [], ["rbms: rbms is not installed"]),
        "growth": Part("Growth", "Made up.", exponents, curves, []),
        "memory": Part("Memory", "Made up.", memory, [], []),
    }
    return Run(Effort(quick=quick), {"processor": "a <fast> one", "numpy": "2.0"}, parts)
