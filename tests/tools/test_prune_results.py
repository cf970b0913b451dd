from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tools.prune_results import prune_file

from genreplay.experiments import runner
from genreplay.experiments.anomaly import AnomalyRun
from genreplay.experiments.anomaly.run import MAX_ROWS
from genreplay.experiments.run import describe


def record(run: AnomalyRun, **changes: object) -> dict[str, Any]:
    return {**describe(run, 0), "figures": {"auc": 0.9}, **changes}


def test_only_what_some_experiment_asks_for_is_kept_in_its_order(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    wanted = [record(AnomalyRun("smtp", "LODA", max_rows=MAX_ROWS)), record(AnomalyRun(max_rows=MAX_ROWS), seed=7)]
    unwanted = [
        record(AnomalyRun("gone", max_rows=MAX_ROWS)),
        record(AnomalyRun(max_rows=MAX_ROWS), version=0),
        record(AnomalyRun(max_rows=77)),
        record(AnomalyRun(max_rows=MAX_ROWS), kind="another"),
    ]
    records = [wanted[0], *unwanted, wanted[1]]
    path.write_text("".join(f"{json.dumps(each)}\n" for each in records))
    assert prune_file(path) == (2, 4)
    assert runner.read(path) == wanted
    assert list(tmp_path.iterdir()) == [path]
    assert prune_file(path) == (2, 0)
