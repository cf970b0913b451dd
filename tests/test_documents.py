"""The examples and tables of README.md and CONTRIBUTING.md say what the code does."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genreplay import MODERN, PAPER, OnlineRBM, core
from genreplay.core.ingredient import Ingredient

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/genreplay"


def python_blocks(document: str, heading: str = "") -> list[str]:
    """The Python examples of a document, or of one of its sections."""
    text = (ROOT / document).read_text("utf-8")
    if heading:
        text = re.split(rf"^#+ {re.escape(heading)}$", text, maxsplit=1, flags=re.MULTILINE)[1]
        text = re.split(r"^## ", text, maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def run(code: str, names: dict[str, Any], document: str) -> None:
    exec(compile(code, document, "exec", dont_inherit=True), names)


def table_rows(document: str, heading: str) -> list[list[str]]:
    """The cells of the table with this heading."""
    table = (ROOT / document).read_text("utf-8").split(f"| {heading} |", maxsplit=1)[1].split("\n\n", maxsplit=1)[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


@pytest.fixture
def forgotten_ingredients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes of the examples are known only while the test runs."""
    monkeypatch.setattr(Ingredient, "classes", dict(Ingredient.classes))


def test_python_examples_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "readme"}
    blocks = python_blocks("README.md")
    assert len(blocks) == 4
    for block in blocks:
        run(block, names, "README.md")
    assert set(names["search"].best_params_) == {"recipe__learning_rate__last", "recipe__momentum"}
    assert names["detector"].is_ready_
    assert np.flatnonzero(names["judged"].alarm).tolist() == [1_700]


def test_the_readme_shows_both_recipes_as_they_are() -> None:
    rows = table_rows("README.md", "place | `PAPER` | `MODERN`")
    assert [row[0].strip("`") for row in rows] == list(PAPER.get_params(deep=False)), "every place, in its order"
    for place, paper, modern in rows:
        for recipe, text in ((PAPER, paper), (MODERN, modern)):
            assert eval(text.strip("`"), dict(vars(core))) == getattr(recipe, place.strip("`")), place


def test_the_readme_names_code_that_exists() -> None:
    for _, code in table_rows("README.md", "paper | code"):
        for file, names in re.findall(r"`((?:\w+/)+(?:\w+\.py)?)`((?:[:,] `\w+`)*)", code):
            path = ROOT / file if file.startswith("tests/") else SOURCE / file
            assert path.exists(), file
            for name in re.findall(r"\w+", names):
                assert re.search(rf"^(?:def |class |    def )?{name}\b", path.read_text("utf-8"), re.MULTILINE), name


@pytest.mark.usefixtures("forgotten_ingredients")
def test_a_cyclic_learning_rate_is_one_class_and_no_other_change(tmp_path: Path) -> None:
    (code,) = python_blocks("CONTRIBUTING.md", "Add an ingredient")
    definition = code[code.index("@dataclass") : code.index("\n\n\nrbm = ")]
    assert len(definition.splitlines()) <= 25
    names: dict[str, Any] = {"__name__": "contributing"}
    run(code, names, "CONTRIBUTING.md")
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
    (code,) = python_blocks("CONTRIBUTING.md", "Add a replay strategy")
    names: dict[str, Any] = {"__name__": "contributing"}
    run(code, names, "CONTRIBUTING.md")
    model: OnlineRBM = names["model"].set_params(n_hidden=8, random_state=0)
    model.fit(np.tile(np.eye(6), (50, 1)))
    assert model.info_ is not None
    assert model.info_.n_replayed == 300
    path = tmp_path / "model.safetensors"
    model.save(path)
    assert OnlineRBM.load(path).recipe_.replay == names["NoisyDreams"](flipped=0.05)
