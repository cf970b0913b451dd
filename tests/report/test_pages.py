from __future__ import annotations

import re
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from genreplay.cli import main
from genreplay.experiments.paper.claims import CLAIMS
from genreplay.experiments.registry import EXPERIMENTS
from genreplay.experiments.results import Results
from genreplay.experiments.runner import _append
from genreplay.report.pages import FIRST, first_page, pages
from genreplay.report.sections import SECTIONS
from genreplay.report.sheets import unpack
from tests.report.made_up import records, right, wrong
from tests.report.reader import Reader, page_of

METHODS = ("OCD_GR", "ER-IM", "ER-ML", "ER-ML packed", "no replay")
NAMES = [section.name for section in SECTIONS]
DRAWINGS = {
    "fig3": 12,
    "fig4": 2,
    "fig5": 1,
    "cost": 3,
    "study": 3,
    "beyond": 1,
    "log-z": 1,
    "readings": 5,
    "incremental": 2,
    "fleet": 1,
    "anomaly": 1,
    "calibration": 2,
    "faults": 2,
    "rl": 3,
    "regimes": 3,
    "nab": 58,
    "sensors": 1,
}
IMAGES = {"samples": 2 * (3 * 3 + 1), "beyond": 10, "fleet": 1}
"""dreams, samples and imputed digits by three methods, and the originals, in two orders; ten stages of a stream"""


@pytest.fixture(scope="module")
def site() -> dict[str, str]:
    return dict(pages(Results(records(right))))


def main_part(page: str) -> str:
    """A page without its lists of pages."""
    return page[page.index("<main") : page.index('<nav class="turn"')]


def test_every_section_has_a_page_a_template_and_a_sentence() -> None:
    assert len(set(NAMES)) == len(NAMES)
    for section in SECTIONS:
        assert files("genreplay.report").joinpath("templates", section.template).is_file(), section.name
        assert section.summary.endswith((".", "?")), section.name
        assert set(section.experiments) <= set(EXPERIMENTS), section.name


def test_every_experiment_and_every_claim_has_a_section() -> None:
    assert {name for section in SECTIONS for name in section.experiments} == set(EXPERIMENTS)
    assert {claim.section for claim in CLAIMS} <= set(NAMES)


def test_every_claim_is_on_the_page_of_its_section(site: dict[str, str]) -> None:
    for claim in CLAIMS:
        page = site[f"{claim.section}.html"]
        assert claim.name in Reader(page).ids
        assert claim.where in page
    for name, page in site.items():
        assert "Missing" not in page, name
        assert 'class="missing"' not in page, name
        assert 'class="nothing">not run' not in page, name


def test_the_pages_need_nothing_but_each_other(site: dict[str, str]) -> None:
    for name, page in site.items():
        reader = Reader(page)
        strangers = [link for link in reader.links if not link.startswith(("#", "data:"))]
        assert {link.partition("#")[0] for link in strangers} <= set(site), name
        assert not re.search(r"url\((?!#)|@import", page), name
        assert reader.tags["script"] == 0, name
        assert reader.tags["link"] == 1, "the empty icon"


def test_links_lead_somewhere(site: dict[str, str]) -> None:
    ids = {name: Reader(page).ids for name, page in site.items()}
    for name, page in site.items():
        assert [each for each, n in Counter(ids[name]).items() if n > 1] == [], name
        for link in Reader(page).links:
            file, _, anchor = link.partition("#")
            if anchor and not link.startswith("data:"):
                assert anchor in ids[file or name], f"{name}: {link}"


def test_the_first_page_leads_to_every_section_and_every_claim(site: dict[str, str]) -> None:
    links = set(Reader(main_part(site[FIRST])).links)
    assert links >= {section.file for section in SECTIONS}
    assert links >= {f"{claim.section}.html#{claim.name}" for claim in CLAIMS}


def test_every_page_leads_to_all_others_and_knows_its_place(site: dict[str, str]) -> None:
    order = [FIRST, *(section.file for section in SECTIONS)]
    assert list(site) == order
    for place, name in enumerate(order):
        page = site[name]
        assert set(Reader(page).links) >= set(order), name
        assert re.findall(r'href="([^"]+)" aria-current="page"', page) == [name, name], "at the side, and in the menu"
        turn = dict(re.findall(r'<a rel="(\w+)" href="([^"]+)"', page))
        assert turn.get("prev") == (order[place - 1] if place else None)
        assert turn.get("next") == (order[place + 1] if place + 1 < len(order) else None)


def test_every_picture_is_there(site: dict[str, str]) -> None:
    for name in NAMES:
        tags = Reader(site[f"{name}.html"]).tags
        assert (tags["svg"], tags["img"]) == (DRAWINGS.get(name, 0), IMAGES.get(name, 0)), name


