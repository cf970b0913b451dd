"""Check that a tag may be released: ``python tools/check_release.py v0.1.0``.

The tag, the version of the package, CHANGELOG.md and CITATION.cff must agree, and the addresses in pyproject.toml must
be real ones. Needs nothing but Python.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]


def version_of(root: Path) -> str:
    """The version in the package's source."""
    return _found(r'^__version__ = "(.+)"$', root / "src/genreplay/__init__.py")


def disagreements(root: Path) -> Iterator[str]:
    """What CHANGELOG.md and CITATION.cff say otherwise than the package."""
    version = version_of(root)
    headings = re.findall(r"^## (.+)$", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    dates = [heading.removeprefix(f"{version} ").strip("()") for heading in headings if heading.split()[0] == version]
    if not dates or not re.fullmatch(r"\d{4}-\d\d-\d\d", dates[0]):
        yield f"CHANGELOG.md has no heading '## {version} (YYYY-MM-DD)': cut the release there."
        return
    cited = _found(r"^version: (.+)$", root / "CITATION.cff"), _found(r"^date-released: (.+)$", root / "CITATION.cff")
    if cited != (version, dates[0]):
        yield f"CITATION.cff has version {cited[0]} of {cited[1]}, CHANGELOG.md {version} of {dates[0]}."


def placeholders(root: Path) -> Iterator[str]:
    """Addresses that nobody has filled in."""
    urls: dict[str, str] = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    for name, url in urls.items():
        if ".example" in url:
            yield f"{name} in [project.urls] of pyproject.toml is still a placeholder: {url}."


def problems(root: Path, tag: str) -> list[str]:
    """Why the tag may not be released; nothing if it may."""
    version = version_of(root)
    wrong = [] if tag == f"v{version}" else [f"The tag {tag} is not v{version}, the version in genreplay/__init__.py."]
    return [*wrong, *disagreements(root), *placeholders(root)]


def _found(pattern: str, path: Path) -> str:
    match = re.search(pattern, path.read_text("utf-8"), re.MULTILINE)
    if match is None:
        raise ValueError(f"{path} has no line like {pattern}.")
    return match[1]


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tools/check_release.py TAG")
    sys.exit("\n".join(problems(ROOT, sys.argv[1])) or None)
