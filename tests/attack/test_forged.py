"""Forged model files: whatever is in a file, a command ends with one sentence or with sound results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from genreplay import MemoryReplay, OnlineRBM
from genreplay.cli import models
from genreplay.cli.models import Account, Saved, Times
from genreplay.core import checkpoint
from genreplay.core.grouped import Dreams, Nothing, TableRBM
from genreplay.estimators.deviations import Deviations
from genreplay.estimators.plain_detector import Detector
from genreplay.streams.coder import TableCoder
from genreplay.streams.schema import Schema
from genreplay.streams.series_coder import SeriesCoder
from tests.attack.children import Children, Ended
from tests.attack.forging import Forged, forgeries, write
from tests.attack.judges import N_ROWS, judge_detector, judge_learner, rows

SMALL = TableRBM(n_hidden=3, n_first=2, batch_size=5, replay=Dreams(size=6, n_rows=4, n_gibbs=2))
SCHEMA = Schema({"when": "timestamp", "load": "number", "noise": "number", "shop": "category", "open": "boolean"})
FOLLOWED = Deviations(scales=(1, 3))


def detector(n: int, warm_up: int, shift: float = 0.0, **changes: Any) -> Saved:
    """A model of the command line that has seen some rows, the last ones shifted."""
    alarms = changes.get("alarms")
    encoder = (SeriesCoder if alarms else TableCoder)(kinds=SCHEMA.kinds_by_place, n_bins=3)
    model = Detector(encoder, **{"rbm": SMALL, "warm_up": warm_up, "random_state": 0, **changes})
    model.learn_scored(rows(warm_up if shift else n, 0))
    if shift:
        model.learn_scored(rows(n, 1, shift))
    times = Times("when", 1.5e9) if alarms else None
    return Saved(model, SCHEMA, Account(n, 0, 1, n, "ab12", "cd34"), times)


def learner(**params: Any) -> OnlineRBM:
    bits = (np.random.default_rng(0).random((33, 9)) < 0.3).astype(float)
    return OnlineRBM(**{"n_hidden": 4, "batch_size": 10, "random_state": 0, **params}).partial_fit(bits)


DETECTORS: dict[str, Callable[[], Saved]] = {
    "table in its warm-up": lambda: detector(6, warm_up=15),
    "table that makes new codes": lambda: detector(730, warm_up=40, shift=900.0),
    "series": lambda: detector(63, 40, alarms=FOLLOWED, rbm=SMALL.replace(replay=Nothing())),
}
LEARNERS: dict[str, Callable[[], OnlineRBM]] = {
    "modern": lambda: learner(recipe="modern"),
    "paper with a memory": lambda: learner(
        recipe="paper", replay=MemoryReplay(capacity=12, policy="reservoir", packed=True), dtype="float64"
    ),
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    cells = rows(N_ROWS, 2).tolist()
    lines = [["" if cell is None or cell != cell else str(cell) for cell in row] for row in cells]
    path.write_text("\n".join(map(",".join, [list(SCHEMA.names), *lines])) + "\n")
    return path


def ways_of(path: Path, table: Path, kind: str) -> list[Callable[[Children], Ended]]:
    score, info = ["score", table, "-m", path], ["info", path]
    more, dream = ["learn", table, "-m", path, "--more", "--score", "--quiet"], ["sample", "-m", path, "-n", 5]
    asked = [score, info, more, dream] if kind in DETECTORS else [info]
    judge = judge_detector if kind in DETECTORS else judge_learner
    return [lambda run: run.call(judge, path), *(lambda run, words=words: run.run(*words) for words in asked)]


def unsound(forged: Forged, ended: Ended) -> list[str]:
    """What is wrong with how a command ended."""
    found = ended.faults()
    if ended.code == 0:
        if forged.is_poison:
            found.append("a number that is not finite was accepted")
        printed = ended.output.decode().lower()
        if ended.arguments[0] != "info" and any(word in printed for word in ("nan", "inf")):
            found.append("a score is not finite")
    return found


@pytest.mark.attack
@pytest.mark.parametrize("kind", [*DETECTORS, *LEARNERS])
def test_a_forged_file_is_refused_in_one_sentence_or_is_sound(
    kind: str, commands: Children, table: Path, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    path, n, codes, faults = tmp_path / "model", 0, Counter[int](), []
    if kind in DETECTORS:
        models.save(path, DETECTORS[kind]())
    else:
        LEARNERS[kind]().save(path)
    tensors, header = checkpoint.read(path)
    rng, most, slowest = np.random.default_rng(0), 0, 0.0
    ways = ways_of(path, table, kind)
    for way in ways:
        write(path, Forged("as it was", tensors, header, False))
        ended = way(commands)
        assert ended.code == 0 or b"warm-up" in ended.errors, (kind, ended)
    for n, forged in enumerate(forgeries(tensors, header, rng), 1):
        write(path, forged)
        ended = ways[n % len(ways)](commands)
        codes[ended.code] += 1
        most, slowest = max(most, ended.growth), max(slowest, ended.seconds)
        faults += [(forged.what, fault, ended.arguments, ended.errors[-500:]) for fault in unsound(forged, ended)]
    counts = f"{kind}: {n:,} forged files; {dict(codes)}; at most {most / 2**20:.0f} MB and {slowest:.1f} s"
    record_property("counted", counts)
    assert not faults, (len(faults), faults[:10])
