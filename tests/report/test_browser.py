"""The page in a real browser: headless Chromium, light and dark, on a phone and on a wide screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from genreplay.experiments.results import Results
from genreplay.report.page import build
from tests.report.chromium import PROGRAM, Page, browser
from tests.report.made_up import records, right

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed (Debian: apt-get install chromium)"),
]

BROKEN = "[...document.images].filter(image => !(image.complete && image.naturalWidth > 0)).length"
UNFOLD = "document.querySelectorAll('details').forEach(each => { each.open = true })"
FLAT = "[...document.querySelectorAll('svg')].filter(svg => svg.getBoundingClientRect().height < 50).length"
INK = "getComputedStyle(document.querySelector('svg text')).fill"


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(build(Results(records(right))), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with browser() as page:
        yield page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 820, 1440])
def test_the_page_is_whole(page: Page, page_file: Path, width: int, scheme: str) -> None:
    page.open(page_file, width, scheme)
    assert page.complaints == []
    assert page.evaluate("document.images.length") == 30
    assert page.evaluate(BROKEN) == 0
    assert page.evaluate("document.querySelectorAll('svg').length") == 30 + 58
    page.evaluate(UNFOLD)
    assert page.evaluate(FLAT) == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("window.innerWidth") == width


def test_drawings_change_their_inks_with_the_scheme(page: Page, page_file: Path) -> None:
    inks = {}
    for scheme in ("light", "dark"):
        page.open(page_file, 800, scheme)
        inks[scheme] = page.evaluate(INK)
    assert inks == {"light": "rgb(31, 35, 40)", "dark": "rgb(231, 233, 236)"}


def test_complaints_would_be_noticed(page: Page, tmp_path: Path) -> None:
    bad = tmp_path / "bad.html"
    bad.write_text(
        "<script>console.error('oh'); nothing()</script><img src='missing.png'><p style='width:900px'>wide</p>"
    )
    page.open(bad, 390, "light")
    assert len(page.complaints) >= 3
    assert page.evaluate(BROKEN) == 1
    assert page.evaluate("document.documentElement.scrollWidth") > 390
