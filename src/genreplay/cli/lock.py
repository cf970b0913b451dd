"""One writer at a time: an advisory lock beside a model file, which names the process that holds it.

The model file itself cannot be locked: each save replaces it by another. Readers take no lock and are never blocked.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from genreplay.cli.errors import BadInput

try:
    import fcntl
except ImportError:  # no POSIX system: writers are not kept apart there
    fcntl = None  # type: ignore[assignment]


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Hold the lock of a model file inside a ``with`` block, or raise an error that names who holds it.

    The lock ends with the process, however that ends. Its file is removed with it, unless the process was killed; one
    that is left over does not matter.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "model"
    >>> with writing(path):
    ...     print([each.name for each in path.parent.iterdir()])
    ['model.lock']
    >>> list(path.parent.iterdir())
    []
    """
    place = Path(os.path.realpath(path))
    place = place.with_name(f"{place.name}.lock")
    file = _locked(place, path)
    try:
        file.truncate(0)
        file.write(str(os.getpid()).encode())
        file.flush()
        yield
    finally:
        place.unlink(missing_ok=True)  # before the lock is given up: nobody else can hold it yet
        file.close()


def _locked(place: Path, path: Path) -> BinaryIO:
    while True:
        try:
            file = open(place, "ab+")  # noqa: SIM115 (closed by the caller)
        except OSError as error:
            raise BadInput(f"{place} cannot be written, which keeps other writers away: {error.strerror}.") from error
        if fcntl is None:
            return file
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.seek(0)
            holder = file.read(20).decode("ascii", "replace").strip()
            file.close()
            who = f"Process {holder}" if holder.isdigit() else "Another process"
            raise BadInput(f"{who} is learning {path}: wait for it, or choose another model file.") from error
        try:
            if os.path.samestat(os.fstat(file.fileno()), os.stat(place)):
                return file
        except FileNotFoundError:
            pass
        file.close()  # its owner removed it just then: the lock of a file without a name keeps nobody away
