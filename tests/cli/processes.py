"""Commands as processes, learners at pipes that stay open, and streams in every format that a pipe can carry."""

from __future__ import annotations

import array
import fcntl
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from typing import IO

import numpy as np
from numpy.lib import format as npy

ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}
ENVIRONMENT.pop("NO_COLOR", None)
PATIENCE = 120
"""seconds to wait for a process that is about to end: machines are busy"""


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "genreplay", *map(str, arguments)]


def start(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # type: ignore[call-overload, no-any-return]
        command(*arguments),
        **{
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
            "env": ENVIRONMENT,
            **options,
        },
    )


def wait_for_line(stream: IO[bytes] | None, start: bytes) -> bytes:
    """Read lines until one starts so."""
    assert stream is not None
    seen = b""
    while line := stream.readline():
        seen += line
        if line.startswith(start):
            return seen
    raise AssertionError(f"{start!r} did not come: {seen!r}")


def feed(pipe: int, content: bytes, is_alive: Callable[[], bool]) -> None:
    """Write to a pipe, and return when all of it was taken by the process at its other end."""
    view = memoryview(content)
    while view:
        view = view[os.write(pipe, view[: 2**15]) :]
    waiting = array.array("i", [1])
    while waiting[0]:
        time.sleep(0.02)
        fcntl.ioctl(pipe, termios.FIONREAD, waiting)
        assert is_alive()


class OpenPipe:
    """A learner at a pipe that stays open."""

    def __init__(self, *arguments: object) -> None:
        self._out, self._into = os.pipe()
        self.process = start(*arguments, stdin=self._out)

    def send(self, content: bytes) -> None:
        """Return when all of it was taken from the pipe."""
        feed(self._into, content, lambda: self.process.poll() is None)

    def stop(self) -> bytes:
        """Send SIGTERM; return what it says on stderr."""
        self.process.send_signal(signal.SIGTERM)
        _, errors = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, errors
        os.close(self._out)
        os.close(self._into)
        return errors


def in_format(form: str, n_rows: int, first: int = 0, ends: bool = False) -> bytes:
    """Rows of a stream from ``first`` to ``n_rows``; an array says that it has a million, unless it ends."""
    rows = np.random.default_rng(0).normal(size=(n_rows, 3))[first:]
    if form == "npy":
        file = io.BytesIO()
        announced = (len(rows) if ends else 10**6, 3)
        npy.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": announced})
        return file.getvalue() + rows.tobytes()
    if form.startswith("ndjson"):
        text = "".join(json.dumps(dict(zip("abc", row, strict=True))) + "\n" for row in rows.tolist())
    else:
        separator = "\t" if form.startswith("tsv") else ","
        text = "".join(separator.join(map(str, row)) + "\n" for row in [["a", "b", "c"], *rows.tolist()])
    return gzip.compress(text.encode()) if form.endswith(".gz") else text.encode()


FORMATS = ["csv", "tsv", "ndjson", "npy", "csv.gz", "ndjson.gz"]
