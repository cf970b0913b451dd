"""Anomaly detection on a stream of table rows: an encoder, a model that learns online, p-values that follow it."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from copy import copy
from numbers import Integral, Real
from operator import is_
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
from sklearn.base import OutlierMixin, _fit_context, clone
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from genreplay.core.grouped import TableRBM, learner
from genreplay.core.ingredient import Json
from genreplay.core.kernels.arrays import Codes
from genreplay.estimators import drift, frames, saving
from genreplay.estimators.calibration import Float64
from genreplay.estimators.density import generator
from genreplay.estimators.deviations import Deviations
from genreplay.estimators.drift import N_RESPONDING, RESPONSES, PageTest
from genreplay.estimators.filling import Means
from genreplay.estimators.judge import cell_surprise
from genreplay.estimators.one_row import OneRowMixin
from genreplay.estimators.params import NestedParams
from genreplay.estimators.renewal import Renewal, first_judge, renewed
from genreplay.estimators.waiting import Waiting
from genreplay.streams.encoder import TableEncoder
from genreplay.streams.table import Table, check_columns, read_table

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from genreplay.estimators.judging import RandomState

OnDrift = Literal["nothing", "faster", "fewer-dreams"]


class OnlineRBMDetector(OneRowMixin, OutlierMixin, NestedParams):  # type: ignore[misc]
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

    drift_: PageTest
    extra_: dict[str, Json]
    """what the caller of ``save`` added to the file"""
    n_renewals_: int
    renewed_columns_: list[str]
    renewed_after_: int
    _settings: TableRBM
    _rng: np.random.Generator
    _waiting: Waiting
    _renewal: Renewal
    _threshold: float | None
    _checked: tuple[object, ...] | None = None
    """arguments that were found valid last: checking them takes as long as several rows"""
    _n_responding: int
    """updates left of the response to the last drift"""

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
        self.encoder = encoder
        self.rbm = rbm
        self.contamination = contamination
        self.warm_up = warm_up
        self.on_drift = on_drift
        self.alarms = alarms
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(self, X: object, y: object = None) -> Self:
        """Start anew: make the codes from X, and learn its rows once, in their order, all of them."""
        encoder, table = self._new_encoder().fit(X), read_table(X)
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

    def learn_scored(self, X: object) -> Float64:
        """Learn rows, and return how surprising each was before it was learned: -log of its p-value, in nats.

        With ``alarms``, return the anomaly of each row instead. The rows of the warm-up have NaN. However a stream is
        cut, the values are the same.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMDetector
        >>> rows = np.random.default_rng(0).normal(size=(1000, 3))
        >>> surprise = OnlineRBMDetector(random_state=0).learn_scored(rows)
        >>> int(np.isnan(surprise).sum()), surprise.shape
        (500, (1000,))
        """
        if hasattr(self, "encoder_"):
            self._follow_changes()
        else:
            self._validate_params()
            self._start(self._new_encoder(), X)
        self._threshold = None
        encoder, table = self.encoder_, read_table(X)
        check_columns(self, X)
        if encoder.frozen_:
            return self._learn(table)
        n_head = min(encoder.warm_up - encoder.n_waiting_, table.n_rows)
        if encoder.n_waiting_ + n_head < encoder.warm_up:
            encoder.partial_fit(X)
            return np.full(table.n_rows, np.nan)
        earlier = encoder.collected_.reshape(encoder.n_waiting_, self.n_features_in_)
        encoder = copy(encoder).partial_fit(X)
        encoder.codes(table)  # if a cell is refused here, the encoder is still in its warm-up
        self.encoder_ = encoder
        self._begin_learning(*([Table(earlier)] if len(earlier) else []), table.head(n_head))
        return np.concatenate([np.full(n_head, np.nan), self._learn(table.part(n_head))])

    def flush(self) -> Self:
        """Learn the rows that wait although they are fewer than a batch; end the warm-up if that is what they wait for.

        For the end of a stream. Rows that come later are learned as usual.

        Examples
        --------
        >>> from genreplay import OnlineRBMDetector
        >>> detector = OnlineRBMDetector(random_state=0).partial_fit([[1.5, "red"], [2.5, "blue"], [1.6, "red"]])
        >>> detector.is_ready_, detector.flush().is_ready_
        (False, True)
        """
        self._require_rows()
        self._follow_changes()
        if not self.encoder_.frozen_:
            rows = Table(self.encoder_.collected_)
            self.encoder_.freeze()
            self._begin_learning(rows)
        if self._waiting.n:
            self._update(self._waiting.n)
        return self

    def _new_encoder(self) -> TableEncoder:
        encoder: TableEncoder = TableEncoder() if self.encoder is None else clone(self.encoder)
        return encoder if self.warm_up is None else encoder.set_params(warm_up=self.warm_up)

    def _new_settings(self) -> TableRBM:
        return TableRBM() if self.rbm is None else self.rbm

    def _start(self, encoder: TableEncoder, X: object) -> None:
        """Forget everything."""
        validate_data(self, X, reset=True, skip_check_array=True)
        self.encoder_, self.judge_, self.drift_ = encoder, None, PageTest()
        self._settings, self._rng = self._new_settings(), generator(self.random_state)
        self._policy, self._running = self.alarms, None
        self._waiting, self._renewal = Waiting(), Renewal(np.zeros(self.n_features_in_))
        self.n_renewals_, self.renewed_columns_, self.renewed_after_ = 0, [], 0
        self.extra_, self._threshold, self._n_responding, self._last = {}, None, 0, None
        self._library = frames.library_of(X)

    def _follow_changes(self) -> None:
        """Arguments may change between two calls, but not codes that are made, nor what the model started with."""
        given = tuple(getattr(self, name) for name in self._parameter_constraints)
        if self._checked is None or not all(map(is_, given, self._checked)):
            self._validate_params()
            self._checked = given
        encoder = TableEncoder() if self.encoder is None else self.encoder
        warm_up = {} if self.warm_up is None else {"warm_up": int(self.warm_up)}
        same_kind = type(encoder) is type(self.encoder_)
        if not same_kind or {**encoder.settings(), **warm_up} != self.encoder_.settings():
            encoder = self._new_encoder()
            if not same_kind or self.encoder_.frozen_ or encoder.warm_up != self.encoder_.warm_up:
                raise ValueError(
                    f"{type(self).__name__} cannot change its warm_up, nor its encoder after the warm-up: set them "
                    "back, or call fit to start anew."
                )
            self.encoder_.set_params(**encoder.get_params())
        wanted, held = self._new_settings(), self._settings
        if self.judge_ is not None and (wanted.n_hidden, wanted.replay) != (held.n_hidden, held.replay):
            raise ValueError(
                f"{type(self).__name__} cannot change n_hidden or replay of its rbm after the warm-up: set them back, "
                "or call fit to start anew."
            )
        self._follow_policy()
        self._settings = wanted

    def _begin_learning(self, *tables: Table) -> None:
        """Make the model once the codes are made, from the rows of the warm-up."""
        read = [self.encoder_.codes_and_numbers(table) for table in tables]
        codes, numbers = (np.concatenate(each) for each in zip(*read, strict=True))
        self.judge_ = first_judge(self._settings, self.encoder_, codes, self._rng)
        self._means = Means(self.encoder_)
        self._means.add(codes, numbers)
        self._begin_alarms(codes, numbers)

    def _learn(self, table: Table) -> Float64:
        """Score and learn, batch by batch: each row is scored by the model that had all full batches before it."""
        nats = np.empty(table.n_rows)
        if table.n_rows == 0:
            return nats
        (codes, numbers), n_coded, start = self.encoder_.codes_and_numbers(table), 0, 0
        while start < table.n_rows:
            if self._update_if_full():
                (codes, numbers), n_coded = self.encoder_.codes_and_numbers(table.part(start)), start
            stop = min(start + self._settings.batch_size - self._waiting.n, table.n_rows)
            here = slice(start - n_coded, stop - n_coded)
            rows = codes[here]
            cells = self._cells_of(rows)
            scores = self._judge().scores(rows, cells)
            anomaly = self._anomaly(rows, cells, numbers[here])
            nats[start:stop] = scores.nats if anomaly is None else anomaly
            if self._renewal.rows is not None:
                self._renewal = self._renewal.with_rows(table.part(start, stop), self.encoder_)
            self._waiting.add(rows.copy(), cells, scores)
            self._means.add(rows, numbers[here])
            start = stop
        self._update_if_full()
        return nats

    def _cells_of(self, rows: Codes) -> Float64:
        return cell_surprise(self._judge().state, rows)

    def _update_if_full(self) -> bool:
        """Update while a batch waits, again if the batch size was lowered. Return whether the codes are new."""
        n_renewals = self.n_renewals_
        while self._waiting.n >= self._settings.batch_size:
            self._update(self._settings.batch_size)
        return self.n_renewals_ > n_renewals

    def _update(self, n_rows: int) -> None:
        """One update, and what follows from it: a test of whether the rows still fit, and new codes if they do not."""
        judge, encoder = self._judge(), self.encoder_
        (rows, cells, known), later = self._waiting.split(n_rows)
        scores = known or judge.scores(rows, cells)
        nats = scores.nats
        test = drift.follow(self.drift_, float(np.minimum(nats, 10).mean()))
        n_responding = N_RESPONDING if test.n_drifts > self.drift_.n_drifts else max(self._n_responding - 1, 0)
        state = learner.update(judge.state, self.settings_, rows, self._teaching(nats))
        judge = judge.followed(scores, cells, state)
        renewal = self._renewal.followed(encoder.outside(rows), encoder.column_names_)
        if renewal.rows is not None and renewal.rows.n_rows >= encoder.warm_up and len(later) == 0:
            encoder, judge = renewed(self._settings, encoder, state, renewal.rows)
            self._means = Means(encoder)
            self._means.add(*encoder.codes_and_numbers(Table(renewal.rows.cells)))
            self.n_renewals_ += 1
            self.renewed_columns_ = [encoder.column_names_[column] for column in renewal.columns]
            self.renewed_after_ = state.n_learned
            renewal = Renewal(np.zeros(self.n_features_in_))
        waiting = Waiting().add(later, cell_surprise(state, later)) if len(later) else Waiting()
        self.encoder_, self.judge_, self._waiting, self._renewal = encoder, judge, waiting, renewal
        self.drift_, self._n_responding, self._last = test, n_responding, None

    def save(self, path: str | os.PathLike[str], extra: Mapping[str, Json] | None = None) -> None:
        """Write the encoder, the model, its dreams and its whole training state to one file, atomically.

        Learning continues from the file bit for bit. ``extra`` is kept beside them, as ``extra_``.

        Examples
        --------
        >>> import tempfile, pathlib, numpy as np
        >>> from genreplay import OnlineRBMDetector
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.safetensors"
        >>> OnlineRBMDetector(random_state=0).fit(np.random.default_rng(0).normal(size=(300, 2))).save(path)
        >>> OnlineRBMDetector.load(path).n_learned_
        300
        """
        self._require_rows()
        self._follow_changes()
        saving.save(path, self, extra)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a detector written by ``save``."""
        return saving.load(path, cls)

    @property
    def settings_(self) -> TableRBM:
        return RESPONSES[self.on_drift](self._settings) if self._n_responding else self._settings

    @property
    def offset_(self) -> float:  # type: ignore[override]
        if self._threshold is not None:
            return self._threshold
        self._judge()
        return math.log(float(self.contamination))

    def __sklearn_is_fitted__(self) -> bool:
        return self.is_ready_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags
