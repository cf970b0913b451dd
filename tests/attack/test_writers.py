"""Two writers of one model file: the second is refused at once, and the first one's file stays as it is."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from genreplay.cli import models
from tests.attack.children import Children, children
from tests.cli.processes import feed
from tests.cli.tables import content, run, table

pytestmark = pytest.mark.attack

N_PAIRS = 50
Count = Callable[[str, object], None]


@pytest.fixture(scope="module")
def others() -> Iterator[Children]:
    """Commands that run beside those of the other process."""
    with children() as started:
        yield started


def test_one_of_two_that_start_together_is_refused(
    commands: Children, others: Children, tmp_path: Path, record_property: Count
) -> None:
    source, whole, n_refused = tmp_path / "rows.csv", tmp_path / "whole", 0
    source.write_text(table(3000))
    run("learn", source, "-m", whole)
    for number in range(N_PAIRS):
        path = tmp_path / f"m{number}"
        pair = [each.start("learn", source, "-m", path, "--force") for each in (commands, others)]
        ends = [running.wait() for running in pair]
        refused = [ended for ended in ends if ended.code == 2]
        assert sorted(ended.code for ended in ends) in ([0, 2], [0, 0]), ends  # where they did not meet, both learn
        for ended in refused:
            assert (b"is learning" in ended.errors, ended.errors.count(b"\n")) == (True, 1)
        n_refused += len(refused)
        assert content(path) == content(whole)
    record_property("counted", f"{N_PAIRS} pairs, {n_refused} refused")
    assert n_refused > N_PAIRS // 2, "they were started at the same time"


def test_who_comes_while_another_learns_is_refused(
    commands: Children, others: Children, tmp_path: Path, record_property: Count
) -> None:
    rng, pipe_path, whole = random.Random(0), tmp_path / "pipe", tmp_path / "whole"
    os.mkfifo(pipe_path)
    rows = table(700).encode()
    run("learn", "-", "-m", whole, stdin=rows)
    for number in range(N_PAIRS):
        path = tmp_path / f"m{number}"
        cut = rng.randrange(100, len(rows))
        pipe = os.open(pipe_path, os.O_RDWR)
        first = commands.start("learn", "-", "-m", path, "--checkpoint-rows", 1, stdin=pipe_path)
        feed(pipe, rows[:cut], lambda: first.is_alive)  # noqa: B023 (called at once)
        option = rng.choice([[], ["--more"], ["--resume"], ["--force"]])
        second = others.run("learn", "-", "-m", path, *option)
        assert second.code == 2
        assert (
            second.errors
            == f"Error: Process {first.pid} is learning {path}: wait for it, or choose another model file.\n".encode()
        )
        feed(pipe, rows[cut:], lambda: first.is_alive)  # noqa: B023
        os.close(pipe)
        assert first.wait().code == 0
        assert content(path) == content(whole)
        assert models.load(path).account.n_read == 700
    assert {each.name for each in tmp_path.iterdir()} == {"pipe", "whole", *(f"m{i}" for i in range(N_PAIRS))}
    record_property("counted", f"{N_PAIRS} refused")
