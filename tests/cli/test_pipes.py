"""The commands as processes: signals, pipes that close, terminals, full disks, sudden death."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.cli.processes import ENVIRONMENT, FORMATS, PATIENCE, OpenPipe, command, in_format, start, wait_for_line
from tests.cli.tables import content, run, table

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and pipes of POSIX")


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_a_signal_on_a_silent_pipe_ends_well(tmp_path: Path, number: signal.Signals) -> None:
    path, rows = tmp_path / "m", table(2000)
    process = start("learn", "-", "-m", path, "--score")
    assert process.stdin is not None
    process.stdin.write("".join(rows.splitlines(keepends=True)[:1235]).encode())
    process.stdin.flush()
    wait_for_line(process.stdout, b"1234,")
    process.send_signal(number)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert b"Stopped: --resume goes on with the same input" in errors
    assert b"Read 1,234 rows: 1,200 learned, 34 waiting, 0 skipped." in errors
    assert json.loads(run("info", path, "--json").stdout)["read"] == 1234
    run("learn", "-", "-m", path, "--resume", stdin=rows)
    run("learn", "-", "-m", tmp_path / "whole", stdin=rows)
    assert content(path) == content(tmp_path / "whole")


@pytest.mark.parametrize("n_rows", [300, 1234])
@pytest.mark.parametrize("form", ["csv", *(pytest.param(form, marks=pytest.mark.slow) for form in FORMATS[1:])])
def test_no_row_of_an_open_pipe_is_lost_when_a_signal_comes(tmp_path: Path, form: str, n_rows: int) -> None:
    path = tmp_path / "m"
    learner = OpenPipe("learn", "-", "-m", path, "--format", form.removesuffix(".gz"))
    learner.send(in_format(form, n_rows) + (b"" if form.endswith(".gz") else b"7"))  # a torn record
    learner.stop()
    facts = json.loads(run("info", path, "--json").stdout)
    assert facts["read"] == facts["learned"] + facts["waiting"] == n_rows


def test_a_signal_before_the_first_row_says_that_there_is_no_model(tmp_path: Path) -> None:
    learner = OpenPipe("learn", "-", "-m", tmp_path / "m")
    learner.send(b"a,b\n")
    assert learner.stop() == b"Stopped before any row was read: no model is saved.\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", ["csv", *(pytest.param(form, marks=pytest.mark.slow) for form in ("ndjson", "npy"))])
def test_an_interrupted_pipe_goes_on_with_all_rows_again_or_with_the_rest(tmp_path: Path, form: str) -> None:
    whole, again, rest = tmp_path / "whole", tmp_path / "again", tmp_path / "rest"
    every = in_format(form, 1000, ends=True)
    few = in_format(form, 700)
    run("learn", "-", "-m", whole, "--format", form, stdin=every)
    for path in (again, rest):
        learner = OpenPipe("learn", "-", "-m", path, "--format", form)
        learner.send(few)
        learner.stop()
        assert json.loads(run("info", path, "--json").stdout)["read"] == 700
    assert "(300 of them now)" in run("learn", "-", "-m", again, "--format", form, "--resume", stdin=every).stderr
    later = in_format(form, 1000, first=700, ends=True)
    assert "(300 of them now)" in run("learn", "-", "-m", rest, "--format", form, "--more", stdin=later).stderr
    tensors = [content(path)[0] for path in (whole, again, rest)]
    assert tensors[0] == tensors[1] == tensors[2]


def test_a_slow_pipe_is_saved_while_nothing_comes(tmp_path: Path) -> None:
    path = tmp_path / "m"
    process = start("learn", "-", "-m", path, "--quiet", "--checkpoint-seconds", "0.2")
    assert process.stdin is not None
    process.stdin.write(table(700).encode())
    process.stdin.flush()
    deadline = time.monotonic() + 30
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    process.kill()
    process.communicate()
    assert json.loads(run("info", path, "--json").stdout)["read"] == 700


@pytest.mark.slow
def test_head_closes_the_pipe_and_the_model_is_saved(tmp_path: Path) -> None:
    path, source = tmp_path / "m", tmp_path / "rows.csv"
    source.write_text(table(30_000))
    for arguments in (["learn", source, "-m", path, "--score"], ["score", source, "-m", path]):
        with start(*arguments, "--json", stdin=subprocess.DEVNULL) as process:
            assert process.stdout is not None
            assert process.stderr is not None
            assert json.loads(process.stdout.readline())["row"] == 1
            process.stdout.close()
            errors = process.stderr.read()
        assert process.returncode == 0
        assert b"Traceback" not in errors
        assert b"roken" not in errors
    facts = json.loads(run("info", path, "--json").stdout)
    assert 0 < facts["read"] < 30_000
    assert facts["read"] == facts["learned"] + facts["waiting"]


@pytest.mark.slow
def test_closed_streams_are_no_traceback(tmp_path: Path) -> None:
    path = tmp_path / "m"
    line = " ".join(command("learn", "-", "-m", path))
    closed = subprocess.run(f"{line} <&-", shell=True, capture_output=True, env=ENVIRONMENT, check=False)
    assert (closed.returncode, closed.stderr.count(b"\n")) == (2, 1)
    closed = subprocess.run(
        f"{line} --score >&- 2>&-", shell=True, input=table(600).encode(), env=ENVIRONMENT, check=False
    )
    assert closed.returncode == 0


def test_a_full_disk_is_exit_code_1_and_keeps_the_earlier_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "m"
    run("learn", "-", "-m", path, stdin=table(600))
    before = path.read_bytes()

    def no_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    process = start("learn", "-", "-m", path, "--more", preexec_fn=no_room)
    _, errors = process.communicate(table(3000).encode(), timeout=PATIENCE)
    assert process.returncode == 1
    assert b"Error: File too large" in errors
    assert b"Traceback" not in errors
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["m"]


def test_bad_rows_that_find_no_room_leave_an_account_that_adds_up(tmp_path: Path) -> None:
    path, bad = tmp_path / "m", tmp_path / "bad"
    rows = table(5000).splitlines()
    rows[1000::2] = ["bad"] * len(rows[1000::2])

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (80_000, 80_000))

    options = ["-m", path, "--hidden", "4", "--quarantine", bad]
    process = start("learn", "-", *options, preexec_fn=little_room)
    _, errors = process.communicate("\n".join(rows).encode(), timeout=PATIENCE)
    assert (process.returncode, errors.count(f"Error: File too large ({bad}).".encode())) == (1, 1)
    facts = json.loads(run("info", path, "--json").stdout)
    assert 999 < facts["read"] == facts["learned"] + facts["waiting"] + facts["skipped"] < 5000
    done = run("learn", "-", *options, "--resume", stdin="\n".join(rows))
    assert (done.exit_code, len(bad.read_bytes().splitlines())) == (0, 2001)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_results_that_find_no_room_are_exit_code_1(tmp_path: Path) -> None:
    path = tmp_path / "m"
    run("learn", "-", "-m", path, stdin=table(600))
    with open("/dev/full", "wb") as full:
        process = start("sample", "-m", path, stdout=full)
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert errors == b"Error: No space left on device.\n"


@pytest.mark.parametrize("end", [">&-", "| true"])
def test_an_output_that_nobody_reads_does_not_keep_the_model_from_its_rows(tmp_path: Path, end: str) -> None:
    path, source = tmp_path / "m", tmp_path / "rows.csv"
    source.write_text(table(600))
    line = " ".join(command("learn", source, "-m", path, "--score", "--on-bad-row", "skip")) + f" {end}"
    done = subprocess.run(line, shell=True, capture_output=True, env=ENVIRONMENT, check=False)
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert json.loads(run("info", path, "--json").stdout)["read"] == 600


def is_asleep(pid: int) -> bool:
    """Whether a process waits for something, as far as the system tells; one that waits for a processor does not."""
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] == "S"


def test_waiting_for_somebody_to_write_to_a_named_pipe_can_be_interrupted(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    options = ["-m", tmp_path / "m", "--quarantine", tmp_path / "bad"]
    process = start("learn", tmp_path / "pipe", *options, stdin=subprocess.DEVNULL)
    while not (tmp_path / "bad").exists():  # which is opened just before
        time.sleep(0.05)
    n_asleep = 0
    while n_asleep < 10:  # a busy machine may let it get there late
        time.sleep(0.05)
        n_asleep = n_asleep + 1 if is_asleep(process.pid) else 0
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=PATIENCE)[1].endswith(b"Aborted!\n")
    assert process.returncode == 1
    assert not (tmp_path / "m").exists()


@pytest.mark.slow
def test_names_of_files_need_not_be_utf_8(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/m\xff"
    environment = {**ENVIRONMENT, "PYTHONIOENCODING": "ascii"}
    learn = subprocess.run([*command("learn", "-", "-m"), path], input=table(20).encode(), env=environment, check=False)
    assert learn.returncode == 0
    info = subprocess.run([*command("info"), path], capture_output=True, env=environment, check=False)
    assert (info.returncode, info.stderr) == (0, b"")
    assert info.stdout.startswith(path)


@pytest.mark.slow
@pytest.mark.parametrize("variables", [{}, {"NO_COLOR": "1"}])
def test_only_a_terminal_sees_a_moving_line(tmp_path: Path, variables: dict[str, str]) -> None:
    import pty

    source = tmp_path / "rows.csv"
    source.write_text(table(20_000))
    own, theirs = pty.openpty()
    environment = {**ENVIRONMENT, "TERM": "xterm-256color", **variables}
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": theirs, "env": environment}
    shown = b""
    with start("learn", source, "-m", tmp_path / "m", **options) as process:
        os.close(theirs)
        while True:
            try:
                shown += os.read(own, 65536)
            except OSError:  # the terminal is gone
                break
        os.close(own)
    assert process.returncode == 0
    assert b"\x1b[2K" in shown, "the line is written over"
    assert b" a second" in shown
    assert b"Read 20,000 rows: 20,000 learned" in shown
    if variables:
        assert b"\x1b[3" not in shown
    piped = start("learn", source, "-m", tmp_path / "m2", stdin=subprocess.DEVNULL)
    _, errors = piped.communicate(timeout=PATIENCE)
    assert b"\x1b" not in errors
    assert errors.count(b"\n") <= 4


def version_of(path: Path) -> tuple[int, int] | None:
    """Another value whenever a file was replaced."""
    return (path.stat().st_ino, path.stat().st_mtime_ns) if path.exists() else None


@pytest.mark.slow
def test_twenty_sudden_deaths_do_not_change_the_model(tmp_path: Path) -> None:
    """A death comes after a number of checkpoints, not of seconds: a slow machine dies as often as a fast one."""
    source, path, whole = tmp_path / "rows.csv", tmp_path / "m", tmp_path / "whole"
    rows = table(200_000).splitlines()
    for bad in range(777, 200_000, 9_999):
        rows[bad] = "bad"
    source.write_text("\n".join(rows))
    options = ["--quiet", "--checkpoint-rows", "2000", "--quarantine"]
    began = time.monotonic()
    assert run("learn", source, "-m", whole, *options, tmp_path / "whole.bad").exit_code == 0
    from_one_to_the_next = (time.monotonic() - began) / 100
    rng, n_read = random.Random(0), []
    for death in range(20):
        process = start("learn", source, "-m", path, "--resume", *options, tmp_path / "bad", stdin=subprocess.DEVNULL)
        for _ in range(death % 4):  # none: it dies while it starts
            before = version_of(path)
            while version_of(path) == before and process.poll() is None:
                time.sleep(0.001)
        time.sleep(rng.uniform(0, from_one_to_the_next))
        assert process.poll() is None, "it dies long before the last of its 100 checkpoints"
        process.kill()
        process.communicate()
        if path.exists():
            facts = run("info", path, "--json")
            assert facts.exit_code == 0, "no checkpoint is ever unreadable"
            n_read.append(json.loads(facts.stdout)["read"])
    assert run("learn", source, "-m", path, "--resume", *options, tmp_path / "bad").exit_code == 0
    assert n_read == sorted(n_read)
    assert len(set(n_read)) > 10, "most of the deaths came after another checkpoint"
    assert content(path) == content(whole)
    assert (tmp_path / "bad").read_bytes() == (tmp_path / "whole.bad").read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_memory_does_not_grow_along_a_long_pipe_with_junk_in_it(tmp_path: Path) -> None:
    header, rows = table(10_000).encode().split(b"\n", 1)
    sizes = []
    with start("learn", "-", "-m", tmp_path / "m", "--on-bad-row", "skip", "--json") as process:
        assert process.stdin is not None
        process.stdin.write(header + b"\n")
        for _ in range(40):
            process.stdin.write(rows)
            process.stdin.write(b"x" * 3_000_000 + b'\n"' + b"y" * 500_000 + b"\n1,2\n\xff\n")
            process.stdin.flush()
            status = Path(f"/proc/{process.pid}/status").read_text()
            sizes.append(int(status.split("VmRSS:")[1].split()[0]))
        output, _ = process.communicate()
    figures = json.loads(output)
    assert figures["read"] == 40 * 10_004 == figures["learned"] + figures["waiting"] + figures["skipped"]
    assert figures["skipped"] == 40 * 4
    assert max(sizes[-10:]) < 1.05 * max(sizes[5:10])
