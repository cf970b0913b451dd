"""What a model of a table rehearses beside new rows: its dreams, stored rows, or nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from genreplay.core.grouped import model
from genreplay.core.grouped.model import GroupedRBM
from genreplay.core.ingredient import MOST_PASSES, MOST_ROWS, Ingredient, is_number, require, require_count
from genreplay.core.kernels.arrays import Codes, Offsets


class Rehearsed(Ingredient):
    """A base for what is rehearsed. It is a set of rows of codes, empty at first, that ``renewed`` keeps up to date.

    >>> isinstance(Dreams(), Rehearsed), Dreams().n_rows, Nothing().n_rows
    (True, 100, 0)
    """

    n_rows: int
    """rows rehearsed in each update"""

    def may_hold(self, n: int) -> bool:
        """Whether so many rows may be held, once anything is learned: a file may say anything."""
        return True

    def renewed(
        self, held: Codes, rbm: GroupedRBM, offsets: Offsets, rows: Codes, n_learned: int, rng: np.random.Generator
    ) -> Codes:
        """What is held after these rows have been learned, the last of ``n_learned``."""
        raise NotImplementedError


@dataclass(frozen=True, repr=False)
class Nothing(Rehearsed):
    """Rehearse nothing.

    >>> from genreplay import OnlineRBMDetector, TableRBM
    >>> OnlineRBMDetector(rbm=TableRBM(replay=Nothing())).rbm
    TableRBM(replay=Nothing())
    """

    n_rows: int = 0

    def __post_init__(self) -> None:
        require(self, "n_rows", "0", self.n_rows == 0)

    def may_hold(self, n: int) -> bool:
        return n == 0

    def renewed(
        self, held: Codes, rbm: GroupedRBM, offsets: Offsets, rows: Codes, n_learned: int, rng: np.random.Generator
    ) -> Codes:
        return held


@dataclass(frozen=True, repr=False)
class Dreams(Rehearsed):
    """Rehearse dreams (Algorithm 1, lines 14-22) of the whole past: Gibbs chains that go on ever more slowly.

    Each of ``size`` chains is a row of codes. They start independent of each other, each column at its base rates.
    Every update lets some of them go on for ``n_gibbs`` steps, as many as it takes to reach all of them while the
    stream grows by the share ``renewal``: the older the stream, the longer a dream of the past is rehearsed. No row of
    the stream gets in.

    >>> from genreplay import OnlineRBMDetector, TableRBM
    >>> rows = np.random.default_rng(0).normal(size=(600, 3))
    >>> detector = OnlineRBMDetector(rbm=TableRBM(replay=Dreams(size=200)), random_state=0).fit(rows)
    >>> len(detector.dreams_)
    200
    """

    size: int = 500
    n_rows: int = 100
    n_gibbs: int = 5
    renewal: float = 0.2

    def __post_init__(self) -> None:
        for name, most in {"size": MOST_ROWS, "n_rows": MOST_ROWS, "n_gibbs": MOST_PASSES}.items():
            require_count(self, name, most)
        require(self, "renewal", "a positive number", is_number(self.renewal, above=0))

    def may_hold(self, n: int) -> bool:
        return n == self.size

    def renewed(
        self, held: Codes, rbm: GroupedRBM, offsets: Offsets, rows: Codes, n_learned: int, rng: np.random.Generator
    ) -> Codes:
        if len(held) == 0:
            return model.dream(rbm, offsets, independent(rbm, offsets, self.size, rng), 4 * self.n_gibbs, rng)
        n = min(self.size * len(rows) / (self.renewal * n_learned), self.size)
        chosen = rng.choice(self.size, size=min(int(n + rng.random()), self.size), replace=False)
        held = held.copy()
        held[chosen] = model.dream(rbm, offsets, held[chosen], self.n_gibbs, rng)
        return held


@dataclass(frozen=True, repr=False)
class Stored(Rehearsed):
    """Rehearse stored rows, for comparison: a random sample of all that have come (Vitter's algorithm R).

    >>> from genreplay import OnlineRBMDetector, TableRBM
    >>> OnlineRBMDetector(rbm=TableRBM(replay=Stored(size=1000))).rbm
    TableRBM(replay=Stored(size=1000))
    """

    size: int = 500
    n_rows: int = 100

    def __post_init__(self) -> None:
        for name in ("size", "n_rows"):
            require_count(self, name, MOST_ROWS)

    def may_hold(self, n: int) -> bool:
        return n <= self.size

    def renewed(
        self, held: Codes, rbm: GroupedRBM, offsets: Offsets, rows: Codes, n_learned: int, rng: np.random.Generator
    ) -> Codes:
        n_free = max(self.size - len(held), 0)
        held = np.concatenate([held, rows[:n_free]])
        later = rows[n_free:]
        order = np.arange(n_learned - len(later), n_learned)
        slots = rng.integers(order + 1) if len(later) else np.empty(0, dtype=np.int64)
        kept = slots < self.size
        held[slots[kept]] = later[kept]
        return held


def independent(rbm: GroupedRBM, offsets: Offsets, n: int, rng: np.random.Generator) -> Codes:
    """Rows whose codes are drawn by their biases alone, each group for itself."""
    rows = np.empty((n, len(offsets) - 1), dtype=np.uint8)
    for g in range(rows.shape[1]):
        a = rbm.a[offsets[g] : offsets[g + 1]]
        rows[:, g] = (a + rng.gumbel(size=(n, len(a)))).argmax(axis=1)
    return rows
