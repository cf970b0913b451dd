"""Pages as tests read them."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser

from genreplay.experiments.results import Results
from genreplay.report.pages import section_page
from genreplay.report.sections import SECTIONS


class Reader(HTMLParser):
    """What a page consists of."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: Counter[str] = Counter()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("src", "href", "xlink:href", "srcset", "action", "poster", "data"):
                self.links.append(value or "")


def page_of(results: Results, name: str) -> str:
    """The page of one section, which takes less time than all pages."""
    (section,) = (each for each in SECTIONS if each.name == name)
    return section_page(results, section)
