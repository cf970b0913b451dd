from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from genreplay import datasets
from genreplay.cli.data import data
from genreplay.datasets import registry
from tests.datasets import tiny as tiny_module
from tests.datasets.tiny import write_into

pytestmark = pytest.mark.usefixtures("tiny")


def test_list_shows_where_each_set_is(cache: Path) -> None:
    write_into(cache)
    result = CliRunner().invoke(data, ["list"])
    assert result.exit_code == 0
    rows = {line.split()[0]: line.split() for line in result.stdout.splitlines() if line}
    assert rows["tiny"] == ["tiny", "9", "6", "6", "6", "exact", "cache"]
    assert rows["mnist"] == ["mnist", "784", "60,000", "0", "10,000", "exact", "missing"]
    assert rows["toy"][-3:] == ["generated", "built", "in"]
    assert "mnist: run `genreplay data fetch mnist`" in result.stdout


def test_list_as_json_has_every_set_and_nothing_else_on_stdout() -> None:
    result = CliRunner().invoke(data, ["list", "--json"])
    listed = json.loads(result.stdout)
    assert [entry["name"] for entry in listed] == datasets.names()
    assert set(listed[0]) >= {"n_features", "n_train", "n_valid", "n_test", "state", "where", "note"}


def test_list_names_damaged_files(cache: Path) -> None:
    path = write_into(cache)[0]
    path.write_bytes(b"")
    result = CliRunner().invoke(data, ["list"])
    assert result.exit_code == 0
    assert f"tiny: {path} is damaged" in result.stdout


def test_fetch_prints_the_paths_of_what_is_here(cache: Path) -> None:
    paths = write_into(cache)
    result = CliRunner().invoke(data, ["fetch", "tiny", "toy"])
    assert result.exit_code == 0
    assert result.stdout.split() == [str(path) for path in paths]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fetch", "minst"], "Error: There is no data set 'minst'."),
        (["fetch", "dna"], "Error: dna cannot be fetched: no verified public copy is known"),
        (["fetch", "--quiet", "tiny"], "Error: http://127.0.0.1:9/tiny/tiny.train.data.gz could not be reached"),
    ],
)
def test_a_failure_is_one_line_on_stderr_and_exit_code_2(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(data, arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(message)
    assert result.stderr.count("\n") == 1


def test_fetch_all_goes_on_after_a_failure_and_tells_each(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {"dna": registry.SPECS["dna"], "tiny": tiny_module.SPEC, "web": registry.SPECS["web"]}
    monkeypatch.setattr(registry, "SPECS", kept)
    paths = write_into(cache)
    result = CliRunner().invoke(data, ["fetch", "all"])
    assert result.exit_code == 2
    assert result.stdout.split() == [str(path) for path in paths]
    assert [line.split()[1] for line in result.stderr.splitlines()] == ["dna", "web"]


def test_fetch_without_a_name_is_refused() -> None:
    result = CliRunner().invoke(data, ["fetch"])
    assert result.exit_code == 2
    assert "Missing argument" in result.stderr
