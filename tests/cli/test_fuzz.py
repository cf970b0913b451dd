"""Malformed input: never a traceback, never a model file that cannot be read, every row accounted for."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from genreplay import OnlineRBMDetector
from genreplay.cli import models
from genreplay.cli.progress import Status
from genreplay.cli.watch import Watch
from genreplay.estimators.plain_detector import Detector
from tests.cli.tables import run, table

TABLE = table(40).encode()
OBJECTS = b"".join(json.dumps({"a": i / 7, "b": "xyz"[i % 3], "c": i % 2 == 0}).encode() + b"\n" for i in range(40))
PIECES = [
    *[b"", b'"', b'""', b",", b"\n", b"\r", b"\n\n", b"\0", b"\t", b"'", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80"],
    *[b"nan", b"inf", b"-inf", b"1e999", b"1_0", b"5e-324", b"9" * 400, b"null", b"true", b"x" * 5000, b"\x1b[31m"],
    *[b"{", b"}", b"[[[[", b"\\ud800", b"\\u0000", b"2024-01-01T00:00", b"0001-01-01T00:00+14:00", b"z" * 2**20],
]


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """Content with pieces of junk put in, parts cut out, and bits flipped."""
    data = bytearray(content)
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(data)))
        stop = min(start + draw(st.sampled_from([0, 0, 1, 3, 50])), len(data))
        data[start:stop] = draw(st.sampled_from(PIECES) | st.binary(max_size=8))
    return bytes(data[: draw(st.sampled_from([len(data)] * 3 + [len(data) // 2]))])


@pytest.mark.slow
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(
    st.one_of(st.tuples(st.just("csv"), damaged(TABLE)), st.tuples(st.just("ndjson"), damaged(OBJECTS))),
    st.sampled_from([[], ["--on-bad-row", "skip"], ["--no-header"], ["--score", "--on-bad-row", "skip"]]),
    st.sampled_from(["score", "impute", "explain"]),
)
def test_junk_is_an_error_or_accounted_for(
    tmp_path_factory: pytest.TempPathFactory, given_input: tuple[str, bytes], options: list[str], command: str
) -> None:
    form, content = given_input
    path: Path = tmp_path_factory.mktemp("fuzz") / "m"
    learned = run("learn", "-", "-m", path, "--format", form, *options, stdin=content)
    assert learned.exit_code in (0, 2)
    assert (learned.exit_code == 2) == ("Error: " in learned.stderr)
    if path.exists():
        facts = json.loads(run("info", path, "--json").stdout)
        assert facts["read"] == facts["learned"] + facts["waiting"] + facts["skipped"]
        asked = run(command, "-", "-m", path, "--format", form, "--on-bad-row", "skip", stdin=content)
        assert asked.exit_code in (0, 2)
    else:
        assert learned.exit_code == 2


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A model file's content."""
    path = tmp_path_factory.mktemp("learned") / "m"
    assert run("learn", "-", "-m", path, stdin=table(600)).exit_code == 0
    return path.read_bytes()


