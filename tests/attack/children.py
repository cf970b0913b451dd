"""Commands in processes of their own, limited in memory and time: what they print, how they end, what they take.

One process imports the package; each command is a fork of it. So a command costs milliseconds, and what it takes beyond
the imports can be told.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MEMORY = 2 * 2**30
"""bytes of address space that a command may take beyond those of the process it is a fork of"""
SECONDS = 20
"""after these it hangs, and is killed"""
GROWTH = 300 * 2**20
"""bytes of memory that a command may really take above the start"""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    arguments: Sequence[str]
    code: int
    """exit code; negative: the signal that ended it"""
    seconds: float
    growth: int
    """bytes of memory at its peak, above those at the start"""
    output: bytes
    errors: bytes

    def faults(self) -> list[str]:
        """What no input may lead to."""
        return [
            *(["a traceback"] if b"Traceback" in self.errors else []),
            *([f"ended by signal {-self.code}"] if self.code < 0 else []),
            *([f"exit code {self.code}"] if self.code not in (0, 1, 2) and self.code > 0 else []),
            *([f"{self.errors.count(b'Error: ')} errors"] if self.code and self.errors.count(b"Error: ") != 1 else []),
            *([f"{self.growth / 2**20:.0f} MB"] if self.growth > GROWTH else []),
        ]


class Children:
    """Runs commands, one after the other."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self._process = process
        self._folder = folder
        self._start = 0
        self._start = self.run("--version").growth

    def run(self, *arguments: object, stdin: Path | None = None) -> Ended:
        """Call ``genreplay`` with these arguments."""
        return self._ask(None, arguments, stdin)

    def call(self, function: Callable[..., None], *arguments: object) -> Ended:
        """Call a function of a module with these arguments, as text; an error that it raises ends like a command."""
        return self._ask(f"{function.__module__}:{function.__name__}", arguments, None)

    def _ask(self, function: str | None, arguments: Sequence[object], stdin: Path | None) -> Ended:
        words = [str(argument) for argument in arguments]
        to_child, from_child = self._process.stdin, self._process.stdout
        assert to_child is not None
        assert from_child is not None
        request = [function, words, str(stdin or os.devnull), str(self._folder)]
        to_child.write(json.dumps(request).encode() + b"\n")
        to_child.flush()
        code, seconds, peak = json.loads(from_child.readline())
        printed = [(self._folder / name).read_bytes() for name in ("output", "errors")]
        return Ended(words, code, seconds, peak - self._start, *printed)


@contextmanager
def children() -> Iterator[Children]:
    """Start the process that commands are forks of."""
    command = [sys.executable, "-m", "tests.attack.children"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process,
    ):
        yield Children(process, Path(folder))


def _serve() -> None:
    from genreplay.cli import info, learn, sample, score, view  # noqa: F401 (they are there before the forks)

    _warm_up()
    gc.collect()
    gc.freeze()  # a fork that collects what it shares with this process would copy it
    for request in sys.stdin.buffer:
        function, arguments, stdin, folder = json.loads(request)
        if function is not None:
            importlib.import_module(function.partition(":")[0])
        child = os.fork()
        if not child:
            _become(function, arguments, stdin, Path(folder))
        _, status, usage = os.wait4(child, 0)
        seconds = usage.ru_utime + usage.ru_stime
        print(json.dumps([os.waitstatus_to_exitcode(status), seconds, usage.ru_maxrss * 1024]), flush=True)


def _warm_up() -> None:
    """Learn a little, so that compiled loops are there before the forks, too."""
    from genreplay import OnlineRBMDetector, series_detector

    rows = [[float(i % 7), "ab"[i % 2]] for i in range(60)]
    for detector in (OnlineRBMDetector(warm_up=20, random_state=0), series_detector(warm_up=20, random_state=0)):
        detector.partial_fit(rows).surprise(rows)
        detector.sample(3)


def _become(function: str | None, arguments: list[str], stdin: str, folder: Path) -> None:
    signal.setitimer(signal.ITIMER_REAL, SECONDS)  # SIGALRM ends it
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, taken + MEMORY))
    writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for number, (path, how) in enumerate(
        [(stdin, os.O_RDONLY), (folder / "output", writing), (folder / "errors", writing)]
    ):
        opened = os.open(path, how, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    code = 70
    try:
        if function is None:
            from genreplay.cli import main

            main(arguments, prog_name="genreplay")
        else:
            _call(function, arguments)
            code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1 if end.code else 0
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except OSError:
                code = code or 1
        os._exit(code)


def _call(function: str, arguments: list[str]) -> None:
    from genreplay.core import CheckpointError, DivergenceError

    module, _, name = function.partition(":")
    try:
        getattr(importlib.import_module(module), name)(*arguments)
    except (CheckpointError, DivergenceError) as error:
        raise SystemExit(f"Error: {error}") from error


if __name__ == "__main__":
    _serve()
