"""A model file of the command line: the detector, its table's schema, and a count of every row it was given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import click
from msgspec.structs import asdict, astuple

from genreplay.cli.errors import BadInput
from genreplay.core.checkpoint import CheckpointError, refusing
from genreplay.core.grouped import TableRBM
from genreplay.core.ingredient import Json
from genreplay.core.model_file import Notes, checked
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
        return _noted(model) if "schema" in model.extra_ else _without_notes(path, model)


def _noted(model: Detector) -> Saved:
    """A model of the command line, once its notes are checked."""
    notes = checked(model.extra_, Notes)
    schema, encoder = Schema(dict(notes.columns)), model.encoder_
    kinds = dict(enumerate(encoder.kinds_)) if encoder.frozen_ else encoder.kinds
    if schema.kinds_by_place != kinds or len(schema.names) != len(encoder.column_names_):
        raise ValueError("Its schema is not that of its columns.")
    if notes.times is not None and model.alarms is None:
        raise ValueError("It has times, but no alarms.")
    times = None if notes.times is None else Times(*astuple(notes.times))
    return Saved(model, schema, Account(**asdict(notes.account)), times)


def _without_notes(path: Path, model: Detector) -> Saved:
    """A model that was saved from Python."""
    if not model.is_ready_:
        raise CheckpointError(f"{path} is still in its warm-up, and does not say what its columns are.")
    encoder = model.encoder_
    schema = Schema(dict(zip(encoder.column_names_, encoder.kinds_, strict=True)))
    if len(schema.names) != len(encoder.column_names_):
        raise CheckpointError(f"{path} has two columns of one name, which the command line cannot tell apart.")
    columns = [name for name, kind in schema.kinds.items() if kind == "timestamp"]
    times = Times(columns[0]) if columns and model.alarms is not None else None
    return Saved(model, schema, Account(n_read=model.n_rows_seen_), times)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn whatever reading a model file may raise into one sentence."""
    if path.exists() and not path.is_file():
        raise BadInput(f"The model {path} cannot be read: it is not a regular file.")
    try:
        with refusing(path):
            yield
    except OSError as error:
        raise BadInput(f"The model {path} cannot be read: {error.strerror}.") from error


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
