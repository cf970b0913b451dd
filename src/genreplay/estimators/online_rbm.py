"""The scikit-learn estimator: a density model that learns from a stream in fixed memory."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from genreplay.core import online
from genreplay.core.checkpoint import refusing
from genreplay.core.ingredient import MOST_ROWS
from genreplay.core.kernels import Array, VisibleRows
from genreplay.core.partition import LogPartition
from genreplay.core.recipe import RECIPES, Recipe
from genreplay.core.replay import BY_NAME, Replay
from genreplay.core.state import BytesHeld, Info, State, bytes_held
from genreplay.estimators import files, merging
from genreplay.estimators.density import DensityMixin
from genreplay.estimators.params import NestedParams
from genreplay.estimators.rows import InputRows, blocks, plain
from genreplay.estimators.seeds import RandomState, generator

if TYPE_CHECKING:
    from sklearn.utils import Tags


class OnlineRBM(DensityMixin, NestedParams):
    r"""Restricted Boltzmann Machine learned online, rehearsing its own dreams in place of stored data.

    Online Contrastive Divergence with Generative Replay, OCD_GR [1]: every ``batch_size`` rows, the model generates
    rows of its own past and takes some steps of contrastive divergence on both together. No observation is kept. The
    density is

    $$\log p(v) = -\mathcal{F}(v) - \log Z, \qquad
    \mathcal{F}(v) = -a^\top v - \sum_j \log(1 + \exp(b_j + W_{j:} v)).$$

    Parameters
    ----------
    n_hidden : int, default=500
        Hidden units, n_h.
    recipe : str or Recipe, default="modern"
        How it learns: "modern", "paper", or a recipe of your own. "paper" is the method as published. "modern" stores
        nothing of the stream either, and fits far better: persistent chains beside the reconstructions, centred
        gradients, a falling learning rate, averaged parameters, and a pool of dreams that is rehearsed when the stream
        drifts. A ``Recipe`` such as ``PAPER.replace(n_cd=3)`` sets everything; its settings have nested names such as
        ``recipe__learning_rate``.
    replay : str, Replay or None, default=None
        What is rehearsed, in place of what the recipe says; None leaves it to the recipe. By name: "generative"
        (OCD_GR), dreams generated for each update; "dream-pool", dreams from a pool; "limited-memory" (ER-ML), stored
        rows in the bytes of the parameters; "infinite-memory" (ER-IM), all rows; "none". Or an object such as
        ``GenerativeReplay(n_gibbs=5)`` or ``MemoryReplay(capacity=1000)``.
    batch_size : int, default=100
        Observed rows that trigger one update, n_B.
    binarize : float or None, default=0.5
        Values above it become 1, the others 0. With None, values must lie in [0, 1] and are taken as probabilities.
    dtype : str, default="float32"
        "float32" or "float64": number type of the parameters and of the arithmetic.
    random_state : int, RandomState instance or None, default=None
        Seed of everything random. The same seed and stream give the same model, however the stream is cut.

    Attributes
    ----------
    state_ : State
        The learner between two rows: parameters, velocities, waiting rows, past, generator.
    recipe_ : Recipe
        The recipe in use: ``recipe``, with ``replay`` in its place if that is given.
    info_ : Info or None
        What the newest update did: rows rehearsed, drift, step size, epochs. None before the first and after ``load``.
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
        Bytes that the replay strategy holds: a pool of dreams, or stored rows; 0 if dreams are generated when needed.
    n_features_in_ : int
        Features seen at the first fit.
    feature_names_in_ : ndarray of str
        Their names, if they all have one.

    Notes
    -----
    One thread at a time may learn with a model. ``copy.deepcopy`` gives an independent copy; ``copy.copy`` does not.
    The first ``score_samples`` after an update takes a while where both layers are large: 14,500 steps of AIS. It says
    how long. To pay less, pass it the estimate of ``log_partition`` with fewer temperatures; to watch it, one with a
    ``progress``.

    References
    ----------
    [1] D. C. Mocanu, M. Torres Vega, E. Eaton, P. Stone, A. Liotta: Online Contrastive Divergence with Generative
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
        "n_hidden": [Interval(Integral, 1, MOST_ROWS, closed="both")],
        "recipe": [StrOptions(set(RECIPES)), Recipe],
        "replay": [StrOptions(set(BY_NAME)), Replay, None],
        "batch_size": [Interval(Integral, 1, MOST_ROWS, closed="both")],
        "binarize": [Interval(Real, None, None, closed="neither"), None],
        "dtype": [StrOptions({"float32", "float64"})],
        "random_state": ["random_state"],
    }

    state_: State
    info_: Info | None
    _started_with: Recipe
    """the recipe at the start; some of its ingredients cannot change later"""
    _log_partition: LogPartition | None
    _warned_of_range: bool

    def __init__(
        self,
        n_hidden: int = 500,
        *,
        recipe: Literal["modern", "paper"] | Recipe = "modern",
        replay: str | Replay | None = None,
        batch_size: int = 100,
        binarize: float | None = 0.5,
        dtype: Literal["float32", "float64"] = "float32",
        random_state: RandomState = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.recipe = recipe
        self.replay = replay
        self.batch_size = batch_size
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
            warnings.warn(
                f"Nothing learned yet: {self.n_rows_seen_} rows wait for a batch of batch_size={self.batch_size}.",
                stacklevel=3,
            )
        return self

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: npt.ArrayLike, y: object = None) -> Self:
        """Learn any number of further rows; an update fires each time ``batch_size`` rows have come together.

        The recipe may change between two calls, but not what learning started with: ``n_hidden``, ``dtype``, what is
        rehearsed, the recipe's ``start`` and its number of chains. ``random_state`` is used at the start only.
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
        """Learn one more row, a 1D array: ``partial_fit`` of a single row with a small part of its overhead.

        The row is added to those that wait. Changed parameters are checked when a batch is full.

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
        row = np.asanyarray(x)  # unlike asarray, it keeps a mask
        if row.ndim != 1:
            raise ValueError(f"learn_one takes one row, a 1D array. Got an array of shape {row.shape} instead.")
        state: State | None = getattr(self, "state_", None)
        if (
            state is None
            or state.n_waiting + 1 >= self.batch_size
            or state.n_waiting == len(state.waiting)  # the batch size was raised
            or not self._needs_no_check(row, state)
        ):
            return self.partial_fit(row[np.newaxis])  # type: ignore[no-any-return]
        place = state.waiting[state.n_waiting]
        if self.binarize is None:
            place[:] = row
        else:
            np.greater(row, self.binarize, out=place)
        self.state_ = state._replace(n_waiting=state.n_waiting + 1)
        return self

    def flush(self) -> Self:
        """Learn the rows that wait although they are fewer than a batch: for the end of a stream.

        Rows that come later are learned as usual.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM
        >>> rbm = OnlineRBM(n_hidden=4, random_state=0).partial_fit(np.eye(8).repeat(20, axis=0))
        >>> rbm.n_updates_, rbm.flush().n_updates_
        (1, 2)
        """
        check_is_fitted(self)
        self._check_changes()
        if self.state_.n_waiting:
            self._update(self.recipe_, self.state_.n_waiting)
        return self

    def _needs_no_check(self, row: npt.NDArray[Any], state: State) -> bool:
        """Whether a row can be learned as it is; if not, ``partial_fit`` will refuse it or warn."""
        if row.dtype.kind not in "biuf" or row.size != state.rbm.n_visible or hasattr(self, "feature_names_in_"):
            return False
        if isinstance(row, np.ma.MaskedArray):
            return False
        low, high = row.min(), row.max()
        in_range = low >= 0 and high <= 1  # False for NaN
        return bool(in_range or (self.binarize is not None and self._warned_of_range and np.isfinite(high - low)))

    def _start(self, X: npt.ArrayLike) -> InputRows:
        """Check everything that can fail, then replace the state by a new one. Return the rows."""
        checked = check_array(plain(X, allow_nan=False), accept_sparse="csr", estimator=self, input_name="X")
        rows = self._check_values(checked)
        warned_of_range = self._warn_of_range(rows, warned=False, stacklevel=5)
        self._start_state(rows.shape[1], generator(self.random_state))
        validate_data(self, X, reset=True, skip_check_array=True)  # sets n_features_in_ and feature_names_in_
        self._warned_of_range = warned_of_range
        return rows

    def _start_state(self, n_visible: int, rng: np.random.Generator) -> None:
        """Forget everything and start with this many visible units."""
        recipe = self.recipe_
        self.state_ = online.init(n_visible, self.n_hidden, recipe, rng, self.batch_size, self.dtype)
        self.info_, self._log_partition, self._warned_of_range = None, None, False
        self._started_with = recipe

    @property
    def recipe_(self) -> Recipe:
        """The recipe in use: ``recipe``, with ``replay`` in its place if that is given."""
        recipe = RECIPES[self.recipe] if isinstance(self.recipe, str) else self.recipe
        if self.replay is not None:
            recipe = recipe.replace(replay=BY_NAME[self.replay] if isinstance(self.replay, str) else self.replay)
        if self.binarize is None and recipe.replay.keeps_bits:
            raise ValueError("A packed memory keeps bits: set binarize to a threshold, or packed=False.")
        return recipe

    def _check_changes(self) -> None:
        """Parameters may change between two calls of partial_fit, but not what the state was built from."""
        self._validate_params()
        recipe, before, chains = self.recipe_, self._started_with, self.state_.chains
        changed = {
            "n_hidden": self.n_hidden != self.state_.rbm.n_hidden,
            "dtype": self.dtype != self.state_.rbm.W.dtype.name,
            "replay": recipe.replay != before.replay,
            "recipe__start": recipe.start != before.start,
            "recipe__negative__n_chains": chains is not None and recipe.negative.n_chains not in (0, len(chains)),
        }
        for name, has_changed in changed.items():
            if has_changed:
                raise ValueError(
                    f"The {name!r} parameter of {type(self).__name__} cannot change while it learns: set it back, or "
                    "call fit to start anew."
                )

    def _learn(self, rows: InputRows) -> None:
        recipe = self.recipe_
        for block in blocks(rows):
            for state, info in online.observe(self.state_, self._encode(block), recipe, self.batch_size):
                self._take(state, info)

    def _wait(self, rows: VisibleRows) -> None:
        """Add encoded rows to the batch, at most as many as it lacks."""
        self.state_ = online.wait(online.with_room(self.state_, self.batch_size), rows)

    def _update(self, recipe: Recipe, n_rows: int) -> None:
        """One update from the first rows that wait."""
        self._take(*online.step(self.state_, recipe, n_rows))

    def _take(self, state: State, info: Info | None) -> None:
        if info is not None:
            self.info_, self._log_partition = info, None
        self.state_ = state

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model and its whole training state to one safetensors file, atomically.

        Learning continues from the file bit for bit. A ``random_state`` that is not an int is saved as None; the
        generator itself is saved.

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
        self._check_changes()
        names: list[Any] = [str(name) for name in getattr(self, "feature_names_in_", ())]
        files.save(path, self, self.state_, self.recipe_, {"feature_names": names})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a model written by ``save``."""
        with refusing(path):
            loaded = files.load(path, cls)
            model = cls(**loaded.params)
            model._resume(loaded.state, loaded.recipe)
            model._check_changes()
        model.n_features_in_ = loaded.state.rbm.n_visible
        if loaded.feature_names:
            model.feature_names_in_ = np.array(loaded.feature_names, dtype=object)
        return model

    @classmethod
    def from_state(cls, state: State, recipe: Recipe, batch_size: int = 100) -> Self:
        """Return an estimator that goes on from a learner's state, such as one that a device saved.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM
        >>> from genreplay.device import Reference, Settings
        >>> from genreplay.device.transfer import from_device
        >>> learner = Reference(Settings(n_visible=8, n_hidden=4)).learn(np.eye(8).repeat(10, axis=0))
        >>> OnlineRBM.from_state(*from_device(learner)).partial_fit(np.eye(8)).n_rows_seen_
        88
        """
        dtype: Literal["float32", "float64"] = "float64" if state.rbm.W.dtype == np.float64 else "float32"
        model = cls(state.rbm.n_hidden, recipe=recipe, batch_size=batch_size, dtype=dtype)
        model._resume(state, recipe)
        model.n_features_in_ = state.rbm.n_visible
        return model

    @classmethod
    def merge(
        cls,
        models: Sequence[Self],
        *,
        n_hidden: int | None = None,
        n_dreams: int | None = None,
        since: Self | None = None,
        random_state: RandomState = None,
    ) -> Self:
        """Return a new model learned from the dreams of others alone, each with the share of the rows it learned.

        The other arguments are those of the first model. The result goes on learning as any other.

        Parameters
        ----------
        models : sequence of OnlineRBM
            With the same features. Their sizes and recipes may differ.
        n_hidden : int or None, default=None
            Hidden units; None for those of the largest model.
        n_dreams : int or None, default=None
            Dreams to learn; None for three for each row learned, at least 30,000 and at most 120,000.
        since : OnlineRBM or None, default=None
            The model that all of them went on from, if they have met before. Its rows count once, and each model has
            the share of the rows that it learned since then.
        random_state : int, RandomState instance or None, default=None
            Seed of everything random.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBM
        >>> patterns = np.array([[1, 1, 1, 1, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1, 1, 1]])
        >>> first, second = (OnlineRBM(8, random_state=0).fit(np.tile(row, (1000, 1))) for row in patterns)
        >>> both = OnlineRBM.merge([first, second], n_dreams=3000, random_state=0)
        >>> one, other, neither = both.free_energy([*patterns, [1, 0, 1, 0, 1, 0, 1, 0]])
        >>> both.n_rows_seen_, bool(one < neither), bool(other < neither)
        (2000, True, True)
        """
        return merging.merge(cls, models, n_hidden, n_dreams, since, random_state)

    def _resume(self, state: State, recipe: Recipe) -> None:
        """Continue from the state in a file."""
        self.state_, self._started_with = state, recipe
        self.info_, self._log_partition, self._warned_of_range = None, None, False

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
        return self.state_.past.nbytes

    @property
    def nbytes(self) -> BytesHeld:
        """Bytes held, in parts; ``nbytes.total`` is their sum. With dreams it does not grow with the stream."""
        check_is_fitted(self)
        return bytes_held(self.state_)

    @property
    def _n_features_out(self) -> int:
        return self.state_.rbm.n_hidden

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = []  # the output has the model's number type
        return tags
