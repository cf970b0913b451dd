"""Everything that is public is on a page of the API reference, and has an example."""

from __future__ import annotations

import inspect
import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import genreplay

ROOT = Path(__file__).parents[1]
PROGRAMS = ("cli", "experiments", "core.kernels.compiled")
"""packages that are used by their commands, or by the package itself"""
REFERENCE = re.compile(r"^::: (\S+)\n((?:    .*\n)*)", re.MULTILINE)


def packages() -> Iterator[ModuleType]:
    """The packages that list their public names."""
    yield genreplay
    for found in pkgutil.walk_packages(genreplay.__path__, "genreplay."):
        name = found.name.removeprefix("genreplay.")
        if found.ispkg and not name.startswith(PROGRAMS):
            try:
                package = import_module(found.name)
            except ImportError:  # of an extra that is not installed; .ci/run has them all
                continue
            if hasattr(package, "__all__"):
                yield package


def own_names(module: ModuleType) -> Iterator[str]:
    """The public functions and classes that a module defines."""
    for name, value in vars(module).items():
        defined = inspect.isfunction(inspect.unwrap(value)) if callable(value) else False
        if not name.startswith("_") and (defined or inspect.isclass(value)) and value.__module__ == module.__name__:
            yield name


def public() -> dict[str, object]:
    """Every public thing by its full name; a public module stands for what it defines."""
    found: dict[str, object] = {}
    for package in packages():
        for name in package.__all__:
            value = getattr(package, name)
            if isinstance(value, ModuleType):
                found |= {f"{value.__name__}.{each}": getattr(value, each) for each in own_names(value)}
            else:
                found[f"{package.__name__}.{name}"] = value
    return found


def resolve(identifier: str) -> object:
    """The object with this full name."""
    names = identifier.split(".")
    for n in range(len(names), 0, -1):
        try:
            value: object = import_module(".".join(names[:n]))
        except ModuleNotFoundError:
            continue
        except ImportError as error:  # of an extra that is not installed
            pytest.skip(str(error))
        for name in names[n:]:
            value = getattr(value, name)
        return value
    raise AssertionError(identifier)


def on_pages() -> list[object]:
    """Everything that a page of the reference shows."""
    shown = []
    for page in sorted((ROOT / "docs/api").glob("*.md")):
        for identifier, options in REFERENCE.findall(page.read_text("utf-8") + "\n"):
            value = resolve(identifier)
            shown.append(value)
            listed = re.search(r"members: \[(.*)\]", options)
            if isinstance(value, ModuleType) and "members: false" not in options:
                names = listed[1].split(", ") if listed else own_names(value)
                shown += [getattr(value, name) for name in names]
    return shown


def test_every_public_name_is_on_a_page_of_the_reference() -> None:
    pytest.importorskip("river")
    there = public()
    assert {"genreplay.OnlineRBM", "genreplay.core.kernels.use", "genreplay.core.rbm.dream"} <= set(there)
    shown = on_pages()
    assert [name for name, value in there.items() if not any(value is each for each in shown)] == []


def test_every_public_class_and_function_has_an_example() -> None:
    things = {
        name: value
        for name, value in public().items()
        if inspect.isclass(value) or inspect.isroutine(inspect.unwrap(value))  # type: ignore[arg-type]
    }
    assert len(things) > 90
    assert [name for name, value in things.items() if ">>>" not in (value.__doc__ or "")] == []


def test_every_page_of_the_reference_is_in_its_index() -> None:
    index = (ROOT / "docs/api/index.md").read_text("utf-8")
    pages = [page.name for page in (ROOT / "docs/api").glob("*.md") if page.name != "index.md"]
    assert [page for page in pages if f"]({page})" not in index] == []
