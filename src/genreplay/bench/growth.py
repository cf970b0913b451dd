"""How the time of an update grows with each of its sizes, and that of a CD-1 step with the share of ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from genreplay.bench import ours, peers
from genreplay.bench.cd import DENSE, FLOOR, N_ROWS, SPARSE, five_products, step
from genreplay.bench.figures import Curve, Figure, Part, Target
from genreplay.bench.measure import Contestant, Effort, Turns, exponent, interleave
from genreplay.bench.rows import N_HIDDEN, synthetic
from genreplay.core import PAPER

FACTORS = (1, 2, 4, 8, 16)
EXPONENT = Target("at most", 1.1)
DENSITIES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6)


@dataclass(frozen=True)
class Sizes:
    """The sizes of an update with generative replay; one epoch, so that replay has its full share."""

    n_visible: int = 784
    n_hidden: int = 500
    n_replay: int = 300
    n_gibbs: int = 1

    def contestant(self, seed: int) -> Contestant:
        """An update of this size."""
        recipe = PAPER.replace(n_epochs=1, rehearsal__n_rows=self.n_replay, replay__n_gibbs=self.n_gibbs)
        rows = synthetic(100, self.n_visible, 0.13, seed).V
        return Contestant(ours.update(rows, self.n_hidden, recipe))


SMALLEST = {"n_visible": 98, "n_hidden": 64, "n_replay": 300, "n_gibbs": 1}
"""smallest value of each size in the series where it grows"""
SYMBOLS = {"n_visible": "n_v", "n_hidden": "n_h", "n_replay": "n_Bhat", "n_gibbs": "n_Gs"}


def growth(effort: Effort) -> Part:
    """Each size grows by a factor of 16 while the others stay."""
    rest = Sizes(98, 64, 75, 1) if effort.quick else Sizes()
    figures, curves = [], []
    for field, smallest in SMALLEST.items():
        symbol, start = SYMBOLS[field], smallest // effort.pick(1, 4) or 1
        sizes = [start * factor for factor in FACTORS]
        turns = interleave(
            {str(size): replace(rest, **{field: size}).contestant(effort.seed) for size in sizes}, effort.pick(9, 2)
        )
        figures += _exponents(symbol, sizes, turns)
        milliseconds = [1e3 * turns.median(str(size)) for size in sizes]
        curves.append(
            Curve(symbol, f"{symbol} ({field})", "ms an update", [float(n) for n in sizes], {"ours": milliseconds})
        )
    return Part(
        "Growth",
        f"One update with generative replay: {rest.n_visible} x {rest.n_hidden} units, 100 made-up rows with 13 % "
        f"ones, {rest.n_replay} dreams of {rest.n_gibbs} Gibbs step, one epoch, one thread; one size at a time grows "
        "by 16. The exponent is fitted to the whole time, of which a part stays the same: the 100 rows as n_Bhat "
        "grows, the CD step as n_Gs grows. So the last doubling is shown too, where that part weighs least.",
        figures,
        curves,
        [],
    )


def _exponents(symbol: str, sizes: list[int], turns: Turns) -> list[Figure]:
    figures = []
    for name, first, target in (
        (f"ours, {symbol} from {sizes[0]} to {sizes[-1]}", 0, EXPONENT),
        (f"ours, {symbol} from {sizes[-2]} to {sizes[-1]}", -2, None),
    ):
        medians = np.median(turns.seconds, axis=0)
        each = [exponent(sizes[first:], seconds[first:]) for seconds in turns.seconds]
        low, high = (float(q) for q in np.quantile(each, [0.25, 0.75]))
        figures.append(Figure(name, "exponent", exponent(sizes[first:], medians[first:]), low, high, target=target))
    return figures


def density(effort: Effort) -> Part:
    """Both paths over the share of ones: where the sparse one is worth it."""
    figures: list[Figure] = []
    lines: dict[str, list[float]] = {DENSE: [], SPARSE: []}
    left_out: list[str] = []
    for share in DENSITIES:
        V = synthetic(N_ROWS, 784, share, effort.seed).V
        rbm = ours.trained(V, N_HIDDEN, effort.pick(100, 2), np.random.default_rng(effort.seed))
        contestants, left_out = peers.gather(
            {
                FLOOR: lambda rbm=rbm, V=V: Contestant(five_products(rbm, V)),  # type: ignore[misc]
                DENSE: lambda rbm=rbm, V=V: step(rbm, V, "dense"),  # type: ignore[misc]
                SPARSE: lambda rbm=rbm, V=V: step(rbm, V, "sparse"),  # type: ignore[misc]
            }
        )
        turns = interleave(contestants, effort.pick(9, 2))
        for path in [name for name in lines if name in turns.names]:
            ratio = turns.ratio(path, FLOOR)
            lines[path].append(ratio.value)
            figures.append(Figure(f"{path}, {share:.0%} ones", "of the floor", *ratio, turns.median(path)))
    return Part(
        "Density",
        f"The CD-1 step on {N_ROWS} made-up rows with 1 % to 60 % ones, 784 x {N_HIDDEN} units, one thread, on a model "
        "of such rows.",
        figures,
        [
            Curve(
                "density",
                "% ones",
                "multiple of the dense floor",
                [100 * share for share in DENSITIES],
                {path: values for path, values in lines.items() if values},
            )
        ],
        left_out,
    )
