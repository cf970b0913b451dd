"""What a model thinks of rows: the surprise of each cell and of the whole row, joined and calibrated."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from genreplay.core.grouped import State, model
from genreplay.core.ingredient import Json
from genreplay.core.kernels.arrays import Codes, Flags
from genreplay.core.kernels.scores import DIGITS, Measures, RowConstants, joined, judge_row, scores
from genreplay.estimators.calibration import MEMORY, Float64, Scale

_COMBINATIONS = 2.0
"""what combinations of columns usually add to the score of a row, for each nat of the columns"""
_STRANGE, _MOST_STRANGE = math.log(1e6), 0.1
"""surprise beyond which a row counts as an anomaly, which the calibration does not learn; and the largest share of a
batch that may count so: if there are more, the calibration is wrong, not the rows"""


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
        found = []
        for other, rows in halves:
            cells = cell_surprise(other, rows)
            judge = cls(other, judged, cells.mean(axis=0), len(rows), *[Scale.of(np.zeros(1))] * 3)
            whole, top, *_ = judge.scores(rows, cells)
            found.append((whole, top, cells))
        whole, top, all_cells = (np.concatenate(each) for each in zip(*found, strict=True))
        row, cell = Scale.of(whole), Scale.of(top)
        joint = Scale.of(joined(row.nats(whole), cell.nats(top)))
        return cls(state, judged, all_cells.mean(axis=0), len(all_cells), row, cell, joint)

    def nats(self, rows: Codes, cells: Float64) -> Float64:
        """-log of the p-values of rows, given the surprise of their cells."""
        return self.scores(rows, cells).nats

    def scores(self, rows: Codes, cells: Float64) -> Scores:
        """The scores of rows, given the surprise of their cells."""
        return Scores(*scores(self.state.offsets, rows, cells, self._measures))

    def one(self, row: Codes) -> tuple[Float64, float]:
        """The surprise of the cells of one row, an array of shape (1, groups of the RBM), and the nats of the row."""
        found = judge_row(self._constants, row)
        if found is not None:
            return found
        cells = cell_surprise(self.state, row[np.newaxis])
        return cells, float(self.nats(row[np.newaxis], cells)[0])

    @cached_property
    def _constants(self) -> RowConstants:
        rbm = self.state.rbm
        return RowConstants(rbm.W, rbm.b, *rbm.odds, self.state.offsets, *self._measures)

    @cached_property
    def rarity(self) -> Float64:
        """-log of the share of each code in its group."""
        return self.state.rarity

    @cached_property
    def _measures(self) -> Measures:
        yardsticks = np.stack([self.row.yardstick, self.cell.yardstick, self.joint.yardstick])
        return Measures(weighed_rarity(self.state), np.where(self.judged, self.usual, np.inf), yardsticks)

    def followed(self, known: Scores, cells: Float64, state: State) -> Judge:
        """The judge after the model has learned rows with these scores, whose cells were surprising so much before."""
        whole, top, both, nats = known
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

    def weighing(self, n_rows: int) -> Judge:
        """The judge whose tracked rows weigh no more than so many, beside those that come."""
        scales = {name: getattr(self, name).weighing(n_rows) for name in ("row", "cell", "joint")}
        return replace(self, n_tracked=min(self.n_tracked, n_rows), **scales)

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


def weighed_rarity(state: State) -> Float64:
    """-log of the share of each code, that of combinations weighed so that they add twice what the columns add.

    Combinations tell the same once more, by more or fewer codes than the columns: of many columns that are mostly 0
    there are combinations that never are. So what counts is how surprising both usually are, their entropies.
    """
    rarity, first = state.rarity, state.offsets[state.n_groups]
    terms = np.exp(-rarity) * rarity
    columns, combinations = terms[:first].sum(), terms[first:].sum()
    if columns > 0 and combinations > 0:
        rarity[first:] *= _COMBINATIONS * columns / combinations
    return rarity


def cell_surprise(state: State, rows: Codes) -> Float64:
    """-log P(cell | the rest of the row) for the groups of the RBM."""
    n_groups = state.n_groups
    known = np.ascontiguousarray(rows[:, :n_groups])
    return np.asarray(model.surprise(state.rbm, state.offsets[: n_groups + 1], known).round(DIGITS))
