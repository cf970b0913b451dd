"""Hostile tables of every format through learn, score and impute: one sentence or a full account, in little memory."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from genreplay.cli import models
from tests.attack.children import Children, Ended
from tests.attack.hostile import FORMATS, hostile, usual

pytestmark = pytest.mark.attack

N_TABLES = 226
"""of each format"""
N_PARTS = 2
"""tests of each format, so that two processes share them"""
POLICIES = [[], ["--on-bad-row", "skip"], ["--quarantine"]]


def check_account(path: Path, quarantine: Path, policy: list[str]) -> int:
    """Rows that were read: each is learned, waiting, or skipped, and then in quarantine if there is one."""
    saved = models.load(path)
    account, model = saved.account, saved.model
    assert account.n_read == model.n_learned_ + model.n_waiting_ + account.n_skipped
    tensors = [np.asarray(part) for part in model.judge_.state.rbm] if model.judge_ is not None else []
    assert all(np.isfinite(tensor).all() for tensor in tensors)
    if policy == ["--quarantine"]:
        assert account.n_skipped == len(quarantine.read_bytes().splitlines())
    return account.n_read


def n_answered(ended: Ended) -> int:
    """Rows that score or impute has read: printed, or skipped."""
    skipped = re.search(rb"^Bad rows skipped: ([0-9,]+)\.$", ended.errors, re.MULTILINE)
    n_skipped = int(skipped[1].replace(b",", b"")) if skipped else 0
    answers = [json.loads(line) for line in ended.output.splitlines()]
    return len(answers) + n_skipped


@pytest.mark.parametrize("part", range(N_PARTS))
@pytest.mark.parametrize("form", FORMATS)
def test_a_hostile_table_is_one_sentence_or_accounted_for(
    commands: Children, tmp_path: Path, form: str, part: int, record_property: Callable[[str, object], None]
) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    model, path, source, bad = tmp_path / "model", tmp_path / "m", tmp_path / f"rows.{form}", tmp_path / "bad"
    small = ["--hidden", 4, "--warm-up", 20]
    source.write_bytes(usual(form))
    assert commands.run("learn", source, "-m", model, *small).code == 0
    faults: list[str] = []
    ends: Counter[str] = Counter()
    most = 0
    for seed in range(part, N_TABLES, N_PARTS):
        source.write_bytes(hostile(form, seed))
        policy = POLICIES[seed // N_PARTS % len(POLICIES)]
        where = [*policy, bad] if policy == ["--quarantine"] else policy
        learned = commands.run("learn", source, "-m", path, *small, *where)
        asked = [
            commands.run(command, source, "-m", model, "--json", "--on-bad-row", "skip")
            for command in ("score", "impute")
        ]
        for ended in (learned, *asked):
            faults += [
                f"seed {seed}, {ended.arguments[0]}: {fault} {ended.errors[-300:]!r}" for fault in ended.faults()
            ]
            ends[f"exit code {ended.code}"] += 1
            most = max(most, ended.growth)
        if path.exists():
            n_read = check_account(path, bad, policy)
            counts = [n_answered(ended) for ended in asked if ended.code == 0]
            if learned.code == 0 and counts != [n_read] * len(counts):
                faults.append(f"seed {seed}: {n_read} rows were read to learn, {counts} to answer")
        elif learned.code == 0:
            faults.append(f"seed {seed}: no model, and no error")
        for each in (path, bad):
            each.unlink(missing_ok=True)
    codes = ", ".join(f"{ends[code]} {code}" for code in sorted(ends))
    record_property("counted", f"{N_TABLES // N_PARTS} tables, {codes}; at most {most / 2**20:.0f} MB")
    assert faults == []
    assert {each.name for each in tmp_path.iterdir()} == {"model", source.name}
