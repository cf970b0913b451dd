"""What a detector says about rows: scores, p-values, explanations, dreams, filled cells. Nothing here changes it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from genreplay.core.kernels.arrays import Codes
from genreplay.estimators import filling
from genreplay.estimators.blocks import ROWS_PER_BLOCK, slices
from genreplay.estimators.calibration import Float64, Scale
from genreplay.estimators.judge import Judge, cell_surprise
from genreplay.estimators.renewal import dreamed
from genreplay.estimators.seeds import RandomState, generator
from genreplay.estimators.waiting import Waiting
from genreplay.streams.coder import TableCoder
from genreplay.streams.codes import Bools
from genreplay.streams.columns import Objects
from genreplay.streams.table import TakesTables

_N_JUDGING = 2_000
"""dreams that cells are judged by"""


class DetectorBytes(NamedTuple):
    """Bytes that a detector holds, whatever the length of its stream."""

    codes: int
    """codes of the columns; during the warm-up, the rows that wait for them"""
    model: int
    """parameters, their moments, and the shares of the codes"""
    batch: int
    """waiting rows"""
    judge: int
    """what is tracked of the stream's surprise"""
    replay: int
    """what is rehearsed: dreams, or stored rows"""

    @property
    def total(self) -> int:
        return sum(self)


