from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from genreplay.datasets import DatasetError, anomaly
from genreplay.datasets.anomaly import Known
from tests.datasets.tiny import needs_data

ROWS = np.array([[1, 2], [3, 4], [5, 60]], dtype=np.int16)
LABELS = np.array([0, 0, 1])


@pytest.fixture
def folder(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder for the set ``tiny`` of three rows, which is not in it yet."""
    (tmp_path / "anomaly").mkdir()
    monkeypatch.setenv("GENREPLAY_DATA", str(tmp_path))
    monkeypatch.setitem(anomaly.KNOWN, "tiny", Known("anomaly/99_tiny.npz", 3, 2, 1))
    return tmp_path


def test_rows_come_as_floats_and_labels_as_flags(folder: Path) -> None:
    np.savez(folder / "anomaly/99_tiny.npz", X=ROWS, y=LABELS)
    name, rows, is_anomaly = anomaly.load("tiny")
    assert name == "tiny"
    assert rows.dtype == np.float64
    np.testing.assert_array_equal(rows, ROWS)
    assert is_anomaly.tolist() == [False, False, True]


def test_the_cache_is_looked_in_after_the_folder(folder: Path, cache: Path) -> None:
    (cache / "anomaly").mkdir(parents=True)
    np.savez(cache / "anomaly/99_tiny.npz", X=ROWS, y=LABELS)
    assert len(anomaly.load("tiny").rows) == 3


@pytest.mark.usefixtures("folder")
def test_a_missing_set_says_where_it_comes_from_and_where_it_goes() -> None:
    with pytest.raises(DatasetError, match=r"99_tiny.npz into the folder that GENREPLAY_DATA names.*Minqi824/ADBench"):
        anomaly.load("tiny")


def test_an_unknown_set_is_refused_with_the_known_ones() -> None:
    with pytest.raises(DatasetError, match=r"no anomaly set 'adult'. Known are: aloi, campaign"):
        anomaly.load("adult")


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 cut off"])
def test_a_damaged_file_is_noticed(folder: Path, content: bytes) -> None:
    (folder / "anomaly/99_tiny.npz").write_bytes(content)
    with pytest.raises(DatasetError, match=r"99_tiny.npz is damaged: get it again"):
        anomaly.load("tiny")


def test_a_file_without_labels_is_damaged(folder: Path) -> None:
    np.savez(folder / "anomaly/99_tiny.npz", X=ROWS)
    with pytest.raises(DatasetError, match="damaged"):
        anomaly.load("tiny")


@pytest.mark.parametrize(
    ("rows", "labels"), [(ROWS[:2], LABELS[:2]), (ROWS[:, :1], LABELS), (ROWS, 1 - LABELS), (ROWS, LABELS[1:])]
)
def test_other_rows_under_the_right_name_are_noticed(folder: Path, rows: np.ndarray, labels: np.ndarray) -> None:
    np.savez(folder / "anomaly/99_tiny.npz", X=rows, y=labels)
    with pytest.raises(DatasetError, match="has other rows than ADBench's tiny"):
        anomaly.load("tiny")


def test_other_bytes_are_noticed_where_the_hash_of_the_file_is_known(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = folder / "anomaly/99_tiny.npz"
    np.savez(path, X=ROWS, y=LABELS)
    monkeypatch.setitem(anomaly.SHA256, "tiny", hashlib.sha256(path.read_bytes()).hexdigest())
    assert len(anomaly.load("tiny").rows) == 3
    np.savez(path, X=ROWS + 1, y=LABELS)
    with pytest.raises(DatasetError, match="has other rows than ADBench's tiny"):
        anomaly.load("tiny")


@needs_data
@pytest.mark.parametrize("name", anomaly.names())
def test_the_real_sets_are_what_is_known_of_them(name: str) -> None:
    _, rows, is_anomaly = anomaly.load(name)
    assert (*rows.shape, int(is_anomaly.sum())) == anomaly.KNOWN[name][1:]
    assert np.isfinite(rows).all()
