"""Every example of the gallery runs, is short, and has its picture and its place in the documentation.

The tests run the quick forms. ``make gallery`` runs the examples as they are, and so does the slow test, which also
compares what they print with what the documentation says that they print.
"""

from __future__ import annotations

import io
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from genreplay.core.ingredient import Ingredient
from tests.alike import NUMBER
from tools import gallery

ROOT = Path(__file__).parents[1]
NAMES = gallery.names()
MAX_LINES = 60
MAX_BYTES, MAX_BYTES_IN_ALL = 200_000, 1_500_000


@pytest.fixture
def forgotten_ingredients(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes of the examples are known only while the test runs."""
    monkeypatch.setattr(Ingredient, "classes", dict(Ingredient.classes))


def pixels(picture: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(picture)) as image:
        return np.asarray(image.convert("L"))


def need_extras(name: str) -> None:
    """Skip an example that needs an extra which is not installed."""
    if "stable_baselines3" in gallery.source(name):
        pytest.importorskip("stable_baselines3", reason="the extra rl is not installed")


def test_there_are_examples() -> None:
    assert len(NAMES) >= 9


@pytest.mark.slow
@pytest.mark.usefixtures("forgotten_ingredients")
@pytest.mark.parametrize("name", NAMES)
def test_the_quick_form_of_an_example_runs_and_shows_something(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GENREPLAY_DATA", raising=False)
    need_extras(name)
    shown = gallery.run(name, quick=True)
    assert shown.printed.strip()
    assert 0.005 < (pixels(shown.picture) < 200).mean() < 0.9, "neither an empty picture nor a black one"


@pytest.mark.slow
@pytest.mark.usefixtures("forgotten_ingredients")
@pytest.mark.parametrize("name", NAMES)
def test_an_example_prints_what_its_page_says(name: str) -> None:
    need_extras(name)
    said, printed = (gallery.KEPT / f"{name}.txt").read_text("utf-8"), gallery.run(name).printed
    assert NUMBER.sub("#", said) == NUMBER.sub("#", printed)
    # Another processor rounds otherwise, and a chain may take another way: measured values come near, counts may not.
    for one, other in zip(NUMBER.findall(said), NUMBER.findall(printed), strict=True):
        assert "." not in one or float(other) == pytest.approx(float(one), rel=0.1, abs=0.3), printed


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_short_and_has_a_title_and_a_text(name: str) -> None:
    assert len(gallery.source(name).splitlines()) <= MAX_LINES
    example = gallery.read(name)
    assert len(example.title) <= 50
    assert not example.title.endswith(".")
    assert len(example.text) >= 2, "what is done above the picture, what one sees below it"
    assert all(len(paragraph) > 80 for paragraph in example.text)
    assert example.code.endswith("plt.show()\n")


@pytest.mark.parametrize("name", NAMES)
def test_an_example_has_a_small_picture_of_the_code_as_it_is(name: str) -> None:
    assert gallery.is_current(name), "run: make gallery"
    assert (gallery.KEPT / f"{name}.png").stat().st_size <= MAX_BYTES
    assert (gallery.KEPT / f"{name}.txt").stat().st_size > 0


def test_all_pictures_together_are_small_and_none_is_left_over() -> None:
    kept = [path for path in gallery.KEPT.iterdir() if path.suffix != ".md"]
    assert sum(path.stat().st_size for path in kept) <= MAX_BYTES_IN_ALL
    assert sorted(path.name for path in kept) == sorted(f"{name}{end}" for name in NAMES for end in (".png", ".txt"))


def test_every_example_is_in_the_navigation_and_in_the_overview() -> None:
    in_navigation = re.findall(r"^ +- gallery/(\w+)\.md$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    overview = (gallery.KEPT / "index.md").read_text("utf-8")
    on_cards = " ".join(re.findall(r"^<!-- gallery: (.*) -->$", overview, re.MULTILINE)).split()
    assert in_navigation == ["index", *on_cards], "in the same order"
    assert sorted(on_cards) == NAMES


def small(folder: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """A folder with one example, instead of those of the project."""
    monkeypatch.setattr(gallery, "EXAMPLES", folder)
    monkeypatch.setattr(gallery, "KEPT", folder)
    (folder / "one.py").write_text(f'"""A title\n\nA text.\n"""\n\n{code}', "utf-8")


PLOT = "import matplotlib.pyplot as plt\nn = 30  # quick: 3\nprint(n)\nplt.plot(range(n))\nplt.show()\n"


def test_the_quick_form_changes_only_what_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small(tmp_path, monkeypatch, PLOT)
    assert gallery.run("one").printed == "30\n"
    assert gallery.run("one", quick=True).printed == "3\n"


def test_a_picture_of_other_code_is_not_current(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small(tmp_path, monkeypatch, PLOT)
    assert not gallery.is_current("one"), "there is none"
    gallery.keep("one", gallery.run("one"), tmp_path)
    assert gallery.is_current("one")
    assert (tmp_path / "one.txt").read_text("utf-8") == "30\n"
    text = (tmp_path / "one.py").read_text("utf-8")
    (tmp_path / "one.py").write_text(text.replace("A text.", "Another text."), "utf-8")
    assert gallery.is_current("one"), "the text alone makes no other picture"
    (tmp_path / "one.py").write_text(text.replace("quick: 3", "quick: 4"), "utf-8")
    assert gallery.is_current("one"), "nor does the quick form"
    (tmp_path / "one.py").write_text(text.replace("n = 30", "n = 31"), "utf-8")
    assert not gallery.is_current("one")
    (tmp_path / "one.py").write_text(text.replace("range(n)", "range(2 * n)"), "utf-8")
    assert not gallery.is_current("one")


@pytest.mark.parametrize("code", ["print(1)\n", PLOT + "plt.figure()\n"])
def test_an_example_must_leave_one_figure(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small(tmp_path, monkeypatch, code)
    with pytest.raises(ValueError, match="must leave one figure"):
        gallery.run("one")


def test_an_example_runs_in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small(tmp_path, monkeypatch, PLOT + "open('left_over.txt', 'w').close()\n")
    before = Path.cwd()
    gallery.run("one")
    assert Path.cwd() == before
    assert not list(before.glob("left_over.txt"))


def test_an_example_without_a_text_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small(tmp_path, monkeypatch, PLOT)
    (tmp_path / "one.py").write_text('"""Only a title"""\n', "utf-8")
    with pytest.raises(ValueError, match=r"examples/one\.py needs a docstring: a title"):
        gallery.read("one")
