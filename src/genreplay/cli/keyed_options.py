"""The options of ``genreplay learn --by``, which makes a model for each key."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, NamedTuple

import click

from genreplay.cli.errors import BadInput

_MOST_JOBS = 16
"""as many as a fleet has shards"""


class Keyed(NamedTuple):
    """What the options say; false if none was given that asks for a model for each key."""

    by: str | None
    models: Path | None
    prior: Path | None
    out: Path | None
    jobs: int
    memory: int

    def __bool__(self) -> bool:
        return any(each is not None for each in (self.by, self.models, self.prior, self.out)) or self.jobs > 1

    def checked(self, score: bool) -> tuple[str, Path]:
        """The column of the keys and the folder, or an error that says what is missing."""
        if self.by is None or self.models is None:
            raise click.UsageError("A model for each key needs --by COLUMN and --models FOLDER.")
        if self.out is not None and not score:
            raise click.UsageError("--out is the file of the scores: add --score.")
        if not self.models.parent.is_dir():
            raise BadInput(f"There is no folder {self.models.parent} for the models.")
        return self.by, self.models


def keyed_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options; the command takes them as one argument, ``keyed``."""

    @wraps(command)
    def combined(
        by: str | None,
        models: Path | None,
        prior: Path | None,
        out: Path | None,
        jobs: int,
        memory: int,
        **others: Any,
    ) -> None:
        command(keyed=Keyed(by, models, prior, out, jobs, memory), **others)

    options = [
        click.option("--by", metavar="COLUMN", help="Learn a model for each key in this column, such as a machine."),
        click.option(
            "--models",
            metavar="FOLDER",
            type=click.Path(file_okay=False, path_type=Path),
            help="With --by: the folder of the models.",
        ),
        click.option(
            "--prior",
            metavar="FILE",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="With --by: a model that new keys go on from, in place of a warm-up of their own.",
        ),
        click.option(
            "--out",
            metavar="FILE",
            type=click.Path(dir_okay=False, path_type=Path),
            help="With --by and --score: print the scores to this file; --resume cuts it to where it goes on.",
        ),
        click.option(
            "--jobs",
            metavar="N",
            type=click.IntRange(1, _MOST_JOBS),
            default=1,
            show_default=True,
            help="With --by: processes that learn. The results are the same for any number of them.",
        ),
        click.option(
            "--memory",
            metavar="MB",
            type=click.IntRange(1),
            default=128,
            show_default=True,
            help="With --by: size of the models in memory, about; those used least recently are on disk.",
        ),
    ]
    decorated: Callable[..., None] = combined
    for option in reversed(options):
        decorated = option(decorated)
    return decorated
