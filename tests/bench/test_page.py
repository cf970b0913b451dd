"""The page of the bench, as text and in a real browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from genreplay.bench.figures import Figure
from genreplay.report.bench import _bars, build
from tests.bench.made_up import a_run
from tests.report.chromium import PROGRAM, browser
from tests.report.reader import Reader
from tests.report.test_browser import FLAT


def test_it_shows_every_figure_beside_its_target() -> None:
    run, page = a_run(), build(a_run())
    for part in run.parts.values():
        assert part.title.replace("'", "&#39;") in page
        for figure in part.figures:
            assert figure.name in page
            assert figure.unit.capitalize() in page
    assert page.count("✓ met") == 4
    assert page.count("✗ not met: at most 1.12") == 1
    assert "<strong>4</strong>met" in page
    assert "<strong>1</strong>not met" in page
    assert "Left out: rbms: rbms is not installed." in page
    assert "a &lt;fast&gt; one" in page


def test_bars_share_the_scale_of_their_group() -> None:
    page = build(a_run())
    widths = [float(width) for width in re.findall(r'class="bar[^"]*" style="width: ([\d.]+)%', page)]
    assert widths == pytest.approx([100 / 1.4, 130 / 1.4, 60 / 1.4, 310 / 3.2, 90 / 1.1, 2600 / 60], abs=0.06)


def test_a_group_whose_figures_are_all_zero_has_bars_of_no_length() -> None:
    assert [bar.length for bar in _bars([Figure("ours, more after 10 times the rows", "bytes", 0.0)])] == [0.0]


def test_it_needs_nothing_but_itself_and_every_link_leads_somewhere() -> None:
    page = build(a_run())
    reader = Reader(page)
    assert all(link.startswith(("#", "data:")) for link in reader.links)
    assert {link[1:] for link in reader.links if link.startswith("#")} <= set(reader.ids)
    assert len(reader.ids) == len(set(reader.ids))
    assert not re.search(r"url\((?!#)|@import", page)
    assert reader.tags["svg"] == 2
    assert "#fe01" not in page, "every ink of a drawing is a variable of the page"


def test_a_quick_run_says_that_it_judges_nothing() -> None:
    assert "judges nothing" in build(a_run(quick=True))
    assert "judges nothing" not in build(a_run())


@pytest.mark.slow
@pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed (Debian: apt-get install chromium)")
def test_it_is_whole_on_a_phone_and_on_a_wide_screen_light_and_dark(tmp_path: Path) -> None:
    path = tmp_path / "bench.html"
    path.write_text(build(a_run()), encoding="utf-8")
    with browser() as page:
        for width in (390, 820, 1440):
            for scheme in ("light", "dark"):
                page.open(path, width, scheme)
                assert page.complaints == []
                assert page.evaluate("document.querySelectorAll('svg').length") == 2
                assert page.evaluate(FLAT) == 0
                assert page.evaluate("document.documentElement.scrollWidth") <= width
