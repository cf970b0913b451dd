"""The command starts fast: it lists its commands without importing them, and what they need."""

from __future__ import annotations

import json
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from genreplay import __version__
from genreplay.cli import main
from genreplay.cli.main import COMMANDS


def imported_by(code: str) -> set[str]:
    """The packages outside of Python's own library that a fresh interpreter has imported after some code."""
    code += "; import json, sys; print(); print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = json.loads(done.stdout.splitlines()[-1])
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
        "found = main.shell_complete(click.Context(main), 'exp'); assert [each.value for each in found] == ['explain']"
    )
    assert imported_by(code) - there_before == {"genreplay", "click"}


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
