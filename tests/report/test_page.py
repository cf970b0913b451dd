from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from genreplay.cli import main
from genreplay.experiments.paper.claims import CLAIMS
from genreplay.experiments.registry import EXPERIMENTS
from genreplay.experiments.results import Results
from genreplay.experiments.runner import _append
from genreplay.report.page import build
from genreplay.report.sheets import unpack
from genreplay.report.titles import SECTIONS
from tests.report.made_up import records, right, wrong

METHODS = ("OCD_GR", "ER-IM", "ER-ML", "ER-ML packed", "no replay")


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


@pytest.fixture(scope="module")
def page() -> str:
    return build(Results(records(right)))


def test_every_section_and_every_claim_is_there(page: str) -> None:
    ids = set(Reader(page).ids)
    assert ids >= set(SECTIONS)
    assert ids >= {claim.name for claim in CLAIMS}
    for claim in CLAIMS:
        assert claim.where in page
    assert "Missing" not in page
    assert 'class="missing"' not in page


def test_it_needs_nothing_but_itself(page: str) -> None:
    reader = Reader(page)
    assert all(link.startswith(("#", "data:")) for link in reader.links)
    assert not re.search(r"url\((?!#)|@import", page)
    assert reader.tags["script"] == 0
    assert reader.tags["link"] == 1, "the empty icon"


def test_links_within_the_page_lead_somewhere(page: str) -> None:
    reader = Reader(page)
    assert [name for name, n in Counter(reader.ids).items() if n > 1] == []
    assert {link[1:] for link in reader.links if link.startswith("#")} <= set(reader.ids)


def test_every_picture_is_there(page: str) -> None:
    tags = Reader(page).tags
    n_drawings = 12 + 2 + 1 + 3 + 3 + 1 + 2  # Figs. 3, 4 and 5; cost; study and search; ingredients; false alarms
    n_drawings += 2 + 3 + 1  # faults in two orders; regimes with three ways of rehearsal; a week of sensors
    n_drawings += 58  # series of NAB
    assert tags["svg"] == n_drawings
    two_orders = 2 * (3 * 3 + 1)  # dreams, samples, imputed by three methods; originals
    assert tags["img"] == two_orders + 10, "and dreams through a sorted stream of ten classes"


def test_drawings_take_all_their_colours_from_the_page(page: str) -> None:
    drawings = "".join(re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL))
    texts = re.findall(r"<text[^>]*>", drawings)
    assert len(texts) > 100
    assert all("fill: var(--" in text for text in texts)
    assert not re.search(r"#[0-9a-f]{6}\b", re.sub(r'(href|url\()="?#[^")]*', "", drawings))


def test_paper_and_ours_stand_side_by_side(page: str) -> None:
    text = re.sub(r"<[^>]+>", " ", page)
    assert "\N{MINUS SIGN}114.52" in text
    assert "RCV1 (surrogate)" in text
    assert "independent bits" in text
    for method in METHODS:
        assert method in text


def test_doubtful_figures_are_marked() -> None:
    def world(run: Any, seed: int) -> dict[str, Any]:
        figures = right(run, seed)
        if run.kind == "online" and run.dataset == "dna" and run.method == "ER-IM":
            figures["gap"] = -2.5
        return figures

    clean, marked = (build(Results(records(each, ["table2"]))) for each in (right, world))
    assert clean.count('title="forward and reverse') == 0
    assert marked.count('title="forward and reverse') == 1
    assert "gap \N{MINUS SIGN}2.50<span" in marked


def test_what_was_not_run_is_said_to_be_not_run() -> None:
    text = build(Results(records(right, ["fig3"])))
    others = ("the learning curves", "the cost of an update", "the study", "random search", "the anomaly detectors")
    generated = (
        "the detectors on the faults of a",
        "the detector on regimes",
        "the detector of a series on NAB",
        "the detectors on the faults of sensors",
    )
    for what in ("MNIST in either order", *others, *generated):
        assert re.search(f"Not run: .*{what}", text), what
    assert text.count(">not run</span>") > 50
    assert "Fig. 3, section 4.1" in text
    assert Reader(text).tags["svg"] == 12


@pytest.mark.parametrize("experiment", [name for name in EXPERIMENTS if name not in ("fig3", "beyond")])
def test_any_part_of_the_results_makes_a_page(experiment: str) -> None:
    found = records(wrong, [experiment])
    assert "</html>" in build(Results(found))
    assert "</html>" in build(Results(found[:1])), "a single run"


def test_the_same_results_make_the_same_page(page: str) -> None:
    assert build(Results(reversed(records(right)))) == page


def test_sheets_are_unpacked_bit_by_bit() -> None:
    digits = unpack("80" + "00" * 96 + "01" + "ff" * 98)
    assert digits.shape == (2, 28, 28)
    assert digits[0].sum() == 2
    assert digits[0, 0, 0] == digits[0, 27, 27] == 1
    assert digits[1].all()


@pytest.fixture
def results_file(tmp_path: Path) -> Path:
    path = tmp_path / "runs.jsonl"
    for record in records(right, ["cd-steps"]):
        _append(path, record)
    return path


def test_report_writes_the_page_and_says_where(results_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "new folder" / "report.html"
    done = CliRunner().invoke(main, ["report", "--results", str(results_file), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert done.stdout == f"Report: {out}\n"
    assert out.read_text("utf-8").startswith("<!doctype html>")


def test_report_prints_markdown(results_file: Path, tmp_path: Path) -> None:
    arguments = ["report", "--results", str(results_file), "--format", "md"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0
    assert done.stdout.startswith("| data set |")
    out = tmp_path / "table.md"
    CliRunner().invoke(main, [*arguments, "--out", str(out)])
    assert out.read_text("utf-8") == done.stdout


@pytest.mark.parametrize("content", [None, "", "no json\n"])
def test_report_without_results_is_a_one_line_error(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "runs.jsonl"
    if content is not None:
        path.write_text(content)
    done = CliRunner().invoke(main, ["report", "--results", str(path)])
    assert done.exit_code == 2
    assert "results" in done.stderr.splitlines()[-1]
