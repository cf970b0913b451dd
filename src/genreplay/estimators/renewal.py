"""Codes that follow the stream: when a column sits outside its range for good, all codes are made anew.

A share of cells outside the range is tracked for each column. Where it gets too large, the next rows of the stream wait
for new codes, as those of the warm-up did, while the old model goes on. The new codes fit these rows as well as the
model's dreams, and a new model learns both: its past is dreamed with the old codes and written in the new ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from genreplay.core.grouped import Nothing, State, TableRBM, model, start
from genreplay.core.grouped.rehearsal import independent
from genreplay.core.ingredient import Json
from genreplay.core.kernels.arrays import Codes
from genreplay.estimators.calibration import Float64
from genreplay.estimators.judge import Judge
from genreplay.streams.coder import TableCoder
from genreplay.streams.codes import Bools
from genreplay.streams.table import Table
from genreplay.streams.warm_up import WarmUp

TOO_MANY = 0.5
"""share of a column's cells outside its range, or with labels that have no code, at which codes are made anew"""
_MEMORY = 1_000
"""rows over which the share is taken"""
_FAR_LESS = 0.1
"""each interval beyond the range is taken to be so much less likely than the one before, until it comes"""
_PRIOR = 0.5
"""of the codes in the range; Krichevsky and Trofimov's"""
_N_GIBBS = 20
"""steps of the chains that dream the past"""


@dataclass(frozen=True, eq=False)
class Renewal:
    """How much of each column lies outside its range, and the rows that wait for new codes."""

    outside: Float64
    columns: tuple[int, ...] = ()
    """columns that new codes are being made for"""
    rows: WarmUp | None = None
    """rows that wait for them; None if the codes fit"""

    def followed(self, outside: Bools, names: Sequence[str]) -> Renewal:
        """After a batch, some of whose cells lay outside."""
        share = self.outside + (outside.mean(axis=0) - self.outside) * min(len(outside) / _MEMORY, 1.0)
        if self.rows is None and (share > TOO_MANY).any():
            found = tuple(np.flatnonzero(share > TOO_MANY).tolist())
            return Renewal(share, found, WarmUp(names))
        return replace(self, outside=share)

    def with_rows(self, table: Table, encoder: TableCoder) -> Renewal:
        """With further rows that wait."""
        assert self.rows is not None
        return replace(self, rows=self.rows.with_rows(table, dict(enumerate(encoder.kinds_))))

    def to_json(self) -> dict[str, Json]:
        """All of it, for a file."""
        return {
            "outside": self.outside.tolist(),
            "columns": list(self.columns),
            "rows": None if self.rows is None else self.rows.to_json(),
        }

    @classmethod
    def from_json(cls, encoder: TableCoder, state: Mapping[str, Any]) -> Renewal:
        """What ``to_json`` wrote, for the columns of an encoder."""
        rows = None
        if state["rows"] is not None:
            rows = WarmUp.from_json(encoder.column_names_, state["rows"], dict(enumerate(encoder.kinds_)))
        return cls(np.array(state["outside"]), tuple(state["columns"]), rows)


def first_judge(
    settings: TableRBM, encoder: TableCoder, rows: Codes, rng: np.random.Generator, past: Codes | None = None
) -> Judge:
    """A model of the first rows in some codes, beside rows of the past if there are any, and its judge."""
    past = rows[:0] if past is None else past
    columns = encoder.column_of_group_[encoder.column_of_group_ >= 0]
    prior = _PRIOR * _FAR_LESS ** encoder.far_of_code_.astype(np.float64)

    def learned(some: Codes, settings: TableRBM) -> State:
        both = np.concatenate([past, some])
        return start(settings, encoder.group_sizes_, len(columns), prior, both, rng)

    # a time explains other cells, but is no anomaly itself: whatever the time, it had to come
    judged = np.array([encoder.kinds_[column] != "timestamp" for column in columns], dtype=bool)
    state, without_dreams = learned(rows, settings), settings.replace(replay=Nothing())
    halves = [(state, rows)]
    if len(rows) > 1:
        odd, even = rows[1::2], rows[::2]
        halves = [(learned(odd, without_dreams), even), (learned(even, without_dreams), odd)]
    return Judge.start(state, judged, halves)


def renewed(settings: TableRBM, encoder: TableCoder, state: State, rows: WarmUp) -> tuple[TableCoder, Judge]:
    """New codes, and a model in them that has learned the rows and as many dreams, with its judge."""
    rng = state.rng
    dreams = dreamed(state, rows.n_rows, _N_GIBBS, rng)
    drawn = np.asarray(encoder.draw(dreams, rng), dtype=object)
    times = np.array([encoder.kinds_[column] == "timestamp" for column in encoder.column_of_group_ if column >= 0])
    drawn[:, [kind == "timestamp" for kind in encoder.kinds_]] = None
    anew = encoder.relearn(rows.cells, drawn)
    past, new = anew.codes(Table(drawn)), anew.codes(Table(rows.cells))
    past[:, : len(times)][:, times] = dreams[:, times]  # the codes of times are the same for all streams
    judge = first_judge(settings, anew, new, rng, past)
    held = judge.state.rehearsed
    if len(held):
        old = rng.random(len(held)) < 0.5
        held = held.copy()
        held[old] = past[rng.integers(len(past), size=int(old.sum())), : held.shape[1]]
    state = judge.state._replace(rehearsed=held, n_learned=state.n_learned, n_updates=state.n_updates)
    return anew, replace(judge, state=state)


def dreamed(state: State, n: int, n_gibbs: int, rng: np.random.Generator) -> Codes:
    """Dreams of a model: what it rehearses, or independent codes where it rehearses nothing, after some Gibbs steps."""
    offsets = state.offsets[: state.n_groups + 1]
    held = state.rehearsed
    rows = held[rng.integers(len(held), size=n)] if len(held) else independent(state.rbm, offsets, n, rng)
    return model.dream(state.rbm, offsets, rows, n_gibbs, rng)
