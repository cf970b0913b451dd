"""Commands in processes of their own, limited in memory and time: what they print, how they end, what they take.

One process imports the package; each command is a fork of it. So a command costs milliseconds, and what it takes beyond
the imports can be told.
"""

from __future__ import annotations

import gc
import importlib
import io
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

MEMORY = 2 * 2**30
"""bytes of address space that a command may take beyond those of the process it is a fork of"""
SECONDS = 20
"""of processor time, after which it hangs, and is killed; by the clock it may take thrice as long, beside other work"""
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


class Running:
    """A command at work."""

    def __init__(self, arguments: Sequence[str], pid: int, answers: IO[bytes], folder: Path, start: int) -> None:
        self.pid = pid
        self._arguments, self._answers, self._folder, self._start = arguments, answers, folder, start

    def signal(self, number: int) -> None:
        """Send a signal; nothing happens if the command has ended."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    @property
    def is_alive(self) -> bool:
        """Whether it has not ended yet."""
        return Path(f"/proc/{self.pid}").exists()

    def wait(self) -> Ended:
        """How it ends."""
        code, seconds, peak = json.loads(self._answers.readline())
        printed = [(self._folder / name).read_bytes() for name in ("output", "errors")]
        return Ended(self._arguments, code, seconds, peak - self._start, *printed)


class Children:
    """Runs commands, one after the other."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._requests, self._answers, self._folder = process.stdin, process.stdout, folder
        self._start = 0
        self._start = self.run("--version").growth

    def run(self, *arguments: object, stdin: Path | None = None) -> Ended:
        """Call ``genreplay`` with these arguments."""
        return self.start(*arguments, stdin=stdin).wait()

    def call(self, function: Callable[..., None], *arguments: object) -> Ended:
        """Call a function of a module with these arguments, as text; an error that it raises ends like a command."""
        return self._ask(f"{function.__module__}:{function.__name__}", arguments, None, None, None).wait()

    def start(
        self,
        *arguments: object,
        stdin: Path | None = None,
        stdout: Path | None = None,
        file_size: int | None = None,
    ) -> Running:
        """Call ``genreplay``, and return while it works; no file may become larger than ``file_size``."""
        return self._ask(None, arguments, stdin, stdout, file_size)

    def _ask(
        self,
        function: str | None,
        arguments: Sequence[object],
        stdin: Path | None,
        stdout: Path | None,
        file_size: int | None,
    ) -> Running:
        words = [str(argument) for argument in arguments]
        output, errors = self._folder / "output", self._folder / "errors"
        output.write_bytes(b"")
        request = [function, words, [str(stdin or os.devnull), str(stdout or output), str(errors)], file_size]
        self._requests.write(json.dumps(request).encode() + b"\n")
        self._requests.flush()
        return Running(words, json.loads(self._answers.readline()), self._answers, self._folder, self._start)


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
    _warm_up()
    gc.collect()
    gc.freeze()  # a fork that collects what it shares with this process would copy it
    for request in sys.stdin.buffer:
        function, arguments, files, file_size = json.loads(request)
        if function is not None:
            importlib.import_module(function.partition(":")[0])
        child = os.fork()
        if not child:
            _become(function, arguments, files, file_size)
        print(child, flush=True)
        _, status, usage = os.wait4(child, 0)
        seconds = usage.ru_utime + usage.ru_stime
        print(json.dumps([os.waitstatus_to_exitcode(status), seconds, usage.ru_maxrss * 1024]), flush=True)


def _warm_up() -> None:
    """Import what the commands import, and load what Numba has compiled; threads would not survive a fork."""
    from genreplay.cli import info, learn, main, sample, score, view  # noqa: F401

    with suppress(ImportError):
        from pyarrow import compute, parquet  # noqa: F401
    with tempfile.TemporaryDirectory() as folder:
        source, model = Path(folder) / "rows.csv", Path(folder) / "m"
        source.write_text("a,b\n" + "1,x\n2,y\n" * 50)
        sys.stdout, printed = io.TextIOWrapper(io.BytesIO()), sys.stdout
        for arguments in (["learn", source, "-m", model, "--quiet"], ["score", source, "-m", model]):
            main([str(argument) for argument in arguments], prog_name="genreplay", standalone_mode=False)
        sys.stdout = printed
    from genreplay import OnlineRBMDetector, series_detector

    rows = [[float(i % 7), "ab"[i % 2]] for i in range(60)]
    for detector in (OnlineRBMDetector(warm_up=20, random_state=0), series_detector(warm_up=20, random_state=0)):
        detector.partial_fit(rows).surprise(rows)
        detector.sample(3)


def _become(function: str | None, arguments: list[str], files: list[str], file_size: int | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # outside of what stops cleanly, no traceback of this harness
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # SIGPROF ends it
    signal.setitimer(signal.ITIMER_REAL, 3 * SECONDS)  # or SIGALRM, if it waits for nothing
    taken = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, taken + MEMORY))
    for number, path in enumerate(files):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC if number else os.O_RDONLY, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    if file_size is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
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
