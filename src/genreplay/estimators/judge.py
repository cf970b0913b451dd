"""What a model thinks of rows: the surprise of each cell and of the whole row, joined and calibrated."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import getitem, sub
from typing import Any, NamedTuple

import numpy as np

from genreplay.core.grouped import State, model
from genreplay.core.ingredient import Json
from genreplay.core.kernels.arrays import Codes, Flags
from genreplay.estimators.calibration import MEMORY, Float64, Scale, joined, joined_one

_STRANGE, _MOST_STRANGE = math.log(1e6), 0.1
"""surprise beyond which a row counts as an anomaly, which the calibration does not learn; and the largest share of a
batch that may count so: if there are more, the calibration is wrong, not the rows"""
_DIGITS = 9
"""after rounding, equal rows have equal scores, in whatever block they are computed"""
_LOWEST = -20.0
"""score of the most surprising cell where there is none"""


class Scores(NamedTuple):
    """How surprising rows are."""

    row: Float64
    """the whole row"""
    cell: Float64
    """its most surprising cell"""
    joint: Float64
    """both, joined"""
    nats: Float64
    """-log of the p-value"""


@dataclass(frozen=True, eq=False)
class Judge:
    """A model, and what was tracked of the surprise of the stream's rows."""

    state: State
    judged: Flags
    """for each group of the RBM, whether its cells can be anomalies; times only explain others"""
    usual: Float64
    """mean surprise of each group of the RBM, given the rest of its row"""
    n_tracked: int
    """rows that these means are taken over"""
    row: Scale
    """of the surprise of whole rows"""
    cell: Scale
    """of the surprise of a row's most surprising cell"""
    joint: Scale
    """of both, joined"""

    @classmethod
    def start(cls, state: State, judged: Flags, halves: Sequence[tuple[State, Codes]]) -> Judge:
        """A judge of a model that has learned its first rows.

        Rows that a model has learned seem more usual to it than new ones. So each half of the first rows is judged by a
        model that has learned the other half.
        """
        scores = []
        for other, rows in halves:
            cells = cell_surprise(other, rows)
            judge = cls(other, judged, cells.mean(axis=0), len(rows), *[Scale.of(np.zeros(1))] * 3)
            scores.append((judge._row_scores(rows, cells), judge._cell_scores(cells), cells))
        whole, top, all_cells = (np.concatenate(each) for each in zip(*scores, strict=True))
        row, cell = Scale.of(whole), Scale.of(top)
        joint = Scale.of(joined(row.nats(whole), cell.nats(top)))
        return cls(state, judged, all_cells.mean(axis=0), len(all_cells), row, cell, joint)

    def _row_scores(self, rows: Codes, cells: Float64) -> Float64:
        """How surprising whole rows are: the sum of their combinations' rarity and of half their cells' surprise.

        A cell is surprising if it is rare, or unlikely given the others: the larger of both counts, so that nothing
        explains a rare cell away. Cells count half, since combinations of columns say much of the same again.
        """
        n_groups = cells.shape[1]
        rarity = self._rarity[self.state.offsets[:-1] + rows]
        whole = rarity[:, n_groups:].sum(axis=1) + np.maximum(rarity[:, :n_groups], cells).sum(axis=1) / 2
        return np.asarray(whole.round(_DIGITS))

    def _cell_scores(self, cells: Float64) -> Float64:
        """The surprise of the most surprising cell of each row, less what is usual in its column."""
        beyond = (cells - self.usual)[:, self.judged]
        return np.asarray(beyond.max(axis=1, initial=_LOWEST).round(_DIGITS))

    def nats(self, rows: Codes, cells: Float64) -> Float64:
        """-log of the p-values of rows, given the surprise of their cells."""
        return self.scores(rows, cells).nats

    def scores(self, rows: Codes, cells: Float64) -> Scores:
        """The scores of rows, given the surprise of their cells."""
        row, cell = self._row_scores(rows, cells), self._cell_scores(cells)
        both = joined(self.row.nats(row), self.cell.nats(cell))
        return Scores(row, cell, both, self.joint.nats(both))

    def nats_one(self, codes: Sequence[int], cells: Sequence[float]) -> float:
        """``nats`` of one row, without arrays."""
        rarity, usual = self._of_one_row
        n, rare = len(cells), list(map(getitem, rarity, codes))
        row = self.row.nats_one(round(sum(rare[n:]) + sum(map(max, rare, cells)) / 2, _DIGITS))
        cell = self.cell.nats_one(round(max(_LOWEST, *map(sub, cells, usual)), _DIGITS))
        return self.joint.nats_one(joined_one(row, cell))

    @cached_property
    def _of_one_row(self) -> tuple[list[list[float]], list[float]]:
        """The rarity of each code of each group, and the usual surprise of the judged groups."""
        rarity = [part.tolist() for part in np.split(self._rarity, self.state.offsets[1:-1])]
        return rarity, np.where(self.judged, self.usual, np.inf).tolist()

    @cached_property
    def _rarity(self) -> Float64:
        return self.state.rarity

    def followed(self, scores: Scores, cells: Float64, state: State) -> Judge:
        """The judge after the model has learned rows with these scores, whose cells were surprising so much before."""
        whole, top, both, nats = scores
        n_strange = int(np.count_nonzero(nats > _STRANGE))
        kept = np.argsort(nats, kind="stable")[: len(nats) - min(n_strange, int(_MOST_STRANGE * len(nats)))]
        n = min(self.n_tracked + len(kept), MEMORY)
        return replace(
            self,
            state=state,
            usual=self.usual + (cells[kept].mean(axis=0) - self.usual) * min(len(kept) / n, 1.0),
            n_tracked=n,
            row=self.row.with_scores(whole[kept]),
            cell=self.cell.with_scores(top[kept]),
            joint=self.joint.with_scores(both[kept]),
        )

    @property
    def nbytes(self) -> int:
        return self.usual.nbytes + self.judged.nbytes + self.row.nbytes + self.cell.nbytes + self.joint.nbytes

    def to_json(self) -> dict[str, Json]:
        """What a file needs beside the model."""
        return {
            "judged": self.judged.tolist(),
            "usual": self.usual.tolist(),
            "n_tracked": self.n_tracked,
            **{name: getattr(self, name).to_json() for name in ("row", "cell", "joint")},
        }

    @classmethod
    def from_json(cls, state: State, held: Mapping[str, Any]) -> Judge:
        """The judge that ``to_json`` wrote."""
        scales = (Scale.from_json(held[name]) for name in ("row", "cell", "joint"))
        return cls(state, np.array(held["judged"], dtype=bool), np.array(held["usual"]), held["n_tracked"], *scales)


def cell_surprise(state: State, rows: Codes) -> Float64:
    """-log P(cell | the rest of the row) for the groups of the RBM."""
    n_groups = state.n_groups
    known = np.ascontiguousarray(rows[:, :n_groups])
    return np.asarray(model.surprise(state.rbm, state.offsets[: n_groups + 1], known).round(_DIGITS))
