"""Learning a table online: how often each code comes, and how likely it is given the rest of its row.

Contrastive divergence follows the joint likelihood, whose gradient needs samples. With one group for each column, the
probability of a cell given the others is exact, and so is the gradient of its logarithm (pseudo-likelihood; J. Besag:
Statistical analysis of non-lattice data, 1975). That gradient finds the relations between columns in a few thousand
rows; contrastive divergence, with the same hidden units, had hardly begun by then. As in Algorithm 1, dreams of the
past are learned beside every batch.

The biases of the codes are the logarithms of their shares of the stream, plus what is learned. So a code that hardly
ever comes is known to be rare at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core.grouped import model
from genreplay.core.grouped.model import GroupedRBM
from genreplay.core.grouped.rehearsal import Dreams, Rehearsed
from genreplay.core.ingredient import MOST_PASSES, MOST_ROWS, Ingredient, is_number, require, require_count
from genreplay.core.kernels.arrays import Codes, Float64, Offsets
from genreplay.core.kernels.grouped import Ascent, ascend

ROWS_PER_STEP = 20
"""rows of a batch that one step of Adam takes"""
MEMORY = 100_000
"""rows after which the shares of the codes forget the oldest rows"""
_DOUBTFUL = 0.01
"""p-value below which a row teaches less: it may be an anomaly"""
LIMIT = 8.0
"""no parameter gets larger: a relation of e^8 is as good as a law"""
_LARGEST_RATE = 1e300
"""with a larger one, Adam's first steps would overflow; the parameters reach their limit with far smaller ones"""
_SIGMA = 0.2
"""of the first weights, Algorithm 1, line 3: with smaller ones, relations take thousands of rows to show"""

_MOST = {"n_hidden": MOST_ROWS, "n_epochs": MOST_PASSES, "n_first": MOST_PASSES, "batch_size": MOST_ROWS}


@dataclass(frozen=True, repr=False)
class TableRBM(Ingredient):
    """How a model of a table learns: a frozen value.

    >>> TableRBM(32, learning_rate=0.01)
    TableRBM(n_hidden=32, learning_rate=0.01)
    """

    n_hidden: int = 64
    """hidden units"""
    learning_rate: float = 0.005
    """of Adam"""
    n_epochs: int = 1
    """n_E, passes over each batch"""
    n_first: int = 10
    """passes over the rows of the warm-up"""
    batch_size: int = 100
    """n_B, rows of an update"""
    replay: Rehearsed = Dreams()
    """what is rehearsed beside each batch"""

    def __post_init__(self) -> None:
        for name, most in _MOST.items():
            require_count(self, name, most)
        require(self, "learning_rate", "a positive number", is_number(self.learning_rate, above=0))
        require(self, "replay", "Dreams(), Stored() or Nothing()", isinstance(self.replay, Rehearsed))


class State(NamedTuple):
    """Everything that learning goes on from; its arrays are never changed in place.

    >>> rows = np.tile(np.array([[0, 1], [1, 0]], dtype=np.uint8), (50, 1))
    >>> state = start(TableRBM(4), np.array([2, 2]), 2, np.full(4, 0.5), rows, np.random.default_rng(0))
    >>> state.n_groups, state.n_learned, state.counts.shape
    (2, 100, (4,))
    """

    rbm: GroupedRBM
    """of the groups of the columns; its visible biases are the shares' logarithms plus ``learned``"""
    learned: Float64
    """the part of the visible biases that is learned"""
    mean: GroupedRBM
    """Adam's running mean of the gradient"""
    square: GroupedRBM
    """and of its square"""
    n_steps: int
    """steps of Adam"""
    counts: Float64
    """weight of the rows that had each code, of all groups, those of combinations included"""
    prior: Float64
    """what is added to the counts"""
    offsets: Offsets
    """of all groups"""
    rehearsed: Codes
    rng: np.random.Generator
    n_learned: int
    """rows"""
    n_updates: int

    @property
    def n_groups(self) -> int:
        """Groups of the RBM; the others are only counted."""
        return int(self.rehearsed.shape[1])

    @property
    def nbytes(self) -> int:
        """Bytes of the parameters, their exponentials, their moments, and the shares of the codes."""
        odds = self.rbm.W.nbytes + self.rbm.a.nbytes
        arrays = (self.learned, self.counts, self.prior, self.offsets)
        return self.rbm.nbytes + odds + self.mean.nbytes + self.square.nbytes + sum(array.nbytes for array in arrays)

    def with_counts(self, counts: Float64) -> State:
        """The state after codes were counted otherwise; its biases follow the counts."""
        shares = log_shares(counts, self.prior, self.offsets)[: len(self.learned)]
        return self._replace(counts=counts, rbm=GroupedRBM(self.rbm.W, shares + self.learned, self.rbm.b))

    @property
    def rarity(self) -> Float64:
        """-log of the share of each code in its group."""
        return -log_shares(self.counts, self.prior, self.offsets)


def log_shares(counts: Float64, prior: Float64, offsets: Offsets) -> Float64:
    """Logarithms of the shares of the codes in their groups.

    >>> np.exp(log_shares(np.array([3.0, 0, 1]), np.full(3, 0.5), np.array([0, 2, 3]))).round(3).tolist()
    [0.875, 0.125, 1.0]
    """
    weight = counts + prior
    totals = np.add.reduceat(weight, offsets[:-1])
    shares: Float64 = np.log(weight / np.repeat(totals, np.diff(offsets)))
    return shares


