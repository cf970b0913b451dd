"""The examples and tables of README.md, CONTRIBUTING.md and the documentation say what the code does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genreplay import MODERN, PAPER, OnlineRBM, core
from genreplay.core.ingredient import Ingredient
from genreplay.report import markdown, pieces
from tests.alike import alike

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/genreplay"
PAGES = [path.relative_to(ROOT).as_posix() for path in (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")))]
BLOCK = re.compile(r"^```python\n(.*?)^```$", flags=re.MULTILINE | re.DOTALL)


def text_of(document: str) -> str:
    return (ROOT / document).read_text("utf-8")


def python_blocks(document: str, heading: str = "") -> list[str]:
    """The Python examples of a document, or of one of its sections."""
    text = text_of(document)
    if heading:
        text = re.split(rf"^#+ {re.escape(heading)}$", text, maxsplit=1, flags=re.MULTILINE)[1]
        text = re.split(r"^## ", text, maxsplit=1, flags=re.MULTILINE)[0]
    return BLOCK.findall(text)


def run(code: str, names: dict[str, Any], document: str) -> None:
    exec(compile(code, document, "exec", dont_inherit=True), names)


def table_rows(document: str, heading: str) -> list[list[str]]:
    """The cells of the table with this heading."""
    table = text_of(document).split(f"| {heading} |", maxsplit=1)[1].split("\n\n", maxsplit=1)[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


@pytest.fixture
def forgotten_ingredients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes of the examples are known only while the test runs."""
    monkeypatch.setattr(Ingredient, "classes", dict(Ingredient.classes))


@pytest.mark.usefixtures("forgotten_ingredients")
@pytest.mark.parametrize("document", [page for page in PAGES if python_blocks(page)])
def test_python_examples_run_and_print_what_they_say(
    document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if "estimators.river" in text_of(document):
        pytest.importorskip("river")
    if "genreplay.rl" in text_of(document):
        pytest.importorskip("stable_baselines3", reason="the extra rl is not installed")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "documents"}
    for block in python_blocks(document):
        run(block, names, document)
        printed = capsys.readouterr().out.splitlines()
        said = re.findall(r"^print\(.*\)(?:\s+|\n)# (.+)$", block, flags=re.MULTILINE)
        for line in said:
            value = line.partition(": ")[0] if ": " in line and not line.startswith("{") else line
            assert any(alike(value, each) for each in printed), f"{value!r} is not in {printed}"


def test_there_are_examples_in_every_guide() -> None:
    guides = [page for page in PAGES if page.startswith("docs/guides/")]
    assert len(guides) == 14
    assert all(python_blocks(page) for page in (*guides, "README.md", "docs/faq.md"))


def test_the_guide_shows_both_recipes_as_they_are() -> None:
    rows = table_rows("docs/guides/recipes.md", "place | `PAPER` | `MODERN`")
    assert [row[0].strip("`") for row in rows] == list(PAPER.get_params(deep=False)), "every place, in its order"
    for place, paper, modern in rows:
        for recipe, text in ((PAPER, paper), (MODERN, modern)):
            assert eval(text.strip("`"), dict(vars(core))) == getattr(recipe, place.strip("`")), place


def test_the_lines_of_the_paper_are_beside_code_that_exists() -> None:
    rows = table_rows("docs/how-it-works.md", "paper | code")
    assert len(rows) >= 25
    for _, code in rows:
        for file, names in re.findall(r"`((?:\w+/)+(?:\w+\.py)?)`((?:[:,] `\w+`)*)", code):
            path = ROOT / file if file.startswith("tests/") else SOURCE / file
            assert path.exists(), file
            for name in re.findall(r"\w+", names):
                assert re.search(rf"^(?:def |class |    def )?{name}\b", path.read_text("utf-8"), re.MULTILINE), name


def test_the_readme_is_short_and_its_links_lead_somewhere() -> None:
    text = text_of("README.md")
    assert len(text.splitlines()) <= 150
    for needed in ("pip install genreplay", "\nmake run ", "\nmake test "):
        assert needed in text
    links = re.findall(r"\]\(([^)#]+)\)", text)
    assert len(links) >= 6
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_part_of_the_report_that_a_page_asks_for_exists_and_all_tables_are_asked_for() -> None:
    asked = {name for page in PAGES for name in re.findall(r"^<!-- results: (\S+) -->$", text_of(page), re.MULTILINE)}
    assert asked <= {*pieces.TABLES, *pieces.PICTURES}
    shown = [pieces.TABLES[name] for name in asked if name in pieces.TABLES]
    assert [table for table in markdown.TABLES if table not in shown] == []


@pytest.mark.usefixtures("forgotten_ingredients")
def test_a_cyclic_learning_rate_is_one_class_and_no_other_change(tmp_path: Path) -> None:
    (code,) = python_blocks("docs/guides/extend.md", "Write an ingredient")
    definition = code[code.index("@dataclass") : code.index("\n\n\ncycles = ")]
    assert len(definition.splitlines()) <= 25
    names: dict[str, Any] = {"__name__": "documents"}
    run(code, names, "docs/guides/extend.md")
    rbm: OnlineRBM = names["rbm"].set_params(n_hidden=8, random_state=0)
    patterns = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]])
    rates = []
    for _ in range(12):
        rbm.partial_fit(np.tile(patterns, (50, 1)))
        assert rbm.info_ is not None
        rates.append(rbm.info_.learning_rate)
    assert rates == pytest.approx([0.05, 0.09, 0.05, 0.01] * 3)
    usual, strange = rbm.score_samples([[1, 1, 1, 0, 0, 0], [1, 0, 1, 0, 1, 0]])
    assert usual > strange + 1, "it learns"

    path = tmp_path / "model.safetensors"
    rbm.save(path)
    loaded = OnlineRBM.load(path)
    assert loaded.recipe_ == rbm.recipe_
    assert loaded.get_params()["recipe__learning_rate__period"] == 4
    more = np.tile(patterns, (150, 1))
    np.testing.assert_array_equal(loaded.partial_fit(more).components_, rbm.partial_fit(more).components_)


@pytest.mark.usefixtures("forgotten_ingredients")
def test_a_replay_strategy_needs_only_recall(tmp_path: Path) -> None:
    (code,) = python_blocks("docs/guides/extend.md", "Write a replay strategy")
    names: dict[str, Any] = {"__name__": "documents"}
    run(code, names, "docs/guides/extend.md")
    model: OnlineRBM = names["model"].set_params(n_hidden=8, random_state=0)
    model.fit(np.tile(np.eye(6), (50, 1)))
    assert model.info_ is not None
    assert model.info_.n_replayed == 300
    path = tmp_path / "model.safetensors"
    model.save(path)
    assert OnlineRBM.load(path).recipe_.replay == names["NoisyDreams"](flipped=0.05)
