from __future__ import annotations

import csv
import io
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from genreplay import OnlineRBM, OnlineRBMDetector, TableRBM
from genreplay.cli import models
from genreplay.cli.learning import Learning
from genreplay.cli.progress import Status
from genreplay.cli.watch import Watch
from genreplay.streams.chunks import Chunk
from tests.cli.tables import HEADER, content, run, table

FIVE = """\
age,colour,member
31,red,yes
28,blue,no
,red,yes
45,green,
33,red,yes
"""


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of 3,000 rows that has learned how the columns hang together."""
    path = tmp_path_factory.mktemp("learned") / "model"
    done = run("learn", "-", "--model", path, "--epochs", 100, "--quiet", stdin=table(3000))
    assert done.exit_code == 0, done.stderr
    assert done.output == ""
    return path


@pytest.fixture
def model(learned: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copy(learned, tmp_path / "model"))


def parsed(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_handful_of_rows_goes_all_the_way(tmp_path: Path) -> None:
    path = tmp_path / "m"
    learned = run("learn", "-", "--model", path, stdin=FIVE)
    assert learned.exit_code == 0
    assert learned.stdout == ""
    assert "Columns: age (number), colour (category), member (category)." in learned.stderr
    assert "5 rows are fewer than the warm-up of 500" in learned.stderr
    assert "Read 5 rows: 5 learned, 0 waiting, 0 skipped." in learned.stderr
    scores = parsed(run("score", "-", "--model", path, stdin=FIVE).stdout)
    assert [row["row"] for row in scores] == ["1", "2", "3", "4", "5"]
    assert all(0 <= float(row["p_value"]) <= 1 and row["alarm"] in ("true", "false") for row in scores)
    dreams = parsed(run("sample", "--model", path, "-n", 20).stdout)
    assert len(dreams) == 20
    assert {row["colour"] for row in dreams} <= {"red", "blue", "green", ""}
    filled = run("impute", "-", "--model", path, stdin=FIVE).stdout
    assert filled.splitlines()[:3] == FIVE.splitlines()[:3]
    explained = parsed(run("explain", "-", "--model", path, stdin=FIVE).stdout)
    assert {explained[0][f"column_{i}"] for i in (1, 2, 3)} == {"age", "colour", "member"}
    info = run("info", path).stdout
    assert "5 rows read = 5 learned + 0 waiting + 0 skipped" in info
    assert f"{TableRBM().n_hidden} hidden units; rehearses 500 dreams; updates: 1" in info


def test_unusual_rows_score_high_and_are_explained(model: Path) -> None:
    rows = HEADER + "20,red,true,2024-01-09T12:00\n61,blue,false,2024-01-09T12:00\n500,red,false,2024-01-09T12:00\n"
    scores = parsed(run("score", "-", "-m", model, stdin=rows).stdout)
    anomaly = [float(row["anomaly"]) for row in scores]
    assert anomaly[2] > 3 > max(anomaly[:2])
    assert [row["alarm"] for row in scores[:2]] == ["false", "false"]
    explained = parsed(run("explain", "-", "-m", model, "--top", 1, stdin=rows).stdout)
    assert explained[2]["column_1"] in ("age", "member")
    assert explained[2]["anomaly"] == scores[2]["anomaly"]
    assert float(explained[2]["p_1"]) < 0.01 < float(explained[0]["p_1"])


def test_impute_fills_empty_cells_and_leaves_the_others_as_they_are(model: Path) -> None:
    rows = HEADER + " 20.50 ,?,true,2024-01-09T12:00\n,blue,NA,2024-01-09T12:00\n61,BLUE,no,n/a\n"
    done = run("impute", "-", "-m", model, stdin=rows)
    young, old, strange = parsed(done.stdout)
    assert young == {"age": " 20.50 ", "colour": "red", "member": "true", "when": "2024-01-09T12:00"}
    assert 5 < float(old["age"]) < 80
    assert old["member"] == "false"
    assert (strange["age"], strange["colour"], strange["member"]) == ("61", "BLUE", "no")
    assert strange["when"][:3] in ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
    typed = [json.loads(line) for line in run("impute", "-", "-m", model, "--json", stdin=rows).stdout.splitlines()]
    assert typed[0]["age"] == 20.5
    assert typed[1]["member"] is False
    assert typed[2]["colour"] == "BLUE"


def test_bytes_of_an_ignored_column_come_back_as_they_are(model: Path) -> None:
    rows = b"age,colour,member,when,note\n20,,true,,caf\xe9\n"
    done = run("impute", "-", "-m", model, "--ignore", "note", stdin=rows)
    assert done.exit_code == 0
    assert done.stdout_bytes.splitlines()[1].endswith(b",caf\xe9")
    done = run("impute", "-", "-m", model, "--ignore", "note", "--json", stdin=rows)
    assert json.loads(done.stdout)["note"] == "caf\udce9"


def test_sample_gives_rows_of_the_table(model: Path) -> None:
    done = run("sample", "-m", model, "-n", 1500)
    rows = parsed(done.stdout)
    assert len(rows) == 1500
    assert {row["colour"] for row in rows} <= {"red", "blue", ""}
    assert {row["member"] for row in rows} <= {"true", "false", ""}
    assert {len(row["when"]) for row in rows} <= {len("Tue 13:30"), 0}
    assert all(0 < float(row["age"]) < 90 for row in rows if row["age"])
    assert run("sample", "-m", model, "-n", 1500).stdout == done.stdout
    assert run("sample", "-m", model, "-n", 1500, "--seed", 1).stdout != done.stdout
    assert len({tuple(row.values()) for row in rows[:1000]} & {tuple(row.values()) for row in rows[1000:]}) < 450


def test_json_lines_say_the_same_as_csv(model: Path) -> None:
    rows = table(20, seed=1)
    for command in ("score", "explain"):
        plain = parsed(run(command, "-", "-m", model, stdin=rows).stdout)
        lines = [json.loads(line) for line in run(command, "-", "-m", model, "--json", stdin=rows).stdout.splitlines()]
        assert [float(row["anomaly"]) for row in plain] == [line["anomaly"] for line in lines]
    assert lines[0]["columns"][0]["column"] == plain[0]["column_1"]
    assert lines[0]["columns"][0]["nats"] == float(plain[0]["nats_1"])
    assert lines[0]["columns"][0]["p"] == float(plain[0]["p_1"])


def test_only_alarms_can_be_printed(model: Path) -> None:
    rows = table(300, seed=2) + "-4000,red,false,2024-01-01T00:00\n"
    every = parsed(run("score", "-", "-m", model, stdin=rows).stdout)
    alarms = parsed(run("score", "-", "-m", model, "--alarms", stdin=rows).stdout)
    assert alarms == [row for row in every if row["alarm"] == "true"]
    explained = parsed(run("explain", "-", "-m", model, "--alarms", stdin=rows).stdout)
    assert [row["row"] for row in explained] == [row["row"] for row in alarms]


def test_scores_while_learning_are_those_of_the_model_before_each_row(tmp_path: Path) -> None:
    rows = table(1500)
    done = run("learn", "-", "-m", tmp_path / "m", "--score", stdin=rows)
    scores = parsed(done.stdout)
    assert [row["row"] for row in scores] == [str(i) for i in range(1, 1501)]
    assert {row["anomaly"] for row in scores[:500]} == {""}, "nothing is known in the warm-up"
    assert all(0 <= float(row["p_value"]) <= 1 for row in scores[500:])
    first = tmp_path / "first"
    run("learn", "-", "-m", first, stdin="".join(rows.splitlines(keepends=True)[:1401]))
    by_model = parsed(run("score", "-", "-m", first, stdin=rows).stdout)
    assert scores[1400:] == by_model[1400:]
    lines = run("learn", "-", "-m", tmp_path / "m2", "--score", "--json", "--quiet", stdin=rows).stdout.splitlines()
    assert json.loads(lines[0]) == {"row": 1, "anomaly": None, "p_value": None, "alarm": None}
    assert json.loads(lines[-1])["anomaly"] == float(scores[-1]["anomaly"])


def test_every_row_is_accounted_for(tmp_path: Path) -> None:
    lines = table(1234).splitlines()
    lines[10] = "too,short"
    lines[600] = "x,red,true,2024-01-01T00:00"
    lines[601] = "inf,red,true,2024-01-01T00:00"
    lines[900] = "1,2,3,4,5,6"
    path, kept = tmp_path / "m", tmp_path / "bad.ndjson"
    done = run("learn", "-", "-m", path, "--on-bad-row", "skip", "--json", stdin="\n".join(lines))
    figures = json.loads(done.stdout)
    assert figures["read"] == 1234 == figures["learned"] + figures["waiting"] + figures["skipped"]
    assert figures["skipped"] == 4
    assert "Line 11 is a bad row (2 cells, but there are 4 columns): skipped" in done.stderr
    assert "Read 1,234 rows: 1,200 learned, 30 waiting, 4 skipped." in done.stderr
    facts = json.loads(run("info", path, "--json").stdout)
    assert (facts["read"], facts["learned"], facts["waiting"], facts["skipped"]) == (1234, 1200, 30, 4)
    done = run("learn", "-", "-m", tmp_path / "q", "--quarantine", kept, stdin="\n".join(lines))
    assert done.exit_code == 0
    records = [json.loads(line) for line in kept.read_text().splitlines()]
    assert [(record["row"], record["line"]) for record in records] == [(10, 11), (600, 601), (601, 602), (900, 901)]
    assert "'x' is not a number" in records[1]["reason"]
    assert content(path) == content(tmp_path / "q")


def test_a_bad_row_ends_learning_with_what_came_before_it_saved(tmp_path: Path) -> None:
    path, source = tmp_path / "m", tmp_path / "rows.csv"
    lines = table(1400).splitlines()
    mended = "\n".join(lines)
    lines[1300] = "oops"
    source.write_text("\n".join(lines))
    done = run("learn", source, "-m", path)
    assert done.exit_code == 2
    assert "Error: Line 1,301 is a bad row (1 cell, but there are 4 columns). Correct it, or" in done.stderr
    assert "Read 1,299 rows: 1,200 learned, 99 waiting, 0 skipped." in done.stderr
    source.write_text(mended)
    assert run("learn", source, "-m", path, "--resume").exit_code == 0
    run("learn", source, "-m", tmp_path / "whole")
    assert content(path) == content(tmp_path / "whole")


@pytest.mark.parametrize("command", ["score", "explain", "impute"])
def test_bad_rows_are_seen_to_when_nothing_is_learned(model: Path, tmp_path: Path, command: str) -> None:
    rows = HEADER + "20,red,true,\nbad\n21,red,true,\n"
    done = run(command, "-", "-m", model, stdin=rows)
    assert done.exit_code == 2
    assert len(done.stdout.splitlines()) == 2, "what came before is printed"
    assert "Line 3 is a bad row" in done.stderr
    done = run(command, "-", "-m", model, "--quarantine", tmp_path / "bad", stdin=rows)
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()) == 3
    assert "Bad rows skipped: 1." in done.stderr
    assert json.loads((tmp_path / "bad").read_text())["raw"] == "bad"


def test_a_model_is_not_overwritten_unasked(model: Path) -> None:
    before = model.read_bytes()
    done = run("learn", "-", "-m", model, stdin=FIVE)
    assert done.exit_code == 2
    assert "exists: use --resume to go on with the same input, --more to learn another, or --force" in done.stderr
    assert model.read_bytes() == before
    assert run("learn", "-", "-m", model, "--force", stdin=FIVE).exit_code == 0
    assert json.loads(run("info", model, "--json").stdout)["read"] == 5


class Crash(BaseException):
    """As good as kill -9: nothing more is done."""


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_a_crash_and_resume_give_the_same_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    lines = table(6000).splitlines()
    for bad in (3, 777, 2900, 5999):
        lines[bad] = "not, a, row"
    rows = "\n".join(lines)
    if form == "ndjson":
        rows = "\n".join(
            json.dumps(dict(zip(HEADER.strip().split(","), line.split(","), strict=False))) for line in lines[1:]
        )
        rows = rows.replace('{"age": "not"', '{"bad": "not"')
    path, source = tmp_path / "m", tmp_path / f"rows.{form}"
    source.write_text(rows)
    options = ["--resume", "--quiet", "--checkpoint-rows", "1000", "--on-bad-row", "quarantine", "--quarantine"]
    done = run("learn", source, "-m", tmp_path / "whole", *options, tmp_path / "whole.bad")
    assert done.exit_code == 0
    taken, take = [0], Learning._take

    def crashing(self: Learning, chunk: Chunk) -> None:
        taken[0] += 1
        if taken[0] % 3 == 0:
            raise Crash
        take(self, chunk)
        if taken[0] % 5 == 0:
            raise Crash

    monkeypatch.setattr(Learning, "_take", crashing)
    n_crashes = 0
    for _ in range(20):
        try:
            done = run("learn", source, "-m", path, *options, tmp_path / "bad")
            break
        except Crash:
            n_crashes += 1
    assert done.exit_code == 0
    assert n_crashes > 2
    assert content(path) == content(tmp_path / "whole")
    assert (tmp_path / "bad").read_text() == (tmp_path / "whole.bad").read_text()


def test_the_way_the_stream_comes_does_not_matter(tmp_path: Path) -> None:
    rows = table(2300)
    (tmp_path / "rows.csv").write_text(rows)
    run("learn", tmp_path / "rows.csv", "-m", tmp_path / "file")
    run("learn", "-", "-m", tmp_path / "pipe", stdin=rows)
    run("learn", "-", "-m", tmp_path / "shown", "--score", "--checkpoint-rows", 1, stdin=rows.replace("\n", "\r\n"))
    assert content(tmp_path / "file") == content(tmp_path / "pipe") == content(tmp_path / "shown")


def test_resume_with_nothing_there_starts_and_with_nothing_new_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "m"
    assert run("learn", "-", "-m", path, "--resume", "--seed", 3, "--hidden", 7, stdin=table(700)).exit_code == 0
    before = content(path)
    done = run("learn", "-", "-m", path, "--resume", "--seed", 3, "--hidden", 7, stdin=table(700))
    assert done.exit_code == 0
    assert "Read 700 rows (0 of them now)" in done.stderr
    assert content(path) == before


def test_resume_goes_on_with_the_same_input_only(model: Path) -> None:
    done = run("learn", "-", "-m", model, "--resume", stdin=table(4000, seed=5))
    assert done.exit_code == 2
    assert "The input is not the one that" in done.stderr
    assert "--more" in done.stderr
    done = run("learn", "-", "-m", model, "--resume", stdin="".join(table(3000).splitlines(keepends=True)[:100]))
    assert done.exit_code == 0
    assert "The input has 99 rows, but the model has taken 3,000" in done.stderr


def test_an_input_that_only_starts_alike_is_not_taken_for_the_same(tmp_path: Path) -> None:
    path, source = tmp_path / "m", tmp_path / "rows.csv"
    lines = table(700).splitlines(keepends=True)
    source.write_text("".join(lines[:651]))
    run("learn", source, "-m", path)
    before = path.read_bytes()
    changed = lines.copy()
    changed[640] = changed[639]
    source.write_text("".join(changed))
    done = run("learn", source, "-m", path, "--resume")
    assert (done.exit_code, path.read_bytes()) == (2, before)
    assert "whose first 650 rows were others" in done.stderr
    source.write_text("".join(lines))
    assert "Read 700 rows (50 of them now)" in run("learn", source, "-m", path, "--resume").stderr, "it has grown"


def test_more_learns_another_input_and_can_be_resumed(tmp_path: Path) -> None:
    first, second = table(1300), table(1700, seed=1)
    for path in (tmp_path / "a", tmp_path / "b"):
        run("learn", "-", "-m", path, stdin=first)
    done = run("learn", "-", "-m", tmp_path / "a", "--more", stdin=second)
    assert "Read 3,000 rows (1,700 of them now): 3,000 learned, 0 waiting, 0 skipped." in done.stderr
    run("learn", "-", "-m", tmp_path / "b", "--more", stdin="".join(second.splitlines(keepends=True)[:800]))
    done = run("learn", "-", "-m", tmp_path / "b", "--resume", stdin=second)
    assert "Read 3,000 rows (901 of them now)" in done.stderr
    assert content(tmp_path / "a") == content(tmp_path / "b")


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_who_may_read_a_model_stays_as_it_was(model: Path) -> None:
    model.chmod(0o600)
    for _ in range(2):
        assert run("learn", "-", "-m", model, "--more", stdin=table(300)).exit_code == 0
        assert model.stat().st_mode & 0o777 == 0o600


def test_what_a_model_was_made_with_stays(model: Path) -> None:
    for options in (["--hidden", "5"], ["--seed", "9"], ["--epochs", "2"], ["--replay", "none"]):
        done = run("learn", "-", "-m", model, "--more", *options, stdin=table(10))
        assert done.exit_code == 2
        assert "cannot change" in done.stderr
    assert run("learn", "-", "-m", model, "--more", "--contamination", 0.25, stdin=table(10)).exit_code == 0
    assert "alarms at p <= 0.25" in run("info", model).stdout


def test_a_schema_can_be_given_and_columns_ignored(tmp_path: Path) -> None:
    schema = tmp_path / "schema.toml"
    schema.write_text('[columns]\nage = "category"\n')
    path = tmp_path / "m"
    done = run("learn", "-", "-m", path, "--schema", schema, "--ignore", "when", "--epochs", 100, stdin=table(600))
    assert "Columns: age (category), colour (category), member (boolean), when (ignore)." in done.stderr
    schema.write_text(run("info", path, "--schema").stdout)
    run("learn", "-", "-m", tmp_path / "again", "--schema", schema, "--epochs", 100, stdin=table(600))
    assert content(path) == content(tmp_path / "again")
    assert run("score", "-", "-m", path, stdin=table(5)).exit_code == 0
    filled = run("impute", "-", "-m", path, stdin="age,colour,member\n20,red,\n")
    assert filled.stdout in {f"age,colour,member\n20,red,{word}\n" for word in ("true", "false")}
    assert run("sample", "-m", path, "-n", 1).stdout.startswith("age,colour,member\n")


def test_columns_are_known_by_name(model: Path) -> None:
    shuffled = "when,member,colour,age\n2024-01-09T12:00,true,red,20\n"
    ordered = HEADER + "20,red,true,2024-01-09T12:00\n"
    assert run("score", "-", "-m", model, stdin=shuffled).stdout == run("score", "-", "-m", model, stdin=ordered).stdout
    done = run("score", "-", "-m", model, stdin="age,colour,member,when,label\n20,red,true,,0\n")
    assert done.exit_code == 2
    assert "column 'label' that the model does not know: leave it out with --ignore label" in done.stderr
    done = run("score", "-", "-m", model, "--ignore", "label", stdin="age,colour,member,when,label\n20,red,true,,0\n")
    assert done.exit_code == 0
    done = run("score", "-", "-m", model, stdin="age,colour\n20,red\n")
    assert "no column 'member'" in done.stderr
    assert run("score", "-", "-m", model, "--ignore", "age", stdin=ordered).exit_code == 2


@pytest.mark.parametrize("form", ["tsv", "ndjson", "npy", "npz", "parquet"])
def test_all_formats_go_all_the_way(tmp_path: Path, form: str) -> None:
    numbers = np.random.default_rng(0).normal(size=(700, 3)).round(3)
    numbers[7::50, 1] = np.nan
    names = ["c0", "c1", "c2"]
    path = tmp_path / f"rows.{form}"
    cells = [["" if np.isnan(cell) else repr(float(cell)) for cell in row] for row in numbers]
    (tmp_path / "rows.csv").write_text("\n".join(",".join(row) for row in [names, *cells]))
    if form == "tsv":
        path.write_text("\n".join("\t".join(row) for row in [names, *cells]))
    elif form == "ndjson":
        rows = [{name: cell for name, cell in zip(names, row, strict=True) if cell == cell} for row in numbers.tolist()]
        path.write_text("\n".join(map(json.dumps, rows)))
    elif form == "npy":
        np.save(path, numbers)
    elif form == "npz":
        np.savez(path, X=numbers)
    else:
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        columns = [pyarrow.array(column, from_pandas=True) for column in numbers.T]
        parquet.write_table(pyarrow.table(columns, names=names), path)
    model, by_csv = tmp_path / "m", tmp_path / "by csv"
    assert run("learn", path, "-m", model).exit_code == 0
    run("learn", tmp_path / "rows.csv", "-m", by_csv)
    tensors, _ = content(model)
    assert tensors == content(by_csv)[0]
    expected = run("score", tmp_path / "rows.csv", "-m", model).stdout
    assert run("score", path, "-m", model).stdout == expected
    filled = parsed(run("impute", path, "-m", model).stdout)
    assert all(row["c1"] for row in filled)


def test_input_without_rows_gives_no_model_and_no_scores(tmp_path: Path, model: Path) -> None:
    for stdin in ("", "\n\n", "a,b\n"):
        done = run("learn", "-", "-m", tmp_path / "none", stdin=stdin)
        assert done.exit_code == 2
        assert len(done.stderr.splitlines()) == 1
        assert not (tmp_path / "none").exists()
    done = run("learn", "-", "-m", tmp_path / "none", "--on-bad-row", "skip", stdin="a,b\n1\n2\n")
    assert done.exit_code == 2
    assert not (tmp_path / "none").exists()
    done = run("score", "-", "-m", model, stdin=HEADER)
    assert (done.exit_code, done.stdout) == (0, "row,anomaly,p_value,alarm\n")
    assert run("impute", "-", "-m", model, stdin=HEADER).stdout == HEADER


def test_a_model_in_its_warm_up_can_be_resumed_but_not_asked(tmp_path: Path) -> None:
    path = tmp_path / "m"
    lines = table(800).splitlines()
    done = run("learn", "-", "-m", path, stdin="\n".join([*lines[:100], "bad"]))
    assert done.exit_code == 2
    done = run("score", "-", "-m", path, stdin=table(3))
    assert done.exit_code == 2
    assert "has learned nothing yet: it has 99 of the 500 rows of its warm-up" in done.stderr
    assert "still in its warm-up" in run("info", path).stdout
    run("learn", "-", "-m", path, "--resume", stdin="\n".join(lines))
    run("learn", "-", "-m", tmp_path / "whole", stdin="\n".join(lines))
    assert content(path) == content(tmp_path / "whole")


@pytest.mark.parametrize("command", [["score", "-m"], ["sample", "-m"], ["info"], ["learn", "-", "--resume", "-m"]])
def test_a_damaged_model_is_one_sentence(model: Path, command: list[str]) -> None:
    whole = model.read_bytes()
    rng = np.random.default_rng(0)
    damaged = [b"", b"junk", whole[:-1], whole[: len(whole) // 2], whole + b"x"]
    for place in rng.integers(len(whole) * 8, size=20):
        flipped = bytearray(whole)
        flipped[place // 8] ^= 1 << (place % 8)
        damaged.append(bytes(flipped))
    for data in damaged:
        model.write_bytes(data)
        done = run(*command, model, stdin=table(5))
        assert done.exit_code == 2
        assert done.stdout == ""
        assert done.stderr.startswith("Error: ")
        assert len(done.stderr.splitlines()) == 1
        assert model.read_bytes() == data


def test_a_model_that_is_not_there_is_named(tmp_path: Path) -> None:
    for command in (["score", "-m"], ["sample", "-m"], ["impute", "-m"], ["explain", "-m"], ["info"]):
        done = run(*command, tmp_path / "none", stdin="")
        assert done.exit_code == 2
        assert "none cannot be read: No such file or directory." in done.stderr
    done = run("learn", "-", "-m", tmp_path / "no folder" / "m", stdin=table(5))
    assert done.exit_code == 2
    assert "no folder" in done.stderr


def test_a_model_of_python_code_can_be_asked(tmp_path: Path) -> None:
    path = tmp_path / "m"
    rows = [[float(i % 7), "even" if i % 2 == 0 else "odd"] for i in range(600)]
    OnlineRBMDetector(random_state=0).partial_fit(rows).save(path)
    done = run("score", "-", "-m", path, stdin="x0,x1\n3,even\n3,other\n")
    assert done.exit_code == 0
    assert len(done.stdout.splitlines()) == 3
    assert "600 rows read" in run("info", path).stdout
    OnlineRBM(n_hidden=3, random_state=0).fit(np.eye(4).repeat(30, axis=0)).save(path)
    assert "4 visible and 3 hidden units" in run("info", path).stdout
    assert run("info", path, "--schema").exit_code == 2
    done = run("score", "-", "-m", path, stdin="")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ["learn", "none.csv", "-m", "m"],
        ["learn", "-"],
        ["learn", "-", "-m", "m", "--resume", "--force"],
        ["learn", "-", "-m", "m", "--on-bad-row", "quarantine"],
        ["learn", "-", "-m", "m", "--on-bad-row", "skip", "--quarantine", "q"],
        ["learn", "-", "-m", "m", "--quarantine", "no folder/q"],
        ["learn", "-", "-m", "m", "--schema", "none.toml"],
        ["learn", "-", "-m", "m", "--ignore", "nothing"],
        ["learn", "-", "-m", "m", "--format", "parquet"],
        ["learn", "-", "-m", "m", "--contamination", "0.9"],
        ["learn", "-", "-m", "m", "--hidden", "0"],
        ["sample", "-m", "m", "-n", "0"],
    ],
)
def test_bad_options_are_one_error_and_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*arguments, stdin=FIVE)
    assert done.exit_code == 2
    assert sum(line.startswith("Error: ") for line in done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def kept_rows(path: Path) -> list[str]:
    return [json.loads(line)["raw"] for line in path.read_text().splitlines()]


def test_bad_rows_of_a_file_are_kept_once_however_often_it_is_read(model: Path, tmp_path: Path) -> None:
    kept, source = tmp_path / "bad", tmp_path / "rows.csv"
    source.write_text(HEADER + "1\n2\n")
    for _ in range(3):
        run("score", source, "-m", model, "--quarantine", kept)
    assert kept_rows(kept) == ["1", "2"]
    with open(kept, "a") as file:
        file.write('{"input": "1:')  # a crash
    run("score", "-", "-m", model, "--quarantine", kept, stdin=HEADER + "7\n8\n")
    assert kept_rows(kept) == ["1", "2", "7", "8"]


def test_another_input_that_starts_alike_loses_no_bad_row(model: Path, tmp_path: Path) -> None:
    kept, source = tmp_path / "bad", tmp_path / "rows.csv"
    first = table(1)
    for day in range(3):
        source.write_text(first + ("x\n" if day == 0 else "y\n"))
        os.utime(source, ns=(day, day))  # however coarse the clock is
        run("score", source, "-m", model, "--quarantine", kept)
        run("score", "-", "-m", model, "--quarantine", kept, stdin=source.read_text())
    assert kept_rows(kept) == ["x", "x", "y", "y", "y", "y"]
    for path in (tmp_path / "a", tmp_path / "b"):
        run("learn", "-", "-m", path, "--quarantine", tmp_path / "learned", stdin=first + "x\n" + first[len(HEADER) :])
    assert kept_rows(tmp_path / "learned") == ["x", "x"]


def test_a_drift_is_told_of_and_what_follows_can_be_chosen(tmp_path: Path) -> None:
    usual = table(6000)
    changed = "".join(f"{1000 + i % 7},green,,2024-01-0{1 + i % 7}T03:00\n" for i in range(1500))
    path = tmp_path / "m"
    done = run("learn", "-", "-m", path, "--on-drift", "faster", stdin=usual + changed)
    assert "Drift: new rows no longer fit the model, after " in done.stderr
    assert "Drifts noticed: " in done.stderr
    assert OnlineRBMDetector.load(path).on_drift == "faster"
    run("learn", "-", "-m", path, "--more", "--on-drift", "fewer-dreams", stdin=usual)
    assert OnlineRBMDetector.load(path).on_drift == "fewer-dreams"
    assert json.loads(run("info", path, "--json").stdout)["drifts"] > 0
    options = ["--replay", "none", "--on-drift", "fewer-dreams"]
    without = run("learn", "-", "-m", tmp_path / "other", *options, stdin=usual)
    assert without.exit_code == 2
    assert "needs a model with --replay dreams" in without.stderr
    run("learn", "-", "-m", tmp_path / "other", "--replay", "none", stdin=FIVE)
    without = run("learn", "-", "-m", tmp_path / "other", "--more", "--on-drift", "fewer-dreams", stdin=FIVE)
    assert without.exit_code == 2
    assert "needs a model with --replay dreams" in without.stderr


def test_watch_shows_surprise_drift_and_the_columns_that_differ_most(model: Path) -> None:
    saved = models.load(model)
    console = Console(file=io.StringIO(), width=100, force_terminal=True, color_system=None)
    watch = Watch(console)
    rows = np.array([[900.0, "blue", False, 0.0]] * 50, dtype=object)
    watch.note_surprise(np.array([np.nan, 1.0, 3.0]))
    console.print(watch.picture(Status(saved.model, saved.schema.names, rows, 1.25, 3050, 123.0, 2)))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "3,050 rows, 123 a second" in shown
    assert "surprise 1.25 nats" in shown
    assert "2 bad" in shown
    assert "2.00 nats; about 1 while rows fit" in shown
    assert "noticed so far: " in shown
    lines = shown.splitlines()
    (age,) = [line for line in lines if line.strip().startswith("age ")]
    assert "100%" in age
    assert {"age", "colour", "member", "when"} <= {line.split()[0] for line in lines if line.split()}
