from __future__ import annotations

import re

import pytest

from genreplay.experiments.paper.claims import CLAIMS
from genreplay.experiments.results import Results
from genreplay.report import summary, svg
from genreplay.report.pieces import PICTURES, TABLES, MissingResultsError, inks, piece
from tests.report.made_up import records, right


@pytest.fixture(scope="module")
def results() -> Results:
    return Results(records(right))


@pytest.mark.parametrize("name", TABLES)
def test_the_lines_of_a_table_have_the_same_number_of_cells(results: Results, name: str) -> None:
    text = piece(name, results)
    for table in text.split("\n\n"):
        cells = {line.count("|") for line in table.splitlines() if line.startswith("|")}
        assert len(cells) <= 1, table
    sentences = name.startswith("claims") or name in ("findings-paper", "log-z", "verdicts")
    assert ("|---" in text) != sentences


def test_every_claim_of_the_paper_is_shown_once(results: Results) -> None:
    text = "".join(piece(name, results) for name in TABLES if name.startswith("claims"))
    for claim in CLAIMS:
        assert text.count(f": {claim.statement}<br>") == 1, claim.name


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_has_a_panel_for_each_drawing_or_image(results: Results, name: str) -> None:
    html = piece(name, results)
    n_panels = html.count('<div class="panel">')
    assert n_panels >= 1
    assert len(re.findall(r"<svg |<img ", html)) == n_panels
    assert "\n\n" not in re.sub(r"<svg.*?</svg>", "", html, flags=re.DOTALL), "Markdown would end the block there"


def test_what_was_not_run_cannot_be_shown() -> None:
    nothing = Results([])
    for name in ("table2-missing", "faults", "beyond", "ablation", "through-the-stream"):
        with pytest.raises((KeyError, MissingResultsError)):
            piece(name, nothing)


def test_every_ink_has_a_colour_on_a_light_and_on_a_dark_page() -> None:
    light, dark = inks("light", "dark").split("dark {")
    for name in svg.NAMES:
        assert f"--{name}:" in light
    assert "--ink:" in dark
    assert re.search(r"--ink: (.*);", light)[1] != re.search(r"--ink: (.*);", dark)[1]  # type: ignore[index]


def test_the_summary_counts_what_the_tables_have() -> None:
    text = summary.table(Results(records(right)))
    assert "| data sets of the paper on which the log-likelihood is at least its own | **9 of 9** |" in text
    for name in ("beyond", "anomaly", "calibration", "faults", "nab"):
        assert f"`genreplay reproduce {name}`" in text
    assert "(MNIST, nats) | **-80.0** | one model on all rows -77.0, averaged parameters -200.0 |" in text
    assert summary.table(Results([])) == ""


def test_a_summary_of_quick_runs_says_so() -> None:
    assert "**Quick runs" in summary.table(Results(records(right, quick=True)))
