from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from genreplay.datasets import DatasetError, nab
from genreplay.datasets.files import DataFile
from tests.datasets.tiny import git_hash, needs_data

NAME = "realTiny/tiny.csv"
ROWS = b"timestamp,value\n" + b"".join(b"2014-04-01 00:%02d:00,%d.5\n" % (row, row) for row in range(20))
LABELS = b'{"realTiny/tiny.csv": [["2014-04-01 00:04:00.000000", "2014-04-01 00:06:00.000000"]]}'


@pytest.fixture
def folder(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder with nothing in it yet, for the series ``tiny`` of twenty rows."""
    (tmp_path / "nab/realTiny").mkdir(parents=True)
    monkeypatch.setenv("GENREPLAY_DATA", str(tmp_path))
    monkeypatch.setitem(nab.HASHES, NAME, git_hash(ROWS))
    monkeypatch.setattr(nab, "WINDOWS", DataFile(nab.WINDOWS.path, f"git:{git_hash(LABELS)}"))
    return tmp_path


def write_into(folder: Path, rows: bytes = ROWS) -> None:
    (folder / "nab/realTiny").mkdir(parents=True, exist_ok=True)
    (folder / "nab" / NAME).write_bytes(rows)
    (folder / nab.WINDOWS.path).write_bytes(LABELS)


def test_a_series_comes_with_its_times_values_and_windows(folder: Path) -> None:
    write_into(folder)
    series = nab.load(NAME)
    assert (series.name, series.category) == (NAME, "realTiny")
    assert series.times.dtype == np.dtype("datetime64[s]")
    assert series.times[1] - series.times[0] == np.timedelta64(60, "s")
    assert series.values.tolist() == [row + 0.5 for row in range(20)]
    assert series.windows == [(4, 6)]
    assert np.flatnonzero(series.is_in_window).tolist() == [4, 5, 6]
    assert series.probation == 3


def test_the_cache_is_looked_in_after_the_folder(folder: Path, cache: Path) -> None:
    write_into(cache)
    assert len(nab.load(NAME).values) == 20


def test_a_missing_file_says_where_it_comes_from_and_where_it_goes(folder: Path) -> None:
    expected = (
        r"put nab/realTiny/tiny.csv and nab/combined_windows.json into the folder that GENREPLAY_DATA.*numenta/NAB"
    )
    with pytest.raises(DatasetError, match=expected):
        nab.load(NAME)
    (folder / "nab" / NAME).write_bytes(ROWS)
    with pytest.raises(DatasetError, match=expected):
        nab.load(NAME)


def test_an_unknown_series_is_refused() -> None:
    with pytest.raises(DatasetError, match=r"no series 'adult' in NAB. It has 58, such as 'realTweets/"):
        nab.load("adult")


def test_a_damaged_file_is_noticed(folder: Path) -> None:
    write_into(folder, ROWS[:-1])
    with pytest.raises(DatasetError, match=r"tiny.csv is damaged"):
        nab.load(NAME)


def test_a_window_starts_and_ends_at_the_first_row_with_its_time() -> None:
    times = np.datetime64("2014-04-01T00:00:00") + np.array([0, 1, 2, 2, 3, 3, 4])
    assert nab.windows_in(times, [["2014-04-01 00:00:02.000000", "2014-04-01 00:00:03.000000"]]) == [(2, 4)]


@needs_data
def test_the_real_series_are_those_of_nab() -> None:
    corpus = nab.corpus()
    assert len(corpus) == 58
    assert len({series.category for series in corpus}) == 7
    assert sum(len(series.windows) for series in corpus) == 116
    assert sum(len(series.values) for series in corpus) == 365_558
    assert sum(not series.windows for series in corpus) == 6
    for series in corpus:
        edges = np.ravel(series.windows)
        assert (np.diff(edges) > 0).all(), "windows are in order and apart"
        assert (edges >= series.probation).all()
        assert np.isfinite(series.values).all()
        is_between = [(series.times >= series.times[a]) & (series.times <= series.times[b]) for a, b in series.windows]
        np.testing.assert_array_equal(series.is_in_window, np.any(is_between, axis=0) if is_between else False)
