"""Spark and the process agree to the bit, and a driver that is killed loses and repeats nothing."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genreplay.estimators.plain_detector import Detector
from genreplay.fleet import Blueprint, Fleet, models
from genreplay.streams.coder import TableCoder
from genreplay.streams.schema import Schema

ROOT = Path(__file__).parents[2]
N_KEYS, N_FILES, ROWS_PER_FILE = 50, 5, 600
HAS_SPARK = importlib.util.find_spec("pyspark") is not None
needs_spark = pytest.mark.skipif(not HAS_SPARK, reason="the extra spark is not installed")
needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="Java is not installed")


def made_up() -> list[dict[str, Any]]:
    """Meters, each with a level of its own: times, a category, a number, a truth value, missing cells."""
    rng = np.random.default_rng(0)
    rows: list[dict[str, Any]] = []
    for i in range(N_FILES * ROWS_PER_FILE):
        key, is_on = int(rng.integers(N_KEYS)), bool(rng.random() < 0.6)
        when = np.datetime64("2024-01-01T00:00:00") + 60 * i
        load = None if rng.random() < 0.02 else round(float(rng.normal(10 * key + 100 * is_on, 2)), 3)
        mode = ["low", "high", None][int(rng.choice(3, p=[0.5, 0.45, 0.05]))]
        rows.append({"meter": f"m{key}", "ts": f"{when}Z", "mode": mode, "load (kW)": load, "on": is_on})
    return rows


def start(folder: Path, *readout: Path) -> subprocess.Popen[bytes]:
    """A driver in a group of processes of its own, with its JVM and its workers."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    environment.pop("PYSPARK_PYTHON", None)
    command = [sys.executable, str(Path(__file__).with_name("driver.py")), str(folder), *map(str, readout)]
    with open(folder / "log", "ab") as log:
        return subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)


def finish(folder: Path, *readout: Path) -> None:
    code = start(folder, *readout).wait(timeout=600)
    assert code == 0, (folder / "log").read_text()[-3000:]


