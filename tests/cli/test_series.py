"""Time series on the command line: learn --time, and what the other commands make of such a model."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from genreplay import Deviations, OnlineRBMDetector, SeriesEncoder, series_detector
from genreplay.cli import models
from genreplay.cli.learning import Learning
from genreplay.cli.progress import Status
from genreplay.cli.watch import Watch
from genreplay.datasets import nab
from genreplay.formatting import listed
from genreplay.streams import chunks
from tests.cli.processes import start
from tests.cli.series import HEADER, STUCK, series, times
from tests.cli.tables import content, run, table
from tests.datasets.tiny import needs_data

WARM_UP, N_ROWS = SeriesEncoder().warm_up, 900
LEARN = ("--time", "when", "--quiet")
ROWS = series(N_ROWS)

POLICY = Deviations()


def parsed(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def frame(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text), parse_dates=["when"])


def first(n_rows: int) -> str:
    """The header and so many rows."""
    return "".join(ROWS.splitlines(keepends=True)[: n_rows + 1])


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of all rows before the load is stuck."""
    path = tmp_path_factory.mktemp("series") / "m"
    assert run("learn", "-", "-m", path, *LEARN, stdin=first(STUCK - 5)).exit_code == 0
    return path


LATER = HEADER + "".join(ROWS.splitlines(keepends=True)[STUCK - 4 :])


def test_the_scores_are_those_of_python(tmp_path: Path) -> None:
    done = run("learn", "-", "-m", tmp_path / "m", "--score", *LEARN, stdin=ROWS)
    assert (done.exit_code, done.stderr) == (0, "")
    lines, judged = parsed(done.stdout), series_detector(random_state=0).learn_judged(frame(ROWS))
    assert list(lines[0]) == ["row", "anomaly", "alarm", "column"]
    assert [line["row"] for line in lines] == [str(i + 1) for i in range(N_ROWS)]
    assert all(list(line.values())[1:] == ["", "", ""] for line in lines[:WARM_UP])
    known = lines[WARM_UP:]
    anomaly = np.array([float(line["anomaly"]) for line in known])
    assert np.isfinite(anomaly).all()
    np.testing.assert_allclose(anomaly, judged.anomaly[WARM_UP:], atol=1e-4)
    assert [line["alarm"] == "true" for line in known] == judged.alarm[WARM_UP:].tolist()
    assert np.array_equal(anomaly >= POLICY.threshold, judged.alarm[WARM_UP:]), "also by the printed number"
    assert [line["column"] for line in known] == [frame(ROWS).columns[i] for i in judged.column[WARM_UP:]]
    assert known[STUCK - WARM_UP]["alarm"] == "true"
    assert known[STUCK - WARM_UP]["column"] == "load"


def test_json_says_the_same_and_columns_are_carried_along(tmp_path: Path) -> None:
    plain = parsed(run("learn", "-", "-m", tmp_path / "m", "--score", *LEARN, stdin=ROWS).stdout)
    done = run("learn", "-", "-m", tmp_path / "n", "--score", "--json", "--keep", "when,shop", *LEARN, stdin=ROWS)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["when"] for line in lines] == times(N_ROWS)
    assert lines[0] == {"when": times(1)[0], "shop": "a", "row": 1, "anomaly": None, "alarm": None, "column": None}
    for line, cells in zip(lines[WARM_UP:], plain[WARM_UP:], strict=True):
        assert (line["anomaly"], line["column"]) == (float(cells["anomaly"]), cells["column"])
        assert line["alarm"] is (cells["alarm"] == "true")
    appended = parsed(run("learn", "-", "-m", tmp_path / "o", "--score", "--append", *LEARN, stdin=ROWS).stdout)
    assert list(appended[0]) == ["when", "load", "noise", "shop", "row", "anomaly", "alarm", "column"]


