"""The report in a real browser: headless Chromium, light and dark, on a phone and on a wide screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from genreplay.experiments.results import Results
from genreplay.report.pages import FIRST, pages
from genreplay.report.sections import SECTIONS
from tests.report.chromium import PROGRAM, Page, browser
from tests.report.made_up import records, right
from tests.report.test_pages import DRAWINGS, IMAGES

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed (Debian: apt-get install chromium)"),
]

BROKEN = "[...document.images].filter(image => !(image.complete && image.naturalWidth > 0)).length"
UNFOLD = "document.querySelectorAll('details:not(.menu)').forEach(each => { each.open = true })"
FLAT = "[...document.querySelectorAll('svg')].filter(svg => svg.getBoundingClientRect().height < 50).length"
INK = "getComputedStyle(document.querySelector('svg text')).fill"
WIDE = """[...document.querySelectorAll('main *')].filter(each =>
  !each.closest('.scroll, svg') && each.getBoundingClientRect().right > window.innerWidth + 1).length"""
SHOWN = "[...document.querySelectorAll('{}')].filter(each => each.checkVisibility()).length"
FILES = [FIRST, *(section.file for section in SECTIONS)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    for name, text in pages(Results(records(right))):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with browser() as page:
        yield page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 820, 1280])
@pytest.mark.parametrize("name", FILES)
def test_a_page_is_whole(page: Page, site: Path, name: str, width: int, scheme: str) -> None:
    page.open(site / name, width, scheme)
    assert page.complaints == []
    stem = name.removesuffix(".html")
    assert page.evaluate("document.images.length") == IMAGES.get(stem, 0)
    assert page.evaluate(BROKEN) == 0
    assert page.evaluate("document.querySelectorAll('svg').length") == DRAWINGS.get(stem, 0)
    page.evaluate(UNFOLD)
    assert page.evaluate(FLAT) == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(WIDE) == 0
    assert page.evaluate("window.innerWidth") == width


@pytest.mark.parametrize("width", [390, 1280])
def test_the_list_of_pages_is_at_the_side_or_in_a_menu(page: Page, site: Path, width: int) -> None:
    page.open(site / FIRST, width, "light")
    n_links = len(FILES)
    at_the_side = n_links + 1  # and the title
    assert page.evaluate(SHOWN.format(".side a")) == (at_the_side if width == 1280 else 0)
    assert page.evaluate(SHOWN.format(".menu a")) == 0
    if width == 390:
        page.evaluate("document.querySelector('.menu').open = true")
        assert page.evaluate(SHOWN.format(".menu a")) == n_links
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_verdict_begins_on_the_first_screen_and_uses_the_width(page: Page, site: Path) -> None:
    page.open(site / FIRST, 1280, "light")
    top, right_end = page.evaluate(
        "(box => [box.top, box.right])(document.querySelector('.verdicts').getBoundingClientRect())"
    )
    assert top < 400
    assert right_end > 0.95 * 1280
    page.open(site / FIRST, 390, "light")
    assert page.evaluate("document.querySelector('.verdicts li').getBoundingClientRect().bottom") < 844


def test_drawings_change_their_inks_with_the_scheme(page: Page, site: Path) -> None:
    inks = {}
    for scheme in ("light", "dark"):
        page.open(site / "fig4.html", 800, scheme)
        inks[scheme] = page.evaluate(INK)
    assert inks == {"light": "rgb(31, 35, 40)", "dark": "rgb(231, 233, 236)"}


def test_complaints_would_be_noticed(page: Page, tmp_path: Path) -> None:
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<script>console.error('oh'); nothing()</script><img src='missing.png'>"
        "<main><p style='width:900px'>wide</p></main>"
    )
    page.open(bad, 390, "light")
    assert len(page.complaints) >= 3
    assert page.evaluate(BROKEN) == 1
    assert page.evaluate("document.documentElement.scrollWidth") > 390
    assert page.evaluate(WIDE) == 1
