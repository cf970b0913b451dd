"""How a command ends when something is wrong: one line on stderr, and an exit code that says whose fault it is."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import ParamSpec

import click

from genreplay.core.checkpoint import CheckpointError
from genreplay.core.online import DivergenceError
from genreplay.streams.chunks import InputError

P = ParamSpec("P")


class BadInput(click.ClickException):
    """The input or a file that the user named will not do: exit code 2."""

    exit_code = 2


class ClosedOutput(Exception):
    """Nobody reads standard output any more, as after ``head``."""


def clean_exits(command: Callable[P, None]) -> Callable[P, None]:
    """Turn errors that a user can cause into one line: 2 for bad input, 1 for a full disk and the like, 0 for head."""

    @wraps(command)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except (InputError, CheckpointError, DivergenceError) as error:
            raise BadInput(str(error)) from error
        except MemoryError as error:
            raise click.ClickException("There is not enough memory for a model of this size.") from error
        except ClosedOutput:
            forget_output()
        except OSError as error:
            where = f" ({error.filename})" if error.filename else ""
            raise click.ClickException(f"{error.strerror or error}{where}.") from error

    return guarded


def say(text: str) -> None:
    """Say something on stderr; if it cannot be written, that is no reason to stop."""
    with suppress(OSError):
        click.echo(text, err=True)


def forget_output() -> None:
    """Let what is still in the buffers of standard output go nowhere, so that Python can end in peace."""
    try:
        descriptor = sys.stdout.fileno()
    except (OSError, ValueError, AttributeError):  # closed before Python started, or no file
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
