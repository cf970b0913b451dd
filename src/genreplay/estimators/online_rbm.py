"""The scikit-learn estimator: a density model that learns from a stream in fixed memory."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from genreplay.core import checkpoint, kernels, online, partition
from genreplay.core import rbm as rbm_module
from genreplay.core.contrastive import Reconstruction
from genreplay.core.kernels import Array
from genreplay.core.online import (
    Divisor,
    MomentumSchedule,
    NegativePhase,
    Recall,
    ReplayShare,
    Settings,
    State,
    VisibleBias,
)
from genreplay.core.partition import LogPartition
from genreplay.core.rbm import RBM
from genreplay.core.replay import BY_NAME, DreamPool, Replay
from genreplay.estimators import params
from genreplay.estimators.rows import InputRows, above, blocks, canonical, dense, plain, value_range

if TYPE_CHECKING:
    from sklearn.utils import Tags

    RandomState = int | np.random.RandomState | None

Float64 = npt.NDArray[np.float64]
T = TypeVar("T", bound=np.generic)

PRESETS: dict[str, tuple[Settings, str]] = {
    "paper": (online.PAPER, "generative"),
    "modern": (online.MODERN, "dream-pool"),
}
"""by name: the settings, and what is rehearsed"""

_REAL = frozenset(name for name, kind in Settings.__annotations__.items() if "float" in str(kind))
"""settings that are real numbers"""

_EXACT_UP_TO = 2**28
"""states of the smaller layer times units of the larger, up to which log Z is enumerated unasked: a few seconds"""


class OnlineRBM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Restricted Boltzmann Machine learned online, rehearsing its own dreams in place of stored data.

    Online Contrastive Divergence with Generative Replay, OCD_GR [1]_: every ``batch_size`` rows, the model generates
    ``n_replay`` rows of its own past and takes ``n_epochs`` steps of contrastive divergence on both together. No
    observation is kept. The density is

    .. math:: \log p(v) = -\mathcal{F}(v) - \log Z, \qquad
              \mathcal{F}(v) = -a^\top v - \sum_j \log(1 + \exp(b_j + W_{j:} v)).

    The settings are those of a preset, but for those that are given: "paper" is the method as published, "modern" keeps
    nothing of the stream either, and fits far better: persistent chains beside the reconstructions, centred gradients,
    a learning rate that falls, averaged parameters, and a pool of dreams that is rehearsed when the stream drifts.

    Parameters
    ----------
    n_hidden : int, default=500
        Hidden units, n_h.
    preset : {"paper", "modern"}, default="modern"
        Where the settings come from that are None. The defaults below are those of "modern"; where "paper" has
        another, it follows.
    replay : {"generative", "dream-pool", "limited-memory", "infinite-memory", "none"} or Replay, \
            default="dream-pool", paper "generative"
        What is rehearsed: the model's dreams of the moment (OCD_GR) or from a pool, stored rows in the bytes of the
        parameters (ER-ML), all rows (ER-IM), nothing; or an object such as ``GenerativeReplay(n_gibbs=5)`` or
        ``MemoryReplay(capacity=1000)``.
    n_replay : int, default=3 * batch_size, paper 300
        Rows rehearsed beside each batch, from the second update on (n_Bhat); a replay object's ``n_samples`` goes
        before it.
    batch_size : int, default=100
        Observed rows that trigger one update, n_B.
    n_epochs : int, default=10
        Steps of contrastive divergence on the same rows, n_E.
    n_cd : int, default=1
        Gibbs steps of the negative phase, n_CD.
    learning_rate : float, default=0.01, paper 0.05
        Alpha.
    momentum : float, default=0.5, paper 0.9
        Rho; in the first 5 epochs ``initial_momentum`` is used.
    initial_momentum : float, default=0.5
        Rho in the first 5 epochs.
    momentum_schedule : {"stream", "update"}, default="stream"
        Whether these are the first epochs of the whole stream (the paper protocol) or of every update.
    weight_decay : float, default=0.0002
        Xi; acts on weights and biases.
    reconstruction : {"probabilities", "samples"}, default="probabilities"
        What the last visible layer of a negative phase that starts at "rows" holds; "chains" hold samples, and "both"
        probabilities in the part that starts at rows.
    visible_bias : {"random", "data"}, default="data", paper "random"
        Where the visible biases start: at random like all parameters, or at the log-odds of the first batch's means.
    negative : {"rows", "chains", "both"}, default="both", paper "rows"
        Where the negative phase starts: at the rows, as in the paper; where its persistent chains were, which fits
        the shares of the modes better (Tieleman, 2008); or both side by side.
    n_chains : int, default=150, paper 400
        Such chains.
    initial_learning_rate : float, default=0.06, paper learning_rate
        Alpha at first, from where it falls to ``learning_rate``. If that is given and this is not, alpha is the same
        all along, from the first update on.
    n_initial_updates : int, default=100
        Updates for which it stays; from then on it falls.
    n_rising_updates : int, default=6, paper 0
        Updates over which alpha rises to its first value.
    n_first_epochs : int, default=80, paper n_epochs
        ``n_epochs`` at first, from where it falls. If that is given and this is not, it is the same all along.
    n_first_updates : int, default=20, paper 100
        Updates for which it stays; from then on it falls.
    replay_share : {"all", "drift"}, default="drift", paper "all"
        Rehearse all ``n_replay`` rows, or only the share by which a batch has come away from the past.
    n_replay_epochs : int, default=8, paper n_epochs
        Rehearsal takes from ``n_epochs`` what it costs in time, down to so many; nothing if ``n_epochs`` is given and
        this is not.
    divisor : {"union", "batch"}, default="batch", paper "union"
        Rows that a step is divided by: the batch with what is rehearsed, or the batch alone, so that a new row counts
        as much beside dreams as without.
    recall : {"update", "epoch"}, default="epoch", paper "update"
        Rehearse the same rows in all epochs of an update, or others in every epoch.
    centring : bool, default=True, paper False
        Take the gradient of units counted from their means (Melchior et al., 2016).
    averaging : float, default=0.97, paper 0.0
        Score, sample and save parameters averaged over updates, of which this share stays at each; 0 for the last ones.
    sigma : float, default=0.01
        Standard deviation of the initial parameters.
    binarize : float or None, default=0.5
        Values above it become 1, the others 0. With None, values must lie in [0, 1] and are taken as probabilities.
    dtype : {"float32", "float64"}, default="float32"
        Number type of the parameters and of the arithmetic.
    random_state : int, RandomState instance or None, default=None
        Seed of everything random. The same seed and stream give the same model, however the stream is cut.

    Attributes
    ----------
    state_ : State
        The learner between two rows: parameters, velocities, waiting rows, replay, generator.
    components_ : ndarray of shape (n_hidden, n_features_in_)
        Weights W.
    intercept_visible_ : ndarray of shape (n_features_in_,)
        Visible biases a.
    intercept_hidden_ : ndarray of shape (n_hidden,)
        Hidden biases b.
    n_updates_ : int
        Updates made.
    n_rows_seen_ : int
        Rows observed, learned or waiting.
    replay_nbytes_ : int
        Bytes that the replay strategy holds: of a pool of dreams, or of stored rows; 0 for dreams of the moment.
    n_features_in_ : int
        Features seen at the first fit.
    feature_names_in_ : ndarray of str
        Their names, if they all have one.

    Notes
    -----
    One thread at a time may learn with a model. ``copy.deepcopy`` gives an independent copy; ``copy.copy`` does not.
    At 784 x 500 units, the first ``score_samples`` after an update takes a while: 14,500 steps of AIS. To pay less,
    pass it the estimate of ``log_partition`` with fewer temperatures.

    References
    ----------
    .. [1] D. C. Mocanu, M. Torres Vega, E. Eaton, P. Stone, A. Liotta: Online Contrastive Divergence with Generative
       Replay: Experience Replay without Storing Data. 2016.

    Examples
    --------
    >>> import numpy as np
    >>> from genreplay import OnlineRBM
    >>> rng = np.random.default_rng(0)
    >>> patterns = np.array([[1, 1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1, 1, 1]])
    >>> rbm = OnlineRBM(n_hidden=16, random_state=0)
    >>> for _ in range(200):  # a stream of small chunks
    ...     rbm = rbm.partial_fit(patterns[rng.integers(2, size=30)])
    >>> rbm.n_updates_, rbm.n_rows_seen_, rbm.replay_nbytes_
    (60, 6000, 4000)
    >>> familiar, strange = rbm.score_samples([[1, 1, 1, 1, 0, 0, 0, 0], [1, 0, 1, 0, 1, 0, 1, 0]])
    >>> bool(familiar - strange > 10)
    True
    """

    _parameter_constraints: dict[str, list[object]] = {  # noqa: RUF012 (scikit-learn's own way)
        "n_hidden": [Interval(Integral, 1, None, closed="left")],
        "preset": [StrOptions(set(PRESETS))],
        "replay": [
            StrOptions(set(BY_NAME)),
            HasMethods(["start", "recall", "remember", "settings", "dump", "restore"]),
            None,
        ],
        "n_replay": [Interval(Integral, 1, None, closed="left"), None],
        "batch_size": [Interval(Integral, 1, None, closed="left"), None],
        "n_epochs": [Interval(Integral, 1, None, closed="left"), None],
        "n_cd": [Interval(Integral, 1, None, closed="left"), None],
        "learning_rate": [Interval(Real, 0, None, closed="neither"), None],
        "momentum": [Interval(Real, 0, 1, closed="left"), None],
        "initial_momentum": [Interval(Real, 0, 1, closed="left"), None],
        "momentum_schedule": [StrOptions({"stream", "update"}), None],
        "weight_decay": [Interval(Real, 0, None, closed="left"), None],
        "reconstruction": [StrOptions({"probabilities", "samples"}), None],
        "visible_bias": [StrOptions({"random", "data"}), None],
        "negative": [StrOptions({"rows", "chains", "both"}), None],
        "n_chains": [Interval(Integral, 1, None, closed="left"), None],
        "initial_learning_rate": [Interval(Real, 0, None, closed="neither"), None],
        "n_initial_updates": [Interval(Integral, 1, None, closed="left"), None],
        "n_rising_updates": [Interval(Integral, 0, None, closed="left"), None],
        "n_first_epochs": [Interval(Integral, 1, None, closed="left"), None],
        "n_first_updates": [Interval(Integral, 1, None, closed="left"), None],
        "replay_share": [StrOptions({"all", "drift"}), None],
        "n_replay_epochs": [Interval(Integral, 1, None, closed="left"), None],
        "divisor": [StrOptions({"union", "batch"}), None],
        "recall": [StrOptions({"update", "epoch"}), None],
        "centring": ["boolean", None],
        "averaging": [Interval(Real, 0, 1, closed="left"), None],
        "sigma": [Interval(Real, 0, None, closed="left")],
        "binarize": [Interval(Real, None, None, closed="neither"), None],
        "dtype": [StrOptions({"float32", "float64"})],
        "random_state": ["random_state"],
    }

    state_: State
    _log_partition: LogPartition | None
    _warned_of_range: bool

    def __init__(
        self,
        n_hidden: int = 500,
        *,
        preset: Literal["paper", "modern"] = "modern",
        replay: str | Replay | None = None,
        n_replay: int | None = None,
        batch_size: int | None = None,
        n_epochs: int | None = None,
        n_cd: int | None = None,
        learning_rate: float | None = None,
        momentum: float | None = None,
        initial_momentum: float | None = None,
        momentum_schedule: MomentumSchedule | None = None,
        weight_decay: float | None = None,
        reconstruction: Reconstruction | None = None,
        visible_bias: VisibleBias | None = None,
        negative: NegativePhase | None = None,
        n_chains: int | None = None,
        initial_learning_rate: float | None = None,
        n_initial_updates: int | None = None,
        n_rising_updates: int | None = None,
        n_first_epochs: int | None = None,
        n_first_updates: int | None = None,
        replay_share: ReplayShare | None = None,
        n_replay_epochs: int | None = None,
        divisor: Divisor | None = None,
        recall: Recall | None = None,
        centring: bool | None = None,
        averaging: float | None = None,
        sigma: float = 0.01,
        binarize: float | None = 0.5,
        dtype: Literal["float32", "float64"] = "float32",
        random_state: RandomState = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.preset = preset
        self.replay = replay
        self.n_replay = n_replay
        self.batch_size = batch_size
        self.n_epochs = n_epochs
        self.n_cd = n_cd
        self.learning_rate = learning_rate
        self.momentum = momentum
        self.initial_momentum = initial_momentum
        self.momentum_schedule = momentum_schedule
        self.weight_decay = weight_decay
        self.reconstruction = reconstruction
        self.visible_bias = visible_bias
        self.negative = negative
        self.n_chains = n_chains
        self.initial_learning_rate = initial_learning_rate
        self.n_initial_updates = n_initial_updates
        self.n_rising_updates = n_rising_updates
        self.n_first_epochs = n_first_epochs
        self.n_first_updates = n_first_updates
        self.replay_share = replay_share
        self.n_replay_epochs = n_replay_epochs
        self.divisor = divisor
        self.recall = recall
        self.centring = centring
        self.averaging = averaging
        self.sigma = sigma
        self.binarize = binarize
        self.dtype = dtype
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: npt.ArrayLike, y: object = None) -> Self:
        """Start anew and learn the rows of X once, in their order.

        As with ``partial_fit``, up to ``batch_size - 1`` last rows wait for more.
        """
        self._learn(self._start(X))
        if self.n_updates_ == 0:
            size = self._settings().batch_size
            warnings.warn(
                f"Nothing learned yet: {self.n_rows_seen_} rows wait for a batch of batch_size={size}.", stacklevel=3
            )
        return self

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: npt.ArrayLike, y: object = None) -> Self:
        """Learn any number of further rows; an update fires each time ``batch_size`` rows have come together.

        ``n_hidden``, ``replay`` and ``dtype`` are fixed when learning starts, as ``sigma`` and ``random_state`` are
        used then; the other settings may be changed between two calls.
        """
        if not hasattr(self, "state_"):
            self._learn(self._start(X))
        else:
            self._check_changes()
            rows = self._check_rows(X)
            self._warned_of_range |= self._warn_of_range(rows, self._warned_of_range, stacklevel=4)
            self._learn(rows)
        return self

    def learn_one(self, x: npt.ArrayLike) -> Self:
        """Learn one more row, a 1D array: ``partial_fit`` of a single row at a small part of its overhead.

        The row is put with those that wait; settings are looked at when a batch is full.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM
        >>> rbm = OnlineRBM(n_hidden=4, batch_size=10, random_state=0)
        >>> for row in np.tile(np.eye(5), (7, 1)):
        ...     rbm = rbm.learn_one(row)
        >>> rbm.n_updates_, rbm.n_rows_seen_
        (3, 35)
        """
        row = np.asarray(x)
        if row.ndim != 1:
            raise ValueError(f"learn_one takes one row, a 1D array. Got an array of shape {row.shape} instead.")
        state: State | None = getattr(self, "state_", None)
        if (
            state is None
            or state.n_waiting + 1 >= (self.batch_size or PRESETS[self.preset][0].batch_size)
            or state.n_waiting == len(state.waiting)  # the batch size was raised
            or not self._fits(row, state)
        ):
            return self.partial_fit(row[np.newaxis])  # type: ignore[no-any-return]
        place = state.waiting[state.n_waiting]
        if self.binarize is None:
            place[:] = row
        else:
            np.greater(row, self.binarize, out=place)
        self.state_ = state._replace(n_waiting=state.n_waiting + 1)
        return self

    def _fits(self, row: npt.NDArray[Any], state: State) -> bool:
        """Whether a row needs no word said about it; if not, ``partial_fit`` will say it."""
        if row.dtype.kind not in "biuf" or row.size != state.rbm.n_visible or hasattr(self, "feature_names_in_"):
            return False
        low, high = row.min(), row.max()
        usual = low >= 0 and high <= 1  # which NaN is not
        return bool(usual or (self._warned_of_range and np.isfinite(high - low)))

    def _start(self, X: npt.ArrayLike) -> InputRows:
        """Check all that can fail, then replace what the model knew by a fresh state; return the rows."""
        checked = check_array(plain(X, allow_nan=False), accept_sparse="csr", estimator=self, input_name="X")
        rows = self._check_values(checked)
        warned_of_range = self._warn_of_range(rows, warned=False, stacklevel=5)
        state = online.init(
            rows.shape[1],
            self.n_hidden,
            self._strategy(),
            generator(self.random_state),
            self._settings().batch_size,
            self.sigma,
            self.dtype,
        )
        validate_data(self, X, reset=True, skip_check_array=True)  # sets n_features_in_ and feature_names_in_
        self.state_, self._log_partition, self._warned_of_range = state, None, warned_of_range
        return rows

    def _strategy(self) -> Replay:
        replay = PRESETS[self.preset][1] if self.replay is None else self.replay
        strategy = BY_NAME[replay] if isinstance(replay, str) else replay
        if isinstance(strategy, type):
            name = strategy.__name__
            raise ValueError(f"The 'replay' parameter must be an object, not a class: write {name}() for {name}.")
        if self.binarize is None and getattr(strategy, "packed", False):
            raise ValueError("A packed memory keeps bits: set binarize to a threshold, or packed=False.")
        if isinstance(strategy, DreamPool) and self._settings().negative == "rows":
            raise ValueError(
                "A DreamPool keeps states of persistent chains: set negative to 'chains' or 'both', or replay to "
                "'generative'."
            )
        return strategy

    def _check_changes(self) -> None:
        """Settings may change between two calls of partial_fit, but not what the state was built from."""
        self._validate_params()
        strategy, held = self._strategy(), self.state_.replay
        for name, now, built in (
            ("n_hidden", self.n_hidden, self.state_.rbm.n_hidden),
            ("dtype", self.dtype, self.state_.rbm.W.dtype.name),
            ("replay", (type(strategy), strategy.settings()), (type(held), held.settings())),
        ):
            if now != built:
                raise ValueError(
                    f"The {name!r} parameter of {type(self).__name__} cannot change while it learns: set it back, or "
                    "call fit to start anew."
                )

    def _learn(self, rows: InputRows) -> None:
        settings = self._settings()
        for block in blocks(rows):
            for state in online.observe(self.state_, self._encode(block), settings):
                if state.t > self.state_.t:
                    self._log_partition = None
                self.state_ = state

    def _settings(self) -> Settings:
        """The preset's settings, with those that are given in their places."""
        preset, _ = PRESETS[self.preset]
        values: dict[str, Any] = preset._asdict()
        given = {name: getattr(self, name) for name in values if getattr(self, name, None) is not None}
        if "learning_rate" in given:  # what a user sets holds, from the first update on
            values |= {"initial_learning_rate": None, "n_rising_updates": 0}
        if "n_epochs" in given:
            values |= {"n_first_epochs": None, "n_replay_epochs": None}
        values |= given | {name: float(value) for name, value in given.items() if name in _REAL}
        if values["divisor"] == "batch" and "n_replay" not in given:  # or steps would grow as batches shrink
            values["n_replay"] = preset.n_replay * int(values["batch_size"]) // preset.batch_size
        return Settings(**values)

    def transform(self, X: npt.ArrayLike) -> Array:
        """Return the hidden probabilities P(h = 1 | v), shape (n_rows, n_hidden).

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM
        >>> OnlineRBM(n_hidden=2, random_state=0).fit(np.eye(4).repeat(50, axis=0)).transform(np.eye(4)).shape
        (4, 2)
        """
        return self._by_block(rbm_module.hidden_given_visible, self._check_rows(X))

    def reconstruct(self, X: npt.ArrayLike) -> Array:
        """Return the visible probabilities after one pass up and down, both layers at their probabilities."""
        return self._by_block(
            lambda rbm, v: rbm_module.visible_given_hidden(rbm, rbm_module.hidden_given_visible(rbm, v)),
            self._check_rows(X),
        )

    def free_energy(self, X: npt.ArrayLike) -> Float64:
        """Return F(v), one value a row (Eq. 2); low where the model expects rows. Needs no log Z."""
        return self._by_block(rbm_module.free_energy, self._check_rows(X))

    def score_samples(self, X: npt.ArrayLike, log_partition: LogPartition | None = None) -> Float64:
        """Return log p(v) in nats, one value a row.

        Log Z comes from ``log_partition``, by default from ``self.log_partition()``, which is kept until the next
        update.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM
        >>> rbm = OnlineRBM(n_hidden=8, random_state=0).fit(np.tile(np.eye(4), (100, 1)))
        >>> quick = rbm.log_partition("ais", temperatures=290)
        >>> rbm.score_samples(np.eye(4), quick).shape
        (4,)
        """
        rows = self._check_rows(X)
        if log_partition is None:
            if self._log_partition is None:
                self._log_partition = self.log_partition()
            log_partition = self._log_partition
        return -self._by_block(rbm_module.free_energy, rows) - log_partition.log_z

    def score(self, X: npt.ArrayLike, y: object = None) -> float:
        """Return the mean of ``score_samples``: the average log-likelihood in nats."""
        return float(self.score_samples(X).mean())

    def log_partition(
        self,
        method: Literal["auto", "exact", "ais", "reverse-ais"] = "auto",
        *,
        n_chains: int = 100,
        temperatures: int | npt.ArrayLike = 14_500,
        random_state: RandomState = None,
        progress: partition.Progress | None = None,
    ) -> LogPartition:
        """Estimate log Z, with its standard error, effective sample size and price.

        Parameters
        ----------
        method : {"auto", "exact", "ais", "reverse-ais"}, default="auto"
            "exact" enumerates the smaller layer (up to 25 units); "ais" anneals from the base rates of the rows seen
            and flatters the model when it has too few temperatures; "reverse-ais" anneals back from samples of the
            model and errs on the other side. "auto" is exact where that takes seconds (18 units against 784), else
            AIS.
        n_chains : int, default=100
            Chains of AIS.
        temperatures : int or array-like, default=14500
            How many, laid out as by Salakhutdinov & Murray; or the inverse temperatures themselves, from 0 to 1.
        random_state : int, RandomState instance or None, default=None
            None derives the random numbers from the model, which itself is not touched.
        progress : callable, optional
            Called with the number of Gibbs sweeps just made.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM
        >>> rbm = OnlineRBM(n_hidden=8, random_state=0).fit(np.tile(np.eye(4), (100, 1)))
        >>> truth, estimate = rbm.log_partition("exact"), rbm.log_partition("ais", temperatures=290)
        >>> abs(estimate.log_z - truth.log_z) < 4 * estimate.std_error
        True
        """
        check_is_fitted(self)
        _require_positive("log_partition", n_chains=n_chains)
        rbm = self.state_.model
        if method == "exact" or (method == "auto" and 2 ** min(rbm.W.shape) * max(rbm.W.shape) <= _EXACT_UP_TO):
            return partition.exact(rbm)
        run = {"auto": partition.ais, "ais": partition.ais, "reverse-ais": partition.reverse_ais}.get(method)
        if run is None:
            raise ValueError(
                "The 'method' parameter of log_partition must be 'auto', 'exact', 'ais' or 'reverse-ais'. "
                f"Got {method!r} instead."
            )
        if isinstance(temperatures, int | np.integer) and temperatures >= 29:
            betas = partition.schedule(int(temperatures))
        elif np.ndim(temperatures) == 1:
            betas = np.asarray(temperatures, dtype=np.float64)
        else:
            raise ValueError(
                "The 'temperatures' parameter of log_partition must be an int of at least 29, or an array of inverse "
                f"temperatures. Got {temperatures!r} instead."
            )
        base_bias = partition.base_rate_biases(self.state_.ones, self.state_.n_learned)
        return run(rbm, self._side_generator(random_state), betas, n_chains, base_bias, progress)

    def sample(self, n_samples: int = 1, *, n_gibbs: int = 1, random_state: RandomState = None) -> Array:
        """Return dreams, rows of 0 and 1: Gibbs chains of ``n_gibbs`` steps started from h ~ U(0, 1).

        One step gives the rows that the paper rehearses; many steps come near samples of p(v). With
        ``random_state=None`` the same model gives the same dreams.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM
        >>> rbm = OnlineRBM(n_hidden=8, replay="none", random_state=0).fit(np.ones((2000, 3)))
        >>> rbm.sample(2)
        array([[1., 1., 1.],
               [1., 1., 1.]], dtype=float32)
        """
        check_is_fitted(self)
        _require_positive("sample", n_samples=n_samples, n_gibbs=n_gibbs)
        return rbm_module.dream(self.state_.model, n_samples, n_gibbs, self._side_generator(random_state))

    def impute(
        self,
        X: npt.ArrayLike,
        *,
        n_gibbs: int = 200,
        probabilities: bool = False,
        random_state: RandomState = None,
    ) -> Array:
        """Fill the NaN values of X given the other values of their rows, by conditional Gibbs sampling.

        Known values come back as they are. Unknown ones become 0 or 1, the state of a chain after ``n_gibbs`` steps;
        or, with ``probabilities=True``, their probability of a 1, averaged over the second half of the chain.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM
        >>> patterns = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]])
        >>> rbm = OnlineRBM(n_hidden=16, replay="none", random_state=0).fit(np.tile(patterns, (1000, 1)))
        >>> rbm.impute([[1, np.nan, np.nan, 0, np.nan, np.nan]])
        array([[1., 1., 1., 0., 0., 0.]])
        """
        _require_positive("impute", n_gibbs=n_gibbs)
        known = self._check_rows(X, allow_nan=True)
        rng = self._side_generator(random_state)
        filled = []
        for block in blocks(known):
            cells = dense(block)
            unknown = np.isnan(cells)
            v, p = rbm_module.conditional_gibbs(self.state_.model, self._encode_dense(cells), unknown, n_gibbs, rng)
            filled.append(np.where(unknown, p if probabilities else v, cells))
        return np.concatenate(filled)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model and its whole training state to one safetensors file, atomically.

        Learning goes on from the file to the bit. A ``random_state`` that is no int is saved as None; the generator
        itself is saved.

        Examples
        --------
        >>> import tempfile, pathlib, numpy as np
        >>> from genreplay import OnlineRBM
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.safetensors"
        >>> OnlineRBM(n_hidden=4, random_state=0).fit(np.eye(8).repeat(50, axis=0)).save(path)
        >>> OnlineRBM.load(path).n_updates_
        4
        """
        check_is_fitted(self)
        extra: dict[str, checkpoint.Json] = {
            "estimator": type(self).__name__,
            "params": dict(params.to_json(self.get_params(deep=False))),
            "feature_names": [str(name) for name in getattr(self, "feature_names_in_", ())],
        }
        checkpoint.save(path, self.state_, self._settings(), extra)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model written by ``save``."""
        state, _, extra = checkpoint.load(path)
        if extra.get("estimator") != cls.__name__:
            raise checkpoint.CheckpointError(
                f"{path} holds a {extra.get('estimator', 'bare learner')}, not an {cls.__name__}."
            )
        before_presets = {"preset": "paper"} if "preset" in cls._get_param_names() else {}
        model = cls(**before_presets | params.from_json(extra["params"]))
        model._log_partition = None
        model._warned_of_range = False
        model.state_ = state
        model.n_features_in_ = state.rbm.n_visible
        if extra["feature_names"]:
            model.feature_names_in_ = np.array(extra["feature_names"], dtype=object)
        return model

    @property
    def components_(self) -> Array:
        return self.state_.model.W

    @property
    def intercept_visible_(self) -> Array:
        return self.state_.model.a

    @property
    def intercept_hidden_(self) -> Array:
        return self.state_.model.b

    @property
    def n_updates_(self) -> int:
        return self.state_.t - 1

    @property
    def n_rows_seen_(self) -> int:
        return self.state_.n_learned + self.state_.n_waiting

    @property
    def replay_nbytes_(self) -> int:
        return self.state_.replay.nbytes

    @property
    def nbytes(self) -> online.Memory:
        """Bytes held, in parts; ``nbytes.total`` is their sum. With dreams it does not grow with the stream."""
        check_is_fitted(self)
        return online.nbytes(self.state_)

    @property
    def _n_features_out(self) -> int:
        return self.state_.rbm.n_hidden

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []  # the output has the model's number type
        return tags

    def _check_rows(self, X: npt.ArrayLike, allow_nan: bool = False) -> InputRows:
        """Refuse rows that do not fit the model: column names, shape, numbers, width, range."""
        check_is_fitted(self)
        finite = "allow-nan" if allow_nan else True
        X = plain(X, allow_nan)
        return self._check_values(
            validate_data(self, X, reset=False, accept_sparse="csr", dtype="numeric", ensure_all_finite=finite)
        )

    def _check_values(self, rows: InputRows) -> InputRows:
        rows = canonical(rows)
        low, high = value_range(rows)
        if self.binarize is None and (low < 0 or high > 1):
            raise ValueError(
                f"X must lie in [0, 1] with binarize=None, but {type(self).__name__} got values from {low:g} to "
                f"{high:g}. Scale X, or set binarize to a threshold."
            )
        return rows

    def _warn_of_range(self, rows: InputRows, warned: bool, stacklevel: int) -> bool:
        """Warn, once, of values that look as if they were not meant to be cut at a threshold in [0, 1]."""
        low, high = value_range(rows)
        outside = (low < 0 or high > 1) and self.binarize is not None and 0 <= self.binarize <= 1
        if outside and not warned:
            warnings.warn(
                f"X has values from {low:g} to {high:g}, outside [0, 1]; those above binarize={self.binarize} become 1 "
                "and the others 0.",
                stacklevel=stacklevel,
            )
        return outside

    def _by_block(
        self, function: Callable[[RBM, kernels.VisibleRows], npt.NDArray[T]], rows: InputRows
    ) -> npt.NDArray[T]:
        rbm = self.state_.model
        return np.concatenate([function(rbm, self._encode(block)) for block in blocks(rows)])

    def _side_generator(self, random_state: RandomState) -> np.random.Generator:
        """Random numbers that do not touch those of learning: far ahead in the same sequence, or from a seed."""
        if random_state is None:
            return np.random.Generator(self.state_.rng.bit_generator.jumped())  # type: ignore[attr-defined]
        return generator(random_state)

    def _encode(self, rows: InputRows) -> kernels.VisibleRows:
        """Turn values into the model's numbers: 0 and 1, or probabilities as they are."""
        if not isinstance(rows, np.ndarray) and self.binarize is not None and self.binarize >= 0:
            return above(rows, self.binarize, self.state_.rbm.W.dtype)
        return self._encode_dense(dense(rows))

    def _encode_dense(self, rows: npt.NDArray[Any]) -> Array:
        encoded: Array = (rows if self.binarize is None else rows > self.binarize).astype(self.state_.rbm.W.dtype)
        return encoded


def generator(random_state: RandomState) -> np.random.Generator:
    """A Generator from what scikit-learn takes as a seed."""
    return np.random.default_rng(check_random_state(random_state).randint(np.iinfo(np.int32).max, size=4))


def _require_positive(method: str, **values: int) -> None:
    for name, value in values.items():
        if not isinstance(value, Integral) or value < 1:
            raise ValueError(f"The {name!r} parameter of {method} must be a positive int. Got {value!r} instead.")
