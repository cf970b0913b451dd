"""A stream whose regimes come in turns, drawn from a known source, until a new one comes to stay.

Eight numbers and two categories. In each regime the numbers have means and correlations of their own: two hidden
factors move them together. The categories have the same four labels in all regimes, in shares that depend on the
regime. A single cell says little about the regime that it belongs to.

The stream begins with rows of the three regimes in random order. So every regime is known, to a warm-up as well, and
each later visit is a return. Then the regimes come in turns: "A" and "B" often, "C" rarely. At the end "D" comes, which
was never there before, and stays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.datasets.base import DatasetError

Objects = npt.NDArray[np.object_]

N_NUMBERS = 8
N_CATEGORIES = 2
N_FACTORS = 2
LABELS = ("p", "q", "r", "s")
TURNS = "ABABCABABABCABABABABC"
"""the visits after the mixed beginning"""
RARE = "C"
NEW = "D"
"""the regime that stays"""
MIXED = "mixed"
"""the title of the beginning, in which rows of all regimes but the new one come in random order"""
COLUMNS = (*(f"x{index}" for index in range(N_NUMBERS)), *(f"label{index}" for index in range(N_CATEGORIES)))


class Visit(NamedTuple):
    """Rows of one regime that follow one another."""

    regime: str
    """A, B, C or D; or MIXED"""
    first: int
    n_rows: int


class RegimeStream(NamedTuple):
    """Rows and the regime of each."""

    rows: Objects
    regimes: Objects
    visits: list[Visit]


def regimes(
    n_rows_per_visit: int = 2_000, n_rows_stay: int = 10_000, seed: int = 0, turns: str = TURNS
) -> RegimeStream:
    """Draw a stream; the same seed gives the same stream.

    The mixed beginning is as long as a visit.

    >>> stream = regimes(n_rows_per_visit=500, n_rows_stay=1_000, turns="ABC")
    >>> [visit.regime for visit in stream.visits], stream.rows.shape
    (['mixed', 'A', 'B', 'C', 'D'], (3000, 10))
    >>> stream.rows[0, 8:].tolist(), stream.visits[-1]
    (['p', 'p'], Visit(regime='D', first=2000, n_rows=1000))
    """
    known = sorted(set(turns))
    if not known or NEW in known or n_rows_per_visit < 1 or n_rows_stay < 1:
        raise DatasetError(f"regimes needs rows in every visit, and turns without {NEW!r}. Got turns={turns!r}.")
    sources_rng, order_rng, rows_rng = np.random.default_rng(seed).spawn(3)
    sources = {regime: _Source(sources_rng) for regime in (*sorted({*TURNS, *known}), NEW)}
    lengths = [n_rows_per_visit] * (1 + len(turns)) + [n_rows_stay]
    firsts = np.cumsum([0, *lengths[:-1]]).tolist()
    visits = [Visit(*each) for each in zip((MIXED, *turns, NEW), firsts, lengths, strict=True)]
    mixed = order_rng.choice(known, size=n_rows_per_visit)
    names = np.concatenate([mixed, *(np.full(visit.n_rows, visit.regime) for visit in visits[1:])]).astype(object)
    rows = np.empty((len(names), len(COLUMNS)), dtype=object)
    for regime, source in sources.items():
        here = names == regime
        rows[here] = source.draw(int(here.sum()), rows_rng)
    return RegimeStream(rows, names, visits)


class _Source:
    """Means, loadings and shares of labels of one regime."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.means = rng.normal(size=N_NUMBERS)
        self.loadings = rng.normal(scale=0.7, size=(N_FACTORS, N_NUMBERS))
        self.label_shares = rng.dirichlet(np.full(len(LABELS), 0.5), size=N_CATEGORIES)

    def draw(self, n_rows: int, rng: np.random.Generator) -> Objects:
        factors = rng.normal(size=(n_rows, N_FACTORS))
        numbers = self.means + factors @ self.loadings + 0.3 * rng.normal(size=(n_rows, N_NUMBERS))
        rows = np.empty((n_rows, len(COLUMNS)), dtype=object)
        rows[:, :N_NUMBERS] = numbers.round(4)
        for index, shares in enumerate(self.label_shares):
            rows[:, N_NUMBERS + index] = rng.choice(np.array(LABELS, dtype=object), size=n_rows, p=shares)
        return rows
