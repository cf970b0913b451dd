"""One writer at a time: the second one is refused at once, and touches nothing."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from genreplay.cli.errors import BadInput
from genreplay.cli.lock import writing
from tests.cli.processes import PATIENCE, start, wait_for_line
from tests.cli.tables import run, table

pytestmark = pytest.mark.skipif(os.name != "posix", reason="locks of POSIX")


def learner_at_work(path: Path) -> subprocess.Popen[bytes]:
    """A process that has learned 600 rows and waits for more."""
    process = start("learn", "-", "-m", path, "--score")
    assert process.stdin is not None
    process.stdin.write(table(600).encode())
    process.stdin.flush()
    wait_for_line(process.stdout, b"600,")
    return process


def test_the_second_writer_is_refused_by_name_and_the_first_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "m"
    process = learner_at_work(path)
    leftover = tmp_path / "m.0123abcd.part"
    leftover.touch()  # as if the first one were saving
    for options in ([], ["--more"], ["--resume"], ["--force"]):
        began = time.monotonic()
        done = run("learn", "-", "-m", path, *options, stdin=table(700, seed=1))
        assert time.monotonic() - began < 5
        assert done.exit_code == 2
        assert (
            done.stderr
            == f"Error: Process {process.pid} is learning {path}: wait for it, or choose another model file.\n"
        )
    assert leftover.exists()
    _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, b"600 learned" in errors) == (0, True)
    assert json.loads(run("info", path, "--json").stdout)["read"] == 600
    assert run("learn", "-", "-m", path, "--more", stdin=table(10)).exit_code == 0, "the lock is free again"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["m"]


def test_readers_are_never_blocked(tmp_path: Path) -> None:
    path = tmp_path / "m"
    run("learn", "-", "-m", path, stdin=table(600))
    with writing(path):
        for command in (["info", path], ["score", "-", "-m", path], ["sample", "-m", path]):
            assert run(*command, stdin=table(3)).exit_code == 0


def test_a_lock_that_a_killed_process_left_behind_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "m"
    process = learner_at_work(path)
    process.kill()
    process.communicate()
    assert (tmp_path / "m.lock").exists()
    assert run("learn", "-", "-m", path, "--force", stdin=table(600)).exit_code == 0
    assert not (tmp_path / "m.lock").exists()


def test_a_link_to_the_model_has_the_same_lock(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "m")
    refused = pytest.raises(BadInput, match=f"Process {os.getpid()} is learning")
    with writing(tmp_path / "m"), refused, writing(tmp_path / "link"):
        pass
