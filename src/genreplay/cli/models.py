"""A model file of the command line: the detector, its table's schema, and a count of every row it was given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import click

from genreplay.cli.errors import BadInput
from genreplay.core.checkpoint import CheckpointError
from genreplay.core.grouped import TableRBM
from genreplay.core.ingredient import Json
from genreplay.estimators.plain_detector import Detector
from genreplay.streams.schema import Schema

MAX_SEED = 2**32 - 1
model_option = click.option(
    "--model",
    "-m",
    "path",
    metavar="FILE",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The model file.",
)


@dataclass(frozen=True)
class Account:
    """Where the rows of a model came from, and how many were not learned."""

    n_read: int = 0
    """records of all inputs"""
    n_skipped: int = 0
    """bad ones among them"""
    input_number: int = 1
    """which input is being read"""
    n_read_of_input: int = 0
    """records taken from it"""
    first_record: str = ""
    """digest of its first record, to recognise it when it is resumed"""
    last_records: str = ""
    """digest of the last records taken from it"""


class Times(NamedTuple):
    """When the rows of a series came."""

    column: str
    """name of the column that says so"""
    last: float | None = None
    """of the newest row that has a time, in seconds since 1970; None if there is none, or it is not known"""


class Saved(NamedTuple):
    """What a model file holds."""

    model: Detector
    schema: Schema
    account: Account
    times: Times | None = None
    """None for a table, and for a series that has no times"""

    @property
    def is_series(self) -> bool:
        """Whether the rows are judged by those before them."""
        return self.model.alarms is not None

    @property
    def has_rows(self) -> bool:
        """Whether the model was given any row. Without one it has no state, and is not saved."""
        return self.account.n_read > self.account.n_skipped


def save(path: Path, saved: Saved) -> None:
    """Write a model file, atomically."""
    extra: dict[str, Json] = {
        "schema": [[name, kind] for name, kind in saved.schema.kinds.items()],
        "account": dict(vars(saved.account)),
    }
    if saved.times is not None:
        extra["times"] = list(saved.times)
    saved.model.save(path, extra=extra)


def load(path: Path) -> Saved:
    """Read a model file. If it was saved from Python, its schema is that of the encoder's columns."""
    with reading(path):
        model = Detector.load(path)
    extra: dict[str, Any] = model.extra_
    try:
        if "schema" in extra:
            times = Times(*extra["times"]) if "times" in extra else None
            return Saved(model, Schema(dict(extra["schema"])), Account(**extra["account"]), times)
        if not model.is_ready_:
            raise CheckpointError(f"{path} is still in its warm-up, and does not say what its columns are.")
        encoder = model.encoder_
        schema = Schema(dict(zip(encoder.column_names_, encoder.kinds_, strict=True)))
        columns = [name for name, kind in schema.kinds.items() if kind == "timestamp"]
        times = Times(columns[0]) if columns and model.alarms is not None else None
        return Saved(model, schema, Account(n_read=model.n_rows_seen_), times)
    except (KeyError, TypeError) as error:
        raise CheckpointError(f"{path} holds a model, but its notes are not those of the command line.") from error


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn whatever reading a model file may raise into one sentence."""
    try:
        if path.exists() and not path.is_file():
            raise BadInput(f"The model {path} cannot be read: it is not a regular file.")
        yield
    except OSError as error:
        raise BadInput(f"The model {path} cannot be read: {error.strerror}.") from error
    except (BadInput, CheckpointError):
        raise
    except Exception as error:  # the digest is right, so it is not damaged: another program wrote it
        raise CheckpointError(
            f"{path} does not hold what a model of this genreplay holds ({type(error).__name__}: {error})."
        ) from error


def load_ready(path: Path) -> Saved:
    """Read a model file that can judge rows."""
    saved = load(path)
    if not saved.model.is_ready_:
        raise BadInput(
            f"The model {path} has learned nothing yet: it has {saved.model.n_waiting_:,} of the "
            f"{saved.model.encoder_.warm_up:,} rows of its warm-up. Give it more with genreplay learn --resume."
        )
    return saved


def settings(model: Detector) -> TableRBM:
    """How a model learns."""
    return TableRBM() if model.rbm is None else model.rbm
