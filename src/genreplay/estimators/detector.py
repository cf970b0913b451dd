"""Anomaly detection on a stream of table rows: an encoder, a model that learns online, p-values that follow it."""

from __future__ import annotations

import math
from numbers import Integral, Real
from operator import is_
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import OutlierMixin, _fit_context, clone
from sklearn.utils._param_validation import Interval, StrOptions

from genreplay.core.grouped import TableRBM
from genreplay.estimators import frames
from genreplay.estimators.calibration import Float64
from genreplay.estimators.deviations import Deviations
from genreplay.estimators.drift import RESPONSES
from genreplay.estimators.params import NestedParams
from genreplay.estimators.plain_detector import Detector, OnDrift
from genreplay.estimators.seeds import RandomState
from genreplay.streams.coder import TableCoder
from genreplay.streams.codes import Bools
from genreplay.streams.columns import Objects
from genreplay.streams.encoder import TableEncoder
from genreplay.streams.features import TableFeatures
from genreplay.streams.series import SeriesEncoder


class OnlineRBMDetector(OutlierMixin, TableFeatures, NestedParams, Detector):  # type: ignore[misc]
    """Find unusual rows in a stream, in fixed memory, without storing rows.

    An encoder turns the cells of a table (numbers, categories, booleans, times, missing cells) into codes, and an RBM
    learns online how likely each cell is, given the rest of its row. Beside each batch it rehearses its own dreams.
    A row is unusual if its cells are rare, or do not go together, or if a single cell is not what the others let one
    expect. Its p-value says how often a usual row would be as strange: see ``p_values``. Unusual rows teach less.
    When a column leaves its range for good, the codes are made anew, and dreams tell the new model of the past.

    Parameters
    ----------
    encoder : TableEncoder or None, default=None
        Turns rows into codes; None for ``TableEncoder()``.
    rbm : TableRBM or None, default=None
        How the model learns; None for ``TableRBM()``.
    contamination : float, default=0.01
        Threshold of ``predict``. In a stream, whose length is not known in advance, it is this p-value. ``fit`` sets
        the threshold so that this share of X lies beyond it, as scikit-learn's own detectors do.
    warm_up : int or None, default=None
        First rows of a stream, which fix the codes of the columns. They wait until then, and are learned after. None
        for the encoder's own number, 500.
    on_drift : str, default="nothing"
        What to do when new rows no longer fit: "nothing"; or, for 20 updates, three times the learning rate ("faster"),
        or a quarter of the rehearsed rows ("fewer-dreams").
    alarms : Deviations or None, default=None
        For a series, whose rows come in the order of their times: when a row raises an alarm, given those before it.
        ``learn_scored`` then returns the anomaly of ``Deviations``, and all rows teach alike. See ``series_detector``.
    random_state : int, RandomState instance or None, default=None
        Seed of everything random. The same seed and stream give the same model, however the stream is cut.

    Attributes
    ----------
    encoder_ : TableEncoder
        Turns rows into codes.
    judge_ : Judge
        The model, and what was tracked of the stream's surprise; None before anything is learned.
    drift_ : PageTest
        How well new rows fit; ``drift_.n_drifts`` counts drifts.
    n_renewals_ : int
        How often the codes were made anew. ``renewed_columns_`` names the columns that were the reason, the last time,
        and ``renewed_after_`` says how many rows had been learned then.
    settings_ : TableRBM
        How the next update learns: ``rbm``, or what the response to a drift makes of it.
    dreams_ : ndarray of shape (n_dreams, n_groups)
        The dreams that the model rehearses, as codes.
    offset_ : float
        Threshold on ``score_samples``.
    is_ready_ : bool
        Whether anything has been learned, so that rows can be scored.
    n_rows_seen_, n_learned_, n_waiting_, n_updates_ : int
        Rows observed, those learned and those that wait; updates made.
    n_features_in_ : int
        Columns seen at the first fit.
    feature_names_in_ : ndarray of str
        Their names, if they all have one.

    Examples
    --------
    >>> import numpy as np
    >>> from genreplay import OnlineRBMDetector
    >>> rng = np.random.default_rng(0)
    >>> usual = rng.normal(size=(5000, 4))
    >>> detector = OnlineRBMDetector(random_state=0)
    >>> for chunk in np.split(usual, 50):
    ...     detector = detector.partial_fit(chunk)
    >>> detector.predict([[0, 0, 0, 0], [9, -9, 9, -9]])
    array([ 1, -1])
    """

    _parameter_constraints: dict[str, list[object]] = {  # noqa: RUF012 (scikit-learn's own way)
        "encoder": [TableEncoder, None],
        "rbm": [TableRBM, None],
        "contamination": [Interval(Real, 0, 0.5, closed="right")],
        "warm_up": [Interval(Integral, 1, None, closed="left"), None],
        "on_drift": [StrOptions(set(RESPONSES))],
        "alarms": [Deviations, None],
        "random_state": ["random_state"],
    }

    encoder: TableEncoder | None
    encoder_: TableEncoder
    _encoders: ClassVar = {"TableEncoder": TableEncoder, "SeriesEncoder": SeriesEncoder}
    _checked: tuple[object, ...] | None = None
    """arguments that were found valid last: checking them takes as long as several rows"""

    def __init__(
        self,
        encoder: TableEncoder | None = None,
        rbm: TableRBM | None = None,
        *,
        contamination: float = 0.01,
        warm_up: int | None = None,
        on_drift: OnDrift = "nothing",
        alarms: Deviations | None = None,
        random_state: RandomState = None,
    ) -> None:
        super().__init__(
            encoder,
            rbm,
            contamination=contamination,
            warm_up=warm_up,
            on_drift=on_drift,
            alarms=alarms,
            random_state=random_state,
        )

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(self, X: object, y: object = None) -> Self:
        """Start anew: make the codes from X, and learn its rows once, in their order, all of them."""
        encoder, table = self._new_encoder().fit(X), self._read(X)
        self._start(encoder, X)
        self._begin_learning(table.head(encoder.warm_up))
        self._learn(table.part(encoder.warm_up))
        self.flush()
        scores = self.score_samples(X)
        threshold = np.percentile(scores, 100 * self.contamination)
        # many rows may have equal scores: if no row is below the threshold, those on it are the outliers
        self._threshold = float(threshold if scores.min() < threshold else np.nextafter(threshold, np.inf))
        return self

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: object, y: object = None) -> Self:
        """Learn any number of further rows; an update fires each time the model's batch is full.

        The settings of ``rbm`` may change between two calls, but not ``n_hidden`` and ``replay``. The codes cannot
        change.
        """
        self.learn_scored(X)
        return self

    def score_samples(self, X: object) -> Float64:
        """Return how usual rows are: the logarithm of their p-values, which is ``-surprise``. High = usual."""
        return -self.surprise(X)

    def decision_function(self, X: object) -> Float64:
        """Return ``score_samples`` minus ``offset_``: negative for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: object) -> npt.NDArray[np.int64]:
        """Return -1 for outliers and 1 for other rows."""
        return np.where(self.decision_function(X) < 0, -1, 1)

    @property
    def offset_(self) -> float:
        if self._threshold is not None:
            return self._threshold
        self._judge()
        return math.log(float(self.contamination))

    def _check_arguments(self) -> None:
        given = tuple(getattr(self, name) for name in self._parameter_constraints)
        if self._checked is None or not all(map(is_, given, self._checked)):
            self._validate_params()
            self._checked = given

    def _copy_of(self, encoder: TableCoder) -> TableCoder:
        copied: TableCoder = clone(encoder)
        return copied

    def _start(self, encoder: TableCoder, X: object) -> None:
        super()._start(encoder, X)
        self._library = frames.library_of(X)

    def _framed(self, values: Float64, X: object) -> Any:
        library = frames.library_of(X)
        return values if library is None else frames.frame(library, values, self.encoder_.column_names_, X)

    def _framed_as_first(self, rows: Objects | Float64) -> Any:
        library = self._library
        return rows if library is None else frames.frame(library, rows, self.encoder_.column_names_)

    def _with_cells(self, X: object, cells: Objects, filled: Bools) -> Any:
        if frames.library_of(X) is None:
            return super()._with_cells(X, cells, filled)
        return frames.with_cells(X, cells, filled)

    def __sklearn_is_fitted__(self) -> bool:
        return self.is_ready_
