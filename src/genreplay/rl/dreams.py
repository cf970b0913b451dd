"""A model of transitions: what is given is dreamed by Gibbs chains, what follows is drawn given that.

The model has two jobs, the distribution of what is given and that of what follows from it. One table model does both,
because it learns rows with missing cells: each transition is learned once with all that follows missing, and once with
the columns after a random one missing. So the chains that dream observations and actions need not pass through what
follows from them, which would hold them where they are; and what follows can be drawn column by column, each
with its exact probability given the columns before it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from genreplay.core.grouped import State, TableRBM, start, update
from genreplay.core.grouped.model import GroupedRBM
from genreplay.core.grouped.rehearsal import Rehearsed, independent
from genreplay.core.ingredient import MOST_ROWS, require_count
from genreplay.core.kernels import grouped
from genreplay.core.kernels.arrays import Codes, Float64, Offsets
from genreplay.rl.transitions import TransitionCoder, Transitions

_UNLIKELY = 0.1
"""what is less likely than the likeliest by this factor is not drawn: it is mostly the model's error"""
_RARE = 0.25
"""share of the dreams that start from an ending, any that is known"""
_RENEWED = 0.2
"""share of the dreams that are renewed after each batch"""
_N_GIBBS = 5
"""steps of a chain for each renewal"""
_PRIOR = 0.5
"""what is added to the counts of the codes; Krichevsky and Trofimov's"""

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, repr=False)
class FromPool(Rehearsed):
    """Rehearse rows of a pool that someone else keeps up to date.

    >>> FromPool().n_rows
    200
    """

    n_rows: int = 200

    def __post_init__(self) -> None:
        require_count(self, "n_rows", MOST_ROWS)

    def renewed(
        self, held: Codes, rbm: GroupedRBM, offsets: Offsets, rows: Codes, n_learned: int, rng: np.random.Generator
    ) -> Codes:
        return held


