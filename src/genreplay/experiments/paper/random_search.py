"""Section 4: "To find the best meta-parameters specific for OCD_GR (n_Bhat, n_Gs) we conducted a random search".

The paper says no more of it. Here: n_Bhat log-uniform from 10 to 1,000 and n_Gs from 1 to 10, on 10,000 rows of MNIST
in random order.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from genreplay.experiments.paper.online import OnlineRun

N_TRIALS = 12


def runs(quick: bool = False) -> list[OnlineRun]:
    """The same random settings on every machine."""
    base = OnlineRun(n_hidden=250, max_rows=10_000, n_temperatures=1_450)
    n_trials = N_TRIALS
    if quick:
        base, n_trials = replace(base, n_hidden=25, max_rows=500, n_temperatures=290), 2
    rng = np.random.default_rng(0)
    return [
        replace(base, n_replay=int(np.exp(rng.uniform(np.log(10), np.log(1_000)))), n_gibbs=int(rng.integers(1, 11)))
        for _ in range(n_trials)
    ]
