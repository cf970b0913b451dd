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

from genreplay.core.grouped import State, TableRBM, start, update
from genreplay.core.grouped.model import GroupedRBM
from genreplay.core.grouped.rehearsal import Rehearsed, independent
from genreplay.core.ingredient import MOST_ROWS, require_count
from genreplay.core.kernels import grouped
from genreplay.core.kernels.arrays import Codes, Float64, Offsets
from genreplay.rl.transitions import MOST_ENDINGS, Integers, TransitionCoder, Transitions

_UNLIKELY = 0.1
"""what is less likely than the likeliest by this factor is not dreamed: it is mostly the model's error"""
_RARE = 0.25
"""share of the dreams that start from an ending, any that is known"""
_RENEWAL = 0.2
"""share by which the stream grows while all chains go on once: the older it is, the longer a dream is rehearsed"""
_REDRAWN = 0.2
"""share of the dreams for which what follows is drawn anew after each batch"""
_N_GIBBS = 5
"""steps of a chain for each renewal"""
_PRIOR = 0.5
"""what is added to the counts of the codes; Krichevsky and Trofimov's"""


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

    most_often = 200.0
    """times that a transition with a rare ending is learned, at most"""

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
        self.counts = np.zeros(MOST_ENDINGS)
        rows = self._rows(coder.codes(first))
        self.n_learned = len(first.reward)
        self.n_rare = round(_RARE * n_dreams)
        self.state: State = start(settings, sizes, len(sizes), np.full(int(sizes.sum()), _PRIOR), rows, rng)
        self.chains = self._masked(independent(self.state.rbm, self.state.offsets, n_dreams, rng))
        self.dreams = Transitions.empty(n_dreams, coder.obs.n_values, coder.action.n_values)
        self.rows = self.chains.copy()
        self._go_on(np.arange(n_dreams), 10 * _N_GIBBS)
        self._dream(np.arange(n_dreams))

    def learn(self, batch: Transitions) -> None:
        """Learn the newest transitions beside dreams, and renew some of the dreams."""
        codes = self.coder.codes(batch)
        self.n_learned += len(batch.reward)
        rows, n = self._rows(codes), len(self.chains)
        self.state = update(self.state, self.settings, rows, np.ones(len(rows)))
        grown = min(len(batch.reward) / (_RENEWAL * self.n_learned), 1.0)
        self._go_on(self.rng.choice(n, math.ceil(grown * n), replace=False), _N_GIBBS)
        self._dream(self.rng.choice(n, math.ceil(_REDRAWN * n), replace=False))

    def _rows(self, codes: Codes) -> Codes:
        """Each row three times: without all that follows, without the columns after a random one, and whole.

        Whole rows with a rare ending come again several times: otherwise the model would take long to learn what leads
        to it. Where chance decides between two endings, the rarer one is therefore dreamed too often. To divide by the
        weights would make up for it in a model that is exact; in one that is still learning, it takes back most of
        what is known of rare endings.
        """
        self.counts += np.bincount(codes[:, -1], minlength=MOST_ENDINGS)
        times = np.floor(self.weights[codes[:, -1]] + self.rng.random(len(codes))).astype(np.int64)
        parts, n_columns = [self._masked(codes)], len(self.coder.missing)
        if n_columns > 1:
            parts.append(self._masked(codes, self.rng.integers(1, n_columns, size=len(codes))))
        return np.concatenate([*parts, np.repeat(codes, times, axis=0)])

    @property
    def weights(self) -> Float64:
        """How often the model learns each ending, beside how often it comes."""
        weights: Float64 = np.clip(self.counts.max() / np.maximum(self.counts, 1.0), 1.0, self.most_often)
        return weights

    def _masked(self, codes: Codes, n_known: Integers | None = None) -> Codes:
        """Rows whose columns are missing after the first ``n_known`` of those that follow, none by default."""
        missing, n_given, out = self.coder.missing, self.coder.n_given, codes.copy()
        known = np.arange(len(missing)) < (0 if n_known is None else n_known[:, np.newaxis])
        out[:, n_given:] = np.where(known, codes[:, n_given:], missing)
        return out

    def _go_on(self, chosen: Integers, n_gibbs: int) -> None:
        """Let some chains go on.

        Most chains dream what is given, while all that follows is missing. Some are for what comes rarely: each holds
        an ending, any that is known, while it dreams the rest.
        """
        rbm, offsets, chains = self.state.rbm, self.state.offsets, self.chains[chosen]
        rare, last = chosen < self.n_rare, chains.shape[1] - 1
        chains[rare, last] = chosen[rare] % len(self.coder.endings)
        free = np.arange(chains.shape[1]) < np.where(rare, last, self.coder.n_given)[:, np.newaxis]
        chains = grouped.gibbs(*rbm, offsets, chains, free, n_gibbs, self.rng, odds=rbm.odds)[0]
        chains[:, : self.coder.n_given] = self._seen(chains[:, : self.coder.n_given])
        self.chains[chosen] = chains

    def _dream(self, chosen: Integers) -> None:
        """Draw anew what follows from where some chains are, with the model as it is now.

        This holds for the chains of rare endings, too. Where the ending that is held could not be drawn, another dream
        takes the place.
        """
        chains = self.chains[chosen]
        rows, rare = self.follow(chains), np.flatnonzero(chosen < self.n_rare)
        nats = self.log_endings(rows)
        rows[:, -1] = self._drawn(nats)
        self.rows[chosen] = rows
        held = nats[rare, chains[rare, -1]]
        astray = rare[held < nats[rare].max(axis=1) + np.log(_UNLIKELY)] if len(rare) else rare
        fit = np.setdiff1d(np.arange(len(rows)), astray)
        if len(fit):
            rows[astray] = rows[self.rng.choice(fit, len(astray))]
        for array, part in zip(self.dreams, self.coder.transitions(rows, self.rng), strict=True):
            array[chosen] = part
        rehearsed = np.concatenate([self.chains[self.n_rare :], self.rows])
        self.state = self.state._replace(rehearsed=rehearsed)

    def _seen(self, given: Codes) -> Codes:
        """Codes without "unseen" and "missing", which a chain may reach by chance: the likeliest code instead."""
        sizes, offsets = self.coder.encoder.group_sizes_, self.state.offsets
        for g in range(given.shape[1]):
            gap, unseen = self.coder.encoder.missing_codes_[g], self.coder.encoder.unseen_codes_[g]
            best = self.state.rbm.a[offsets[g] : offsets[g] + sizes[g] - (2 if unseen >= 0 else 1)].argmax()
            given[:, g] = np.where((given[:, g] == gap) | (given[:, g] == unseen), best, given[:, g])
        return given

    def follow(self, rows: Codes) -> Codes:
        """Rows with all numbers that follow drawn, column by column, while the later columns are missing."""
        rbm, offsets, rows, last = self.state.rbm, self.state.offsets, self._masked(rows), rows.shape[1] - 1
        for g in range(self.coder.n_given, last):
            free = np.tile(np.arange(rows.shape[1]) == g, (len(rows), 1))
            p = grouped.gibbs(*rbm, offsets, rows, free, 1, self.rng, 0, rbm.odds)[1][:, offsets[g] : offsets[g + 1]]
            p[:, self.coder.missing[g - self.coder.n_given]] = 0.0
            rows[:, g] = self._drawn(np.log(np.maximum(p, 1e-300)))
        return rows

    def log_endings(self, rows: Codes) -> Float64:
        """Logarithms of the probabilities of the known endings, up to a constant, as they are learned."""
        rbm, n, first = self.state.rbm, len(self.coder.endings), int(self.state.offsets[-2])
        x = rbm.b + sum(rbm.W[self.state.offsets[g] + rows[:, g]] for g in range(rows.shape[1] - 1))
        here = slice(first, first + n)
        nats = rbm.a[here] + np.logaddexp(0, x[:, np.newaxis] + rbm.W[here]).sum(axis=2)
        return np.where(self.coder.possible(rows), nats, -np.inf)

    def _drawn(self, nats: Float64) -> Integers:
        likeliest = nats.max(axis=1, keepdims=True)
        nats = np.where(np.exp(nats - likeliest) < _UNLIKELY, -np.inf, nats)
        found: Integers = (nats + self.rng.gumbel(size=nats.shape)).argmax(axis=1)
        return found

    @property
    def nbytes(self) -> int:
        """Bytes of the model, the codes, the chains and the dreams."""
        return (
            self.state.nbytes
            + self.state.rehearsed.nbytes + self.chains.nbytes + self.rows.nbytes + self.dreams.nbytes
            + self.coder.encoder.nbytes + 8 * sum(map(len, self.coder.endings))
        )  # fmt: skip
