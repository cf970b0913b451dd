"""What a detector says about rows: scores, p-values, explanations, dreams, filled cells. Nothing here changes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import gen_batches

from genreplay.core import rbm as rbm_module
from genreplay.core.kernels import Array
from genreplay.estimators import calibration as calibrations
from genreplay.estimators import filling, frames
from genreplay.estimators.calibration import Calibration, Float64
from genreplay.estimators.frames import Library
from genreplay.estimators.online_rbm import OnlineRBM
from genreplay.estimators.rows import ROWS_PER_BLOCK
from genreplay.streams.encoder import TableEncoder
from genreplay.streams.table import check_columns, read_table

if TYPE_CHECKING:
    RandomState = int | np.random.RandomState | None


class DetectorBytes(NamedTuple):
    """Bytes that a detector holds, whatever the length of its stream."""

    codes: int
    """codes of the columns; during the warm-up, the rows that wait for them"""
    model: int
    """parameters and their velocities, and averaged ones if there are any"""
    batch: int
    """waiting rows and work space"""
    dreams: int
    """the chains and their free energies"""
    replay: int
    """the past: a pool of dreams, or stored rows; nothing if dreams are generated when needed"""

    @property
    def total(self) -> int:
        return sum(self)


class JudgingMixin:
    """What can be asked of a detector that has learned: a part of ``OnlineRBMDetector``."""

    encoder_: TableEncoder
    rbm_: OnlineRBM
    calibration_: Calibration | None
    n_features_in_: int
    offset_: float
    _library: Library | None = None
    """library of the data frame that the first rows came in"""

    @property
    def is_ready_(self) -> bool:
        return getattr(self, "calibration_", None) is not None

    @property
    def n_updates_(self) -> int:
        return self.rbm_.n_updates_

    @property
    def n_learned_(self) -> int:
        return self.rbm_.state_.n_learned

    @property
    def n_waiting_(self) -> int:
        return self.rbm_.state_.n_waiting + self.encoder_.n_waiting_

    @property
    def n_rows_seen_(self) -> int:
        return self.n_learned_ + self.n_waiting_

    @property
    def nbytes(self) -> DetectorBytes:
        """Bytes held, in parts; ``nbytes.total`` is their sum. It does not grow with the stream."""
        self._require_rows()
        held = self.rbm_.nbytes
        judging = 0 if self.calibration_ is None else self.calibration_.nbytes
        return DetectorBytes(
            codes=self.encoder_.nbytes,
            model=held.parameters + held.velocities + held.average,
            batch=held.batch + held.work,
            dreams=held.chains + judging,
            replay=held.replay,
        )

    def free_energy(self, X: object) -> Float64:
        """Return F(v) of each row's bits; high where the model does not expect rows."""
        return self._by_block(calibrations.energy, X)

    def score_samples(self, X: object) -> Float64:
        """Return how usual rows are, in nats: the mean free energy of the dreams minus the row's. High = usual."""
        return self._judge().mean - self.free_energy(X)

    def decision_function(self, X: object) -> Float64:
        """Return ``score_samples`` minus ``offset_``: negative for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: object) -> npt.NDArray[np.int64]:
        """Return -1 for outliers and 1 for other rows."""
        return np.where(self.decision_function(X) < 0, -1, 1)

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
        return calibrations.surprise(self._judge(), self.free_energy(X))

    def surprise_one(self, row: Sequence[object]) -> float:
        """Return how surprising one row of cells is: ``surprise`` without the checks of a table, for speed."""
        judge = self._judge()
        bits = self.encoder_.transform_one(row)[np.newaxis]
        return float(calibrations.surprise(judge, calibrations.energy(judge, bits))[0])

    def p_values(self, X: object) -> Float64:
        """Return, for each row, how often a usual row would be as surprising: small for anomalies.

        It is the share of the model's dreams with a higher free energy, with an exponential tail beyond the highest,
        stretched so that one in ten of the new rows has less than 1/10, and one in fifty less than 1/50.

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

    def explain(self, X: object) -> Any:
        """Return how much each column adds to a row's surprise, in nats, shape (n_rows, n_columns).

        For each bit it is -log P(bit | all others), which needs no log Z, summed over the bits of a column. A pandas or
        polars data frame gives a data frame with the names of its columns, anything else an array.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMDetector
        >>> rows = np.random.default_rng(0).normal(size=(5000, 3))
        >>> OnlineRBMDetector(random_state=0).fit(rows).explain([[0, 99, 0]]).argmax(axis=1)
        array([1])
        """
        surprise = self._by_block(lambda judge, bits: rbm_module.bit_surprise(judge.rbm, bits), X)
        _, first_bits = np.unique(self.encoder_.column_of_bit_, return_index=True)
        nats = self.encoder_.blame(X, np.add.reduceat(surprise, first_bits, axis=1))
        library = frames.library_of(X)
        return nats if library is None else frames.frame(library, nats, self.encoder_.column_names_, X)

    @property
    def dreams_(self) -> Array:
        """The model's current dreams, rows of bits: the states of its persistent chains."""
        self._judge()
        assert self.rbm_.state_.chains is not None
        return self.rbm_.state_.chains

    def sample(self, n_samples: int = 1, *, n_gibbs: int = 100, random_state: RandomState = None) -> Any:
        """Return dreams as rows of the table: Gibbs chains that continue the model's own for ``n_gibbs`` steps.

        The last step draws exactly one label for each categorical column. A model that learned its first rows from a
        pandas or polars data frame returns such a frame, others an array.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM, OnlineRBMDetector
        >>> from genreplay.core import TABLES
        >>> rows = np.array([["wet", 12.5], ["dry", 25.0]] * 2000, dtype=object)
        >>> rbm = OnlineRBM(32, recipe=TABLES.replace(n_epochs=10, learning_rate=0.05))
        >>> model = OnlineRBMDetector(rbm=rbm, random_state=0).fit(rows)
        >>> model.sample(100).shape, sorted(set(model.sample(100)[:, 0]))
        ((100, 2), ['dry', 'wet'])
        """
        dreams, rbm, rng = self.dreams_, self.rbm_.state_.model, self.rbm_._side_generator(random_state)
        v = rbm_module.gibbs(rbm, dreams[rng.integers(len(dreams), size=n_samples)], n_gibbs - 1, rng)
        h = rbm_module.bernoulli(rbm_module.hidden_given_visible(rbm, v), rng)
        rows = self.encoder_.draw(rbm_module.visible_given_hidden(rbm, h), rng)
        library = self._library
        return rows if library is None else frames.frame(library, rows, self.encoder_.column_names_)

    def impute(
        self,
        X: object,
        *,
        columns: Sequence[str | int] | None = None,
        n_gibbs: int = 200,
        random_state: RandomState = None,
    ) -> Any:
        """Fill the missing cells of X given the other cells of their rows; the others are returned unchanged.

        Each becomes the value that its bits, averaged over the second half of a chain of ``n_gibbs`` steps, stand for.
        A cell stays empty where the model expects that: where its column's unknown bit, given the other cells of the
        row, is more likely on than off. ``columns``, names or indices, are those to fill; None for all. A pandas or
        polars data frame gives a data frame with the same columns and index, anything else an array of objects.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM, OnlineRBMDetector
        >>> from genreplay.core import TABLES
        >>> rows = np.array([["wet", "rain"], ["dry", "sun"]] * 2000, dtype=object)
        >>> rbm = OnlineRBM(32, recipe=TABLES.replace(n_epochs=10, learning_rate=0.05))
        >>> OnlineRBMDetector(rbm=rbm, random_state=0).fit(rows).impute([["wet", None]]).tolist()
        [['wet', 'rain']]
        """
        self._judge()
        rng, rbm = self.rbm_._side_generator(random_state), self.rbm_.state_.model
        wanted = filling.columns_to_fill(columns, self.encoder_.column_names_)
        bits = self.encoder_.transform_partly(X)
        cells, filled = filling.fill(self.encoder_, rbm, bits, wanted, n_gibbs, rng)
        if frames.library_of(X) is not None:
            return frames.with_cells(X, cells, filled)
        rows = np.array([column.astype(object) for column in read_table(X).columns], dtype=object).T
        rows[filled] = cells[filled]
        return rows

    def _by_block(self, function: Callable[[Calibration, Array], Float64], X: object) -> Float64:
        """Apply a function to some rows of bits at a time."""
        judge, bits = self._judge(), self._bits(X)
        return np.concatenate([function(judge, bits[block]) for block in gen_batches(len(bits), ROWS_PER_BLOCK)])

    def _bits(self, X: object) -> Array:
        table = read_table(X)
        check_columns(cast("BaseEstimator", self), X)
        return self.encoder_.transform_table(table)

    def _judge(self) -> Calibration:
        """The calibration that rows are judged by; an error if nothing has been learned."""
        if not self.is_ready_:
            seen = self.n_rows_seen_ if hasattr(self, "encoder_") else 0
            raise NotFittedError(
                f"This {type(self).__name__} has learned nothing yet ({seen} rows seen; it needs those of its warm-up "
                "and a full batch): give it more rows with partial_fit, or call flush, or fit."
            )
        assert self.calibration_ is not None
        return self.calibration_

    def _require_rows(self) -> None:
        if not hasattr(self, "encoder_"):
            raise NotFittedError(f"This {type(self).__name__} has seen no rows: call fit or partial_fit first.")
