"""``import genreplay`` knows all public names, and imports what they need on first use."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import genreplay


def declared_for_type_checkers() -> dict[str, str]:
    """The names that ``genreplay/__init__.py`` imports for type checkers, and from where."""
    tree = ast.parse(Path(genreplay.__file__).read_text("utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    return {
        alias.name: str(node.module) for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }


def test_type_checkers_and_python_see_the_same_names() -> None:
    assert sorted(declared_for_type_checkers()) == sorted(genreplay.__all__)


@pytest.mark.parametrize("name", genreplay.__all__)
def test_every_public_name_comes_from_where_type_checkers_are_told(name: str) -> None:
    home = __import__(declared_for_type_checkers()[name], fromlist=[name])
    assert getattr(genreplay, name) is getattr(home, name)
    assert name in dir(genreplay)


@pytest.mark.parametrize("name", ["core", "datasets", "estimators", "fleet", "plots", "streams"])
def test_subpackages_need_no_import_of_their_own(name: str) -> None:
    assert getattr(genreplay, name).__name__ == f"genreplay.{name}"
    assert name in dir(genreplay)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'OnlineRMB'"):
        _ = genreplay.OnlineRMB
    with pytest.raises(ImportError, match="OnlineRMB"):
        from genreplay import OnlineRMB  # noqa: F401
