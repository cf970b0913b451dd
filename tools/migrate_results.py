"""Bring a results file of an earlier genreplay to the present form: ``python tools/migrate_results.py FILE``.

The earlier form had a hash as the key of a record and every setting of its run. The present form has the version of
the run and only the settings that differ from their defaults (``genreplay.experiments.run``).
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

Record = dict[str, Any]

DEFAULTS: dict[str, dict[str, Any]] = {
    "classes in turn": {
        "dataset": "toy",
        "method": "OCD_GR",
        "n_hidden": 50,
        "n_epochs": 1,
        "learning_rate": 0.01,
        "batch_size": 100,
        "n_replay": 300,
        "n_dreams": 1_000,
        "n_neighbors": 5,
        "n_temperatures": 2_900,
    },
    "online": {
        "dataset": "mnist",
        "method": "OCD_GR",
        "order": "random",
        "binarisation": "threshold",
        "n_hidden": 500,
        "batch_size": 100,
        "n_replay": 300,
        "n_gibbs": 1,
        "n_epochs": 10,
        "n_cd": 1,
        "learning_rate": 0.05,
        "momentum_schedule": "stream",
        "n_temperatures": 14_500,
        "curve_every": 0,
        "curve_temperatures": 1_450,
        "max_rows": None,
    },
    "offline": {
        "dataset": "mnist",
        "binarisation": "threshold",
        "n_hidden": 500,
        "n_cd": 1,
        "batch_size": 100,
        "learning_rate": 0.05,
        "momentum": 0.9,
        "weight_decay": 0.0002,
        "max_steps": 30_000,
        "first_check": 100,
        "check_growth": 1.25,
        "patience": 5,
        "check_temperatures": 725,
        "n_valid": 10_000,
        "n_temperatures": 14_500,
        "max_rows": None,
    },
    "cost": {
        "n_visible": 784,
        "n_hidden": 500,
        "density": 0.13,
        "n_epochs": 1,
        "checkpoints": [1_000, 3_000, 10_000, 30_000, 60_000],
        "n_turns": 15,
    },
    "anomaly": {
        "dataset": "cardio",
        "method": "RBM",
        "n_head": 500,
        "held_out": 0.3,
        "n_stored": 2_000,
        "max_sample": 10_000,
        "max_rows": None,
    },
    "beyond": {
        "dataset": "mnist",
        "order": "random",
        "method": "dream pool",
        "variant": "modern",
        "n_hidden": 500,
        "n_temperatures": 14_500,
        "max_rows": None,
    },
    "price": {"order": "random", "n_hidden": 500, "max_rows": None},
}
"""the defaults of version 1 of every kind of run, written out, since those in the code may change"""
RENAMED_VARIANTS = {"without rising rate": "without warm-up"}
"""variants of "modern" that have a plainer name now"""
RECIPE = "b28b150d"
"""which "modern" the runs of version 1 have used"""
DETECTOR: dict[str, Any] = {
    "batch_size": 100,
    "contamination": 0.01,
    "kinds": None,
    "learning_rate": 0.003,
    "momentum": 0.5,
    "n_bins": 8,
    "n_dreams": 500,
    "n_epochs": 1,
    "n_hidden": 32,
    "n_replay": 300,
    "on_drift": "nothing",
    "replay": "none",
    "warm_up": 500,
    "weight_decay": 0.0002,
}
"""the parameters of the detector that the runs of version 1 have used"""


def migrate(record: Record) -> Record:
    """A record in the present form; one that already has it comes back as it is.

    What was made with another "modern" or with other parameters of the detector becomes version 0, which no experiment
    lists: it stays in the file and is not taken for a result of version 1.
    """
    if "key" not in record:
        return record
    kind, settings = record["kind"], dict(record["settings"])
    params = settings.pop("params", None) or list(DETECTOR.items())  # other detectors than ours had none
    is_version_1 = settings.pop("recipe", RECIPE) == RECIPE and dict(params) == DETECTOR
    if "variant" in settings:
        settings["variant"] = RENAMED_VARIANTS.get(settings["variant"], settings["variant"])
    defaults = DEFAULTS[kind]
    rest = {name: value for name, value in record.items() if name not in ("key", "kind", "settings", "seed")}
    return {
        "kind": kind,
        "version": int(is_version_1),
        "settings": {
            name: value for name, value in settings.items() if name not in defaults or value != defaults[name]
        },
        "seed": record["seed"],
        **rest,
    }


def migrate_file(path: Path) -> int:
    """Rewrite a results file in one step, without a last line that a crash cut off; return how many records it has."""
    *lines, _ = path.read_text("utf-8").split("\n")
    records = [migrate(json.loads(line)) for line in lines if line]
    temporary = path.with_suffix(".migrated")
    temporary.write_text("".join(f"{json.dumps(record)}\n" for record in records), "utf-8")
    os.replace(temporary, path)
    return len(records)


def main() -> None:
    """Migrate the files that are named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE", help="a results file; it is rewritten in place")
    for path in parser.parse_args().paths:
        print(f"{path}: {migrate_file(path)} records")


if __name__ == "__main__":
    main()
