"""The command starts fast: it lists its commands without importing them, and each imports only what it needs.

Modules are counted, not seconds: a busy machine imports the same ones.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from genreplay import __version__
from genreplay.cli import main
from genreplay.cli.main import COMMANDS
from tests.cli.series import series
from tests.cli.tables import run, table

SLOW = {"joblib", "matplotlib", "numba", "pandas", "polars", "pyarrow", "scipy", "sklearn"}
"""packages that take longer to import than most commands work; Numba imports SciPy"""
LEARNING = {"numba", "scipy"}
"""of these, what learning is worth, where it is installed"""


def imported_by(code: str) -> set[str]:
    """The packages outside of Python's own library that a fresh interpreter has imported after some code."""
    code += "; import json, sys; print(); print(json.dumps([name for name, found in sys.modules.items() if found]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = {name.partition(".")[0] for name in json.loads(done.stdout.splitlines()[-1])}
    return {name for name in names if name not in sys.stdlib_module_names and not name.startswith("_")}


@pytest.fixture(scope="module")
def there_before() -> set[str]:
    """What an environment imports whenever Python starts, such as the hooks of editable installations."""
    return imported_by("pass")


@pytest.mark.parametrize(
    ("code", "needed"),
    [
        ("import genreplay", {"genreplay"}),
        ("import genreplay; dir(genreplay); genreplay.__version__", {"genreplay"}),
        ("import genreplay.streams, genreplay.estimators", {"genreplay"}),
        ("import genreplay.cli", {"genreplay", "click"}),
        ("from genreplay.cli import main; main(['--version'], standalone_mode=False)", {"genreplay", "click"}),
        ("from genreplay.cli import main; main(['--help'], standalone_mode=False)", {"genreplay", "click"}),
    ],
)
def test_a_start_imports_click_and_nothing_else(code: str, needed: set[str], there_before: set[str]) -> None:
    assert imported_by(code) - there_before == needed


def test_completing_the_name_of_a_command_imports_none(there_before: set[str]) -> None:
    code = (
        "import click; from genreplay.cli import main; "
        "found = main.shell_complete(click.Context(main), 'expl'); assert [each.value for each in found] == ['explain']"
    )
    assert imported_by(code) - there_before == {"genreplay", "click"}


def imported_by_command(*arguments: object) -> set[str]:
    """The slow packages that a command has imported when it ends."""
    words = [str(argument) for argument in arguments]
    return imported_by(f"from genreplay.cli import main; main({words!r}, standalone_mode=False)") & SLOW


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table and a series, the models that have learned them, and files of one row."""
    folder = tmp_path_factory.mktemp("start")
    for name, text, options in (("table", table(700), ()), ("series", series(500), ("--time", "when"))):
        (folder / f"{name}.csv").write_text(text)
        (folder / f"{name}_row.csv").write_text("".join(text.splitlines(keepends=True)[:2]))
        assert run("learn", folder / f"{name}.csv", "--model", folder / name, *options, "--quiet").exit_code == 0
    return folder


@pytest.mark.parametrize("name", ["table", "series"])
@pytest.mark.parametrize("command", ["score", "explain", "impute", "sample", "info", "learn --more"])
def test_a_question_about_one_row_imports_nothing_that_is_slow(command: str, name: str, folder: Path) -> None:
    word, *options = command.split()
    rows = [folder / f"{name}_row.csv"] if word not in ("sample", "info") else []
    model = [folder / name] if word == "info" else ["--model", folder / name]
    assert imported_by_command(word, *rows, *options, *model) == set()


@pytest.mark.parametrize(("name", "options"), [("table", ["--score"]), ("series", ["--score", "--time", "when"])])
def test_learning_imports_compiled_loops_and_nothing_else_that_is_slow(
    name: str, options: list[str], folder: Path, tmp_path: Path
) -> None:
    assert imported_by_command("learn", folder / f"{name}.csv", "--model", tmp_path / "m", *options) <= LEARNING


def test_many_rows_are_worth_compiled_loops(folder: Path) -> None:
    pytest.importorskip("numba")
    (folder / "many.csv").write_text(table(10_000))
    assert "numba" in imported_by_command("score", folder / "many.csv", "--model", folder / "table")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_listed_help_of_a_command_is_its_own(name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.name == name
    assert command.help is not None
    assert COMMANDS[name].help == " ".join(command.help.split("\n\n")[0].split())


def test_the_help_lists_every_command() -> None:
    lines = CliRunner().invoke(main, ["--help"]).output.split("Commands:\n")[1].splitlines()
    assert [line.split()[0] for line in lines] == list(COMMANDS)


def test_the_version_is_that_of_the_package() -> None:
    assert __version__ in CliRunner().invoke(main, ["--version"]).output


def test_an_unknown_command_is_refused_in_one_line() -> None:
    result = CliRunner().invoke(main, ["lern"])
    assert result.exit_code == 2
    assert "No such command 'lern'" in result.output.splitlines()[-1]
