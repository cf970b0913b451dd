"""A model file of the command line: the detector, its table's schema, and a count of every row it was given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from genreplay.cli.errors import BadInput
from genreplay.core.checkpoint import CheckpointError, refusing
from genreplay.core.grouped import TableRBM
from genreplay.estimators.notes import Account, Saved, Times
from genreplay.estimators.plain_detector import Detector
from genreplay.streams.schema import Schema

__all__ = [
    "MAX_SEED",
    "Account",
    "Saved",
    "Times",
    "load",
    "load_ready",
    "model_option",
    "optional_model_option",
    "reading",
    "save",
    "settings",
]

MAX_SEED = 2**32 - 1
Command = TypeVar("Command", bound=Callable[..., Any])


def _model_option(required: bool) -> Callable[[Command], Command]:
    kind = click.Path(dir_okay=False, path_type=Path)
    return click.option("--model", "-m", "path", metavar="FILE", required=required, type=kind, help="The model file.")


model_option, optional_model_option = _model_option(required=True), _model_option(required=False)


def save(path: Path, saved: Saved) -> None:
    """Write a model file, atomically."""
    saved.model.save(path, extra=saved.notes())


def load(path: Path) -> Saved:
    """Read a model file. If it was saved from Python, its schema is that of the encoder's columns."""
    with reading(path):
        model = Detector.load(path)
        return Saved.noted(model) if "schema" in model.extra_ else _without_notes(path, model)


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
