"""A classifier that cannot forget: one density model for each label, which learns the rows of its label alone."""

from __future__ import annotations

import copy
from numbers import Real
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core import rbm as rbm_module
from genreplay.core.kernels import Array, VisibleRows, Workspace
from genreplay.core.recipe import Recipe
from genreplay.core.replay import Replay
from genreplay.estimators import labels
from genreplay.estimators.class_files import Held
from genreplay.estimators.incremental import Float64, IncrementalClassifier
from genreplay.estimators.labels import Label, Labels
from genreplay.estimators.online_rbm import OnlineRBM
from genreplay.estimators.rows import InputRows, blocks
from genreplay.estimators.seeds import RandomState

N_JUDGED = 1_000
"""newest free energies of a label's rows that are kept, to tell how usual a row is"""
N_DREAMS = 100
"""states of a label's model that tell how log Z changes in an update"""
_EXACT_UP_TO = 2**20
"""states of the smaller layer times units of the larger, up to which log Z is enumerated: some milliseconds"""
N_TEMPERATURES = 500
"""of AIS, for one label's log Z"""


class _Density(NamedTuple):
    """How the rows of one label are judged."""

    version: tuple[int, int]
    """updates of the model that it was made from, and rows that waited if there were none"""
    rbm: rbm_module.RBM
    log_z: float


def in_float64(rbm: rbm_module.RBM) -> rbm_module.RBM:
    """The same parameters in float64, in which a row's probabilities do not depend on the rows beside it."""
    return rbm_module.RBM(*(part.astype(np.float64) for part in rbm))


def fills_enough(model: OnlineRBM) -> bool:
    """Whether the rows that wait are learned at the end of a stream: a few of them would do more harm than good."""
    n = model.state_.n_waiting
    return n > 0 and (model.n_updates_ == 0 or 2 * n >= model.batch_size)