def start(
    settings: TableRBM,
    sizes: npt.NDArray[np.int64],
    n_groups: int,
    prior: Float64,
    rows: Codes,
    rng: np.random.Generator,
) -> State:
    """A model of the first rows. Its RBM has the first ``n_groups`` groups; the others are only counted.

    >>> rows = np.tile(np.array([[0, 1], [1, 0]], dtype=np.uint8), (50, 1))  # two columns that are never equal
    >>> settings, rng = TableRBM(8, n_first=100), np.random.default_rng(0)
    >>> state = start(settings, np.array([2, 2]), 2, np.full(4, 0.5), rows, rng)
    >>> both = np.array([[0, 1], [0, 0]], dtype=np.uint8)
    >>> unequal, equal = model.surprise(state.rbm, state.offsets, both).sum(axis=1)
    >>> bool(unequal < equal)
    True
    """
    offsets = model.offsets_of(sizes)
    n_codes, n_hidden = int(offsets[n_groups]), settings.n_hidden
    p_values = np.ones(len(rows))
    for _ in range(2):  # rare rows of the warm-up count less, once it is known which they are
        counts = count(rows, np.sqrt(p_values), offsets)
        nats = -log_shares(counts, prior, offsets)[offsets[:-1] + rows].sum(axis=1)
        p_values = 1 - np.argsort(np.argsort(nats)) / len(rows)
    zeros = GroupedRBM(np.zeros((n_codes, n_hidden)), np.zeros(n_codes), np.zeros(n_hidden))
    W = rng.normal(scale=_SIGMA, size=(n_codes, n_hidden))
    state = State(
        rbm=zeros._replace(W=W),
        learned=np.zeros(n_codes),
        mean=zeros,
        square=zeros,
        n_steps=0,
        counts=np.zeros(offsets[-1]),
        prior=prior,
        offsets=offsets,
        rehearsed=np.empty((0, n_groups), dtype=np.uint8),
        rng=rng,
        n_learned=0,
        n_updates=0,
    )
    return update(state, settings, rows, p_values, settings.n_first)


def update(state: State, settings: TableRBM, rows: Codes, p_values: Float64, n_epochs: int | None = None) -> State:
    """Learn a batch beside what is rehearsed. The p-value of a row says how much it teaches.

    An anomaly must not become usual by coming a few times. From rows with p-values below 1 %, relations between
    columns are learned in proportion to them; other rows teach alike, for what is rare but usual shows best which
    columns belong together. Codes are counted by the square root of the p-value.

    >>> rows = np.tile(np.array([[0, 1], [1, 0]], dtype=np.uint8), (50, 1))
    >>> state = start(TableRBM(4), np.array([2, 2]), 2, np.full(4, 0.5), rows, np.random.default_rng(0))
    >>> update(state, TableRBM(4), rows, p_values=np.ones(100)).n_learned
    200
    """
    rng, n_groups = state.rng, state.n_groups
    offsets = state.offsets[: n_groups + 1]
    counts = state.counts + count(rows, np.sqrt(p_values), state.offsets)
    total = counts[: state.offsets[1]].sum()
    counts *= min(MEMORY / total, 1.0) if total > 0 else 1.0
    shares = log_shares(counts, state.prior, state.offsets)[: offsets[-1]]
    known, weights = rows[:, :n_groups], np.minimum(p_values / _DOUBTFUL, 1.0)
    W, learned, b, n_steps = state.rbm.W.copy(), state.learned.copy(), state.rbm.b.copy(), state.n_steps
    mean, square = _copy(state.mean), _copy(state.square)
    rate = min(float(settings.learning_rate), _LARGEST_RATE)
    ascent = Ascent((W, learned, b), (*mean,), (*square,), rate, LIMIT)
    for _ in range(settings.n_epochs if n_epochs is None else n_epochs):
        taken, weight = known, weights
        if len(state.rehearsed):
            again = state.rehearsed[rng.integers(len(state.rehearsed), size=settings.replay.n_rows)]
            taken = np.concatenate([known, again])
            weight = np.concatenate([weights, np.full(len(again), weights.mean())])
        order = rng.permutation(len(taken))
        n_steps = ascend(ascent, shares, offsets, taken[order], weight[order], ROWS_PER_STEP, n_steps)
    rbm = GroupedRBM(W, shares + learned, b)
    n_learned = state.n_learned + len(rows)
    rehearsed = settings.replay.renewed(state.rehearsed, rbm, offsets, known, n_learned, rng)
    return state._replace(
        rbm=rbm,
        learned=learned,
        mean=mean,
        square=square,
        n_steps=n_steps,
        counts=counts,
        rehearsed=rehearsed,
        n_learned=n_learned,
        n_updates=state.n_updates + 1,
    )


def count(rows: Codes, weights: Float64, offsets: Offsets) -> Float64:
    """The weight of the rows that have each code."""
    places = (offsets[:-1] + rows).ravel()
    return np.bincount(places, np.repeat(weights, rows.shape[1]), minlength=int(offsets[-1])).astype(
        np.float64, copy=False
    )


def _copy(parts: GroupedRBM) -> GroupedRBM:
    return GroupedRBM(*(part.copy() for part in parts))
