"""How a command ends when something is wrong: one line on stderr, and an exit code that says whose fault it is."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import ParamSpec

import click
import numpy as np

from genreplay.core.checkpoint import CheckpointError
from genreplay.core.online import DivergenceError
from genreplay.streams.chunks import InputError

P = ParamSpec("P")


def one_line(text: str) -> str:
    r"""Text as one line that a terminal can show: what libraries say of a damaged file may quote it.

    >>> print(one_line("no footer\nfound in '\x1b[31m'"))
    no footer found in '\x1b[31m'
    """
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in " ".join(text.split()))


class Failure(click.ClickException):
    """What was to be done cannot be done, as with a full disk: exit code 1."""

    exit_code = 1

    def format_message(self) -> str:
        return one_line(self.message)


class BadInput(Failure):
    """The input or a file that the user named will not do: exit code 2."""

    exit_code = 2


class ClosedOutput(Exception):
    """Nobody reads standard output any more, as after ``head``."""


def clean_exits(command: Callable[P, None]) -> Callable[P, None]:
    """Turn errors that a user can cause into one line: 2 for bad input, 1 for a full disk and the like, 0 for head."""

    @wraps(command)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            # a model that learns too fast ends with an error of its own: no need for NumPy's words on the way there
            with np.errstate(all="ignore"), warnings.catch_warnings():
                # rows come in the order of the model's columns, by name: scikit-learn need not miss the names
                warnings.filterwarnings("ignore", "X does not have valid feature names", UserWarning)
                command(*args, **kwargs)
        except (InputError, CheckpointError, DivergenceError) as error:
            raise BadInput(str(error)) from error
        except MemoryError as error:
            raise Failure("There is not enough memory for a model of this size.") from error
        except ClosedOutput:
            forget_output()
        except OSError as error:
            where = f" ({error.filename})" if error.filename else ""
            raise Failure(f"{error.strerror or error}{where}.") from error

    return guarded


def say(text: str) -> None:
    """Say something on stderr; if it cannot be written, that is no reason to stop."""
    with suppress(OSError):
        click.echo(one_line(text), err=True)


def forget_output() -> None:
    """Let what is still in the buffers of standard output go nowhere, so that Python can end in peace."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError, AttributeError):  # closed before Python started, or no file
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
