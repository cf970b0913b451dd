"""The page of a time series."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from genreplay.streams import chunks
from tests.cli.series import HEADER, STUCK, series, times
from tests.cli.tables import content, run
from tests.report.chromium import PROGRAM, browser
from tests.report.test_browser import FLAT
from tests.report.test_view import words

LINES = series(900).splitlines(keepends=True)
LATER = HEADER + "".join(LINES[STUCK - 4 :])


TICKS = "[...document.querySelectorAll('.scale span')]"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of all rows before the load is stuck."""
    path = tmp_path_factory.mktemp("view_series") / "m"
    done = run("learn", "-", "-m", path, "--time", "when", "--quiet", stdin="".join(LINES[: STUCK - 4]))
    assert done.exit_code == 0
    return path


def view(model: Path, out: Path, rows: str, *options: object) -> str:
    done = run("view", "-", "-m", model, "--out", out, *options, stdin=rows)
    assert done.exit_code == 0, done.stderr
    return out.read_text("utf-8")


def test_it_shows_the_alarms_of_score_and_does_not_change_the_model(model: Path, tmp_path: Path) -> None:
    before = content(model)
    page = view(model, tmp_path / "page.html", LATER)
    alarms = [
        json.loads(line)
        for line in run(
            "score", "-", "-m", model, "--alarms", "--json", "--keep", "when", stdin=LATER
        ).stdout.splitlines()
    ]
    text = words(page)
    n_rows = len(LATER.splitlines()) - 1
    assert f"{len(alarms)} of {n_rows} rows raised an alarm; the highest anomaly, " in text
    for rank, alarm in enumerate(alarms, 1):
        assert f"{rank} {alarm['when']} anomaly {alarm['anomaly']:.1f} row {alarm['row']} {alarm['column']} " in text
    assert "load 150 : usually " in text
    assert page.count('<figure class="timeline curve"') == 2, "load and noise"
    assert page.index('id="timeline"') < page.index('id="alarms"') < page.index('id="curves"')
    assert content(model) == before


def test_chunks_give_the_same_page(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = view(model, tmp_path / "page.html", LATER)
    monkeypatch.setattr(chunks, "ROWS_PER_CHUNK", 7)
    assert view(model, tmp_path / "page.html", LATER) == whole


def test_fewer_alarms_can_be_shown(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(model.read_bytes())
    run("learn", "-", "-m", path, "--more", "--threshold", 0.5, "--quiet", stdin=LATER)
    text = words(view(path, tmp_path / "page.html", LATER, "--top", 1))
    assert "The highest of " in text
    assert "an anomaly of 0.5 or more" in text


def test_rows_that_came_before_those_that_were_learned_are_remarked_on(model: Path, tmp_path: Path) -> None:
    done = run("view", "-", "-m", model, "--out", tmp_path / "page.html", stdin="".join(LINES))
    remark = f"The rows start at {times(1)[0]}, but the model has learned a series up to {times(STUCK - 5)[-1]}: "
    assert remark in done.stderr
    assert remark in words((tmp_path / "page.html").read_text("utf-8"))


@pytest.mark.slow
@pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed (Debian: apt-get install chromium)")
def test_it_is_whole_on_a_phone_and_on_a_wide_screen_light_and_dark(model: Path, tmp_path: Path) -> None:
    huge = HEADER + "".join(f"{at},{1e9 * i},{1e-7 * i},{'x' * 200}\n" for i, at in enumerate(times(60)))
    with browser() as page:
        for name, rows in {"later": LATER, "huge": huge, "one": "".join(LINES[:2]), "empty": HEADER}.items():
            path = tmp_path / f"{name}.html"
            view(model, path, rows, "--keep", "shop")
            for width in (390, 820, 1280, 1440):
                for scheme in ("light", "dark"):
                    page.open(path, width, scheme)
                    assert page.complaints == []
                    assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
                    assert page.evaluate(FLAT) == 0
                    assert page.evaluate(f"{TICKS}.filter(each => each.getBoundingClientRect().x < 0).length") == 0