class OnlineRBMClassifier(IncrementalClassifier):
    r"""Classifier of one small RBM for each label, learned from a stream whose labels may come in any order.

    A label gets a model of its own when it first appears, and its rows change no other model. So nothing is forgotten,
    also where classes come one after the other, and nothing has to be told: neither the classes beforehand, nor where
    one task ends. No row is kept. Prediction is Bayes' rule with the densities of the labels and their shares of the
    rows seen,

    $$p(y \mid v) \propto n_y \exp(-\mathcal{F}_y(v) - \log Z_y).$$

    Parameters
    ----------
    n_hidden : int, default=100
        Hidden units of each label's model.
    recipe : str or Recipe, default="modern"
        How each model learns; see ``OnlineRBM``.
    replay : str, Replay or None, default="none"
        What each model rehearses. Nothing by default: the rows of one label rarely drift. Where they do, "dream-pool".
    batch_size : int, default=100
        Rows of one label that trigger an update of its model.
    binarize : float or None, default=0.5
        Values above it become 1, the others 0. With None, values must lie in [0, 1] and are taken as probabilities.
    dtype : str, default="float32"
        "float32" or "float64": number type of the parameters and of the arithmetic.
    random_state : int, RandomState instance or None, default=None
        Seed of everything random. A label's model depends on it and on the label's rows, not on the other labels.

    Attributes
    ----------
    classes_ : ndarray
        The labels seen, and those announced by ``partial_fit(..., classes=...)``, in order. It grows.
    models_ : dict
        The density model of each label seen: an ``OnlineRBM``.
    class_count_ : ndarray
        Rows seen of each class.
    nbytes_ : int
        Bytes held, work space included. They depend on the number of labels, not on the length of the stream.
    n_features_in_ : int
        Features seen at the first fit.
    feature_names_in_ : ndarray of str
        Their names, if they all have one.

    Notes
    -----
    Log Z is estimated when a label is first judged after an update, and kept until its next one. A label that has not
    yet seen a whole batch is judged by a copy of its model that has learned the rows that wait.

    Numbers that are not bits go through an encoder first, such as ``TableEncoder``.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from genreplay import OnlineRBMClassifier
    >>> X, y = load_digits(n_class=4, return_X_y=True)
    >>> X, order = X / 16, np.argsort(y[:600], kind="stable")
    >>> model = OnlineRBMClassifier(n_hidden=10, batch_size=25, random_state=0)
    >>> for rows in np.array_split(order, 12):  # class after class
    ...     model = model.partial_fit(X[rows], y[rows])
    >>> model.classes_
    array([0, 1, 2, 3])
    >>> bool(model.score(X[600:], y[600:]) > 0.8)
    True
    >>> model.sample(2, y=3).shape
    (2, 64)
    """

    models_: dict[Label, OnlineRBM]
    _judged: dict[Label, Float64]
    """free energies of each label's newest rows, each taken before its row was learned and put in terms of the log Z of
    now; the newest last"""
    _copies: dict[Label, OnlineRBM]
    """of models before their first update"""
    _work: Workspace
    _densities: dict[Label, _Density]

    def __init__(
        self,
        n_hidden: int = 100,
        *,
        recipe: Literal["modern", "paper"] | Recipe = "modern",
        replay: str | Replay | None = "none",
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

    def _begin(self) -> None:
        self.models_, self._judged, self._densities, self._work = {}, {}, {}, Workspace()
        self._copies = {}

    def _learn_block(self, rows: InputRows, found: Labels) -> None:
        for label in np.unique(found):
            self._learn_label(label.item(), self._encode(rows[np.flatnonzero(found == label)]))

    def _learn_label(self, label: Label, rows: VisibleRows) -> None:
        if label not in self.models_:
            model = self._new_model(self._settings)
            model._start_state(self.n_features_in_, labels.generator_for(label, self._seed))
            self._adopt(label, model)
        model, start = self.models_[label], 0
        while start < len(rows):
            stop = start + self.batch_size - model.state_.n_waiting
            model._wait(rows[start:stop])
            start = stop
            if model.state_.n_waiting == self.batch_size:
                self._update(label, model)

    def _adopt(self, label: Label, model: OnlineRBM) -> None:
        """Take a label's model, with the work space that all share and the names of the columns."""
        model.state_ = model.state_._replace(work=self._work)
        model.n_features_in_ = self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            model.feature_names_in_ = self.feature_names_in_
        self.models_[label] = model

    def _update(self, label: Label, model: OnlineRBM) -> None:
        """Judge the rows that wait, then learn them; what was judged before follows the change of log Z."""
        before = model.state_
        if before.t == 1:
            model._update(model.recipe_, before.n_waiting)
            return
        energies = rbm_module.free_energy(before.model, before.waiting[: before.n_waiting])
        dreams = self._dreams_of(model, N_DREAMS, 1, model._side_generator(None))
        model._update(model.recipe_, before.n_waiting)
        rise = rbm_module.free_energy(before.model, dreams) - rbm_module.free_energy(model.state_.model, dreams)
        log_z_rise = np.logaddexp.reduce(rise) - np.log(len(rise))  # of the model's own states: importance sampling
        self._judged[label] = np.append(self._judged.get(label, energies[:0]), energies)[-N_JUDGED:] - log_z_rise

    def _flush(self) -> None:
        for label, model in self.models_.items():
            if fills_enough(model):
                self._update(label, model)

    def _log_joint(self, X: npt.ArrayLike) -> Float64:
        densities, counts = self.log_density(X), self.class_count_
        with np.errstate(divide="ignore"):  # no row of a class: log 0
            densities += np.log(counts / counts.sum())
        return densities

    def log_density(self, X: npt.ArrayLike) -> Float64:
        """Return log p(v | y) in nats for each row and class, in the order of ``classes_``.

        Without the shares of the labels: where these will be others than in the stream, add the logarithms of your own.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMClassifier
        >>> X, y = np.tile([[1, 1, 0, 0], [0, 0, 1, 1]], (400, 1)), np.tile(["left", "right"], 400)
        >>> model = OnlineRBMClassifier(n_hidden=4, random_state=0).fit(X, y)
        >>> left, right = model.log_density([[1, 1, 0, 0]])[0]
        >>> bool(left > right + 5)
        True
        """
        rows = self._check_rows(X)
        found, first = np.full((rows.shape[0], len(self.classes_)), -np.inf), 0
        judges = {place: self._density(label) for place, label in enumerate(self._seen) if label is not None}
        for block in blocks(rows):
            v, last = self._encode(block, np.float64), first + block.shape[0]
            for place, (_, rbm, log_z) in judges.items():
                found[first:last, place] = -rbm_module.free_energy(in_float64(rbm), v) - log_z
            first = last
        return found

    @property
    def _seen(self) -> list[Label | None]:
        """The classes, with None in place of those of which no row has come."""
        return [label if label in self.models_ else None for label in self.classes_.tolist()]

    def _density(self, label: Label) -> _Density:
        """What judges rows of a label, made anew if its model has changed since."""
        model = self.models_[label]
        version = (model.n_updates_, model.state_.n_waiting if model.n_updates_ == 0 else 0)
        held = self._densities.get(label)
        if held is None or held.version != version:
            model = self._ready(label)
            shape = model.components_.shape
            if 2 ** min(shape) * max(shape) <= _EXACT_UP_TO:
                log_z = model.log_partition("exact").log_z
            else:
                log_z = model.log_partition("ais", temperatures=N_TEMPERATURES).log_z
            held = self._densities[label] = _Density(version, model.state_.model, log_z)
        return held

    def p_values(self, X: npt.ArrayLike) -> Float64:
        """Return how usual each row is among those of each class: the share of its rows that were at most as probable.

        They are compared with the class's newest rows, each judged before it was learned; only the numbers are kept. A
        class that has judged no row yet has the p-value 1, one of which no row was seen has 0.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMClassifier
        >>> X, y = np.tile([[1, 1, 0, 0], [0, 0, 1, 1]], (400, 1)), np.tile(["left", "right"], 400)
        >>> model = OnlineRBMClassifier(n_hidden=4, random_state=0).fit(X, y)
        >>> model.p_values([[1, 1, 0, 0], [1, 0, 1, 0]]).max(axis=1).round(2)
        array([1., 0.])
        """
        rows = self._check_rows(X)
        found = np.zeros((rows.shape[0], len(self.classes_)))
        for place, label in enumerate(self._seen):
            if label is not None:
                usual = np.sort(self._judged.get(label, np.empty(0)))
                energies = self.models_[label]._by_block(rbm_module.free_energy, rows)
                n_stranger = len(usual) - np.searchsorted(usual, energies, side="left")
                found[:, place] = (n_stranger + 1) / (len(usual) + 1)
        return found

    def refused(self, X: npt.ArrayLike, level: float = 0.01) -> npt.NDArray[np.bool_]:
        """Tell which rows are far from every class: those whose p-values all lie below ``level``.

        Of rows like those learned, about this share is refused, or less. ``predict`` refuses none.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMClassifier
        >>> X, y = np.tile([[1, 1, 0, 0], [0, 0, 1, 1]], (400, 1)), np.tile(["left", "right"], 400)
        >>> model = OnlineRBMClassifier(n_hidden=4, random_state=0).fit(X, y)
        >>> model.refused([[1, 1, 0, 0], [1, 0, 1, 0]])
        array([False,  True])
        """
        if not isinstance(level, Real) or not 0 < level < 1:
            raise ValueError(f"The 'level' parameter of refused must lie between 0 and 1. Got {level!r} instead.")
        return np.asarray(self.p_values(X).max(axis=1) < level)

    def _ready(self, label: Label) -> OnlineRBM:
        """A label's model; before its first update, a copy that has learned the rows that wait."""
        model = self.models_[label]
        if model.n_updates_:
            self._copies.pop(label, None)
            return model
        held = self._copies.get(label)
        if held is None or held.n_rows_seen_ != model.n_rows_seen_:
            held = self._copies[label] = copy.deepcopy(model).flush()
        return held

    def _dream(self, place: int, n_samples: int, n_gibbs: int, rng: np.random.Generator) -> Array:
        label = self.classes_[place].item()
        model = self._ready(label)
        if self._has_pools and self.models_[label].n_updates_:
            pool = model.state_.past.recall(n_samples, model.state_.model, rng)
            return rbm_module.gibbs(model.state_.model, pool, n_gibbs, rng)
        return self._dreams_of(model, n_samples, n_gibbs, rng)

    def _dreams_of(self, model: OnlineRBM, n_samples: int, n_gibbs: int, rng: np.random.Generator) -> Array:
        """States of a label's model, from its chains on if it has some."""
        state = model.state_
        if state.chains is None:
            return rbm_module.dream(state.model, n_samples, n_gibbs, rng)
        starts = state.chains[rng.integers(len(state.chains), size=n_samples)]
        return rbm_module.gibbs(state.model, starts, n_gibbs, rng)

    @property
    def _has_pools(self) -> bool:
        return OnlineRBM(**self._settings).recipe_.replay.needs_chains

    @property
    def _n_gibbs(self) -> int:  # type: ignore[override]
        return 1 if self._has_pools else super()._n_gibbs

    @property
    def class_count_(self) -> npt.NDArray[np.int64]:
        counts = [0 if label is None else self.models_[label].n_rows_seen_ for label in self._seen]
        return np.array(counts, dtype=np.int64)

    @property
    def nbytes_(self) -> int:
        held = sum(model.nbytes.total - model.nbytes.work for model in self.models_.values())
        return held + sum(each.nbytes for each in self._judged.values()) + self._work.nbytes

    def _held(self) -> Held:
        seen = [label for label in self._seen if label is not None]
        learners = [(self.models_[label].state_, self.models_[label].recipe_) for label in seen]
        judged = [self._judged.get(label, np.empty(0)) for label in seen]
        return Held(learners, self.class_count_, judged, list(range(len(seen))))

    def _resume(self, held: Held) -> None:
        seen = self.classes_[held.counts > 0].tolist()
        for label, (state, recipe), judged in zip(seen, held.learners, held.judged, strict=True):
            model = self._new_model(self._settings)
            model._resume(state, recipe)
            model._check_changes()
            self._adopt(label, model)
            if len(judged):
                self._judged[label] = judged
        if (self.class_count_ != held.counts).any() or self.n_features_in_ != state.rbm.n_visible:
            raise ValueError("Its counts are not those of its models.")
