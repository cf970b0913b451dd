"""The order of the packages, and that the check of it can fail."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONFIGURATION = ROOT / "pyproject.toml"

pytest.importorskip("importlinter")


def lint(folder: Path) -> tuple[int, str]:
    """Apply the contract of the project to the package ``genreplay`` in a folder."""
    command = [
        "from importlinter.cli import lint_imports; import sys; sys.exit(lint_imports(sys.argv[1], no_cache=True))"
    ]
    done = subprocess.run(
        [sys.executable, "-c", *command, str(CONFIGURATION)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def layers() -> list[str]:
    """The names of the packages, top to bottom."""
    (contract,) = tomllib.loads(CONFIGURATION.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    return [name.strip("() ") for layer in contract["layers"] for name in layer.split("|")]


def package(folder: Path, **modules: str) -> Path:
    """A tiny package with every layer, each an empty module unless its text is given."""
    (folder / "genreplay").mkdir()
    (folder / "genreplay/__init__.py").write_text("")
    for layer in [*layers(), *(name for name in modules if name not in layers())]:
        (folder / f"genreplay/{layer}.py").write_text(modules.get(layer, ""))
    return folder


def test_nothing_imports_what_stands_above_it() -> None:
    code, said = lint(ROOT / "src")
    assert code == 0, said


def test_the_order_is_that_of_the_design() -> None:
    assert layers()[:-1] == [
        "cli",
        "report",
        "experiments",
        "bench",
        "plots",
        "rl",
        "fleet",
        "estimators",
        "streams",
        "datasets",
        "device",
        "core",
    ]


def test_imports_that_go_down_are_allowed(tmp_path: Path) -> None:
    code, said = lint(package(tmp_path, cli="import genreplay.report", report="import genreplay.core"))
    assert code == 0, said


@pytest.mark.parametrize(
    "modules",
    [
        {"core": "import genreplay.datasets"},
        {"bench": "from genreplay.experiments import runner"},
        {"experiments": "def late():\n    from genreplay import report"},
        {"device": "import genreplay.streams"},
        {"core": "import genreplay.formatting"},
    ],
)
def test_an_import_that_goes_up_is_found(tmp_path: Path, modules: dict[str, str]) -> None:
    code, said = lint(package(tmp_path, **modules))
    assert code == 1, said
    assert "BROKEN" in said
    assert f"genreplay.{next(iter(modules))} -> genreplay." in said


def test_a_new_package_needs_a_place_in_the_order(tmp_path: Path) -> None:
    code, said = lint(package(tmp_path, elsewhere=""))
    assert code == 1, said
    assert "elsewhere" in said
