"""A fleet in one process, or in several: the same to the bit, whatever is in memory, and after every kind of end."""

from __future__ import annotations

import multiprocessing
import os
import signal
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from genreplay.estimators.alarms import ExplainedRows
from genreplay.estimators.plain_detector import Detector
from genreplay.fleet import Fleet, models, store
from genreplay.fleet.keyed import FleetError, advance
from genreplay.fleet.store import Keeper
from tests.fleet.made_up import blueprint, rows

N_KEYS, N_ROWS = 6, 500
KEYS, CELLS = rows(N_KEYS, N_ROWS)


def learned(folder: Path, cuts: tuple[int, ...] = (), jobs: int = 1, memory: int = 10**8) -> ExplainedRows:
    with Fleet(folder, blueprint(), jobs=jobs, memory=memory) as fleet:
        parts = []
        for first, last in pairwise((0, *cuts, N_ROWS)):
            parts.append(fleet.learn(KEYS[first:last], CELLS[first:last]))
            fleet.commit({"rows": last})
    return ExplainedRows(*(np.concatenate(each) for each in zip(*parts, strict=True)))


@pytest.fixture(scope="module")
def expected() -> tuple[ExplainedRows, dict[str, bytes]]:
    """Each key by itself, with the step that all engines share."""
    found, files = {}, {}
    for key in sorted(set(KEYS)):
        places = [place for place, each in enumerate(KEYS) if each == key]
        judged, files[key] = advance(None, key, CELLS[places], blueprint())
        found |= {place: [values[i] for values in judged] for i, place in enumerate(places)}
    whole = ExplainedRows(*(np.array([found[place][i] for place in range(N_ROWS)]) for i in range(4)))
    return whole, files


@pytest.mark.parametrize(
    ("cuts", "jobs", "memory"),
    [((), 1, 10**8), ((100, 101, 333), 1, 1), ((250,), 1, 150_000), ((250,), 2, 10**8)],
    ids=["at once", "every model on disk", "some models on disk", "two processes"],
)
def test_every_way_gives_the_same_rows_and_models(
    expected: tuple[ExplainedRows, dict[str, bytes]], tmp_path: Path, cuts: tuple[int, ...], jobs: int, memory: int
) -> None:
    found = learned(tmp_path / "fleet", cuts, jobs, memory)
    for name, values in expected[0]._asdict().items():
        np.testing.assert_array_equal(getattr(found, name), values)
    assert dict(models(tmp_path / "fleet")) == expected[1]


def test_models_in_memory_stay_below_the_bound(tmp_path: Path) -> None:
    store.create(tmp_path, blueprint(), {})
    keeper = Keeper(tmp_path, range(store.N_SHARDS), blueprint(), 0, most_bytes=150_000)
    one = keeper.learn([("m0", CELLS[:40])]) and keeper.n_bytes
    assert 0 < one < 150_000 < N_KEYS * one
    for key in sorted(set(KEYS)):
        keeper.learn([(key, CELLS[:40])])
        assert keeper.n_bytes <= 150_000
    keeper.close()


def test_what_was_not_committed_is_given_up(expected: tuple[ExplainedRows, dict[str, bytes]], tmp_path: Path) -> None:
    folder = tmp_path / "fleet"
    with Fleet(folder, blueprint(), memory=1) as fleet:
        fleet.learn(KEYS[:200], CELLS[:200])
        fleet.commit({"rows": 200})
        kept = dict(models(folder))
        fleet.learn(KEYS[200:300], CELLS[200:300])  # written to disk, since no model may stay in memory
    assert dict(models(folder)) == kept
    with Fleet(folder) as fleet:
        assert fleet.notes == {"rows": 200}
        found = fleet.learn(KEYS[200:], CELLS[200:])
        fleet.commit()
    np.testing.assert_array_equal(found.anomaly, expected[0].anomaly[200:])
    assert dict(models(folder)) == expected[1]


def _learn_and_die(folder: Path, place: str) -> None:
    """Learn, commit, learn more, and be killed in the middle of the next commit."""
    fleet = Fleet(folder, blueprint(), memory=1)
    fleet.learn(KEYS[:200], CELLS[:200])
    fleet.commit({"rows": 200})
    fleet.learn(KEYS[200:], CELLS[200:])
    if place == "between shards":
        keeper = fleet._teams[0]._keeper  # type: ignore[attr-defined]
        next(iter(keeper._databases.values())).execute("COMMIT")
    else:
        store.Head.write = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[method-assign,assignment]
        fleet.commit({"rows": N_ROWS})
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("place", ["between shards", "before the head"])
def test_a_kill_in_the_middle_of_a_commit_leaves_the_last_one(
    expected: tuple[ExplainedRows, dict[str, bytes]], tmp_path: Path, place: str
) -> None:
    folder = tmp_path / "fleet"
    process = multiprocessing.get_context("fork").Process(target=_learn_and_die, args=(folder, place))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    with Fleet(folder) as fleet:
        assert fleet.notes == {"rows": 200}
        found = fleet.learn(KEYS[200:], CELLS[200:])
        fleet.commit({"rows": N_ROWS})
    np.testing.assert_array_equal(found.anomaly, expected[0].anomaly[200:])
    assert dict(models(folder)) == expected[1]


def test_a_file_of_a_model_is_one_that_the_detector_reads(tmp_path: Path) -> None:
    learned(tmp_path / "fleet")
    for key, content in models(tmp_path / "fleet"):
        assert Detector.from_bytes(content).n_rows_seen_ == KEYS.count(key)


def test_after_an_error_nothing_is_committed(tmp_path: Path) -> None:
    with Fleet(tmp_path / "fleet", blueprint()) as fleet:
        fleet.learn(["m0"], CELLS[:1])
        with pytest.raises(FleetError, match=r"Key 'm0': The rows have 2 columns"):
            fleet.learn(["m0"] * 5, CELLS[:5, :2])
        with pytest.raises(FleetError, match="open the fleet again"):
            fleet.commit()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "has no fleet"),
        (b"[]", "is damaged"),
        (b'{"version": 2, "commit": 0, "blueprint": {}, "notes": {}}', "version 2"),
    ],
)
def test_a_folder_without_a_fleet_is_refused(tmp_path: Path, content: bytes | None, sentence: str) -> None:
    if content is not None:
        (tmp_path / "fleet.json").write_bytes(content)
    with pytest.raises(FleetError, match=sentence):
        Fleet(tmp_path)
    with pytest.raises(FleetError, match=sentence):
        list(models(tmp_path))


def test_a_damaged_database_is_one_sentence(tmp_path: Path) -> None:
    learned(tmp_path)
    for path in tmp_path.glob("models-*.sqlite"):
        path.write_bytes(b"no database at all" * 100)
    with pytest.raises(FleetError, match="are damaged"):
        list(models(tmp_path))