class JudgingMixin(TakesTables):
    """What can be asked of a detector that has learned: a part of ``Detector``."""

    encoder_: TableCoder
    judge_: Judge | None
    random_state: RandomState
    _waiting: Waiting
    _means: filling.Means
    _rng: np.random.Generator

    @property
    def is_ready_(self) -> bool:
        return getattr(self, "judge_", None) is not None

    @property
    def n_updates_(self) -> int:
        return 0 if self.judge_ is None else self.judge_.state.n_updates

    @property
    def n_learned_(self) -> int:
        return 0 if self.judge_ is None else self.judge_.state.n_learned

    @property
    def n_waiting_(self) -> int:
        return self._waiting.n + self.encoder_.n_waiting_

    @property
    def n_rows_seen_(self) -> int:
        return self.n_learned_ + self.n_waiting_

    @property
    def nbytes(self) -> DetectorBytes:
        """Bytes held, in parts; ``nbytes.total`` is their sum. It does not grow with the stream."""
        self._require_rows()
        judge = self.judge_
        return DetectorBytes(
            codes=self.encoder_.nbytes + (0 if judge is None else self._means.nbytes),
            model=0 if judge is None else judge.state.nbytes,
            batch=0 if judge is None else self._waiting.nbytes(judge.state.n_groups),
            judge=0 if judge is None else judge.nbytes,
            replay=0 if judge is None else judge.state.rehearsed.nbytes,
        )

    @property
    def code_counts_(self) -> Float64:
        """How many rows had each code of each group, side by side, since the codes were made."""
        self._judge()
        return self._means.counts - 1

    def surprise(self, X: object) -> Float64:
        """Return how surprising rows are, in nats: -log of their p-values. High = anomalous.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMDetector
        >>> rows = np.random.default_rng(0).normal(size=(5000, 4))
        >>> usual, strange = OnlineRBMDetector(random_state=0).fit(rows).surprise([[0, 0, 0, 0], [9, -9, 9, -9]])
        >>> bool(usual < 2.3), bool(strange > 6.9)
        (True, True)
        """
        return self._by_block(lambda judge, rows: judge.nats(rows, cell_surprise(judge.state, rows)), X)

    def p_values(self, X: object) -> Float64:
        """Return, for each row, how often a usual row would be as surprising: small for anomalies.

        Two scores go into it. One is of the whole row: how rare its codes and those of its combinations are, and how
        little its cells go together. The other is of its most surprising cell, given the rest, less what is usual in
        that column. Each becomes the share of the stream's rows with a higher score, and so do both joined.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMDetector
        >>> rows = np.random.default_rng(0).normal(size=(5000, 4))
        >>> usual, strange = OnlineRBMDetector(random_state=0).fit(rows).p_values([[0, 0, 0, 0], [9, -9, 9, -9]])
        >>> bool(usual > 0.1), bool(strange < 0.001)
        (True, True)
        """
        return np.exp(-self.surprise(X))

    def column_p_values(self, X: object) -> Any:
        """Return, for each cell, how often a dream's cell would be as surprising, given the rest of its row.

        Shape (n_rows, n_columns); a pandas or polars data frame gives a data frame. A time has 1: it explains other
        cells, but is no anomaly itself.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMDetector
        >>> rows = np.random.default_rng(0).normal(size=(5000, 3))
        >>> p = OnlineRBMDetector(random_state=0).fit(rows).column_p_values([[0, 99, 0]])[0]
        >>> bool(p[1] < 0.001 < 0.05 < p[0])
        True
        """
        judge = self._judge()
        dreams = cell_surprise(judge.state, dreamed(judge.state, _N_JUDGING, 1, generator(0)))
        scales = [Scale.of(column) for column in dreams.T]

        def nats(judge: Judge, rows: Codes) -> Float64:
            cells = cell_surprise(judge.state, rows)
            by_group = np.stack([scale.nats(column) for scale, column in zip(scales, cells.T, strict=True)], axis=1)
            return np.where(judge.judged, by_group, 0.0)

        return self._framed(np.exp(-self._by_column(self._by_block(nats, X))), X)

    def explain(self, X: object) -> Any:
        """Return how much more surprising each cell is than its column's usual ones, in nats, (n_rows, n_columns).

        The surprise of a cell is -log of its probability given the rest of its row, which is exact. A time has 0: it
        explains other cells, but is no anomaly itself. A pandas or polars data frame gives a data frame with the names
        of its columns, anything else an array.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMDetector
        >>> rows = np.random.default_rng(0).normal(size=(5000, 3))
        >>> OnlineRBMDetector(random_state=0).fit(rows).explain([[0, 99, 0]]).argmax(axis=1)
        array([1])
        """
        nats = self._by_block(lambda judge, rows: self._more_than_usual(judge, cell_surprise(judge.state, rows)), X)
        return self._framed(self._by_column(nats), X)

    @staticmethod
    def _more_than_usual(judge: Judge, cells: Float64) -> Float64:
        """How much more surprising the cells of rows are than those of their groups usually are."""
        return np.where(judge.judged, cells - judge.usual, 0.0)

    def _by_column(self, by_group: Float64) -> Float64:
        """Sums over the groups of each column: a time has two of them."""
        columns = self.encoder_.column_of_group_
        firsts = np.searchsorted(columns[columns >= 0], np.arange(self.n_features_in_))
        return np.asarray(np.add.reduceat(by_group, firsts, axis=1))

    def _framed(self, values: Float64, X: object) -> Any:
        """Values of the cells of X, in the form of X."""
        return values

    @property
    def dreams_(self) -> Codes:
        """What the model rehearses, rows of codes: its dreams, unless it stores rows or rehearses nothing."""
        return self._judge().state.rehearsed

    def sample(self, n_samples: int = 1, *, n_gibbs: int = 100, random_state: RandomState = None) -> Any:
        """Return dreams as rows of the table: Gibbs chains that continue the model's own for ``n_gibbs`` steps.

        Numbers are drawn from the interval of their code, between the quartiles of the warm-up. A model that learned
        its first rows from a pandas or polars data frame returns such a frame, others an array.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMDetector
        >>> rows = np.array([["wet", 12.5], ["dry", 25.0]] * 1000, dtype=object)
        >>> model = OnlineRBMDetector(random_state=0).fit(rows)
        >>> model.sample(100).shape, sorted(set(model.sample(100)[:, 0]))
        ((100, 2), ['dry', 'wet'])
        """
        rng = self._side_generator(random_state)
        return self._framed_as_first(self.encoder_.draw(dreamed(self._judge().state, n_samples, n_gibbs, rng), rng))

    def _framed_as_first(self, rows: Objects | Float64) -> Any:
        """Rows in the form in which the first ones came."""
        return rows

    def impute(
        self,
        X: object,
        *,
        columns: Sequence[str | int] | None = None,
        n_gibbs: int = 40,
        random_state: RandomState = None,
    ) -> Any:
        """Fill the missing cells of X given the other cells of their rows; the others are returned unchanged.

        A number becomes its expected value, rounded in a column of whole numbers, anything else what is likeliest, by a
        Gibbs chain of ``n_gibbs`` steps over the missing cells of the row. A cell stays empty where the model expects
        that: where "missing" is more likely than all values together. ``columns``, names or indices, are those to fill;
        None for all. A pandas or polars data frame gives a data frame with the same columns and index, anything else an
        array of objects.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMDetector
        >>> rows = np.array([["wet", "rain"], ["dry", "sun"]] * 1000, dtype=object)
        >>> OnlineRBMDetector(random_state=0).fit(rows).impute([["wet", None]]).tolist()
        [['wet', 'rain']]
        """
        judge, rng = self._judge(), self._side_generator(random_state)
        wanted = filling.columns_to_fill(columns, self.encoder_.column_names_)
        cells, filled = filling.fill(self.encoder_, self._means, judge.state, self._codes(X), wanted, n_gibbs, rng)
        return self._with_cells(X, cells, filled)

    def _with_cells(self, X: object, cells: Objects, filled: Bools) -> Any:
        """X with some of its cells replaced."""
        rows = np.array([column.astype(object) for column in self._read(X).columns], dtype=object).T
        rows[filled] = cells[filled]
        return rows

    def _side_generator(self, random_state: RandomState) -> np.random.Generator:
        """A generator that leaves that of the model as it is."""
        return copy.deepcopy(self._rng) if random_state is None else generator(random_state)

    def _by_block(self, function: Callable[[Judge, Codes], Float64], X: object) -> Float64:
        """Apply a function to some rows of codes at a time."""
        judge, rows = self._judge(), self._codes(X)
        return np.concatenate([function(judge, rows[block]) for block in slices(len(rows), ROWS_PER_BLOCK)])

    def _codes(self, X: object) -> Codes:
        return self._codes_and_numbers(X)[0]

    def _codes_and_numbers(self, X: object) -> tuple[Codes, Float64]:
        return self.encoder_.codes_and_numbers(self._read_further(X))

    def _judge(self) -> Judge:
        """What rows are judged by; an error if nothing has been learned."""
        if not self.is_ready_:
            seen = self.n_rows_seen_ if hasattr(self, "encoder_") else 0
            raise self._not_ready(
                f"This {type(self).__name__} has learned nothing yet ({seen} rows seen; it needs those of its warm-up)"
                ": give it more rows with partial_fit, or call flush, or fit."
            )
        assert self.judge_ is not None
        return self.judge_

    def _require_rows(self) -> None:
        if not hasattr(self, "encoder_"):
            raise self._not_ready(f"This {type(self).__name__} has seen no rows: call fit or partial_fit first.")
