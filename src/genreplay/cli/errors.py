"""How a command ends after an error: one line on stderr, and exit code 2 for bad input, 1 for other failures."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import ParamSpec

import click
import numpy as np

from genreplay.core.checkpoint import CheckpointError
from genreplay.streams.chunks import InputError

P = ParamSpec("P")


def one_line(text: str) -> str:
    r"""Text as one printable line: error messages of libraries may quote bytes of a damaged file.

    >>> print(one_line("no footer\nfound in '\x1b[31m'"))
    no footer found in '\x1b[31m'
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in " ".join(text.split()))


class Failure(click.ClickException):
    """The command cannot do its work, for instance because a disk is full: exit code 1."""

    exit_code = 1

    def format_message(self) -> str:
        return one_line(self.message)


class BadInput(Failure):
    """The input, or a file that the user named, cannot be used: exit code 2."""

    exit_code = 2


class ClosedOutput(Exception):
    """Nobody reads standard output any more, as after ``head``."""


def clean_exits(command: Callable[P, None]) -> Callable[P, None]:
    """Turn errors that a user can cause into one line. Exit code: 2 for bad input, 0 for a closed pipe, else 1."""

    @wraps(command)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            # NumPy's warnings, such as those of huge numbers, do not help the user
            with np.errstate(all="ignore"):
                command(*args, **kwargs)
        except (InputError, CheckpointError) as error:
            raise BadInput(str(error)) from error
        except MemoryError as error:
            raise Failure("There is not enough memory for such a model, or for rows as long as these.") from error
        except ClosedOutput:
            discard_output()
        except OSError as error:
            where = f" ({error.filename})" if error.filename else ""
            raise Failure(f"{error.strerror or error}{where}.") from error

    return guarded


def say(text: str) -> None:
    """Print one line on stderr. If that fails, go on without it."""
    with suppress(OSError):
        click.echo(one_line(text), err=True)


def discard_output() -> None:
    """Discard what is still in the buffers of standard output, so that Python exits without an error."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError, AttributeError):  # closed before Python started, or no file
        return
    null_device = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null_device, descriptor)
    os.close(null_device)