def kill_in_batch(folder: Path, number: int) -> None:
    """Run a driver, and kill it and its JVM while it works on a micro-batch."""
    process = start(folder)
    until = time.monotonic() + 600
    while not (folder / f"checkpoint/offsets/{number}").exists():
        assert process.poll() is None, (folder / "log").read_text()[-3000:]
        assert time.monotonic() < until
        time.sleep(0.02)
    time.sleep(0.2)
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait(timeout=60) == -signal.SIGKILL
    assert not (folder / f"checkpoint/commits/{N_FILES - 1}").exists(), "it was killed in mid-stream"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Readouts of a run that nobody disturbed, and of one that was killed twice."""
    rows, readouts = made_up(), []
    for name in ("undisturbed", "killed"):
        folder = tmp_path_factory.mktemp(name)
        (folder / "in").mkdir()
        for n in range(N_FILES):
            part = rows[n * ROWS_PER_FILE : (n + 1) * ROWS_PER_FILE]
            path = folder / f"in/{n}.json"
            path.write_text("".join(json.dumps(row) + "\n" for row in part))
            os.utime(path, (1_700_000_000 + n, 1_700_000_000 + n))  # Spark takes files in this order
        if name == "killed":
            kill_in_batch(folder, 1)
            kill_in_batch(folder, 3)
        readouts.append(folder / "readout")
        finish(folder, readouts[-1])
    return readouts[0], readouts[1]


def rows_of(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(path.read_text())
    return sorted(rows, key=lambda row: str(row["ts"]))


def models_of(readout: Path) -> dict[str, bytes]:
    return {path.stem: path.read_bytes() for path in readout.glob("*.model")}


@pytest.mark.slow
@needs_spark
@needs_java
def test_a_driver_that_is_killed_twice_gives_the_rows_and_models_of_one_that_is_not(folders: tuple[Path, Path]) -> None:
    whole, killed = folders
    rows = rows_of(whole / "stream.json")
    assert len(rows) == N_FILES * ROWS_PER_FILE
    assert sum(row.get("anomaly") is not None for row in rows) > len(rows) / 2
    assert rows_of(killed / "stream.json") == rows, "every row once, with the same scores"
    assert len(models_of(whole)) == N_KEYS
    assert models_of(killed) == models_of(whole)


@pytest.mark.slow
@needs_spark
@needs_java
def test_the_process_gives_the_scores_and_models_of_spark(folders: tuple[Path, Path], tmp_path: Path) -> None:
    from tests.fleet.driver import RECIPE, WARM_UP

    rows = made_up()
    schema = Schema({"meter": "ignore", "ts": "timestamp", "mode": "category", "load (kW)": "number", "on": "boolean"})
    detector = Detector(TableCoder(kinds=schema.kinds_by_place), RECIPE, warm_up=WARM_UP)
    blueprint = Blueprint(schema, detector, seed=7)
    cells = blueprint.cells({name: [row[name] for row in rows] for name in schema.names}, "all")
    with Fleet(tmp_path / "fleet", blueprint) as fleet:
        found = fleet.learn([row["meter"] for row in rows], cells)
        fleet.commit()
    for name in ("stream", "batch"):
        judged = rows_of(folders[0] / f"{name}.json")
        assert [row["meter"] for row in judged] == [row["meter"] for row in rows]
        known = ~np.isnan(found.anomaly)
        assert [row.get("anomaly") is not None for row in judged] == known.tolist()
        for column in ("anomaly", "p_value", "alarm"):
            expected = getattr(found, column)[known].tolist()
            assert [row[column] for row in judged if row.get("anomaly") is not None] == expected, column
        reasons = [[schema.names[place] for place in places if place >= 0] for places in found.reasons.tolist()]
        assert [row["reasons"] for row in judged] == reasons
    assert models_of(folders[0]) == dict(models(tmp_path / "fleet"))


@pytest.mark.slow
@needs_spark
@needs_java
def test_the_example_of_the_guide_runs_and_silent_keys_can_be_dropped(tmp_path: Path) -> None:
    """The guide's own code, with a time to live, so that the state that has one is read out, too."""
    (tmp_path / "readings").mkdir()
    rng = np.random.default_rng(0)
    rows = [
        {"meter": f"m{i % 3}", "ts": f"{np.datetime64('2024-01-01T00:00:00') + 60 * i}Z", "load": float(rng.uniform())}
        for i in range(450)
    ]
    rows[420]["load"] = 9.0
    (tmp_path / "readings/0.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (block,) = re.findall(r"```py\n(.*?)```", (ROOT / "docs/guides/fleets.md").read_text("utf-8"), flags=re.DOTALL)
    code = block.replace("warm_up=100)", "warm_up=100, ttl=3600)")
    assert code != block
    code += "print(sorted(files), [(row.meter, row.load, row.reasons) for row in alarms.collect()])\n"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[-1:] == ["['m0', 'm1', 'm2'] [('m0', 9.0, ['load'])]"], done.stderr[-2000:]


@needs_spark
def test_without_java_there_is_one_clear_sentence(tmp_path: Path) -> None:
    code = (
        "import warnings; warnings.simplefilter('ignore')\n"
        "from genreplay.fleet import spark\n"
        "try:\n    spark.session()\nexcept ValueError as error:\n    print(error)"
    )
    environment = {"PYTHONPATH": str(ROOT / "src"), "PATH": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.stdout.startswith("Spark needs Java 17 or newer, and there is none: install it"), done.stderr


def test_without_pyspark_there_is_one_clear_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark", None)
    monkeypatch.setitem(sys.modules, "pyspark.errors", None)
    monkeypatch.delitem(sys.modules, "genreplay.fleet.spark", raising=False)
    with pytest.raises(ImportError, match=r"needs PySpark, pandas and PyArrow: pip install 'genreplay\[spark\]'"):
        importlib.import_module("genreplay.fleet.spark")