class TransitionModel:
    """A table model of transitions and a pool of its dreams, which is renewed after each batch."""

    def __init__(
        self,
        settings: TableRBM,
        coder: TransitionCoder,
        first: Transitions,
        n_dreams: int,
        rng: np.random.Generator,
    ) -> None:
        self.settings, self.coder, self.rng = settings, coder, rng
        sizes = coder.encoder.group_sizes_
        rows = self._rows(coder.codes(first))
        self.n_rare = round(_RARE * n_dreams)
        self.state: State = start(settings, sizes, len(sizes), np.full(int(sizes.sum()), _PRIOR), rows, rng)
        self.chains = self._masked(independent(self.state.rbm, self.state.offsets, n_dreams, rng))
        self.dreams: Transitions = Transitions(*(np.empty(0),) * 5)
        self._renew(np.arange(n_dreams), 10 * _N_GIBBS)

    def learn(self, batch: Transitions) -> None:
        """Learn the newest transitions beside dreams, and renew some of the dreams."""
        rows = self._rows(self.coder.codes(batch))
        self.state = update(self.state, self.settings, rows, np.ones(len(rows)))
        n_renewed = math.ceil(_RENEWED * len(self.chains))
        self._renew(self.rng.choice(len(self.chains), n_renewed, replace=False), _N_GIBBS)

    def _rows(self, codes: Codes) -> Codes:
        """Each row twice: without all that follows, and without the columns after a random one."""
        n_known = self.rng.integers(1, len(self.coder.missing) + 1, size=len(codes))
        return np.concatenate([self._masked(codes), self._masked(codes, n_known)])

    def _masked(self, codes: Codes, n_known: Integers | None = None) -> Codes:
        """Rows whose columns are missing after the first ``n_known`` of those that follow, none by default."""
        missing, n_given, out = self.coder.missing, self.coder.n_given, codes.copy()
        known = np.arange(len(missing)) < (0 if n_known is None else n_known[:, np.newaxis])
        out[:, n_given:] = np.where(known, codes[:, n_given:], missing)
        return out

    def _renew(self, chosen: Integers, n_gibbs: int) -> None:
        """Let some chains go on, and draw anew what follows from where they are.

        Most chains dream what is given, while all that follows is missing. Some are for what comes rarely: each holds an
        ending, any that is known, while it dreams the rest. What follows is then drawn anew all the same, so that it is
        as likely as after any other dream of the same observation and action. Where the ending that is held could not
        be drawn, the dream is left out.
        """
        rbm, offsets, chains = self.state.rbm, self.state.offsets, self.chains[chosen]
        rare, last = chosen < self.n_rare, chains.shape[1] - 1
        chains[rare, last] = chosen[rare] % len(self.coder.endings)
        free = np.arange(chains.shape[1]) < np.where(rare, last, self.coder.n_given)[:, np.newaxis]
        chains = grouped.gibbs(*rbm, offsets, chains, free, n_gibbs, self.rng, odds=rbm.odds)[0]
        chains[:, : self.coder.n_given] = self._seen(chains[:, : self.coder.n_given])
        self.chains[chosen] = chains
        rows, fits = self.follow(chains), np.ones(len(chains), dtype=bool)
        nats = self.log_endings(rows[rare])
        held = nats[np.arange(len(nats)), chains[rare, last]]
        fits[rare] = held >= nats.max(axis=1) + np.log(_UNLIKELY)
        if not fits.all():
            instead = self.rng.choice(np.flatnonzero(fits), size=int((~fits).sum())) if fits.any() else 0
            rows[~fits] = rows[instead]
        new = self.coder.transitions(rows, self.rng)
        if len(self.dreams.reward) == 0:
            self.dreams, self.rows = new, rows
        else:
            for array, part in zip((*self.dreams, self.rows), (*new, rows), strict=True):
                array[chosen] = part
        usual = self.rows[self.n_rare :]
        self.state = self.state._replace(rehearsed=np.concatenate([self._masked(usual), usual]))

    def _seen(self, given: Codes) -> Codes:
        """Codes without "unseen" and "missing", which a chain may reach by chance: the likeliest code instead."""
        sizes, offsets = self.coder.encoder.group_sizes_, self.state.offsets
        for g in range(given.shape[1]):
            gap, unseen = self.coder.encoder.missing_codes_[g], self.coder.encoder.unseen_codes_[g]
            best = self.state.rbm.a[offsets[g] : offsets[g] + sizes[g] - (2 if unseen >= 0 else 1)].argmax()
            given[:, g] = np.where((given[:, g] == gap) | (given[:, g] == unseen), best, given[:, g])
        return given

    def follow(self, rows: Codes) -> Codes:
        """Rows with all that follows drawn, column by column, while the later columns are missing."""
        rbm, offsets, rows, last = self.state.rbm, self.state.offsets, self._masked(rows), rows.shape[1] - 1
        for g in range(self.coder.n_given, last):
            free = np.tile(np.arange(rows.shape[1]) == g, (len(rows), 1))
            p = grouped.gibbs(*rbm, offsets, rows, free, 1, self.rng, 0, rbm.odds)[1][:, offsets[g] : offsets[g + 1]]
            p[:, self.coder.missing[g - self.coder.n_given]] = 0.0
            rows[:, g] = self._drawn(np.log(np.maximum(p, 1e-300)))
        rows[:, last] = self._drawn(self.log_endings(rows))
        return rows

    def log_endings(self, rows: Codes) -> Float64:
        """Logarithms of the probabilities of the known endings, up to a constant; exact also where they are rare."""
        rbm, n, first = self.state.rbm, len(self.coder.endings), int(self.state.offsets[-2])
        x = rbm.b + sum(rbm.W[self.state.offsets[g] + rows[:, g]] for g in range(rows.shape[1] - 1))
        here = slice(first, first + n)
        nats = rbm.a[here] + np.logaddexp(0, x[:, np.newaxis] + rbm.W[here]).sum(axis=2)
        return np.where(self.coder.possible(rows), nats, -np.inf)

    def _drawn(self, nats: Float64) -> Integers:
        nats = np.where(nats < nats.max(axis=1, keepdims=True) + np.log(_UNLIKELY), -np.inf, nats)
        found: Integers = (nats + self.rng.gumbel(size=nats.shape)).argmax(axis=1)
        return found

    @property
    def nbytes(self) -> int:
        """Bytes of the model, the codes, the chains and the dreams."""
        return (
            self.state.nbytes + self.state.rehearsed.nbytes + self.chains.nbytes + self.dreams.nbytes
            + self.coder.encoder.nbytes + 8 * sum(map(len, self.coder.endings))
        )  # fmt: skip
