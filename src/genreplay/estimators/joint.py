"""A classifier of one model for rows and labels together: for many labels, or few rows of each."""

from __future__ import annotations

import copy
from numbers import Integral
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sklearn.utils._param_validation import Interval

from genreplay.core import rbm as rbm_module
from genreplay.core.kernels import Array, bias_of, sum_softplus, to_hidden
from genreplay.core.recipe import Recipe
from genreplay.core.replay import Replay
from genreplay.core.state import State
from genreplay.estimators.class_files import Held
from genreplay.estimators.classifier import fills_enough, in_float64
from genreplay.estimators.incremental import Float64, IncrementalClassifier
from genreplay.estimators.labels import Label, Labels, generator_for
from genreplay.estimators.online_rbm import OnlineRBM
from genreplay.estimators.rows import InputRows, blocks, dense
from genreplay.estimators.seeds import RandomState

_MOST_CLASSES = 10_000


class JointRBMClassifier(IncrementalClassifier):
    r"""Classifier of one RBM that models rows and labels together, $p(v, y)$, learned from a stream.

    Each label is a visible unit beside those of the row. All labels share the hidden units, so a label needs few rows,
    and one more label costs next to nothing. Prediction compares the free energies of a row with each of the labels and
    needs no log Z:

    $$p(y \mid v) \propto \exp(-\mathcal{F}(v, y)).$$

    A model that all labels share can forget: it rehearses its dreams, labels included. Where rows of each label are
    plenty, ``OnlineRBMClassifier`` is more accurate, and cannot forget.

    Parameters
    ----------
    n_hidden : int, default=500
        Hidden units.
    recipe : str or Recipe, default="modern"
        How the model learns; see ``OnlineRBM``.
    replay : str, Replay or None, default=None
        What is rehearsed, in place of what the recipe says.
    batch_size : int, default=100
        Rows that trigger an update.
    binarize : float or None, default=0.5
        Values above it become 1, the others 0. With None, values must lie in [0, 1] and are taken as probabilities.
    max_classes : int, default=32
        Labels that the model has units for.
    dtype : str, default="float32"
        "float32" or "float64": number type of the parameters and of the arithmetic.
    random_state : int, RandomState instance or None, default=None
        Seed of everything random.

    Attributes
    ----------
    classes_ : ndarray
        The labels seen, and those announced by ``partial_fit(..., classes=...)``, in order. It grows.
    model_ : OnlineRBM
        The model of rows and labels; its last ``max_classes`` visible units are the labels.
    class_count_ : ndarray
        Rows seen of each class.
    nbytes_ : int
        Bytes held, work space included.
    n_features_in_ : int
        Features seen at the first fit.
    feature_names_in_ : ndarray of str
        Their names, if they all have one.

    Examples
    --------
    >>> import numpy as np
    >>> from genreplay import JointRBMClassifier
    >>> X, y = np.tile([[1, 1, 0, 0], [0, 0, 1, 1]], (1000, 1)), np.tile(["left", "right"], 1000)
    >>> model = JointRBMClassifier(n_hidden=16, max_classes=4, random_state=0)
    >>> for rows in np.array_split(np.arange(2000), 40):
    ...     model = model.partial_fit(X[rows], y[rows])
    >>> model.predict([[1, 1, 0, 0], [0, 0, 1, 1]])
    array(['left', 'right'], dtype='<U5')
    """

    _parameter_constraints: dict[str, list[object]] = {  # type: ignore[misc]  # noqa: RUF012 (scikit-learn's own way)
        **OnlineRBM._parameter_constraints,
        "max_classes": [Interval(Integral, 1, _MOST_CLASSES, closed="both")],
    }

    model_: OnlineRBM
    _units: dict[Label, int]
    """the unit of each label, in the order in which they came"""
    _counts: dict[Label, int]

    def __init__(
        self,
        n_hidden: int = 500,
        *,
        recipe: Literal["modern", "paper"] | Recipe = "modern",
        replay: str | Replay | None = None,
        batch_size: int = 100,
        binarize: float | None = 0.5,
        max_classes: int = 32,
        dtype: Literal["float32", "float64"] = "float32",
        random_state: RandomState = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.recipe = recipe
        self.replay = replay
        self.batch_size = batch_size
        self.binarize = binarize
        self.max_classes = max_classes
        self.dtype = dtype
        self.random_state = random_state

    def _begin(self) -> None:
        self.model_ = self._new_model(self._settings)
        self.model_._start_state(self.n_features_in_ + self.max_classes, generator_for("", self._seed))
        self.model_.n_features_in_ = self.n_features_in_ + self.max_classes
        self._units, self._counts = {}, {}

    def _new_model(self, settings: dict[str, Any]) -> OnlineRBM:
        return OnlineRBM(**{name: value for name, value in settings.items() if name != "max_classes"})

    def _check_classes(self, merged: Labels) -> None:
        if len(merged) > self.max_classes:
            raise ValueError(
                f"There are {len(merged)} labels, more than max_classes={self.max_classes}: set it higher and start "
                "anew."
            )

    def _learn_block(self, rows: InputRows, found: Labels) -> None:
        joined = np.zeros((rows.shape[0], self.n_features_in_ + self.max_classes), dtype=self.dtype)
        joined[:, : self.n_features_in_] = self._encode_dense(dense(rows))
        for place, label in enumerate(found.tolist()):
            unit = self._units.setdefault(label, len(self._units))
            self._counts[label] = self._counts.get(label, 0) + 1
            joined[place, self.n_features_in_ + unit] = 1
        self.model_._learn(joined)

    def _flush(self) -> None:
        if fills_enough(self.model_):
            self.model_.flush()

    def _log_joint(self, X: npt.ArrayLike) -> Float64:
        rows = self._check_rows(X)
        n, rbm = self.n_features_in_, in_float64(self._judge.model)
        found = np.full((rows.shape[0], len(self.classes_)), -np.inf)
        of_rows = rbm_module.RBM(np.asfortranarray(rbm.W[:, :n]), rbm.a[:n], rbm.b)
        first = 0
        for block in blocks(rows):
            v, last = self._encode(block, np.float64), first + block.shape[0]
            inputs, bias = to_hidden(v, of_rows.W, of_rows.b), bias_of(v, of_rows.a)
            for place, label in enumerate(self.classes_.tolist()):
                if label in self._units:
                    unit = n + self._units[label]
                    found[first:last, place] = bias + rbm.a[unit] + sum_softplus(inputs + rbm.W[:, unit])
            first = last
        return found

    @property
    def _judge(self) -> State:
        """The state to judge with: before the first update, that of a copy which has learned the rows that wait."""
        return (self.model_ if self.model_.n_updates_ else copy.deepcopy(self.model_).flush()).state_

    def _dream(self, place: int, n_samples: int, n_gibbs: int, rng: np.random.Generator) -> Array:
        state, n = self._judge, self.n_features_in_
        code = np.zeros(self.max_classes, dtype=self.dtype)
        code[self._units[self.classes_[place].item()]] = 1
        if state.chains is None:
            v = rbm_module.dream(state.model, n_samples, 1, rng)
        else:
            of_label = np.flatnonzero(state.chains[:, n:] @ code)
            starts = of_label if len(of_label) else np.arange(len(state.chains))
            v = state.chains[rng.choice(starts, size=n_samples)]
        for _ in range(n_gibbs):
            v[:, n:] = code
            v = rbm_module.gibbs(state.model, v, 1, rng)
        return v[:, :n]

    @property
    def class_count_(self) -> npt.NDArray[np.int64]:
        return np.array([self._counts.get(label, 0) for label in self.classes_.tolist()], dtype=np.int64)

    @property
    def nbytes_(self) -> int:
        return self.model_.nbytes.total

    def _held(self) -> Held:
        units = [self._units[label] for label in self.classes_.tolist() if label in self._units]
        return Held([(self.model_.state_, self.model_.recipe_)], self.class_count_, [np.empty(0)], units)

    def _resume(self, held: Held) -> None:
        seen, counts = self.classes_[held.counts > 0].tolist(), held.counts[held.counts > 0].tolist()
        if (
            len(held.learners) != 1
            or len(self.classes_) > self.max_classes
            or sorted(held.units) != [*range(len(seen))]
        ):
            raise ValueError("Its labels are not those of its model.")
        self.model_._resume(*held.learners[0])
        self.model_._check_changes()
        if self.model_.state_.rbm.n_visible != self.n_features_in_ + self.max_classes:
            raise ValueError("Its model has another number of units than its features and labels need.")
        self._units = {label: unit for unit, label in sorted(zip(held.units, seen, strict=True))}
        self._counts = dict(zip(seen, counts, strict=True))
        if self.model_.n_rows_seen_ != sum(counts):
            raise ValueError("Its counts are not those of its model.")
