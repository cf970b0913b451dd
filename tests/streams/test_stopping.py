"""A reader that is told to stop hands over every whole record that it took from its input, and takes no more."""

from __future__ import annotations

import gzip
import io
import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from genreplay.streams.lines import Stopped
from genreplay.streams.readers import Format, open_rows


def csv(n: int) -> bytes:
    return b"a,b\n" + b"".join(b"%d,x\n" % i for i in range(n))


def tsv(n: int) -> bytes:
    return csv(n).replace(b",", b"\t")


def ndjson(n: int) -> bytes:
    return b"".join(json.dumps({"a": i, "b": "x"}).encode() + b"\n" for i in range(n))


def npy(n: int, announced: int = 10_000) -> bytes:
    """The first rows of a longer array."""
    file = io.BytesIO()
    np.save(file, np.arange(2.0 * announced).reshape(announced, 2))
    return file.getvalue()[: file.getvalue().index(b"\n") + 1 + 16 * n]


def read_until_stopped(content: bytes, form: Format) -> int:
    """Send this through a pipe that stays open, say stop once nothing comes, and count the rows."""
    out, into = os.pipe()
    writer = threading.Thread(target=lambda: (os.write(into, content), None))
    writer.start()
    stop = threading.Event()
    n_rows = 0
    with open(out, "rb", buffering=0) as file, pytest.raises(Stopped):
        for chunk in open_rows(file, form, stopped=stop.is_set):
            n_rows += len(chunk.rows)
            if chunk.n_records == 0 and not chunk.columns:
                stop.set()
    writer.join()
    os.close(into)
    return n_rows


@pytest.mark.parametrize("tail", [b"", b"7"])
@pytest.mark.parametrize(("form", "make"), [("csv", csv), ("tsv", tsv), ("ndjson", ndjson), ("npy", npy)])
def test_whole_records_are_handed_over(form: Format, make: Callable[[int], bytes], tail: bytes) -> None:
    assert read_until_stopped(make(300) + tail, form) == 300


def test_compressed_records_are_handed_over_as_far_as_they_can_be_unpacked() -> None:
    assert read_until_stopped(gzip.compress(ndjson(300)), "ndjson") == 300


@pytest.mark.parametrize("form", ["csv", "npy"])
def test_a_file_is_not_read_to_its_end(form: Format, tmp_path: Path) -> None:
    path = tmp_path / f"rows.{form}"
    path.write_bytes(csv(200_000) if form == "csv" else npy(100_000, announced=100_000))
    taken: list[int] = []
    with pytest.raises(Stopped):
        for chunk in open_rows(path, stopped=lambda: bool(taken)):
            taken.extend(chunk.rows)
    assert 0 < len(taken) < 100_000


def test_rows_of_an_array_are_handed_over_as_they_arrive() -> None:
    out, into = os.pipe()
    content = npy(5)
    os.write(into, content[:-3])
    began = time.monotonic()
    with open(out, "rb", buffering=0) as file:
        chunks = open_rows(file, "npy")
        rows = [row for _ in range(2) for row in next(chunks).rows]
        assert rows == [1, 2, 3, 4]
        assert next(chunks).n_records == 0, "nothing has arrived for a while"
        os.write(into, content[-3:])
        assert list(next(chunks).rows) == [5]
        chunks.close()
    os.close(into)
    assert time.monotonic() - began < 30
