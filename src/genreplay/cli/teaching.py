"""Rows on their way into a model, and what is worth saying meanwhile: drifts, new codes, times out of order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from genreplay.cli import models, verdicts
from genreplay.cli.clock import Clock, clock_of
from genreplay.cli.models import Saved
from genreplay.cli.progress import Display
from genreplay.cli.verdicts import Found
from genreplay.estimators.alarms import JudgedRows
from genreplay.streams.chunks import short
from genreplay.streams.schema import Schema, TypedRows


class Renewal(NamedTuple):
    """New codes, made while a model learned."""

    row: int | None
    """the last row of the input that was learned before; None if it was read by an earlier run"""
    columns: list[str]
    """columns that were the reason"""


class Teaching:
    """Gives rows to a model and notes what happens."""

    def __init__(self, display: Display) -> None:
        self.drift_rows: list[int] = []
        """rows of the input at which this run noticed a drift: the last ones of their batches"""
        self.renewals: list[Renewal] = []
        """renewals of the codes in this run"""
        self.surprise: float | None = None
        """mean of the newest rows, before they were learned; in a series, the highest anomaly of one of them"""
        self.n_alarms: int | None = None
        """alarms of a series in this run; None for a table"""
        self._display = display
        self._clock: Clock | None = None

    def learn(self, saved: Saved, rows: TypedRows) -> tuple[Saved, Found]:
        """Learn rows. Return the model that has learned them, and what they were before."""
        model = saved.model
        n_drifts, n_renewals = (model.drift_.n_drifts, model.n_renewals_) if hasattr(model, "drift_") else (0, 0)
        found = verdicts.learning(model)(rows.cells)
        self._note_anomaly(found)
        if model.drift_.n_drifts > n_drifts:
            n_later = model.n_waiting_ + model.drift_.n_batches * models.settings(model).batch_size
            row = _row_before(rows.rows, n_later)
            if row is not None:
                self.drift_rows.append(row)
            where = f"after row {row:,}" if row is not None else "after rows of the warm-up"
            self._display.say(f"Drift: new rows no longer fit the model, {where}.")
        if model.n_renewals_ > n_renewals:
            row = _row_before(rows.rows, model.n_rows_seen_ - model.renewed_after_)
            places = [model.encoder_.column_names_.index(name) for name in model.renewed_columns_]
            renewal = Renewal(row, [saved.schema.names[place] for place in places])
            self.renewals.append(renewal)
            self._display.say(_told(renewal, saved.schema))
        self._clock = self._clock or clock_of(saved, self._display.say)
        if self._clock is not None:
            self._clock.follow(rows.rows, rows.cells)
            saved = saved._replace(times=self._clock.times)
        return saved, found

    def _note_anomaly(self, found: Found) -> None:
        anomaly = verdicts.anomaly_of(found)
        self._display.note_surprise(anomaly)
        known = anomaly[~np.isnan(anomaly)]
        in_short = known.max if isinstance(found, JudgedRows) else known.mean
        self.surprise = float(in_short()) if len(known) else None
        if isinstance(found, JudgedRows):
            self.n_alarms = (self.n_alarms or 0) + int(found.alarm.sum())


def _row_before(rows: Sequence[int], n_later: int) -> int | None:
    """Number of the row after which so many came, where ``rows`` are the newest of the model; None if it is earlier.

    >>> _row_before([101, 102, 104], 1), _row_before([101, 102, 104], 3)
    (102, None)
    """
    return rows[-1 - n_later] if n_later < len(rows) else None


def _told(renewal: Renewal, schema: Schema) -> str:
    """A renewal in words.

    >>> _told(Renewal(12_345, ["temp", "state"]), Schema({"temp": "number", "state": "category"}))
    "Row 12,345: the codes were made anew, because column 'temp' lay outside its range and column 'state' had labels
    without a code; the model's dreams carry over what it knew."
    """
    why = {"number": "lay outside its range", "category": "had labels without a code"}
    reasons = " and ".join(f"column {short(name)} {why[schema.kinds[name]]}" for name in renewal.columns)
    where = "Earlier rows" if renewal.row is None else f"Row {renewal.row:,}"
    return f"{where}: the codes were made anew, because {reasons}; the model's dreams carry over what it knew."
