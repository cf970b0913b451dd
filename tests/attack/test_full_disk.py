"""A disk that is full, when a model is saved, a bad row kept or a result printed: one sentence, and nothing is lost."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from genreplay.cli import models
from tests.attack.children import Children, Ended
from tests.cli.tables import content, run, table

pytestmark = pytest.mark.attack

SIZE = 2**19
"""bytes of the disk"""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no disk can be mounted here; tests/cli/test_pipes.py limits the size of files")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def fill(disk: Path, room: int) -> Path:
    """Leave so many bytes."""
    found = os.statvfs(disk)
    filler = disk / "filler"
    filler.write_bytes(b"0" * (found.f_bavail * found.f_frsize - room))
    return filler


def with_bad_rows(n_rows: int, every: int, seed: int = 0) -> str:
    lines = table(n_rows, seed).splitlines()
    lines[every::every] = [f"bad {'x' * 50}"] * len(lines[every::every])
    return "\n".join(lines) + "\n"


def check_account(path: Path) -> int:
    saved = models.load(path)
    account, model = saved.account, saved.model
    assert account.n_read == model.n_learned_ + model.n_waiting_ + account.n_skipped
    return account.n_read


def check_sentence(ended: Ended) -> None:
    assert ended.code == 1, ended
    assert ended.faults() == []
    assert b"No space left on device" in ended.errors or b"File too large" in ended.errors


@pytest.mark.parametrize("room", [0, 4096, 20_000, 60_000])
def test_a_model_that_finds_no_room_stays_as_it_was(commands: Children, disk: Path, tmp_path: Path, room: int) -> None:
    path, rows, more = disk / "m", tmp_path / "rows.csv", tmp_path / "more.csv"
    rows.write_text(table(700))
    more.write_text(table(4000, seed=1))
    assert commands.run("learn", rows, "-m", path).code == 0
    before, names = path.read_bytes(), {"m", "filler"}
    assert len(before) > room, "there is no room for another"
    filler = fill(disk, room)
    check_sentence(commands.run("learn", more, "-m", path, "--more", "--checkpoint-rows", 1000))
    assert path.read_bytes() == before
    assert {each.name for each in disk.iterdir()} == names
    filler.unlink()
    assert commands.run("learn", more, "-m", path, "--more").code == 0, "the command can be repeated"
    assert check_account(path) == 4700


def test_a_new_model_that_finds_no_room_leaves_no_file(commands: Children, disk: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text(table(2000))
    fill(disk, 8192)
    check_sentence(commands.run("learn", rows, "-m", disk / "m"))
    assert {each.name for each in disk.iterdir()} == {"filler"}


@pytest.mark.parametrize("room", [0, 4096, 8192, 40_000])
@pytest.mark.parametrize("is_new", [True, False])
def test_bad_rows_that_find_no_room_are_not_counted_and_none_is_lost(
    commands: Children, disk: Path, tmp_path: Path, room: int, is_new: bool
) -> None:
    path, whole, rows, first = tmp_path / "m", tmp_path / "whole", tmp_path / "rows.csv", tmp_path / "first.csv"
    rows.write_text(with_bad_rows(6000, every=11))
    first.write_text(table(700))
    for each in (path, whole):
        if not is_new:
            assert commands.run("learn", first, "-m", each).code == 0
    more = [] if is_new else ["--more"]
    assert commands.run("learn", rows, "-m", whole, *more, "--quarantine", tmp_path / "bad").code == 0
    filler = fill(disk, room)
    bad = disk / "bad"
    check_sentence(commands.run("learn", rows, "-m", path, *more, "--quarantine", bad))
    if path.exists():
        check_account(path)
        n_kept = len(bad.read_bytes().splitlines())
        assert models.load(path).account.n_skipped == n_kept, "what was counted is kept, and nothing else"
    filler.unlink()
    is_begun = is_new or models.load(path).account.input_number == 2
    again = commands.run("learn", rows, "-m", path, "--resume" if is_begun else "--more", "--quarantine", bad)
    assert again.code == 0, again
    assert content(path) == content(whole)
    assert bad.read_bytes() == (tmp_path / "bad").read_bytes()


def test_a_full_disk_ends_score_at_its_first_bad_row(commands: Children, disk: Path, tmp_path: Path) -> None:
    path, rows = tmp_path / "m", tmp_path / "rows.csv"
    rows.write_text(with_bad_rows(700, every=11))
    run("learn", "-", "-m", path, stdin=table(700))
    fill(disk, 0)
    check_sentence(commands.run("score", rows, "-m", path, "--quarantine", disk / "bad"))


def check_results(commands: Children, folder: Path, rows: Path, **options: Any) -> None:
    """All commands that print, where what they print finds no room."""
    path = folder / "m"
    rows.write_text(table(6000))
    run("learn", "-", "-m", path, "--hidden", 4, stdin=table(700, seed=1))
    for command in (["learn", "--more", "--score"], ["score"], ["explain"], ["impute"]):
        check_sentence(commands.start(*command, rows, "-m", path, **options).wait())
        assert 700 < check_account(path) < 6700


@pytest.mark.parametrize("room", [0, 10_000])
def test_results_that_find_no_room_leave_a_model_that_accounts_for_its_rows(
    commands: Children, disk: Path, tmp_path: Path, room: int
) -> None:
    fill(disk, room)
    check_results(commands, tmp_path, tmp_path / "rows.csv", stdout=disk / "out")


def test_results_of_more_than_a_file_may_have_leave_a_model_that_accounts_for_its_rows(
    commands: Children, tmp_path: Path
) -> None:
    check_results(commands, tmp_path, tmp_path / "rows.csv", file_size=60_000)
