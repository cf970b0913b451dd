from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from genreplay import OnlineRBMDetector
from tests.cli.tables import run


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dry day has no amount of rain."""
    path = tmp_path_factory.mktemp("impute") / "m"
    wet = np.random.default_rng(0).random(3000) < 0.5
    rows = "sky,wet,amount\n" + "".join(f"rain,true,{10 + i % 5}\n" if w else "sun,false,\n" for i, w in enumerate(wet))
    assert run("learn", "-", "-m", path, "--epochs", 10, "--learning-rate", 0.05, "--quiet", stdin=rows).exit_code == 0
    return path


HOLES = "sky,wet,amount\nrain,,\n,false,NA\n"


def parsed(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_cells_that_are_empty_by_nature_stay_as_they_are(model: Path) -> None:
    wet, dry = parsed(run("impute", "-", "-m", model, stdin=HOLES).stdout)
    assert wet["wet"] == "true"
    assert 10 <= float(wet["amount"]) <= 14
    assert dry == {"sky": "sun", "wet": "false", "amount": "NA"}
    lines = run("impute", "-", "-m", model, "--json", stdin=HOLES).stdout.splitlines()
    assert json.loads(lines[1]) == {"sky": "sun", "wet": False, "amount": None}


def test_a_table_without_holes_comes_back_as_it_is(model: Path) -> None:
    rows = "sky,wet,amount\nrain,true,12\n"
    assert run("impute", "-", "-m", model, stdin=rows).stdout == rows


def test_only_the_named_columns_are_filled(model: Path) -> None:
    wet, dry = parsed(run("impute", "-", "-m", model, "--columns", "sky,wet", stdin=HOLES).stdout)
    assert wet == {"sky": "rain", "wet": "true", "amount": ""}
    assert dry["sky"] == "sun"
    done = run("impute", "-", "-m", model, "--columns", "rain", stdin=HOLES)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == (
        "Error: The model has no column 'rain', which --columns names: it has 'sky', 'wet', 'amount'.\n"
    )


def test_explain_names_at_most_the_columns_that_there_are(model: Path) -> None:
    for top, n_named in ((1, 1), (2, 2), (3, 3), (99, 3)):
        header = run("explain", "-", "-m", model, "--top", top, stdin=HOLES).stdout.splitlines()[0]
        assert header.count("column_") == n_named
        line = run("explain", "-", "-m", model, "--top", top, "--json", stdin=HOLES).stdout.splitlines()[0]
        assert len(json.loads(line)["columns"]) == n_named


def test_a_model_that_learned_a_data_frame_in_python_gives_rows(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": np.arange(600.0) % 7, "y": ["a", "b"] * 300})
    OnlineRBMDetector(random_state=0).fit(frame).save(tmp_path / "m")
    lines = run("sample", "-m", tmp_path / "m", "-n", 5).stdout.splitlines()
    assert lines[0] == "x,y"
    assert len(lines) == 6
    done = run("impute", "-", "-m", tmp_path / "m", stdin="x,y\n1,\n")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[1] in ("1,a", "1,b")
