"""Fig. 5: learning curves on MNIST in random order, 500 hidden units, a point every 1,000 rows.

The paper: OCD_GR has a stable curve that rises over time and is above both rivals after some 8,000 rows; theirs are
unstable. The points use fewer temperatures than the final figure.
"""

from __future__ import annotations

from genreplay.experiments.paper.online import PAPER_METHODS, OnlineRun


def runs(quick: bool = False) -> list[OnlineRun]:
    """One curve a method."""
    if quick:
        options = {"n_hidden": 50, "max_rows": 1_000, "curve_every": 500, "curve_temperatures": 29}
        return [OnlineRun(method=method, n_temperatures=290, **options) for method in PAPER_METHODS]  # type: ignore[arg-type]
    return [OnlineRun(method=method, curve_every=1_000) for method in PAPER_METHODS]
