"""The page of a scored stream."""

from __future__ import annotations

import gzip
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.cli.tables import HEADER, content, run, table
from tests.report.chromium import PROGRAM, browser
from tests.report.reader import Reader
from tests.report.test_browser import FLAT
from tests.report.test_view import words

STRANGE = "999,<script>alert(1)</script>,true,2024-01-03T12:00:00Z\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("view") / "m"
    assert run("learn", "-", "-m", path, "--quiet", stdin=table(3_000)).exit_code == 0
    return path


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "page.html"


def view(model: Path, out: Path, rows: str, *options: object) -> str:
    """The text of the page of some rows."""
    done = run("view", "-", "-m", model, "--out", out, *options, stdin=rows)
    assert done.exit_code == 0, done.stderr
    return out.read_text("utf-8")


def test_it_says_what_happened_and_why(model: Path, out: Path) -> None:
    text = words(view(model, out, table(1_000, seed=1) + STRANGE, "--top", 3))
    n_alarms = len(run("score", "-", "-m", model, "--alarms", stdin=table(1_000, seed=1) + STRANGE).stdout.splitlines())
    assert f"{n_alarms - 1} of 1,001 rows raised an alarm" in text, "the same alarms as those of genreplay score"
    assert "the 10 expected of a usual stream" in text
    assert re.search(r"age 999 : usually 1\d(\.\d)? to 6\d", text)
    order = [text.index(heading) for heading in ("Timeline Smallest", "The worst", "Columns beside", "What the model")]
    assert order == sorted(order)


def test_it_needs_nothing_but_itself_and_escapes_what_the_input_says(model: Path, out: Path) -> None:
    rows = table(300, seed=1) + STRANGE
    page = view(model, out, rows.replace(HEADER, HEADER[:-1] + ",<b>id</b>\n").replace("Z\n", "Z,<i>&x\n"),
                "--keep", "<b>id</b>")  # fmt: skip
    reader = Reader(page)
    assert reader.tags["script"] == 0
    assert "<script" not in page
    assert "<b>id" not in page
    assert "<i>&" not in page
    assert "&lt;i&gt;&amp;x" in page
    assert all(link.startswith(("#", "data:")) for link in reader.links)
    assert {link[1:] for link in reader.links if link.startswith("#")} <= set(reader.ids)
    assert len(reader.ids) == len(set(reader.ids))
    assert not re.search(r"url\((?!#)|@import", page)


def test_scoring_does_not_change_the_model(model: Path, out: Path) -> None:
    before = content(model)
    view(model, out, table(500, seed=2))
    assert content(model) == before


def test_a_file_without_rows_and_one_without_anything(model: Path, out: Path) -> None:
    text = words(view(model, out, HEADER))
    assert "The input has no rows, so there is nothing to judge." in text
    assert "rows learned" in text
    assert "Timeline" not in text
    out.unlink()
    done = run("view", "-", "-m", model, "--out", out, stdin="")
    assert (done.exit_code, out.exists()) == (2, False)
    assert done.stderr == "Error: The input is empty: it has not even a header.\n"


def test_a_file_without_alarms(model: Path, out: Path) -> None:
    usual = "20.1,red,true,2024-01-02T10:00:00Z\n" * 5
    text = words(view(model, out, HEADER + usual))
    assert "None of 5 rows raised an alarm, where about 0.05 are expected of a usual stream;" in text
    assert "No alarms No row has a p-value of 0.01 or less." in text
    assert "the most surprising was row 1 (when 2024-01-02 10:00:00 )" in text


def test_missing_cells_are_shown_as_missing(model: Path, out: Path) -> None:
    empty = ",,,\n" * 30
    text = words(view(model, out, table(270, seed=3) + empty, "--top", 40))
    assert re.search(r"member missing : usually (true|false) or", text)
    assert re.search(r"Missing: 1\d(\.\d)? % of the rows", text)


def test_alarms_carry_the_kept_columns_and_say_when_they_came(model: Path, out: Path) -> None:
    rows = "id," + table(300, seed=1).replace("\n", "\nr,")[:-2] + "b7," + STRANGE
    text = words(view(model, out, rows, "--keep", "id,when", "--top", 1))
    assert "the worst was row 301 (id b7 )" in text
    assert "Row 301 p = " in text
    assert "id b7 when 2024-01-03 12:00:00Z" in text
    assert text.count("usual rows") == 1 + text.count("usual rows the smallest"), "one card"


