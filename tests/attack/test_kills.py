"""Kills and signals, on files and on open pipes of every format: no checkpoint is lost, and no row."""

from __future__ import annotations

import gzip
import io
import os
import random
import signal
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from genreplay.cli import models
from tests.attack.children import Children, Ended
from tests.cli.processes import FORMATS, feed, in_format
from tests.cli.tables import content

pytestmark = pytest.mark.attack

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
SMALL = ["--hidden", 8, "--warm-up", 100]
N_KILLS = 15
"""of each kind of file"""
Count = Callable[[str, object], None]


def n_read(path: Path) -> int:
    """Rows that a model has read, if its file is there; each is learned, waiting or skipped."""
    if not path.exists():
        return 0
    saved = models.load(path)
    account, model = saved.account, saved.model
    assert account.n_read == model.n_learned_ + model.n_waiting_ + account.n_skipped
    return account.n_read


def was_hit(ended: Ended, number: int) -> bool:
    """Check how a command has ended that was sent a signal. Return whether that came in time."""
    assert b"Traceback" not in ended.errors
    if number == signal.SIGKILL:
        assert ended.code in (0, -number), ended
        return ended.code != 0
    if ended.code == -number:  # before or after what can be stopped cleanly
        return True
    assert ended.code == 0, ended
    return b"Stopped" in ended.errors


def save_table(path: Path, form: str, n_rows: int) -> None:
    """A file of some chunks; of text, with bad rows in it."""
    if form in ("npz", "parquet"):
        rows = np.load(io.BytesIO(in_format("npy", n_rows, ends=True)))
        if form == "npz":
            np.savez_compressed(path, rows=rows)
        else:
            import pyarrow
            from pyarrow import parquet

            table = pyarrow.table(dict(zip("abc", rows.T, strict=True)))
            parquet.write_table(table, path, row_group_size=700)
        return
    rows = in_format(form.removesuffix(".gz"), n_rows, ends=True)
    if form != "npy":
        lines = rows.splitlines(keepends=True)
        for place in range(250, len(lines), 400):
            lines[place] = b"bad\n"
        rows = b"".join(lines)
    path.write_bytes(gzip.compress(rows) if form.endswith(".gz") else rows)


@pytest.mark.parametrize("form", [*FORMATS, "npz", "parquet"])
def test_a_file_is_learned_to_the_same_bytes_however_often_its_learner_dies(
    commands: Children, tmp_path: Path, form: str, record_property: Count
) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    rng = random.Random(f"files of {form}")
    source, path, whole = tmp_path / f"rows.{form}", tmp_path / "m", tmp_path / "whole"
    save_table(source, form, n_rows=6000)
    options = [*SMALL, "--checkpoint-rows", 500, "--quarantine"]
    bad, all_bad = tmp_path / "bad", tmp_path / "all_bad"

    def check_whole() -> None:
        assert content(path) == content(whole)
        assert bad.read_bytes() == all_bad.read_bytes()
        assert {each.name for each in tmp_path.iterdir()} == {source.name, "m", "bad", "whole", "all_bad"}
        path.unlink()
        bad.unlink()

    began = time.monotonic()
    assert commands.run("learn", source, "-m", whole, *options, all_bad).code == 0
    seconds = time.monotonic() - began
    n_hits = 0
    while n_hits < N_KILLS:
        before, number = n_read(path), SIGNALS[n_hits % 3]
        running = commands.start("learn", source, "-m", path, "--resume", *options, bad)
        time.sleep(rng.uniform(0, seconds))
        running.signal(number)
        if was_hit(running.wait(), number):
            n_hits += 1
            assert n_read(path) >= before, "no checkpoint is lost"
        else:
            check_whole()
    assert commands.run("learn", source, "-m", path, "--resume", *options, bad).code == 0
    check_whole()
    record_property("counted", f"{n_hits} kills and signals")


@pytest.mark.parametrize("form", FORMATS)
def test_a_pipe_goes_on_to_the_same_parameters_after_every_signal(
    commands: Children, tmp_path: Path, form: str, record_property: Count
) -> None:
    n_rows, rng, seconds = 900, random.Random(f"pipes of {form}"), []
    every, whole = tmp_path / "every", tmp_path / "whole"
    every.write_bytes(in_format(form, n_rows, ends=True))
    options = [*SMALL, "--format", form.removesuffix(".gz"), "--checkpoint-rows", 200]
    os.mkfifo(tmp_path / "pipe")
    cases = [(number, how) for number in SIGNALS for how in ("--resume", "--more")] * 3
    assert commands.run("learn", "-", "-m", whole, *options, stdin=every).code == 0
    for place, (number, how) in enumerate(cases):
        path, n_sent = tmp_path / f"m{place}", rng.randint(1, n_rows - 1)
        pipe = os.open(tmp_path / "pipe", os.O_RDWR)
        running = commands.start("learn", "-", "-m", path, *options, stdin=tmp_path / "pipe")
        torn = b"" if form.endswith(".gz") else b"7"
        feed(pipe, in_format(form, n_sent) + torn, lambda: running.is_alive)  # noqa: B023 (called at once)
        if number == signal.SIGKILL:
            time.sleep(rng.uniform(0, 0.2))
        began = time.monotonic()
        running.signal(number)
        ended = running.wait()
        os.close(pipe)
        n_known = n_read(path)
        if number == signal.SIGKILL:
            assert (ended.code, n_known <= n_sent) == (-number, True)
        else:
            seconds.append(time.monotonic() - began)
            assert (ended.code, n_known) == (0, n_sent), ended
        rest = tmp_path / "rest"
        rest.write_bytes(in_format(form, n_rows, first=n_known if how == "--more" else 0, ends=True))
        ended = commands.run("learn", "-", "-m", path, *options, how, stdin=rest)
        assert (ended.code, n_read(path)) == (0, n_rows), ended
        if how == "--resume":
            assert content(path) == content(whole)
        assert content(path)[0] == content(whole)[0], "the parameters, and all else that was learned"
    assert statistics.median(seconds) < 3
    record_property("counted", f"{len(cases)} kills and signals; the slowest stop took {max(seconds):.1f} s")
