"""Anomaly detection on a stream of table rows: an encoder, a model that learns online, thresholds from its dreams."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from copy import copy
from numbers import Integral, Real
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
from sklearn.base import OutlierMixin, _fit_context, clone
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import validate_data

from genreplay.core.ingredient import Json
from genreplay.core.kernels import Array
from genreplay.core.partition import base_rate_biases
from genreplay.estimators import calibration as calibrations
from genreplay.estimators import drift, files, frames
from genreplay.estimators.calibration import Calibration, Float64
from genreplay.estimators.density import generator
from genreplay.estimators.drift import N_RESPONDING, RESPONSES, PageTest
from genreplay.estimators.judging import JudgingMixin
from genreplay.estimators.online_rbm import OnlineRBM
from genreplay.estimators.params import NestedParams
from genreplay.streams.encoder import TableEncoder
from genreplay.streams.table import Table, check_columns, read_table

if TYPE_CHECKING:
    from sklearn.utils import Tags

    RandomState = int | np.random.RandomState | None

OnDrift = Literal["nothing", "faster", "fewer-dreams"]
N_HIDDEN = 32
"""hidden units of the default model"""
_SMOOTHING = 0.1
"""rows with the unit on, and as many with it off, that are added to the rows that set the first visible biases"""


class OnlineRBMDetector(JudgingMixin, OutlierMixin, NestedParams):  # type: ignore[misc]
    """Find unusual rows in a stream, in fixed memory, without storing rows.

    An encoder turns a table's columns (numbers, categories, booleans, times, missing cells) into bits, and an RBM
    learns them online. The higher a row's free energy, the more unusual it is. The model's own dreams say how high is
    too high: see ``p_values``. The dreams are Gibbs chains that go on as long as the stream. The model learns from the
    difference between them and the new rows, which is persistent contrastive divergence.

    Parameters
    ----------
    encoder : TableEncoder or None, default=None
        Turns rows into bits; None for ``TableEncoder()``.
    rbm : OnlineRBM or None, default=None
        Learns the bits; None for ``OnlineRBM(32, recipe="tables")``, which learns gently and finds most anomalies. To
        fill cells or to dream, it must learn faster: ``OnlineRBM(32, recipe=TABLES.replace(n_epochs=5,
        learning_rate=0.05))``. Its recipe needs persistent chains.
    contamination : float, default=0.01
        Threshold of ``predict``. In a stream, whose length is not known in advance, it is this p-value. ``fit`` sets
        the threshold so that this share of X lies beyond it, as scikit-learn's own detectors do.
    warm_up : int or None, default=None
        First rows of a stream, which fix the codes of the columns. They wait until then, and are learned after. None
        for the encoder's own number, 500.
    on_drift : {"nothing", "faster", "fewer-dreams"}, default="nothing"
        What to do when new rows no longer fit: nothing; or, for 20 updates, three times the learning rate, or a
        quarter of the rehearsed rows.
    random_state : int, RandomState instance or None, default=None
        Seed of everything random; None for the seed of ``rbm``. The same seed and stream give the same model, however
        the stream is cut.

    Attributes
    ----------
    encoder_ : TableEncoder
        Turns rows into bits.
    rbm_ : OnlineRBM
        The model of the bits.
    calibration_ : Calibration
        The free energies of the dreams, and what was tracked of the new rows.
    drift_ : PageTest
        How well new rows fit; ``drift_.n_drifts`` counts drifts.
    dreams_ : ndarray of shape (n_chains, n_bits)
        The model's current dreams, as bits.
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
        "rbm": [OnlineRBM, None],
        "contamination": [Interval(Real, 0, 0.5, closed="right")],
        "warm_up": [Interval(Integral, 1, None, closed="left"), None],
        "on_drift": [StrOptions(set(RESPONSES))],
        "random_state": ["random_state"],
    }

    drift_: PageTest
    extra_: dict[str, Json]
    """what the caller of ``save`` added to the file"""
    _threshold: float | None
    _n_responding: int
    """updates left of the response to the last drift"""

    def __init__(
        self,
        encoder: TableEncoder | None = None,
        rbm: OnlineRBM | None = None,
        *,
        contamination: float = 0.01,
        warm_up: int | None = None,
        on_drift: OnDrift = "nothing",
        random_state: RandomState = None,
    ) -> None:
        self.encoder = encoder
        self.rbm = rbm
        self.contamination = contamination
        self.warm_up = warm_up
        self.on_drift = on_drift
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(self, X: object, y: object = None) -> Self:
        """Start anew: make the codes from X, and learn its rows once, in their order, all of them."""
        encoder, table = self._new_encoder().fit(X), read_table(X)
        self._start(encoder, X)
        self._begin_learning(encoder.transform_table(table))
        self.flush()
        scores = self.score_samples(X)
        threshold = np.percentile(scores, 100 * self.contamination)
        # many rows may have equal scores: if no row is below the threshold, those on it are the outliers
        self._threshold = float(threshold if scores.min() < threshold else np.nextafter(threshold, np.inf))
        return self

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: object, y: object = None) -> Self:
        """Learn any number of further rows; an update fires each time the model's batch is full.

        The arguments of ``rbm`` may change between two calls as far as ``OnlineRBM.partial_fit`` allows. The codes
        cannot change.
        """
        self.learn_scored(X)
        return self

    def learn_scored(self, X: object) -> Float64:
        """Learn rows, and return how surprising each was before it was learned: -log of its p-value, in nats.

        Rows before the first update, in the warm-up for instance, have NaN. However a stream is cut, the values are the
        same.

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
        encoder = self.encoder_
        if encoder.frozen_:
            return self._learn(self._bits(X))
        table = read_table(X)
        check_columns(self, X)
        n_head = min(encoder.warm_up - encoder.n_waiting_, table.n_rows)
        if encoder.n_waiting_ + n_head < encoder.warm_up:
            encoder.partial_fit(X)
            return np.full(table.n_rows, np.nan)
        earlier = encoder.collected_.reshape(encoder.n_waiting_, self.n_features_in_)
        encoder = copy(encoder).partial_fit(X)
        bits = encoder.transform_table(table)  # if a cell is refused here, the encoder is still in its warm-up
        self.encoder_ = encoder
        self._begin_learning(np.concatenate([encoder.transform_table(Table(earlier)), bits[:n_head]]))
        return np.concatenate([np.full(n_head, np.nan), self._learn(bits[n_head:])])

    def learn_one(self, row: Sequence[object]) -> Self:
        """Learn one row of cells, after the warm-up: ``partial_fit`` without the checks of a table, for speed.

        Changed parameters are checked when a batch is full.
        """
        self._require_rows()
        if self.rbm_.state_.n_waiting + 1 >= self.rbm_.batch_size:
            self._follow_changes()
        self._learn(self.encoder_.transform_one(row)[np.newaxis])
        return self

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
            self._begin_learning(self.encoder_.freeze().transform_table(rows))
        if self.rbm_.state_.n_waiting:
            self._update(self.rbm_.state_.n_waiting)
        return self

    def _new_encoder(self) -> TableEncoder:
        encoder: TableEncoder = TableEncoder() if self.encoder is None else clone(self.encoder)
        return encoder if self.warm_up is None else encoder.set_params(warm_up=self.warm_up)

    def _new_rbm(self) -> OnlineRBM:
        rbm: OnlineRBM = OnlineRBM(N_HIDDEN, recipe="tables") if self.rbm is None else clone(self.rbm)
        return rbm if self.random_state is None else rbm.set_params(random_state=self.random_state)

    def _start(self, encoder: TableEncoder, X: object) -> None:
        """Forget everything. A model without visible units holds the generator until the codes are made."""
        rbm = self._new_rbm()
        rbm._validate_params()
        _require_chains(rbm)
        rbm._start_state(0, generator(rbm.random_state))
        validate_data(self, X, reset=True, skip_check_array=True)
        self.encoder_, self.rbm_, self.calibration_, self.drift_ = encoder, rbm, None, PageTest()
        self.extra_, self._threshold, self._n_responding = {}, None, 0
        self._library = frames.library_of(X)

    def _follow_changes(self) -> None:
        """Arguments may change between two calls, but not codes that are made, nor what the model started with."""
        self._validate_params()
        encoder = self._new_encoder()
        if encoder.settings() != self.encoder_.settings():
            if self.encoder_.frozen_ or encoder.warm_up != self.encoder_.warm_up:
                raise ValueError(
                    f"{type(self).__name__} cannot change its warm_up, nor its encoder after the warm-up: set them "
                    "back, or call fit to start anew."
                )
            self.encoder_.set_params(**encoder.get_params())
        wanted, held = (each.get_params(deep=False) for each in (self._new_rbm(), self.rbm_))
        wanted["random_state"] = held["random_state"]  # it was used at the start
        if wanted != held:
            changed = copy(self.rbm_).set_params(**wanted)
            changed._check_changes()
            _require_chains(changed)
            self.rbm_ = changed

    def _begin_learning(self, bits: Array) -> None:
        """Make the model once the codes are made, its biases at the log-odds of the warm-up, and learn those rows."""
        rbm = self.rbm_
        rbm._start_state(bits.shape[1], rbm.state_.rng)
        rbm.n_features_in_ = bits.shape[1]
        ones = bits.sum(axis=0, dtype=np.float64)
        rbm.state_.rbm.a[:] = base_rate_biases(ones, len(bits), smoothing=_SMOOTHING / len(bits))
        self._learn(bits)

    def _learn(self, bits: Array) -> Float64:
        """Score and learn, batch by batch: each row is scored by the model that had all full batches before it."""
        surprise = np.empty(len(bits))
        start = 0
        while start < len(bits):
            self._update_if_full()
            room = self.rbm_.batch_size - self.rbm_.state_.n_waiting
            rows = bits[start : start + room]
            surprise[start : start + room] = self._surprise(rows)
            self.rbm_._wait(rows)
            start += room
        self._update_if_full()
        return surprise

    def _update_if_full(self) -> None:
        """Update while a batch waits; there may be several of them if the batch size was lowered."""
        while self.rbm_.state_.n_waiting >= self.rbm_.batch_size:
            self._update(self.rbm_.batch_size)

    def _surprise(self, bits: Array) -> Float64:
        """-log p of rows of bits; NaN before the first update."""
        if self.calibration_ is None:
            return np.full(len(bits), np.nan)
        return calibrations.surprise(self.calibration_, calibrations.energy(self.calibration_, bits))

    def _update(self, n_rows: int) -> None:
        """One update, and what follows from it: newer dreams, and a test of whether the rows still fit."""
        calibration, test, n_responding = self.calibration_, self.drift_, max(self._n_responding - 1, 0)
        if calibration is not None:
            energy = calibrations.energy(calibration, self.rbm_.state_.waiting[:n_rows])
            surprise = calibrations.surprise(calibration, energy)
            test = drift.follow(test, float(np.minimum(surprise, 10).mean()))
            if test.n_drifts > self.drift_.n_drifts:
                n_responding = N_RESPONDING
            calibration = calibrations.track(calibration, energy)
        recipe = self.rbm_.recipe_
        self.rbm_._update(RESPONSES[self.on_drift](recipe) if self._n_responding else recipe, n_rows)
        self.calibration_, self.drift_, self._n_responding = self._calibrate(calibration), test, n_responding

    def _calibrate(self, before: Calibration | None) -> Calibration:
        """The chains of the negative phase are the dreams that free energies are judged by."""
        state = self.rbm_.state_
        assert state.chains is not None
        return calibrations.of_chains(state.model, state.chains, before)

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
        more: dict[str, Json] = {
            "encoder": self.encoder_.state(),
            "drift": list(self.drift_),
            "n_responding": self._n_responding,
            "threshold": self._threshold,
            "named": hasattr(self, "feature_names_in_"),
            "frame": self._library,
            "extra": dict(extra or {}),
        }
        if self.calibration_ is not None:
            more["calibration"] = calibrations.to_json(self.calibration_)
        files.save(path, self, self.rbm_.state_, self.rbm_.recipe_, more)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a detector written by ``save``."""
        state, recipe, params, more = files.load(path, cls, {c.__name__: c for c in (TableEncoder, OnlineRBM)})
        model = cls(**params)
        model.encoder_, model.rbm_ = TableEncoder.from_state(more["encoder"]), model._new_rbm()
        model.rbm_._resume(state, recipe)
        model.rbm_.n_features_in_ = state.rbm.n_visible
        model.drift_, model.extra_ = PageTest(*more["drift"]), more["extra"]
        model._library = more.get("frame")
        model._n_responding, model._threshold = more["n_responding"], more["threshold"]
        model.calibration_ = None
        if "calibration" in more:
            model.calibration_ = model._calibrate(None)._replace(**more["calibration"])
        model.n_features_in_ = model.encoder_.n_features_in_
        if more["named"]:
            model.feature_names_in_ = np.array(model.encoder_.column_names_, dtype=object)
        return model

    @property
    def offset_(self) -> float:  # type: ignore[override]
        if self._threshold is not None:
            return self._threshold
        judge = self._judge()
        return judge.mean - calibrations.energy_at(judge, float(self.contamination))

    def __sklearn_is_fitted__(self) -> bool:
        return self.is_ready_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def _require_chains(rbm: OnlineRBM) -> None:
    if rbm.recipe_.negative.n_chains == 0:
        raise ValueError(
            "OnlineRBMDetector judges rows by the persistent chains of its rbm, which has none: give it a recipe with "
            "them, such as 'tables' or 'modern'."
        )
