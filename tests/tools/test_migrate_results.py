from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tools.migrate_results import DEFAULTS, DETECTOR, RECIPE, migrate, migrate_file

from genreplay.experiments import runner
from genreplay.experiments.paper.cost import CostRun
from genreplay.experiments.paper.online import OnlineRun
from genreplay.experiments.results import Results
from genreplay.experiments.run import describe, identity

ROOT = Path(__file__).parents[2]
FILE = ROOT / "results/runs.jsonl"


def earlier(kind: str, seed: int = 0, **settings: object) -> dict[str, Any]:
    """A record as it was written before, with every setting of its run."""
    more: dict[str, object] = {"beyond": {"recipe": RECIPE}, "price": {"recipe": RECIPE}}.get(kind, {})  # type: ignore[assignment]
    if kind == "anomaly":
        is_rbm = settings.get("method", "RBM") == "RBM"
        more = {"params": [list(each) for each in DETECTOR.items()] if is_rbm else []}
    return {
        "key": "46b11859dc69c211",
        "kind": kind,
        "settings": {**DEFAULTS[kind], **more, **settings},
        "seed": seed,
        "figures": {"nats": -100.0},
        "seconds": 1.5,
        "peak_bytes": None,
        "versions": {"python": "3.11.7"},
    }


def test_the_key_and_the_defaults_go_and_everything_else_stays() -> None:
    assert migrate(earlier("online", seed=2, n_hidden=25, curve_every=0)) == {
        "kind": "online",
        "version": 1,
        "settings": {"n_hidden": 25},
        "seed": 2,
        "figures": {"nats": -100.0},
        "seconds": 1.5,
        "peak_bytes": None,
        "versions": {"python": "3.11.7"},
    }


def test_a_migrated_record_begins_as_the_runner_writes_it() -> None:
    assert list(migrate(earlier("cost"))) == [*describe(CostRun(), 0), "figures", "seconds", "peak_bytes", "versions"]


@pytest.mark.parametrize("kind", DEFAULTS)
def test_a_run_with_all_defaults_has_no_settings(kind: str) -> None:
    assert migrate(earlier(kind))["settings"] == {}
    assert migrate(earlier(kind))["version"] == 1


def test_the_run_finds_its_record() -> None:
    version_1 = describe(OnlineRun(method="ER-IM"), 0) | {"version": 1}
    assert identity(migrate(earlier("online", method="ER-IM"))) == identity(version_1)
    quick = CostRun(n_visible=100, n_hidden=50, checkpoints=(1_000, 3_000), n_turns=3)
    settings: dict[str, Any] = {"n_visible": 100, "n_hidden": 50, "checkpoints": [1_000, 3_000], "n_turns": 3}
    assert identity(migrate(earlier("cost", **settings))) == identity(describe(quick, 0))


@pytest.mark.parametrize(
    "record",
    [
        earlier("beyond", recipe="00000000"),
        earlier("price", recipe="00000000"),
        earlier("anomaly", params=[["n_hidden", 7]]),
    ],
)
def test_results_of_other_defaults_are_not_taken_for_these(record: dict[str, Any]) -> None:
    assert migrate(record)["version"] == 0
    assert migrate(record)["settings"] == {}


def test_a_detector_without_parameters_of_ours_keeps_its_result() -> None:
    assert migrate(earlier("anomaly", method="LODA"))["version"] == 1


def test_a_second_migration_changes_nothing() -> None:
    once = migrate(earlier("online", n_hidden=25))
    assert migrate(once) == once


def test_a_file_is_migrated_in_place_and_a_torn_last_line_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    lines = [json.dumps(earlier("online", seed=seed)) for seed in range(3)]
    path.write_text("\n".join(lines)[:-40])
    with pytest.raises(runner.ResultsError):
        runner.read(path)
    assert migrate_file(path) == 2
    assert [record["seed"] for record in runner.read(path)] == [0, 1]
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not FILE.exists(), reason="the full results are not here")
def test_every_stored_result_is_found_by_an_experiment() -> None:
    records = runner.read(FILE)
    results = Results(records)
    assert len(results.records) == len(records) > 0
    assert results.n_not_listed == 0
