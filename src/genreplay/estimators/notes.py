"""What a model file holds beside the detector: the schema of its table, and where its rows came from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from msgspec.structs import asdict, astuple

from genreplay.core.ingredient import Json
from genreplay.core.model_file import Notes, checked
from genreplay.estimators.plain_detector import Detector
from genreplay.streams.schema import Schema


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

    def notes(self) -> dict[str, Json]:
        """What is kept beside the model, for ``Detector.save``."""
        extra: dict[str, Json] = {
            "schema": [[name, kind] for name, kind in self.schema.kinds.items()],
            "account": dict(vars(self.account)),
        }
        return extra if self.times is None else {**extra, "times": list(self.times)}

    @classmethod
    def noted(cls, model: Detector) -> Saved:
        """A model that was saved with notes, once these are checked."""
        notes = checked(model.extra_, Notes)
        schema, encoder = Schema(dict(notes.columns)), model.encoder_
        kinds = dict(enumerate(encoder.kinds_)) if encoder.frozen_ else encoder.kinds
        if schema.kinds_by_place != kinds or len(schema.names) != len(encoder.column_names_):
            raise ValueError("Its schema is not that of its columns.")
        if notes.times is not None and model.alarms is None:
            raise ValueError("It has times, but no alarms.")
        times = None if notes.times is None else Times(*astuple(notes.times))
        return cls(model, schema, Account(**asdict(notes.account)), times)