@pytest.mark.parametrize("form", ["csv.gz", "ndjson", "parquet"])
def test_other_formats_give_the_same_page(model: Path, tmp_path: Path, form: str) -> None:
    rows = table(300, seed=1) + STRANGE
    plain = view(model, tmp_path / "plain.html", rows)
    path, out = tmp_path / f"rows.{form}", tmp_path / "page.html"
    names, *lines = (line.split(",") for line in rows.splitlines())
    if form == "csv.gz":
        path.write_bytes(gzip.compress(rows.encode()))
    elif form == "ndjson":
        path.write_text("".join(json.dumps(dict(zip(names, line, strict=True))) + "\n" for line in lines))
    else:
        pa = pytest.importorskip("pyarrow")
        columns = zip(*lines, strict=True)
        pytest.importorskip("pyarrow.parquet").write_table(pa.table(dict(zip(names, columns, strict=True))), path)
    done = run("view", path, "-m", model, "--out", out)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith(f"Page: {out} (rows: 301, alarms: ")
    start = "raised an alarm"
    end = "What the model noted"
    assert words(out.read_text("utf-8")).split(start)[1].split(end)[0] == words(plain).split(start)[1].split(end)[0]


def test_arrays_of_numbers(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    np.save(tmp_path / "usual.npy", rng.normal(size=(1_000, 3)))
    np.save(tmp_path / "rows.npy", np.vstack([rng.normal(size=(400, 3)), [[9.0, 50.0, -9.0]]]))
    assert run("learn", tmp_path / "usual.npy", "-m", tmp_path / "m", "--quiet").exit_code == 0
    done = run("view", tmp_path / "rows.npy", "-m", tmp_path / "m", "--out", tmp_path / "page.html")
    assert done.exit_code == 0, done.stderr
    assert re.search(r"c1 50 : usually .\d(\.\d+)? to \d", words((tmp_path / "page.html").read_text("utf-8")))


def test_bad_rows_are_counted_on_the_page(model: Path, out: Path) -> None:
    rows = table(100) + "old,red,true,2024-01-02T10:00:00Z\n"
    done = run("view", "-", "-m", model, "--out", out, stdin=rows)
    assert (done.exit_code, out.exists()) == (2, False)
    assert "'old' is not a number" in done.stderr
    text = words(view(model, out, rows, "--on-bad-row", "skip"))
    assert "1 bad row could not be read and was skipped." in text


def test_what_cannot_be_done_is_one_sentence(model: Path, out: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text(table(10))
    for options, sentence in (
        ((rows, "-m", model, "--out", rows), "would replace the input"),
        ((rows, "-m", model, "--out", model), "would replace the model"),
        ((rows, "-m", tmp_path / "none", "--out", out), "cannot be read: No such file"),
        ((tmp_path / "none.csv", "-m", model, "--out", out), "cannot be read: No such file"),
        ((rows, "-m", model, "--out", out, "--keep", "id"), "The input has no column 'id', which --keep names"),
        ((rows, "-m", model, "--out", out, "--top", "0"), "0 is not in the range"),
    ):
        done = run("view", *options)
        assert (done.exit_code, sentence in done.stderr, out.exists()) == (2, True, False), done.stderr
    assert rows.read_text() == table(10)
    objects = '{"age": 21, "colour": "red", "member": true, "when": null}\n'
    done = run("view", "-", "--format", "ndjson", "-m", model, "--out", out, "--keep", "id", stdin=objects)
    assert (done.exit_code, out.exists()) == (2, False)
    assert "no row has a value there" in done.stderr


def test_text_that_is_not_utf_8_is_escaped(model: Path, out: Path) -> None:
    rows = (table(30) + "21,caf\udce9\u202e,true,2024-01-02T10:00:00Z\n").encode("utf-8", "surrogateescape")
    done = run("view", "-", "-m", model, "--out", out, "--on-bad-row", "skip", stdin=rows)
    assert done.exit_code == 0, done.stderr
    assert "\u202e" not in out.read_text("utf-8")


@pytest.mark.slow
def test_a_signal_ends_the_reading_and_the_page_shows_the_rows_until_then(model: Path, out: Path) -> None:
    command = [sys.executable, "-m", "genreplay", "view", "-", "-m", str(model), "--out", str(out)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(table(400).encode())
        process.stdin.flush()
        while b"400 rows" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
    assert "of 400 rows" in words(out.read_text("utf-8"))


@pytest.mark.slow
@pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed (Debian: apt-get install chromium)")
def test_it_is_whole_on_a_phone_and_on_a_wide_screen_light_and_dark(model: Path, out: Path, tmp_path: Path) -> None:
    long_label = f"999,{'x' * 900},true,2024-01-03T12:00:00Z\n"
    pages = {"usual": table(2_000, seed=1) + STRANGE + long_label, "short": table(3), "empty": HEADER}
    inks = set()
    with browser() as page:
        for name, rows in pages.items():
            path = tmp_path / f"{name}.html"
            view(model, path, rows, "--keep", "colour,when")
            for width in (390, 820, 1280, 1440):
                for scheme in ("light", "dark"):
                    page.open(path, width, scheme)
                    assert page.complaints == []
                    assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
                    assert page.evaluate(FLAT) == 0
                    inks.add(page.evaluate("getComputedStyle(document.body).color"))
            if name == "usual":
                assert page.evaluate("document.querySelectorAll('svg').length") == 2 + 3
    assert len(inks) == 2
