"""The settings of the codes on the command line, and what ``info`` prints of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.tables import run, table


def test_warm_up_and_bins_of_a_new_model_can_be_set(tmp_path: Path) -> None:
    path = tmp_path / "m"
    done = run("learn", "-", "-m", path, "--warm-up", 150, "--bins", 3, "--score", "--quiet", stdin=table(400))
    assert done.exit_code == 0
    assert sum(line.endswith(",,,") for line in done.stdout.splitlines()) == 150, "the rows of the warm-up"
    facts = json.loads(run("info", path, "--json").stdout)
    assert (facts["warm_up"], facts["bins"]) == (150, 3)
    first, last = facts["codes"]["age"]["usual"]
    assert last - first + 1 == 3


def test_warm_up_and_bins_of_a_model_cannot_change(tmp_path: Path) -> None:
    path = tmp_path / "m"
    run("learn", "-", "-m", path, "--warm-up", 150, stdin=table(300))
    before = path.read_bytes()
    for option, value in (("--warm-up", 200), ("--bins", 5)):
        done = run("learn", "-", "-m", path, "--more", option, value, stdin=table(10))
        assert done.exit_code == 2
        assert f"The model was made with {option} " in done.stderr
        assert "which cannot change." in done.stderr
        assert path.read_bytes() == before
    assert run("learn", "-", "-m", path, "--more", "--warm-up", 150, "--bins", 8, stdin=table(10)).exit_code == 0


def test_info_prints_the_code_of_each_column(tmp_path: Path) -> None:
    path = tmp_path / "m"
    rows = "age,colour,member,when,id\n21,red,true,2024-01-01T10:00,a\n35,blue,false,2024-01-02T10:00,b\n"
    run("learn", "-", "-m", path, "--ignore", "id", stdin=rows)
    lines = run("info", path).stdout.splitlines()
    found = {line.split()[0]: " ".join(line.split()[1:]) for line in lines[lines.index("columns:") + 1 :]}
    assert found["age"] == "number 21 to 35 in 2 intervals"
    assert found["colour"] == "category red, blue"
    assert found["member"] == "boolean false, true"
    assert found["when"] == "timestamp 24 times of day, 7 days of the week"
    assert found["id"] == "ignore"
    codes = json.loads(run("info", path, "--json").stdout)["codes"]
    assert codes["colour"]["labels"] == ["red", "blue"]
    assert codes["colour"]["codes"] == ["=red", "=blue", "=unseen", "=?"]
    assert codes["age"]["cuts"][4:7] == [21, 28, 35]
    assert list(codes) == ["age", "colour", "member", "when"]


def test_info_in_the_warm_up_prints_the_kinds_alone(tmp_path: Path) -> None:
    path = tmp_path / "m"
    run("learn", "-", "-m", path, stdin=table(50) + "bad\n")
    assert json.loads(run("info", path, "--json").stdout)["codes"] == {}
    assert "  age     number\n" in run("info", path).stdout


def test_info_says_how_many_cells_are_unknown(tmp_path: Path) -> None:
    """Every fourth number is missing; of the later rows, every tenth lies outside and every tenth label is new."""
    path = tmp_path / "m"
    first = [f"{'' if i % 4 == 0 else i % 50},{'ab'[i % 2]}" for i in range(500)]
    later = [
        f"{'' if i % 4 == 0 else 70 if i % 10 == 1 else i % 50},{'c' if i % 10 == 3 else 'ab'[i % 2]}"
        for i in range(4000)
    ]
    run("learn", "-", "-m", path, stdin="\n".join(["x,label", *first, *later]))
    unknown = json.loads(run("info", path, "--json").stdout)["unknown"]
    assert unknown["x"]["missing"] == 0.25
    assert unknown["x"]["outside"] == pytest.approx(400 / 4500, abs=0.03), (
        "some of the range's own ends lie outside, too"
    )
    assert unknown["label"]["missing"] == 0
    assert unknown["label"]["outside"] == pytest.approx(400 / 4500, abs=1e-6)
    lines = run("info", path).stdout.splitlines()
    x, label = lines[lines.index("columns:") + 1 :]
    assert " % missing, " in x
    assert x.endswith(" % outside")
    assert label.endswith(" % unseen labels")
    assert "missing" not in label
