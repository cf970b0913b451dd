"""Columns of the input that are printed beside the scores."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.tables import run

ROWS = "age,colour\n" + "".join(f"{20 + i % 7},{'red' if i % 2 else 'blue'}\n" for i in range(40))
NEW = 'id,age,colour\n a1 ,21,red\n"b,2",99,pink\n'


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("carry") / "m"
    assert run("learn", "-", "-m", path, "--quiet", stdin=ROWS).exit_code == 0
    return path


def test_kept_columns_come_first_as_they_were(model: Path) -> None:
    done = run("score", "-", "-m", model, "--keep", "id,age", stdin=NEW)
    lines = done.stdout.splitlines()
    assert lines[0] == "id,age,row,anomaly,p_value,alarm"
    assert lines[1].startswith(" a1 ,21,1,")
    assert lines[2].startswith('"b,2",99,2,')
    plain = run("score", "-", "-m", model, "--ignore", "id", stdin=NEW).stdout.splitlines()
    assert [line.split(",")[-3:] for line in lines] == [line.split(",")[-3:] for line in plain]


def test_append_prints_all_columns_of_the_input(model: Path) -> None:
    done = run("score", "-", "-m", model, "--append", "--ignore", "id", stdin=NEW)
    assert done.stdout.splitlines()[0] == "id,age,colour,row,anomaly,p_value,alarm"
    assert done.stdout.splitlines()[2].startswith('"b,2",99,pink,2,')
    done = run("explain", "-", "-m", model, "--append", "--ignore", "id", "--top", 1, stdin=NEW)
    assert done.stdout.splitlines()[0] == "id,age,colour,row,anomaly,p_value,column_1,cell_1,nats_1,p_1"


@pytest.mark.parametrize("form", ["tsv", "ndjson"])
@pytest.mark.parametrize("command", ["score", "explain"])
def test_other_formats_and_json_carry_columns_too(model: Path, form: str, command: str) -> None:
    rows = "id\tage\tcolour\na1\t21\tred\n" if form == "tsv" else '{"id": "a1", "age": "21", "colour": "red"}\n'
    done = run(command, "-", "--format", form, "-m", model, "--keep", "id", "--keep", "age", "--json", stdin=rows)
    assert list(json.loads(done.stdout).items())[:3] == [("id", "a1"), ("age", "21"), ("row", 1)]


def test_an_unknown_column_is_one_sentence(model: Path) -> None:
    done = run("score", "-", "-m", model, "--keep", "id,time", "--ignore", "id", stdin=NEW)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == "Error: The input has no column 'time', which --keep names: it has 'id', 'age', 'colour'.\n"
    rows = '{"age": 21, "colour": "red"}\n'
    done = run("score", "-", "--format", "ndjson", "-m", model, "--keep", "time", stdin=rows)
    assert done.exit_code == 2
    assert done.stderr == "Error: The input has no column 'time', which --keep names: no row has a value there.\n"


def test_a_column_with_the_name_of_a_result_is_refused(model: Path) -> None:
    done = run("score", "-", "-m", model, "--keep", "row", stdin="row,age,colour\n7,21,red\n")
    assert done.exit_code == 2
    assert "a column 'row', and so do the results" in done.stderr
    assert done.stdout == ""


def test_learn_carries_columns_beside_its_scores(tmp_path: Path) -> None:
    rows = "id,age\n" + "".join(f"r{i},{i % 9}\n" for i in range(30))
    done = run("learn", "-", "-m", tmp_path / "m", "--score", "--ignore", "id", "--keep", "id", stdin=rows)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[:2] == ["id,row,anomaly,p_value,alarm", "r0,1,,,"]
    done = run("learn", "-", "-m", tmp_path / "n", "--score", "--append", "--json", "--quiet", stdin=rows)
    assert json.loads(done.stdout.splitlines()[3])["id"] == "r3"
    done = run("learn", "-", "-m", tmp_path / "o", "--score", "--keep", "x", stdin=rows)
    assert done.exit_code == 2
    assert "no column 'x', which --keep names" in done.stderr
    assert not (tmp_path / "o").exists()


def test_options_that_contradict_each_other_are_refused(model: Path, tmp_path: Path) -> None:
    done = run("score", "-", "-m", model, "--keep", "age", "--append", stdin=ROWS)
    assert done.exit_code == 2
    assert "leave one out" in done.stderr
    done = run("learn", "-", "-m", tmp_path / "m", "--append", stdin=ROWS)
    assert done.exit_code == 2
    assert "add --score" in done.stderr
