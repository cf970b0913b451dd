"""What must agree before a release, here and now: version, changelog, citation, Python versions, linters."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path

import pytest
from tools.check_release import ROOT, disagreements, placeholders, problems

import genreplay

FILES = ("CHANGELOG.md", "CITATION.cff", "pyproject.toml", "src/genreplay/__init__.py")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """What is checked, ready to be released."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    change(tmp_path / "pyproject.toml", r"genreplay\.example", "genreplay.org")
    return tmp_path


def change(path: Path, pattern: str, new: str) -> None:
    text, n = re.subn(pattern, new, path.read_text("utf-8"))
    assert n, f"{path.name} has nothing like {pattern}"
    path.write_text(text, "utf-8")


def test_changelog_and_citation_have_the_version_of_the_package() -> None:
    assert list(disagreements(ROOT)) == []


def test_what_agrees_may_be_released(copy: Path) -> None:
    assert problems(copy, f"v{genreplay.__version__}") == []


@pytest.mark.parametrize("tag", ["v9.9.9", genreplay.__version__, "v"])
def test_another_tag_may_not(copy: Path, tag: str) -> None:
    (said,) = problems(copy, tag)
    assert said.startswith(f"The tag {tag} is not v{genreplay.__version__}")


@pytest.mark.parametrize(
    ("file", "pattern", "new", "said"),
    [
        ("CHANGELOG.md", r"## .*\(\d.*\)", "## 0.1.0 (unreleased)", "cut the release there"),
        ("CHANGELOG.md", r"\(\d{4}-", "(1999-", "CITATION.cff has version"),
        ("CITATION.cff", r"\nversion: .*", "\nversion: 0.0.1", "CITATION.cff has version 0.0.1"),
        ("src/genreplay/__init__.py", r'__version__ = ".*"', '__version__ = "0.2.0"', "no heading '## 0.2.0"),
    ],
)
def test_files_that_disagree_are_named(copy: Path, file: str, pattern: str, new: str, said: str) -> None:
    change(copy / file, pattern, new)
    assert any(said in problem for problem in disagreements(copy))


def test_addresses_must_be_filled_in(copy: Path) -> None:
    assert list(placeholders(copy)) == []
    change(copy / "pyproject.toml", r'Source = ".*"', 'Source = "https://genreplay.example/source"')
    assert list(placeholders(copy)) == [
        "Source in [project.urls] of pyproject.toml is still a placeholder: https://genreplay.example/source."
    ]


def test_the_addresses_of_the_project_are_in_one_place() -> None:
    urls: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    host = urls["Homepage"].removeprefix("https://")
    documents = [*ROOT.glob("*.md"), *ROOT.glob("*.cff"), *(ROOT / ".github").rglob("*.*")]
    assert len(documents) > 5
    assert [path.name for path in documents if host in path.read_text("utf-8")] == []


def test_the_versions_of_python_that_are_tested_are_those_that_are_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    declared = [each.rsplit(" ", 1)[1] for each in project["classifiers"] if re.search(r"Python :: 3\.", each)]
    (tested,) = re.findall(
        r"^ +python: \[(.*)\]$", (ROOT / ".github/workflows/ci.yml").read_text("utf-8"), re.MULTILINE
    )
    assert re.findall(r"[\d.]+", tested) == declared
    assert project["requires-python"] == f">={declared[0]}"


def test_the_hooks_before_a_commit_are_the_linters_of_make_lint() -> None:
    (lint,) = re.findall(r"^lint:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    made = re.findall(r"\$\(BIN\)/(\S+(?: (?:check|format))?)", lint)
    hooks = re.findall(
        r"entry: \.venv/bin/(\S+(?: (?:check|format))?)", (ROOT / ".pre-commit-config.yaml").read_text("utf-8")
    )
    assert hooks == made
