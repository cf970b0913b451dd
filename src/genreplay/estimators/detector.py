"""Anomaly detection on a stream of table rows: an encoder, a model that learns online, thresholds from its dreams."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from copy import copy
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OutlierMixin, _fit_context
from sklearn.exceptions import NotFittedError
from sklearn.utils import gen_batches
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import validate_data

from genreplay.core import checkpoint, online
from genreplay.core import rbm as rbm_module
from genreplay.core.checkpoint import CheckpointError, Json
from genreplay.core.kernels import Array
from genreplay.core.online import Settings, State
from genreplay.core.partition import base_rate_biases
from genreplay.core.replay import BY_NAME, Replay
from genreplay.estimators import calibration as calibrations
from genreplay.estimators import drift as drifts
from genreplay.estimators import params
from genreplay.estimators.calibration import Calibration, Float64
from genreplay.estimators.drift import Drift
from genreplay.estimators.online_rbm import generator
from genreplay.streams.cells import Kind
from genreplay.streams.columns import Objects
from genreplay.streams.encoder import TableEncoder
from genreplay.streams.table import Table, read_table

if TYPE_CHECKING:
    from sklearn.utils import Tags

    RandomState = int | np.random.RandomState | None

OnDrift = Literal["nothing", "faster", "fewer-dreams"]
_ROWS_PER_BLOCK = 1000
_SMOOTHING = 0.1
"""rows with the unit on, and as many with it off, that are added to those which the visible biases start from"""
_UPDATES_AFTER_DRIFT = 20
"""updates for which a drift changes how the model learns"""


class Memory(NamedTuple):
    """Bytes that a detector holds, whatever the length of its stream."""

    codes: int
    """of the columns; while they are made, the rows that wait for them"""
    model: int
    """parameters and their velocities"""
    batch: int
    """waiting rows and work space"""
    dreams: int
    """the chains and their free energies"""
    replay: int
    """the past: a pool of dreams, or stored rows; nothing with dreams of the moment"""

    @property
    def total(self) -> int:
        return sum(self)


class OnlineRBMDetector(OutlierMixin, BaseEstimator):  # type: ignore[misc]
    """Find unusual rows in a stream, in fixed memory, without storing rows.

    A table's columns (numbers, categories, booleans, times, missing cells) become bits, an RBM learns them online, and
    a row is the more unusual, the higher its free energy. How high is too high, the model's own dreams say: see
    ``p_values``. They are Gibbs chains that go on as long as the stream; the model learns by the difference between
    them and the new rows, which is persistent contrastive divergence.

    Parameters
    ----------
    n_hidden : int, default=32
        Hidden units.
    n_bins : int, default=8
        Intervals of a number, see ``TableEncoder``.
    kinds : dict or None, default=None
        The kind of any column, by name or index: "number", "category", "boolean" or "timestamp".
    warm_up : int, default=500
        First rows of a stream, which fix the codes of the columns; they wait until then, and are learned after.
    contamination : float, default=0.01
        Where ``predict`` draws the line. In a stream, whose rows are not there to be counted, it is at this p-value.
        ``fit`` draws it so that this share of X lies beyond, as scikit-learn's own detectors do.
    replay : str or Replay, default="none"
        What is rehearsed beside new rows, as for ``OnlineRBM``. "generative" forgets more slowly what no longer comes,
        but its short dreams shift the shares of the model's modes.
    n_replay : int, default=300
        Rows rehearsed beside each batch, if any are.
    batch_size : int, default=100
        Rows that trigger one update.
    n_epochs : int, default=1
        Steps of contrastive divergence an update.
    learning_rate : float, default=0.003
        Their size. The defaults learn gently, which finds most anomalies; to fill cells or to dream, the model
        must learn faster, with ``n_epochs=5, learning_rate=0.05`` for instance.
    momentum : float, default=0.5
        Their momentum.
    weight_decay : float, default=0.0002
        Their decay.
    n_dreams : int, default=500
        Chains that dream.
    on_drift : {"nothing", "faster", "fewer-dreams"}, default="nothing"
        What follows when new rows no longer fit: nothing; or, for 20 updates, three times the learning rate, or a
        quarter of the rehearsed rows.
    random_state : int, RandomState instance or None, default=None
        Seed of everything random. The same seed and stream give the same model, however the stream is cut.

    Attributes
    ----------
    encoder_ : TableEncoder
        Turns rows into bits.
    state_ : State
        The learner between two rows.
    calibration_ : Calibration
        The dreams, and what was tracked of the new rows.
    drift_ : Drift
        How well new rows fit.
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
        "n_hidden": [Interval(Integral, 1, None, closed="left")],
        "n_bins": [Interval(Integral, 1, None, closed="left")],
        "kinds": [dict, None],
        "warm_up": [Interval(Integral, 1, None, closed="left")],
        "contamination": [Interval(Real, 0, 0.5, closed="right")],
        "replay": [
            StrOptions(set(BY_NAME)),
            HasMethods(["start", "recall", "remember", "settings", "dump", "restore"]),
        ],
        "n_replay": [Interval(Integral, 1, None, closed="left")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "n_epochs": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "momentum": [Interval(Real, 0, 1, closed="left")],
        "weight_decay": [Interval(Real, 0, None, closed="left")],
        "n_dreams": [Interval(Integral, 20, None, closed="left")],
        "on_drift": [StrOptions({"nothing", "faster", "fewer-dreams"})],
        "random_state": ["random_state"],
    }

    encoder_: TableEncoder
    state_: State
    calibration_: Calibration | None
    drift_: Drift
    extra_: dict[str, Json]
    """what the caller of ``save`` added to the file"""
    _threshold: float | None

    def __init__(
        self,
        n_hidden: int = 32,
        *,
        n_bins: int = 8,
        kinds: Mapping[str | int, Kind] | None = None,
        warm_up: int = 500,
        contamination: float = 0.01,
        replay: str | Replay = "none",
        n_replay: int = 300,
        batch_size: int = 100,
        n_epochs: int = 1,
        learning_rate: float = 0.003,
        momentum: float = 0.5,
        weight_decay: float = 0.0002,
        n_dreams: int = 500,
        on_drift: OnDrift = "nothing",
        random_state: RandomState = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.n_bins = n_bins
        self.kinds = kinds
        self.warm_up = warm_up
        self.contamination = contamination
        self.replay = replay
        self.n_replay = n_replay
        self.batch_size = batch_size
        self.n_epochs = n_epochs
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.weight_decay = weight_decay
        self.n_dreams = n_dreams
        self.on_drift = on_drift
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: object, y: object = None) -> Self:
        """Start anew: make the codes from X, and learn its rows once, in their order, all of them."""
        encoder, table = self._new_encoder().fit(X), read_table(X)
        self._start(encoder, X)
        self._begin_learning(encoder.transform_table(table))
        self.flush()
        scores = self.score_samples(X)
        line = np.percentile(scores, 100 * self.contamination)
        # bits make equal scores: where that leaves no row below the line, those on it are the outliers
        self._threshold = float(line if scores.min() < line else np.nextafter(line, np.inf))
        return self

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: object, y: object = None) -> Self:
        """Learn any number of further rows; an update fires each time ``batch_size`` rows have come together."""
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
        if not hasattr(self, "encoder_"):
            self._validate_params()
            self._start(self._new_encoder(), X)
        self._threshold = None
        encoder = self.encoder_
        if encoder.frozen_:
            return self.learn_bits(self._bits(X))
        table = read_table(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        n_head = min(encoder.warm_up - encoder.n_waiting_, table.n_rows)
        if encoder.n_waiting_ + n_head < encoder.warm_up:
            encoder.partial_fit(X)
            return np.full(table.n_rows, np.nan)
        earlier = encoder.collected_.reshape(encoder.n_waiting_, self.n_features_in_)
        encoder = copy(encoder).partial_fit(X)
        bits = encoder.transform_table(table)  # if a cell is refused here, the encoder is still in its warm-up
        self.encoder_ = encoder
        self._begin_learning(np.concatenate([encoder.transform_table(Table(earlier)), bits[:n_head]]))
        return np.concatenate([np.full(n_head, np.nan), self.learn_bits(bits[n_head:])])

    def flush(self) -> Self:
        """Learn the rows that wait although they are fewer than a batch; end the warm-up if that is what they wait for.

        For the end of a stream. Rows that come later are learned as ever.

        Examples
        --------
        >>> from genreplay import OnlineRBMDetector
        >>> detector = OnlineRBMDetector(random_state=0).partial_fit([[1.5, "red"], [2.5, "blue"], [1.6, "red"]])
        >>> detector.is_ready_, detector.flush().is_ready_
        (False, True)
        """
        self._require_rows()
        if not self.encoder_.frozen_:
            rows = Table(self.encoder_.collected_)
            self._begin_learning(self.encoder_.freeze().transform_table(rows))
        if self.state_.n_waiting:
            self._update(self._settings()._replace(batch_size=self.state_.n_waiting))
        return self

    def _new_encoder(self) -> TableEncoder:
        return TableEncoder(n_bins=self.n_bins, kinds=self.kinds, warm_up=self.warm_up)

    def _start(self, encoder: TableEncoder, X: object) -> None:
        """Forget all; a learner without visible units holds the generator until the codes stand."""
        self.encoder_, self.calibration_, self.drift_, self.extra_ = encoder, None, Drift(), {}
        self._threshold, self._n_hurried = None, 0
        self.state_ = self._new_state(0, generator(self.random_state))
        validate_data(self, X, reset=True, skip_check_array=True)

    def _new_state(self, n_visible: int, rng: np.random.Generator) -> State:
        replay = BY_NAME[self.replay] if isinstance(self.replay, str) else self.replay
        return online.init(n_visible, self.n_hidden, replay, rng, self.batch_size)

    def _begin_learning(self, bits: Array) -> None:
        """The codes stand: make the model, its biases at the log-odds of the rows that fixed them, and learn those."""
        self.state_ = self._new_state(bits.shape[1], self.state_.rng)
        ones = bits.sum(axis=0, dtype=np.float64)
        self.state_.rbm.a[:] = base_rate_biases(ones, len(bits), smoothing=_SMOOTHING / len(bits))
        self.learn_bits(bits)

    def _settings(self) -> Settings:
        hurried = self._n_hurried > 0
        return Settings(
            batch_size=len(self.state_.waiting),
            n_replay=max(1, self.n_replay // 4) if hurried and self.on_drift == "fewer-dreams" else self.n_replay,
            n_epochs=self.n_epochs,
            learning_rate=float(self.learning_rate) * (3 if hurried and self.on_drift == "faster" else 1),
            momentum=float(self.momentum),
            initial_momentum=float(self.momentum),
            weight_decay=float(self.weight_decay),
            negative="chains",
            n_chains=self.n_dreams,
        )

    def learn_bits(self, bits: Array) -> Float64:
        """Score and learn, batch by batch: each row is scored by the model that had all full batches before it."""
        surprise = np.empty(len(bits))
        start = 0
        while start < len(bits):
            room = len(self.state_.waiting) - self.state_.n_waiting
            rows = bits[start : start + room]
            surprise[start : start + room] = self.surprise_of_bits(rows)
            self.state_ = online.wait(self.state_, rows)
            if len(rows) == room:
                self._update(self._settings())
            start += room
        return surprise

    def surprise_of_bits(self, rows: Array) -> Float64:
        """-log p of rows of bits; NaN before the first update."""
        if self.calibration_ is None:
            return np.full(len(rows), np.nan)
        return calibrations.surprise(self.calibration_, calibrations.energy(self.calibration_, rows))

    def _update(self, settings: Settings) -> None:
        """One update, and what follows from it: newer dreams, and a look at whether the rows still fit."""
        calibration, drift, n_hurried = self.calibration_, self.drift_, max(self._n_hurried - 1, 0)
        if calibration is not None:
            batch = self.state_.waiting[: settings.batch_size]
            energy = calibrations.energy(calibration, batch)
            surprise = calibrations.surprise(calibration, energy)
            drift = drifts.follow(drift, float(np.minimum(surprise, 10).mean()))
            if drift.n_drifts > self.drift_.n_drifts:
                n_hurried = _UPDATES_AFTER_DRIFT
            calibration = calibrations.track(calibration, energy)
        self.state_ = online.step(self.state_, settings)
        self.calibration_, self.drift_, self._n_hurried = self._dream(calibration), drift, n_hurried

    def _dream(self, before: Calibration | None) -> Calibration:
        """The chains of the negative phase are the dreams that free energies are judged by."""
        assert self.state_.chains is not None
        return calibrations.of_chains(self.state_.rbm, self.state_.chains, before)

    def free_energy(self, X: object) -> Float64:
        """Return F(v) of each row's bits; high where the model does not expect rows."""
        return self._by_block(calibrations.energy, X)

    def score_samples(self, X: object) -> Float64:
        """Return how usual rows are, in nats: the mean free energy of the dreams less that of the row. High = usual."""
        return self._dreams().mean - self.free_energy(X)

    def decision_function(self, X: object) -> Float64:
        """Return ``score_samples`` less ``offset_``: negative for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: object) -> npt.NDArray[np.int64]:
        """Return -1 for outliers and 1 for other rows."""
        return np.where(self.decision_function(X) < 0, -1, 1)

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
        return np.exp(-calibrations.surprise(self._dreams(), self.free_energy(X)))

    def explain(self, X: object) -> Float64:
        """Return how much each column adds to a row's surprise, in nats, shape (n_rows, n_columns).

        For each bit it is -log P(bit | all others), which needs no log Z, summed over the bits of a column.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMDetector
        >>> rows = np.random.default_rng(0).normal(size=(5000, 3))
        >>> OnlineRBMDetector(random_state=0).fit(rows).explain([[0, 99, 0]]).argmax(axis=1)
        array([1])
        """
        surprise = self._by_block(lambda dreams, bits: rbm_module.bit_surprise(dreams.rbm, bits), X)
        first_bits = np.searchsorted(self.encoder_.column_of_bit_, np.arange(self.n_features_in_))
        return np.add.reduceat(surprise, first_bits, axis=1)

    def sample(self, n_samples: int = 1, *, n_gibbs: int = 100, random_state: RandomState = None) -> Objects | Float64:
        """Return dreams as rows of the table: Gibbs chains that go on from the model's own for ``n_gibbs`` steps.

        The last step draws one label for each category, so that none is left without.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMDetector
        >>> rows = np.array([["wet", 12.5], ["dry", 25.0]] * 2000, dtype=object)
        >>> model = OnlineRBMDetector(n_epochs=10, learning_rate=0.05, random_state=0).fit(rows)
        >>> model.sample(100).shape, sorted(set(model.sample(100)[:, 0]))
        ((100, 2), ['dry', 'wet'])
        """
        self._dreams()
        assert self.state_.chains is not None
        rng = self._side_generator(random_state)
        start = self.state_.chains[rng.integers(len(self.state_.chains), size=n_samples)]
        v = rbm_module.gibbs(self.state_.rbm, start, n_gibbs - 1, rng)
        h = rbm_module.bernoulli(rbm_module.hidden_given_visible(self.state_.rbm, v), rng)
        return self.encoder_.draw(rbm_module.visible_given_hidden(self.state_.rbm, h), rng)

    def impute(self, X: object, *, n_gibbs: int = 200, random_state: RandomState = None) -> Objects:
        """Fill the missing cells of X given the other cells of their rows; the others come back as they are.

        Each becomes the value that its bits, averaged over the second half of a chain of ``n_gibbs`` steps, stand for.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMDetector
        >>> rows = np.array([["wet", "rain"], ["dry", "sun"]] * 2000, dtype=object)
        >>> model = OnlineRBMDetector(n_epochs=10, learning_rate=0.05, random_state=0).fit(rows)
        >>> model.impute([["wet", None]]).tolist()
        [['wet', 'rain']]
        """
        self._dreams()
        encoder, rng = self.encoder_, self._side_generator(random_state)
        rows = np.array([column.astype(object) for column in read_table(X).columns], dtype=object).T
        bits = encoder.transform_partly(X)
        missing = np.isnan(bits[:, encoder.unknown_bits_])
        bits[:, encoder.unknown_bits_] = np.where(missing, 0, bits[:, encoder.unknown_bits_])
        for block in gen_batches(len(bits), _ROWS_PER_BLOCK):
            unknown = np.isnan(bits[block])
            if unknown.any():
                _, p = rbm_module.conditional_gibbs(self.state_.rbm, bits[block], unknown, n_gibbs, rng)
                filled = encoder.inverse_transform(np.where(unknown, p, bits[block]))
                rows[block][missing[block]] = filled[missing[block]]
        return rows

    def save(self, path: str | os.PathLike[str], extra: Mapping[str, Json] | None = None) -> None:
        """Write the encoder, the model, its dreams and its whole training state to one file, atomically.

        Learning goes on from the file to the bit. ``extra`` is kept beside them, as ``extra_``.

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
        header: dict[str, Json] = {
            "estimator": type(self).__name__,
            "params": dict(params.to_json(self.get_params(deep=False))),
            "encoder": self.encoder_.state(),
            "drift": list(self.drift_),
            "n_hurried": self._n_hurried,
            "threshold": self._threshold,
            "named": hasattr(self, "feature_names_in_"),
            "extra": dict(extra or {}),
        }
        if self.calibration_ is not None:
            header["calibration"] = calibrations.to_json(self.calibration_)
        checkpoint.save(path, self.state_, self._settings(), header)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a detector written by ``save``."""
        state, _, header = checkpoint.load(path)
        if header.get("estimator") != cls.__name__:
            raise CheckpointError(f"{path} holds a {header.get('estimator', 'bare learner')}, not an {cls.__name__}.")
        data: dict[str, Any] = header
        model = cls(**params.from_json(data["params"]))
        model.encoder_, model.state_, model.extra_ = TableEncoder.from_state(data["encoder"]), state, data["extra"]
        model.drift_, model._n_hurried, model._threshold = Drift(*data["drift"]), data["n_hurried"], data["threshold"]
        model.calibration_ = None
        if "calibration" in data:
            model.calibration_ = model._dream(None)._replace(**data["calibration"])
        model.n_features_in_ = model.encoder_.n_features_in_
        if data["named"]:
            model.feature_names_in_ = np.array(model.encoder_.column_names_, dtype=object)
        return model

    @property
    def offset_(self) -> float:
        if self._threshold is not None:
            return self._threshold
        dreams = self._dreams()
        return dreams.mean - calibrations.energy_at(dreams, float(self.contamination))

    @property
    def is_ready_(self) -> bool:
        return getattr(self, "calibration_", None) is not None

    @property
    def n_updates_(self) -> int:
        return self.state_.t - 1

    @property
    def n_learned_(self) -> int:
        return self.state_.n_learned

    @property
    def n_waiting_(self) -> int:
        return self.state_.n_waiting + self.encoder_.n_waiting_

    @property
    def n_rows_seen_(self) -> int:
        return self.n_learned_ + self.n_waiting_

    @property
    def nbytes(self) -> Memory:
        """Bytes held, in parts; ``nbytes.total`` is their sum. It does not grow with the stream."""
        self._require_rows()
        held = online.nbytes(self.state_)
        judging = 0 if self.calibration_ is None else self.calibration_.nbytes
        return Memory(
            codes=self.encoder_.nbytes,
            model=held.parameters + held.velocities,
            batch=held.batch + held.work,
            dreams=held.chains + judging,
            replay=held.replay,
        )

    def __sklearn_is_fitted__(self) -> bool:
        return self.is_ready_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags

    def _by_block(self, function: Callable[[Calibration, Array], Float64], X: object) -> Float64:
        """Apply a function to some rows of bits at a time."""
        dreams, bits = self._dreams(), self._bits(X)
        return np.concatenate([function(dreams, bits[block]) for block in gen_batches(len(bits), _ROWS_PER_BLOCK)])

    def _bits(self, X: object) -> Array:
        table = read_table(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return self.encoder_.transform_table(table)

    def _dreams(self) -> Calibration:
        if not self.is_ready_:
            seen = self.n_rows_seen_ if hasattr(self, "encoder_") else 0
            raise NotFittedError(
                f"This {type(self).__name__} has learned nothing yet ({seen} rows seen; the codes take "
                f"warm_up={self.warm_up}, an update batch_size={self.batch_size}): give it more rows with partial_fit, "
                "or call flush, or fit."
            )
        assert self.calibration_ is not None
        return self.calibration_

    def _require_rows(self) -> None:
        if not hasattr(self, "encoder_"):
            raise NotFittedError(f"This {type(self).__name__} has seen no rows: call fit or partial_fit first.")

    def _side_generator(self, random_state: RandomState) -> np.random.Generator:
        """Random numbers that do not touch those of learning: far ahead in the same sequence, or from a seed."""
        if random_state is None:
            return np.random.Generator(self.state_.rng.bit_generator.jumped())  # type: ignore[attr-defined]
        return generator(random_state)