@pytest.fixture
def model(learned: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "m"
    path.write_bytes(learned)
    return path


def strictly(line: str) -> object:
    """JSON as the standard has it, without NaN and Infinity."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(line, parse_constant=refuse)


@pytest.mark.parametrize("form", ["npy", "parquet", "ndjson"])
def test_json_lines_are_json_whatever_the_cells_are(tmp_path: Path, form: str) -> None:
    source, path = tmp_path / f"rows.{form}", tmp_path / "m"
    if form == "npy":
        np.save(source, np.array([[1, 2], [np.nan, 3], [2, 2]] * 9, dtype=np.float16))
    elif form == "parquet":
        pyarrow = pytest.importorskip("pyarrow")
        from pyarrow import parquet

        columns = {
            "x": [1.5, None, 2.5] * 9,
            "t": pyarrow.array([0, 10**9, None] * 9, pyarrow.timestamp("ms")),
            "z": [b"\xff", b"a", None] * 9,
            "n": [{"k": [float("nan")]}] * 27,
        }
        parquet.write_table(pyarrow.table(columns), source)
    else:
        source.write_text('{"x": NaN, "z": [Infinity, {"k": NaN}]}\n{"x": 2, "z": "\\ud800"}\n' * 9)
    ignored = [] if form == "npy" else ["--ignore", "z", *(["--ignore", "n"] if form == "parquet" else [])]
    assert run("learn", source, "-m", path, *ignored).exit_code == 0
    for command in ("impute", "explain"):
        lines = run(command, source, "-m", path, "--json").stdout.splitlines()
        assert len(lines) == (18 if form == "ndjson" else 27)
        assert all(isinstance(strictly(line), dict) for line in lines)
    assert len(list(csv.reader(io.StringIO(run("impute", source, "-m", path).stdout)))) == len(lines) + 1


@pytest.mark.parametrize(
    "options",
    [
        ["--seed", 2**32],
        ["--contamination", "nan"],
        ["--learning-rate", "nan"],
        ["--learning-rate", "inf"],
        ["--hidden", 10**30],
        ["--learning-rate", "1e999"],
    ],
)
def test_numbers_that_no_model_can_have_are_one_error(tmp_path: Path, options: list[object]) -> None:
    done = run("learn", "-", "-m", tmp_path / "m", *options, stdin=table(1500))
    assert done.exit_code == 2
    assert done.stderr.splitlines()[-1].startswith("Error: ")
    assert not (tmp_path / "m").exists()


def test_seeds_that_are_too_large_are_one_error(model: Path) -> None:
    for command in (["sample", "-m", model], ["impute", "-", "-m", model]):
        assert run(*command, "--seed", 2**32, stdin=table(5)).exit_code == 2


def test_too_little_memory_is_exit_code_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(self: Detector, X: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Detector, "learn_scored", no_room)
    done = run("learn", "-", "-m", tmp_path / "m", "--quiet", stdin=table(5))
    assert (done.exit_code, done.stderr) == (
        1,
        "Error: There is not enough memory for such a model, or for rows as long as these.\n",
    )


def test_no_file_is_two_things_at_once(model: Path, tmp_path: Path) -> None:
    source, schema, bad = tmp_path / "rows.csv", tmp_path / "s.toml", tmp_path / "bad.ndjson"
    source.write_text(table(20).rstrip("\n"))
    schema.write_text("[columns]\nage = 'number'\n")
    bad.write_text('{"input": "1:x", "row": 1, "line": 2, "reason": "no", "raw": "x"}\n')
    (tmp_path / "link.csv").symlink_to(source)
    before = {path: path.read_bytes() for path in (model, source, schema, bad)}
    for arguments in (
        ["learn", source, "-m", source, "--force"],
        ["learn", source, "-m", tmp_path / "link.csv", "--force"],
        ["learn", source, "-m", schema, "--force", "--schema", schema],
        ["learn", source, "-m", model, "--more", "--quarantine", model],
        ["learn", source, "-m", tmp_path / "new", "--quarantine", tmp_path / "new"],
        ["learn", source, "-m", tmp_path / "new", "--quarantine", source],
        ["learn", bad, "-m", tmp_path / "new", "--quarantine", bad],
        ["score", source, "-m", model, "--quarantine", model],
        ["score", source, "-m", model, "--quarantine", schema],
    ):
        done = run(*arguments)
        assert done.exit_code == 2, arguments
        assert done.stderr.splitlines()[-1].startswith("Error: ")
    assert {path: path.read_bytes() for path in before} == before
    assert not (tmp_path / "new").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs devices")
def test_a_device_is_neither_a_model_nor_a_place_for_bad_rows(tmp_path: Path) -> None:
    for arguments in (
        ["info", "/dev/zero"],
        ["score", "-", "-m", "/dev/zero"],
        ["learn", "-", "-m", "/dev/full", "--force"],
        ["learn", "-", "-m", tmp_path / "m", "--quarantine", "/dev/full"],
        ["learn", "-", "-m", tmp_path / "m", "--quarantine", "/dev/null"],
    ):
        done = run(*arguments, stdin=table(5) + "junk\n")
        assert done.exit_code == 2
        assert "not a regular file" in done.stderr


def test_a_model_that_could_not_be_written_is_refused_before_anything_is_learned(tmp_path: Path) -> None:
    (tmp_path / "m").symlink_to(tmp_path / "nowhere" / "m")
    done = run("learn", "-", "-m", tmp_path / "m", stdin=table(5))
    assert done.exit_code == 2
    assert "There is no folder" in done.stderr
    assert "Columns" not in done.stderr


def test_terminal_codes_and_long_names_do_not_reach_the_terminal(tmp_path: Path) -> None:
    path, long = tmp_path / "m", "x" * 5000
    rows = f'"\x1b]0;t\x07",{long},"a\nb"\n' + "1,2,3\n" * 9
    done = run("learn", "-", "-m", path, stdin=rows)
    assert done.exit_code == 0
    for text in (done.stderr, run("info", path).stdout, run("score", "-", "-m", path, stdin="\x07,b\n1,2\n").stderr):
        assert text.replace("\n", "").isprintable()
        assert long not in text
    assert r"'\x1b]0;t\x07' (number), 'xxx" in done.stderr
    done = run("score", "-", "-m", path, stdin='"a\nc",b\n1,2\n')
    assert (
        done.stderr
        == "Error: The input has a column 'a\\nc' that the model does not know: leave it out with --ignore.\n"
    )


def test_the_live_view_takes_names_and_labels_as_they_are(model: Path) -> None:
    saved = models.load(model)
    console = Console(file=io.StringIO(), width=150, force_terminal=True, color_system=None)
    rows = np.array([[20.0, "red", True, 0.0]] * 50, dtype=object)
    names = ["[/red]", "\x1b]0;t\x07", "[bold]", "when"]
    console.print(Watch(console).picture(Status(saved.model, names, rows, None, 50, 1.0, 0)))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert {"[/red]", r"'\x1b]0;t\x07'", "[bold]"} <= {line.split()[0] for line in shown.splitlines() if line.split()}
    assert "\x07" not in shown


def test_what_a_library_says_of_a_damaged_file_is_one_line(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    source = tmp_path / "rows.parquet"
    source.write_bytes(b"PAR1" + b"\x1b[31m\n" * 20)
    done = run("learn", source, "-m", tmp_path / "m")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.rstrip("\n").isprintable()
    with zipfile.ZipFile(tmp_path / "rows.npz", "w") as archive:
        for number in range(50):
            archive.writestr(f"\x1b[31m{number}.npy", b"")
    done = run("learn", tmp_path / "rows.npz", "-m", tmp_path / "m", "--key", "none")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.rstrip("\n").isprintable()


def test_a_file_that_only_looks_like_a_model_is_one_sentence(model: Path) -> None:
    from genreplay.core import checkpoint

    tensors, header = checkpoint.read(model)
    for extra in ({}, {"estimator": "OnlineRBMDetector"}, {**header["extra"], "encoder": {"settings": 3}}):
        checkpoint.write(model, tensors, {**header, "extra": extra})
        before = model.read_bytes()
        for arguments in (["score", "-", "-m", model], ["sample", "-m", model], ["learn", "-", "-m", model, "--more"]):
            done = run(*arguments, stdin=table(5))
            assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
        assert model.read_bytes() == before


def test_a_model_of_named_columns_is_asked_without_a_warning(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "m"
    frame = pandas.DataFrame({"a": np.arange(600.0) % 7, "b": ["x", "y"] * 300})
    OnlineRBMDetector(random_state=0).partial_fit(frame).save(path)
    for arguments in (["score"], ["impute"], ["explain"], ["learn", "--more"]):
        assert run(*arguments, "-", "-m", path, stdin="b,a\nx,3\n,4\n").exit_code == 0


@pytest.mark.parametrize("broken", ["fsync", "replace"])
def test_a_disk_that_fails_leaves_the_earlier_model(model: Path, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    before = model.read_bytes()

    def no_room(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, broken, no_room)
    done = run("learn", "-", "-m", model, "--more", "--quiet", stdin=table(900))
    assert (done.exit_code, done.stderr) == (1, "Error: No space left on device.\n")
    assert model.read_bytes() == before
    assert [path.name for path in model.parent.iterdir()] == ["m"]
