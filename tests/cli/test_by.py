"""``genreplay learn --by``: a model for each key, resumable to the bit."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from genreplay.fleet import models
from tests.cli.processes import start
from tests.cli.tables import run

FAST = ("--warm-up", 30, "--hidden", 4, "--by", "machine")


def table(n_rows: int, seed: int = 0, n_keys: int = 5) -> str:
    """CSV of machines that run or are idle."""
    rng = np.random.default_rng(seed)
    lines = ["machine,mode,speed,temp"]
    for _ in range(n_rows):
        key, runs = int(rng.integers(n_keys)), bool(rng.random() < 0.6)
        speed = rng.normal(1000 + 100 * key, 30) if runs else 0.0
        lines.append(f"m{key},{'run' if runs else 'idle'},{speed:.1f},{rng.normal(60 if runs else 25, 2):.1f}")
    return "\n".join([*lines, ""])


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    path = tmp_path / "machines.csv"
    path.write_text(table(600))
    return path


def test_the_model_of_a_key_is_that_of_its_rows_alone(csv: Path, tmp_path: Path) -> None:
    """Up to the seed, which follows from the key: so what does not depend on it is compared, the counted codes."""
    done = run("learn", csv, *FAST, "--models", tmp_path / "fleet", "--score")
    assert done.exit_code == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "machine,row,anomaly,p_value,alarm"
    assert len(lines) == 601
    assert [line.split(",")[1] for line in lines[1:]] == [str(row) for row in range(1, 601)]
    listed = run("models", tmp_path / "fleet").stdout.splitlines()
    counts = {line.split(",")[0]: int(line.split(",")[1]) for line in listed[1:]}
    assert counts == {f"m{key}": csv.read_text().count(f"m{key},") for key in range(5)}


def test_one_model_can_be_taken_out_and_scores_rows(csv: Path, tmp_path: Path) -> None:
    assert run("learn", csv, *FAST, "--models", tmp_path / "fleet").exit_code == 0
    assert run("models", tmp_path / "fleet", "--key", "m3", "--out", tmp_path / "m3").exit_code == 0
    shown = run("info", tmp_path / "m3").stdout
    assert "speed" in shown
    done = run("score", "-", "--model", tmp_path / "m3", stdin="machine,mode,speed,temp\nm3,idle,1300,25\n")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[1].endswith("true"), "an idle machine does not turn"
    missing = run("models", tmp_path / "fleet", "--key", "m9", "--out", tmp_path / "m9")
    assert missing.exit_code == 2
    assert "has no model of key 'm9'" in missing.stderr


def test_a_series_is_judged_key_by_key(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    lines = ["ts,meter,load"]
    for i in range(800):
        load = 9.0 if i in (700, 701) else rng.uniform()
        lines.append(f"{np.datetime64('2024-01-01T00:00:00') + 60 * i},m{i % 2},{load:.3f}")
    text = "\n".join([*lines, ""])
    done = run(
        *("learn", "-", "--by", "meter", "--models", tmp_path / "fleet"),
        *("--time", "ts", "--warm-up", 100, "--score"),
        stdin=text,
    )
    assert done.exit_code == 0, done.stderr
    rows = [line.split(",") for line in done.stdout.splitlines()]
    assert rows[0] == ["meter", "row", "anomaly", "alarm", "column"]
    assert [(row[0], row[1], row[4]) for row in rows if row[3] == "true"] == [
        ("m0", "701", "load"),
        ("m1", "702", "load"),
    ]


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_to_the_same_scores_and_models(tmp_path: Path) -> None:
    path = tmp_path / "machines.csv"
    path.write_text(table(20_000))
    files = {}
    for name in ("whole", "killed"):
        fleet, out = tmp_path / name, tmp_path / f"{name}.csv"
        arguments = ("learn", path, *FAST, "--models", fleet, "--score", "--out", out, "--checkpoint-rows", 3000)
        n_kills = 2 if name == "killed" else 0
        for attempt in range(n_kills + 1):
            process = start(*arguments, *(["--resume"] if attempt else []))
            if attempt < n_kills:
                before = out.stat().st_size if attempt else 0
                until = time.monotonic() + 120
                while not (fleet / "fleet.json").exists() or not out.exists() or out.stat().st_size <= before + 50_000:
                    assert process.poll() is None, "it was killed in mid-stream"
                    assert time.monotonic() < until
                    time.sleep(0.01)
                os.kill(process.pid, signal.SIGKILL)
            _, errors = process.communicate()
            assert process.returncode == (-signal.SIGKILL if attempt < n_kills else 0), errors
        files[name] = (out.read_bytes(), dict(models(fleet)))
    assert files["whole"][0].count(b"\n") == 20_001
    assert files["killed"][0] == files["whole"][0]
    assert files["killed"][1] == files["whole"][1]


def test_an_interrupt_commits_and_resume_goes_on(csv: Path, tmp_path: Path) -> None:
    assert run("learn", csv, *FAST, "--models", tmp_path / "whole").exit_code == 0
    text = csv.read_text().splitlines(keepends=True)
    done = run("learn", "-", *FAST, "--models", tmp_path / "cut", stdin="".join(text[:300]))
    assert done.exit_code == 0, done.stderr
    again = run("learn", csv, *FAST, "--models", tmp_path / "cut", "--resume")
    assert again.exit_code == 0, again.stderr
    assert "Read 600 rows (301 of them now)" in again.stderr
    assert dict(models(tmp_path / "cut")) == dict(models(tmp_path / "whole"))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--by", "machine"], "needs --by COLUMN and --models FOLDER"),
        (["--by", "site", "--models", "fleet"], "The input has no column 'site', which --by names"),
        (["--by", "machine", "--models", "fleet", "--model", "m"], "leave out --model"),
        (["--by", "machine", "--models", "fleet", "--out", "s.csv"], "--out is the file of the scores: add --score"),
        (["--by", "machine", "--models", "no/fleet"], "There is no folder no for the models"),
        ([], "Missing option '--model' / '-m'"),
    ],
)
def test_what_is_missing_is_said(
    csv: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("learn", csv, *arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr


def test_a_fleet_is_not_overwritten_and_keeps_its_settings(csv: Path, tmp_path: Path) -> None:
    fleet = tmp_path / "fleet"
    assert run("learn", csv, *FAST, "--models", fleet).exit_code == 0
    for options, sentence in (
        ([], "has models: use --resume"),
        (["--resume", "--hidden", 8], "made with --hidden 4, which cannot change"),
        (["--resume", "--contamination", 0.1], "cannot change: models keep their own"),
        (["--resume", "--by", "mode"], "were made with --by machine"),
    ):
        done = run("learn", csv, "--by", "machine", "--models", fleet, *options)
        assert done.exit_code == 2
        assert sentence in done.stderr
    other = tmp_path / "other.csv"
    other.write_text(table(600, seed=1))
    refused = run("learn", other, "--by", "machine", "--models", fleet, "--resume")
    assert refused.exit_code == 2
    assert "use --more in place of --resume" in refused.stderr
    more = run("learn", other, "--by", "machine", "--models", fleet, "--more")
    assert more.exit_code == 0
    assert "Read 1,200 rows (600 of them now)" in more.stderr


def test_rows_without_a_key_are_bad_rows(csv: Path, tmp_path: Path) -> None:
    csv.write_text(csv.read_text() + ",run,1000,60\n")
    done = run("learn", csv, *FAST, "--models", tmp_path / "fleet")
    assert done.exit_code == 2
    assert "column 'machine': there is no key" in done.stderr
    skipped = run("learn", csv, *FAST, "--models", tmp_path / "fleet", "--resume", "--on-bad-row", "skip")
    assert skipped.exit_code == 0
    assert "Read 601 rows (1 of them now): 1 skipped" in skipped.stderr


def test_new_keys_start_from_the_prior(csv: Path, tmp_path: Path) -> None:
    assert run("learn", csv, "--ignore", "machine", "--model", tmp_path / "prior", "--hidden", 4).exit_code == 0
    arguments = ("--by", "machine", "--models", tmp_path / "fleet", "--prior", tmp_path / "prior", "--score")
    done = run("learn", csv, *arguments)
    assert done.exit_code == 0, done.stderr
    assert ",," not in done.stdout, "no row is in a warm-up"
