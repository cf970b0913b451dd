"""What is imported is declared."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ELSEWHERE = {"_typeshed"}
"""modules that exist for type checkers alone"""
FOR_DEVELOPERS = {"dev", "test"}
"""extras that users do not need"""
LATE = {"import_module", "_import"}
"""functions that import the module whose name they are given"""


def imported(source: str) -> Iterator[str]:
    """The top-level modules that a source file imports, wherever in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module.partition(".")[0]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in LATE:
            match node.args:
                case [ast.Constant(value=str(name))]:
                    yield name.partition(".")[0]


def normal(name: str) -> str:
    """The name of a distribution as indices compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def declared() -> set[str]:
    """The distributions that pyproject.toml names, as dependencies or in an extra for users."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [
        each
        for name, listed in project["optional-dependencies"].items()
        if name not in FOR_DEVELOPERS
        for each in listed
    ]
    names = {
        re.split(r"[\s\[<>=!~;]", requirement, maxsplit=1)[0] for requirement in (*project["dependencies"], *extras)
    }
    return {normal(name) for name in names}


def undeclared(modules: set[str]) -> dict[str, list[str]]:
    """The third-party modules that no declared distribution provides, and what provides them."""
    providers = packages_distributions()
    known = declared()
    found = {}
    for module in modules - set(sys.stdlib_module_names) - ELSEWHERE - {"genreplay"}:
        distributions = [normal(name) for name in providers.get(module, [module])]  # not installed: its own name
        if not known & set(distributions):
            found[module] = distributions
    return found


def test_every_import_of_the_package_is_declared() -> None:
    modules = {name for path in (ROOT / "src/genreplay").rglob("*.py") for name in imported(path.read_text("utf-8"))}
    assert {"numpy", "sklearn", "scipy", "joblib", "distributed", "torch"} <= modules
    assert undeclared(modules) == {}


@pytest.mark.parametrize(
    ("source", "module"),
    [
        ("import yaml", "yaml"),
        ("def late():\n    from yaml.nodes import Node", "yaml"),
        ("import_module('yaml.nodes')", "yaml"),
        ("import pytest", "pytest"),  # a tool of developers is none of the users'
    ],
)
def test_an_import_that_is_not_declared_is_found(source: str, module: str) -> None:
    assert list(undeclared(set(imported(source)))) == [module]


def test_modules_are_found_by_what_provides_them() -> None:
    source = "import os\nimport sklearn\nfrom jinja2 import Environment\nfrom . import here\nfrom genreplay import core"
    assert undeclared(set(imported(source))) == {}
