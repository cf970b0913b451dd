"""The experiments by name, each a list of runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from genreplay.experiments import (
    anomaly,
    beyond,
    calibration,
    device,
    faults,
    fleet,
    incremental,
    log_z,
    nab,
    readings,
    regimes,
    rl,
    sensors,
)
from genreplay.experiments.paper import cd_steps, cost, fig3, fig4, fig5, random_search, replay_study, table2
from genreplay.experiments.run import Run

EXPERIMENTS: dict[str, Callable[[bool], Sequence[Run]]] = {
    "fig3": fig3.runs,
    "fig5": fig5.runs,
    "table2": table2.runs,
    "fig4": fig4.runs,
    "cd-steps": cd_steps.runs,
    "cost": cost.runs,
    "study": replay_study.runs,
    "search": random_search.runs,
    "anomaly": anomaly.runs,
    "variants": anomaly.variant_runs,
    "calibration": calibration.runs,
    "faults": faults.runs,
    "regimes": regimes.runs,
    "nab": nab.runs,
    "sensors": sensors.runs,
    "device": device.runs,
    "beyond": beyond.runs,
    "log-z": log_z.runs,
    "readings": readings.runs,
    "incremental": incremental.runs,
    "rl": rl.runs,
    "fleet": fleet.runs,
}
"""name on the command line, and what lists its runs (True for the quick form)"""