@pytest.mark.parametrize("n_rows_of_chunk", [7, 333])
@pytest.mark.parametrize("n_before", [WARM_UP + 5, 703])
def test_chunks_and_a_resumed_run_give_the_same_bytes(
    n_before: int, n_rows_of_chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = run("learn", "-", "-m", tmp_path / "whole", "--score", *LEARN, stdin=ROWS).stdout
    monkeypatch.setattr(chunks, "ROWS_PER_CHUNK", n_rows_of_chunk)
    one = run("learn", "-", "-m", tmp_path / "m", "--score", *LEARN, stdin=first(n_before)).stdout
    two = run("learn", "-", "-m", tmp_path / "m", "--score", "--resume", "--quiet", stdin=ROWS).stdout
    assert one + two.split("\n", 1)[1] == whole
    assert content(tmp_path / "m") == content(tmp_path / "whole")


class Crash(Exception):
    """As if the process had died."""


def test_crashes_also_in_the_warm_up_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("learn", "-", "-m", tmp_path / "whole", *LEARN, stdin=ROWS)
    monkeypatch.setattr(chunks, "ROWS_PER_CHUNK", 100)
    taken, take = [0], Learning._take

    def crashing(self: Learning, chunk: chunks.Chunk) -> None:
        taken[0] += 1
        if taken[0] % 4 == 0:
            raise Crash
        take(self, chunk)

    monkeypatch.setattr(Learning, "_take", crashing)
    path, n_crashes = tmp_path / "m", 0
    for _ in range(20):
        try:
            run("learn", "-", "-m", path, "--resume", "--checkpoint-rows", 100, *LEARN, stdin=ROWS)
            break
        except Crash:
            n_crashes += 1
    assert n_crashes == 3
    assert content(path) == content(tmp_path / "whole")


@pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")
def test_a_killed_run_is_resumed_to_the_same_model_and_lines(tmp_path: Path) -> None:
    path = tmp_path / "m"
    options = ["--score", "--checkpoint-seconds", "0.1", *LEARN]
    process = start("learn", "-", "-m", path, *options, stderr=subprocess.DEVNULL)
    assert process.stdin is not None
    process.stdin.write(first(703).encode())
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.kill()
    printed = process.communicate()[0].decode()
    n_saved = json.loads(run("info", path, "--json").stdout)["read"]
    assert 0 < n_saved <= 703
    resumed = run("learn", "-", "-m", path, "--resume", *options, stdin=ROWS)
    whole = run("learn", "-", "-m", tmp_path / "whole", *options, stdin=ROWS)
    assert content(path) == content(tmp_path / "whole")
    heading, *lines = whole.stdout.splitlines()
    assert resumed.stdout.splitlines() == [heading, *lines[n_saved:]]
    assert whole.stdout.startswith(printed)


@pytest.mark.parametrize("form", ["T", "zone", "fraction", "seconds", "milliseconds", "numbers"])
def test_times_may_be_written_in_many_ways(form: str, tmp_path: Path) -> None:
    wanted = run("learn", "-", "-m", tmp_path / "m", "--score", *LEARN, stdin=ROWS).stdout
    seconds = [int(np.datetime64(text, "s").astype(np.int64)) for text in times(N_ROWS)]
    when = {
        "T": [f"{text.replace(' ', 'T')}Z" for text in times(N_ROWS)],
        "zone": [f"{np.datetime64(text) + np.timedelta64(2, 'h')}+02:00" for text in times(N_ROWS)],
        "fraction": [f"{text}.250" for text in times(N_ROWS)],
        "seconds": list(map(str, seconds)),
        "milliseconds": [f"{1000 * each}" for each in seconds],
    }
    if form == "numbers":
        lines = [{**line, "when": at} for line, at in zip(parsed(ROWS), seconds, strict=True)]
        rows = "".join(json.dumps(line) + "\n" for line in lines)
        done = run("learn", "-", "-m", tmp_path / "n", "--score", "--format", "ndjson", *LEARN, stdin=rows)
    else:
        done = run("learn", "-", "-m", tmp_path / "n", "--score", *LEARN, stdin=series(N_ROWS, when[form]))
    assert done.stdout == wanted


@pytest.mark.parametrize(
    ("options", "rows", "sentence"),
    [
        (["--time", "whem"], ROWS, "The input has no column 'whem', which --time names: it has 'when', 'load', "),
        (["--time", "load"], ROWS, "Column 'load', which --time names, does not hold times, but cells such as '"),
        (["--time", "shop"], ROWS, "Column 'shop', which --time names, does not hold times, but cells such as 'a'"),
        (["--time", "when"], series(50, ["31.12.2014 10:30"] * 50), "does not hold times, but cells such as '31.12"),
        (["--time", "when"], series(50, [" "] * 50), "Column 'when', which --time names, has no cell in the first"),
        (["--time", "when", "--ignore", "when"], ROWS, "--time names the column 'when', which is given as 'ignore'"),
        (["--time", "when", "--contamination", "0.1"], ROWS, "--contamination is a p-value, and the rows of a series"),
        (["--threshold", "5"], ROWS, "--threshold is for a series, which has --time"),
        (["--time", "when", "--on-drift", "fewer-dreams"], ROWS, "needs a model with --replay dreams"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(options: list[str], rows: str, sentence: str, tmp_path: Path) -> None:
    done = run("learn", "-", "-m", tmp_path / "m", "--quiet", *options, stdin=rows)
    assert (done.exit_code, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert done.stderr.splitlines()[-1].startswith("Error: ")
    assert not (tmp_path / "m").exists()


def test_a_single_cell_that_is_no_time_is_a_bad_row(tmp_path: Path) -> None:
    rows = series(50, [*times(49), "noon"])
    done = run("learn", "-", "-m", tmp_path / "m", *LEARN, stdin=rows)
    assert (done.exit_code, "Line 51 is a bad row (column 'when': 'noon' is not an" in done.stderr) == (2, True)
    assert run("learn", "-", "-m", tmp_path / "n", "--on-bad-row", "skip", *LEARN, stdin=rows).exit_code == 0


def test_a_schema_may_declare_the_time_but_nothing_else_of_it(tmp_path: Path) -> None:
    schema = tmp_path / "schema.toml"
    schema.write_text('[columns]\nwhen = "category"\n')
    done = run("learn", "-", "-m", tmp_path / "m", "--schema", schema, *LEARN, stdin=ROWS)
    assert (done.exit_code, "which is given as 'category', not as times" in done.stderr) == (2, True)
    schema.write_text('[columns]\nwhen = "timestamp"\nload = "category"\n')
    assert run("learn", "-", "-m", tmp_path / "m", "--schema", schema, *LEARN, stdin=first(20)).exit_code == 0
    assert models.load(tmp_path / "m").schema.kinds["load"] == "category"


def test_options_make_the_model_and_cannot_change_later(tmp_path: Path) -> None:
    path = tmp_path / "m"
    options = {"warm-up": 40, "bins": 12, "hidden": 5, "epochs": 2, "learning-rate": 0.01, "replay": "dreams"}
    given = [word for name, value in options.items() for word in (f"--{name}", value)]
    run("learn", "-", "-m", path, *given, "--seed", 7, "--threshold", 6.5, *LEARN, stdin=first(100))
    made = OnlineRBMDetector.load(path)
    assert (made.encoder_.warm_up, made.encoder_.n_bins, made.random_state) == (40, 12, 7)
    assert made.rbm is not None
    assert (made.rbm.n_hidden, made.rbm.n_epochs, made.rbm.learning_rate) == (5, 2, 0.01)
    assert made.rbm.batch_size == series_detector().rbm.batch_size  # type: ignore[union-attr]
    assert made.alarms == Deviations(threshold=6.5)
    for again in (["--time", "when"], ["--threshold", 9], given):
        assert run("learn", "-", "-m", path, "--resume", "--quiet", *again, stdin=first(120)).exit_code == 0
    assert OnlineRBMDetector.load(path).alarms == Deviations(threshold=9)
    done = run("learn", "-", "-m", path, "--resume", "--time", "load", stdin=ROWS)
    assert (done.exit_code, "made with --time when, which cannot change" in done.stderr) == (2, True)


def test_a_table_cannot_become_a_series(tmp_path: Path) -> None:
    run("learn", "-", "-m", tmp_path / "m", "--quiet", stdin=table(30))
    done = run("learn", "-", "-m", tmp_path / "m", "--more", "--time", "when", stdin=table(30))
    assert (done.exit_code, "The model was made without --time, which cannot change." in done.stderr) == (2, True)


def test_times_that_are_missing_or_go_back_are_said_once_and_the_rows_learned(tmp_path: Path) -> None:
    when = times(N_ROWS)
    when[200] = when[205] = ""
    when[610] = when[300]
    when[620] = when[2]
    rows = series(N_ROWS, when)
    done = run("learn", "-", "-m", tmp_path / "m", "--time", "when", stdin=rows)
    assert done.exit_code == 0
    assert done.stderr.count("its time is missing") == done.stderr.count("is before that of the row before") == 1
    assert "Row 201: its time is missing." in done.stderr
    assert f"Row 611: its time, {when[300]}, is before that of the row before it, {when[609]}." in done.stderr
    assert "Read 900 rows: " in done.stderr
    quiet = run("learn", "-", "-m", tmp_path / "n", *LEARN, stdin=rows)
    assert (quiet.exit_code, quiet.stderr) == (0, "")


def test_an_input_that_starts_before_the_last_one_ended_is_remarked_on(tmp_path: Path) -> None:
    path, half = tmp_path / "m", first(600)
    run("learn", "-", "-m", path, *LEARN, stdin=half)
    done = run("learn", "-", "-m", path, "--more", stdin=half)
    assert f"Row 1: its time, {times(1)[0]}, is before that of the row before it, {times(600)[-1]}." in done.stderr
    assert "is before" not in run("learn", "-", "-m", path, "--more", stdin=LATER).stderr


def test_score_judges_the_next_rows_and_learns_nothing(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(model)
    done = run("score", "-", "-m", model, stdin=LATER)
    assert (done.exit_code, done.stderr) == (0, "")
    lines = parsed(done.stdout)
    judged = OnlineRBMDetector.load(model).judged(models.load(model).schema.parse(chunk_of(LATER)).cells)
    assert list(lines[0]) == ["row", "anomaly", "alarm", "column"]
    np.testing.assert_allclose([float(line["anomaly"]) for line in lines], judged.anomaly, atol=1e-4)
    assert [line["alarm"] == "true" for line in lines] == judged.alarm.tolist()
    assert (lines[5]["alarm"], lines[5]["column"]) == ("true", "load")
    assert content(model) == before
    monkeypatch.setattr(chunks, "ROWS_PER_CHUNK", 7)
    assert run("score", "-", "-m", model, stdin=LATER).stdout == done.stdout
    alarms = run("score", "-", "-m", model, "--alarms", "--json", "--keep", "when", stdin=LATER).stdout.splitlines()
    assert [json.loads(line)["row"] for line in alarms] == [
        int(line["row"]) for line in lines if line["alarm"] == "true"
    ]
    assert json.loads(alarms[0])["when"] == times(STUCK + 1)[-1]


def chunk_of(text: str) -> chunks.Chunk:
    names, *lines = (line.split(",") for line in text.splitlines())
    columns = dict(zip(names, map(list, zip(*lines, strict=True)), strict=True))
    return chunks.Chunk(columns, range(1, len(lines) + 1), range(2, len(lines) + 2))


def test_score_says_if_rows_came_before_those_that_were_learned(model: Path) -> None:
    done = run("score", "-", "-m", model, "--alarms", stdin=ROWS)
    assert done.exit_code == 0
    assert f"The rows start at {times(1)[0]}, but the model has learned a series up to " in done.stderr


def test_explain_names_the_column_of_the_alarm_first(model: Path) -> None:
    lines = parsed(run("explain", "-", "-m", model, stdin=LATER).stdout)
    assert list(lines[0])[:7] == ["row", "anomaly", "alarm", "column_1", "cell_1", "nats_1", "p_1"]
    scores = parsed(run("score", "-", "-m", model, stdin=LATER).stdout)
    for line, score in zip(lines, scores, strict=True):
        assert (line["anomaly"], line["alarm"], line["column_1"]) == (score["anomaly"], score["alarm"], score["column"])
        assert len({line[f"column_{i}"] for i in (1, 2, 3)}) == 3
    [alarm, *_] = run("explain", "-", "-m", model, "--alarms", "--json", "--top", "1", stdin=LATER).stdout.splitlines()
    [found] = json.loads(alarm)["columns"]
    assert (found["column"], found["cell"]) == ("load", "150.000")
    assert found["p"] < 0.01


def test_rows_are_dreamed_and_cells_filled(model: Path) -> None:
    assert len(parsed(run("sample", "-m", model, "-n", 20).stdout)) == 20
    [filled] = parsed(run("impute", "-", "-m", model, stdin=f"{HEADER}2014-04-20 06:00,,0.5,a\n").stdout)
    assert 20 < float(filled["load"]) < 80


def test_info_says_what_a_series_is_and_when_it_raises_an_alarm(model: Path, tmp_path: Path) -> None:
    said = run("info", model).stdout
    assert f"a time series, its times in column when, learned up to {times(STUCK - 5)[-1]}\n" in said
    scales, quiet = listed(POLICY.scales), f"{100 * POLICY.quiet:g} %"
    assert (
        f"alarms at an anomaly of {POLICY.threshold:g} or more, from the surprise over the last {scales} rows" in said
    )
    assert f"its column raises none for {quiet} of the rows so far, at most {POLICY.most_quiet_rows}\n" in said
    facts = json.loads(run("info", model, "--json").stdout)
    assert (facts["time"], facts["scales"], facts["threshold"]) == ("when", list(POLICY.scales), POLICY.threshold)
    assert "contamination" not in facts
    series_detector(alarms=Deviations((3,)), random_state=0).fit(frame(ROWS)).save(tmp_path / "p")
    said = run("info", tmp_path / "p").stdout
    assert "a time series, its times in column when\n" in said
    assert "over the last 3 rows;" in said


def test_a_model_of_python_is_continued(tmp_path: Path) -> None:
    path = tmp_path / "m"
    series_detector(random_state=0).partial_fit(frame(first(STUCK))).save(path)
    lines = parsed(run("score", "-", "-m", path, "--ignore", "id", stdin=LATER).stdout)
    assert any(line["alarm"] == "true" for line in lines)
    assert run("learn", "-", "-m", path, "--more", "--score", stdin=LATER).stdout.startswith("row,anomaly,alarm,column")


def test_the_summary_counts_alarms(tmp_path: Path) -> None:
    done = run("learn", "-", "-m", tmp_path / "m", "--time", "when", "--json", stdin=ROWS)
    n_alarms = series_detector(random_state=0).learn_judged(frame(ROWS)).alarm.sum()
    assert json.loads(done.stdout)["alarms_now"] == n_alarms > 0
    assert f"Read 900 rows: 900 learned, 0 waiting, 0 skipped. Alarms: {n_alarms}. Updates: " in done.stderr


def test_progress_tells_of_the_anomaly_and_of_alarms(model: Path) -> None:
    saved = models.load(model)
    status = Status(saved.model, saved.schema.names, frame(ROWS).to_numpy()[:50], 3.21, 1200, 60.0, 0, n_alarms=2)
    assert ", anomaly up to 3.2, alarms: 2, " in str(status)
    console = Console(record=True, width=100, file=io.StringIO())
    watch = Watch(console)
    watch.note_surprise(np.array([np.nan, -1.0, -3.0]))
    console.print(watch.picture(status))
    watch.note_surprise(np.array([0.55 * POLICY.threshold, 0.1]))
    console.print(watch.picture(status))
    said = console.export_text()
    assert f"0.0; alarms from {POLICY.threshold:g} on, so far: 2" in said
    assert f"▁▅  {0.55 * POLICY.threshold:.1f}; alarms from {POLICY.threshold:g} on" in said
    assert "noise" in said


def test_a_series_that_moves_for_good_is_learned_on(tmp_path: Path) -> None:
    head, *lines = series(2_000).splitlines()
    cells: list[Any] = [line.split(",") for line in lines]
    for row in cells[600:]:
        row[1] = str(float(row[1]) + 1e6)
    moved = "\n".join([head, *map(",".join, cells)]) + "\n"
    done = run("learn", "-", "-m", tmp_path / "m", "--time", "when", "--score", stdin=moved)
    assert "the codes were made anew, because column 'load' lay outside its range" in done.stderr
    assert parsed(done.stdout)[600]["alarm"] == "true"
    assert all(line["anomaly"] for line in parsed(done.stdout)[WARM_UP:])


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("name", nab.names())
def test_every_series_of_nab_has_an_anomaly_for_each_row(name: str, tmp_path: Path) -> None:
    path = Path(os.environ["GENREPLAY_DATA"]) / "nab" / name
    done = run("learn", path, "-m", tmp_path / "m", "--force", "--score", "--time", "timestamp", "--quiet")
    assert (done.exit_code, done.stderr) == (0, "")
    lines = parsed(done.stdout)
    assert len(lines) == len(path.read_text().splitlines()) - 1
    anomaly = pd.to_numeric([line["anomaly"] for line in lines], errors="coerce")
    assert np.isfinite(anomaly[WARM_UP:]).all()
    assert {line["alarm"] for line in lines[WARM_UP:]} <= {"true", "false"}
