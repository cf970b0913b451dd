"""``--escape-formulas``: text that a spreadsheet would take for a formula comes out behind an apostrophe."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.cli.tables import run

LABELS = ["=cmd|'/c calc'!A1", "+1+1", "-x", "@SUM(A1)", "usual"]
ROWS = "=name,n,id\n" + "".join(f'"{LABELS[i % 5]}",{-1.5 - i % 3},-{i}\n' for i in range(600))
COMMANDS = [
    ["sample", "-n", 40],
    ["impute", "-"],
    ["score", "-", "--append"],
    ["score", "-", "--keep", "=name,id"],
    ["explain", "-", "--append"],
    ["learn", "-", "--more", "--score", "--append"],
]


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("learned") / "m"
    assert run("learn", "-", "-m", path, stdin=ROWS).exit_code == 0
    return path.read_bytes()


@pytest.fixture
def model(learned: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "m"
    path.write_bytes(learned)
    return path


def cells(*arguments: object) -> list[list[str]]:
    done = run(*arguments, stdin=ROWS)
    assert done.exit_code == 0
    return list(csv.reader(io.StringIO(done.stdout)))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(map(str, command)))
def test_no_text_starts_like_a_formula_and_numbers_stay_numbers(model: Path, command: list[object]) -> None:
    before = model.read_bytes()
    plain = cells(*command, "-m", model)
    model.write_bytes(before)
    escaped = cells(*command, "-m", model, "--escape-formulas")
    assert any(cell in LABELS[:4] for row in plain for cell in row), "without the option, cells are as they were"
    for row, row_escaped in zip(plain, escaped, strict=True):
        for cell, cell_escaped in zip(row, row_escaped, strict=True):
            is_formula = cell in LABELS[:4] or cell == "=name"
            assert cell_escaped == (f"'{cell}" if is_formula else cell)
    assert any(cell.startswith("-") for row in escaped for cell in row), "numbers"


def test_what_comes_back_from_impute_is_what_went_in(model: Path) -> None:
    assert run("impute", "-", "-m", model, stdin=ROWS).stdout == ROWS.replace('"', "")


def test_it_is_for_csv_only(model: Path) -> None:
    for command in (["sample", "-m", model, "--json"], ["learn", "-", "-m", model, "--more"]):
        done = run(*command, "--escape-formulas", stdin=ROWS)
        assert done.exit_code == 2
        assert "--escape-formulas is for" in done.stderr
