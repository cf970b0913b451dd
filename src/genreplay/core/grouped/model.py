"""An RBM whose visible units come in groups, exactly one of which is on: one group for each column of a table.

A row is a row of codes, one for each group. The energy is that of any RBM, Eq. 1, with the unit of each code on. What
differs is that a group is drawn as a whole. The hidden units can be summed out exactly, so that the probability
of a group's code given all other groups needs neither sampling nor log Z (see ``kernels/compiled/grouped.py``). Codes
that hardly ever come are left out of it in rows that do not have them, for speed.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core.kernels import grouped
from genreplay.core.kernels.arrays import Codes, Flags, Float64, Offsets
from genreplay.core.kernels.grouped import RARE, Odds


class _Parameters(NamedTuple):
    W: Float64
    """(codes, hidden units)"""
    a: Float64
    """biases of the codes"""
    b: Float64
    """biases of the hidden units"""


class GroupedRBM(_Parameters):
    """Parameters W, a and b, with the codes of all groups side by side.

    >>> rbm = GroupedRBM(W=np.zeros((5, 4)), a=np.zeros(5), b=np.zeros(4))  # groups of 3 and 2 codes, 4 hidden units
    >>> surprise(rbm, offsets_of([3, 2]), np.array([[1, 0]], dtype=np.uint8)).round(3)  # log 3 and log 2
    array([[1.099, 0.693]])
    """

    @cached_property
    def odds(self) -> Odds:
        """exp(W) and exp(a), computed once: the arrays of a model are not changed once it is asked for anything."""
        return Odds.of(self.W, self.a)

    @property
    def nbytes(self) -> int:
        return sum(part.nbytes for part in self)


def offsets_of(sizes: npt.ArrayLike) -> Offsets:
    """Where the codes of each group begin, and last their number.

    >>> offsets_of([3, 2]).tolist()
    [0, 3, 5]
    """
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def free_energy(rbm: GroupedRBM, offsets: Offsets, rows: Codes) -> Float64:
    """F(v) of rows of codes, Eq. 1 with the hidden units summed out."""
    places = offsets[:-1] + rows
    x = rbm.b + rbm.W[places].sum(axis=1)
    energy: Float64 = -rbm.a[places].sum(axis=1) - np.logaddexp(0, x).sum(axis=1)
    return energy


def surprise(rbm: GroupedRBM, offsets: Offsets, rows: Codes) -> Float64:
    """-log P(code | the other groups) of each row and group, in nats.

    >>> rng = np.random.default_rng(0)
    >>> rbm = GroupedRBM(rng.normal(size=(5, 4)), np.zeros(5), np.zeros(4))
    >>> offsets, both = offsets_of([3, 2]), np.array([[1, 0], [1, 1]], dtype=np.uint8)
    >>> weights = np.exp(-free_energy(rbm, offsets, both))
    >>> bool(np.isclose(surprise(rbm, offsets, both)[0, 1], -np.log(weights[0] / weights.sum())))
    True
    """
    return grouped.surprise(*rbm, offsets, rows, rbm.odds)


def gradient(rbm: GroupedRBM, offsets: Offsets, rows: Codes, weights: Float64) -> GroupedRBM:
    """The gradient of sum_r weights_r sum_g log P(code of r in g | the other groups of r)."""
    return GroupedRBM(*grouped.gradient(*rbm, offsets, rows, weights))


def dream(rbm: GroupedRBM, offsets: Offsets, rows: Codes, n_steps: int, rng: np.random.Generator) -> Codes:
    """Rows that Gibbs chains reach from these: in each step every group is drawn in turn, given the others."""
    free = np.ones(rows.shape, dtype=bool)
    return grouped.gibbs(*rbm, offsets, rows, free, n_steps, rng, odds=rbm.odds)[0]


def fill(
    rbm: GroupedRBM, offsets: Offsets, rows: Codes, free: Flags, n_steps: int, rng: np.random.Generator
) -> Float64:
    """Probabilities of the codes of the free groups, given the others: means over the second half of a Gibbs chain."""
    n_before, rows = n_steps // 2, drawn_in_turn(rbm, offsets, rows, free, rng)
    total = grouped.gibbs(*rbm, offsets, rows, free, n_steps, rng, n_before, rbm.odds)[1]
    return total / (n_steps - n_before)


def drawn_in_turn(rbm: GroupedRBM, offsets: Offsets, rows: Codes, free: Flags, rng: np.random.Generator) -> Codes:
    """Rows whose free groups are drawn one after the other, given the others that are known or drawn by then.

    Groups that are not drawn yet are left out of the hidden units' input. This is where a chain should start: if it
    started from the codes of missing cells, it would take the row for one in which they are missing by nature.
    """
    rows, x = rows.copy(), np.tile(rbm.b, (len(rows), 1))
    for g in range(rows.shape[1]):
        known = np.flatnonzero(~free[:, g])
        x[known] += rbm.W[offsets[g] + rows[known, g]]
    for g in np.flatnonzero(free.any(axis=0)).tolist():
        some, here = np.flatnonzero(free[:, g]), slice(offsets[g], offsets[g + 1])
        a = np.where(rbm.a[here] < np.log(RARE), -np.inf, rbm.a[here])
        nats = a + np.logaddexp(0, x[some, np.newaxis] + rbm.W[here]).sum(axis=2)
        rows[some, g] = (nats + rng.gumbel(size=nats.shape)).argmax(axis=1)
        x[some] += rbm.W[offsets[g] + rows[some, g]]
    return rows