def test_drawings_take_all_their_colours_from_the_page(site: dict[str, str]) -> None:
    drawings = "".join(re.findall(r"<svg.*?</svg>", "".join(site.values()), flags=re.DOTALL))
    texts = re.findall(r"<text[^>]*>", drawings)
    assert len(texts) > 100
    assert all("fill: var(--" in text for text in texts)
    assert not re.search(r"#[0-9a-f]{6}\b", re.sub(r'(href|url\()="?#[^")]*', "", drawings))
    style = site[FIRST]
    assert all(f"{ink}:" in style for ink in set(re.findall(r"var\((--[\w-]+)\)", drawings)))


def test_paper_and_ours_stand_side_by_side(site: dict[str, str]) -> None:
    text = re.sub(r"<[^>]+>", " ", site["table2.html"])
    assert "\N{MINUS SIGN}114.52" in text
    assert "RCV1 (surrogate)" in text
    assert "independent bits" in text
    for method in METHODS:
        assert method in re.sub(r"<[^>]+>", " ", site["cost.html"])


def test_curves_say_over_how_many_temperatures_log_z_is_annealed() -> None:
    assert "annealed both ways over 290 temperatures" in page_of(Results(records(right, ["fig5"])), "fig5")


def test_unknown_figures_are_marked_and_are_no_numbers() -> None:
    def world(run: Any, seed: int) -> dict[str, Any]:
        figures = right(run, seed)
        if run.kind == "offline" and (run.dataset == "dna" or (run.dataset, seed) == ("adult", 0)):
            figures["doubt"] = "the weights of only 1.4 chains overlap"
        return figures

    page = page_of(Results(records(world, ["table2"])), "table2")
    assert re.findall(r'title="log Z is unknown for (\d) of 3 seeds"', page) == ["1", "3"]
    assert "1 of 3 unknown" in page
    assert re.search(r"<td[^>]*>\s*unknown<span class=\"mark\"", page)
    assert not re.search(r"\bnan\b", re.sub(r"<[^>]+>", " ", page))


def test_what_was_not_run_is_said_to_be_not_run() -> None:
    site = dict(pages(Results(records(right, ["fig3"]))))
    directory = site[FIRST][site[FIRST].index('id="pages"') :]
    for section in SECTIONS:
        is_there = section.name in ("fig3", "runs")
        says_so = "Not run: the experiments of this page. To run them: <code>" in site[section.file]
        assert says_so != is_there, section.name
        assert bool(re.search(rf'"{section.file}">[^<]*</a> <span class="nothing">', directory)) != is_there
    assert sum(Reader(page).tags["svg"] for page in site.values()) == 12
    assert "Fig. 3, section 4.1" in site["fig3.html"]
    assert site["runs.html"].count(">not run</span>") == len(EXPERIMENTS) - 1


@pytest.mark.slow
@pytest.mark.parametrize("experiment", [name for name in EXPERIMENTS if name not in ("fig3", "beyond")])
def test_any_part_of_the_results_makes_pages(experiment: str) -> None:
    found = records(wrong, [experiment])
    for results in (Results(found), Results(found[:1])):
        assert all("</html>" in page for _, page in pages(results))


@pytest.mark.slow
def test_the_same_results_make_the_same_pages(site: dict[str, str]) -> None:
    assert dict(pages(Results(reversed(records(right))))) == site


def test_quick_runs_are_not_judged() -> None:
    page = first_page(Results(records(right, ["fig3", "cd-steps"], n_seeds=1, quick=True)))
    assert "<strong>Quick runs.</strong>" in page
    assert "<h2>What holds</h2>" not in page
    assert re.findall(r"<strong>(\d+)</strong>([a-z ]+)</li>", page) == [(str(len(CLAIMS)), "not judged")]
    assert "Main results" not in page, "small models are not set beside others"
    assert ">not run<" not in page[page.index('id="claims"') : page.index('id="pages"')]


def test_a_little_is_no_verdict() -> None:
    page = first_page(Results(records(right, ["search"])))
    assert "No verdict yet." in page
    assert "<h2>What holds</h2>" not in page
    assert f"<strong>{len(CLAIMS)}</strong>not run" in page


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


def test_report_writes_the_pages_and_says_where(results_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "new folder" / "report"
    done = CliRunner().invoke(main, ["report", "--results", str(results_file), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert done.stdout == f"Report: {out / 'index.html'}\n"
    assert {path.name for path in out.iterdir()} == {FIRST, *(section.file for section in SECTIONS)}
    assert all(path.read_text("utf-8").startswith("<!doctype html>") for path in out.iterdir())
    again = CliRunner().invoke(main, ["report", "--results", str(results_file), "--out", str(out)])
    assert again.exit_code == 0, "a report is replaced"


@pytest.mark.parametrize("name", ["report.html", "notes"])
def test_a_file_in_place_of_a_folder_is_a_one_line_error(results_file: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "notes").write_text("mine")
    done = CliRunner().invoke(main, ["report", "--results", str(results_file), "--out", str(tmp_path / name)])
    assert done.exit_code == 2
    said = f"Error: The report is a folder of pages: use --out {tmp_path / 'report'} in place of {tmp_path / name}."
    assert done.stderr.splitlines()[-1] == said
    assert (tmp_path / "notes").read_text() == "mine"


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
