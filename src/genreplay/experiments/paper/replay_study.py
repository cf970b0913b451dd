"""What the paper leaves to future work: how the number of dreams and their Gibbs steps act on the model.

Section 5 names "the relation between the number of generated samples and the number of observed samples". Test nats
over the ratio n_Bhat / n_B and over n_Gs, on MNIST in both orders; smaller and shorter than the tables, to afford the
grid.
"""

from __future__ import annotations

from dataclasses import replace

from genreplay.experiments.paper.online import OnlineRun

RATIOS: tuple[float, ...] = (0.5, 1.0, 2.0, 3.0, 6.0)
STEPS: tuple[int, ...] = (1, 3, 10)


def runs(quick: bool = False) -> list[OnlineRun]:
    """Every ratio with one Gibbs step, every number of Gibbs steps at the paper's ratio of 3, and no replay."""
    base = OnlineRun(n_hidden=250, max_rows=20_000, n_temperatures=1_450)
    ratios, steps = RATIOS, STEPS
    if quick:
        base, ratios, steps = replace(base, n_hidden=25, max_rows=500, n_temperatures=290), (1.0, 3.0), (1, 3)
    grid = [replace(base, n_replay=int(ratio * base.batch_size)) for ratio in ratios]
    grid += [replace(base, n_gibbs=n_gibbs) for n_gibbs in steps if n_gibbs != base.n_gibbs]
    grid.append(replace(base, method="no replay"))
    return [replace(run, order=order) for order in ("random", "sorted") for run in grid]
