"""What classifiers of a stream share: labels that appear as they come, Bayes' rule, dreams of a label, files."""

from __future__ import annotations

import os
from abc import abstractmethod
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin, _fit_context
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from genreplay.core.checkpoint import refusing
from genreplay.core.kernels import Array
from genreplay.estimators import class_files, labels
from genreplay.estimators.bits import TakesBits
from genreplay.estimators.class_files import Held
from genreplay.estimators.labels import Labels
from genreplay.estimators.online_rbm import OnlineRBM
from genreplay.estimators.params import NestedParams
from genreplay.estimators.rows import InputRows, blocks, plain
from genreplay.estimators.seeds import RandomState, generator

if TYPE_CHECKING:
    from sklearn.utils import Tags

Float64 = npt.NDArray[np.float64]


class IncrementalClassifier(ClassifierMixin, TakesBits, NestedParams):  # type: ignore[misc]
    """A base for classifiers made of models of bits, with the arguments of an ``OnlineRBM``."""

    _parameter_constraints: ClassVar[dict[str, list[object]]] = OnlineRBM._parameter_constraints

    classes_: Labels
    dtype: str
    random_state: RandomState
    n_features_in_: int
    _settings: dict[str, Any]
    """arguments at the start, which cannot change while it learns"""
    _seed: list[int]
    _warned_of_range: bool
    _n_gibbs = 10
    """steps of a dream, if nobody asks for another number"""

    @abstractmethod
    def _begin(self) -> None:
        """Forget everything learned; the number of features and the seed are known."""

    @abstractmethod
    def _learn_block(self, rows: InputRows, found: Labels) -> None:
        """Learn some rows with their labels, which are among the classes."""

    @abstractmethod
    def _log_joint(self, X: npt.ArrayLike) -> Float64:
        """Log p(v, y) for each row and class, but for a term that all classes of a row share."""

    @abstractmethod
    def _dream(self, place: int, n_samples: int, n_gibbs: int, rng: np.random.Generator) -> Array:
        """Rows of the class at this place."""

    @abstractmethod
    def _held(self) -> Held:
        """What a file holds of what was learned."""

    @abstractmethod
    def _resume(self, held: Held) -> None:
        """Go on from what a file holds."""

    @property
    @abstractmethod
    def class_count_(self) -> npt.NDArray[np.int64]:
        """Rows seen of each class."""

    @abstractmethod
    def _flush(self) -> None:
        """Learn the rows that wait."""

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Start anew and learn the rows of X once, in their order; at the end, ``flush``."""
        self._learn(*self._start(X, y, classes=None))
        self._flush()
        return self

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: npt.ArrayLike, y: npt.ArrayLike, classes: npt.ArrayLike | None = None) -> Self:
        """Learn any number of further rows; an update fires each time ``batch_size`` rows have come together.

        ``classes`` need not be given. Where it is, its labels are in ``classes_`` from then on, with probability 0
        until a row of theirs comes, and other labels are refused in this call.
        """
        if not hasattr(self, "_settings"):
            self._learn(*self._start(X, y, classes))
            return self
        self._check_changes()
        rows = self._check_rows(X)
        found = labels.checked(y, rows.shape[0], type(self).__name__)
        merged = labels.merged(self.classes_, _announced(found, classes))
        self._check_classes(merged)
        self._warned_of_range |= self._warn_of_range(rows, self._warned_of_range, stacklevel=4)
        self.classes_ = merged
        self._learn(rows, found)
        return self

    def flush(self) -> Self:
        """Learn rows that wait although they are fewer than a batch: for the end of a stream.

        Where they fill less than half a batch and others were learned before, they go on waiting: an update from a few
        rows makes a model worse.
        """
        check_is_fitted(self)
        self._check_changes()
        self._flush()
        return self

    def predict(self, X: npt.ArrayLike) -> Labels:
        """Return the most probable label of each row."""
        joint = self._log_joint(X)
        found: Labels = self.classes_[joint.argmax(axis=1)]
        return found

    def predict_proba(self, X: npt.ArrayLike) -> Float64:
        """Return the probabilities of the classes, in the order of ``classes_``."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: npt.ArrayLike) -> Float64:
        """Return the logarithms of the probabilities of the classes, in the order of ``classes_``."""
        joint = self._log_joint(X)
        joint -= np.logaddexp.reduce(joint, axis=1, keepdims=True)
        return joint

    def sample(
        self,
        n_samples: int | None = None,
        y: npt.ArrayLike | None = None,
        *,
        n_gibbs: int | None = None,
        random_state: RandomState = None,
    ) -> Array:
        """Return dreams, rows of 0 and 1: of the label ``y``; one of each label of an array ``y``; or of all labels.

        Chains of ``n_gibbs`` steps start from the model's pool of dreams (``replay="dream-pool"``), whose rows differ
        most; if it has none, from its persistent chains, or else from h ~ U(0, 1). None stands for 1 step from a pool
        and for 10 steps otherwise. With ``y=None`` labels are drawn by their shares of the rows seen. ``n_samples`` is
        1 if it is not given; with an array ``y`` it is its length. With ``random_state=None`` the same model gives the
        same dreams.

        Examples
        --------
        >>> import numpy as np
        >>> from genreplay import OnlineRBMClassifier
        >>> X, y = np.tile([[1, 1, 0, 0], [0, 0, 1, 1]], (400, 1)), np.tile(["left", "right"], 400)
        >>> model = OnlineRBMClassifier(n_hidden=4, random_state=0).fit(X, y)
        >>> model.sample(2, y="left").shape, model.sample(y=["left", "right", "left"]).shape
        ((2, 4), (3, 4))
        """
        check_is_fitted(self)
        for name, value in {"n_samples": n_samples, "n_gibbs": n_gibbs}.items():
            if value is not None and (not isinstance(value, Integral) or value < 1):
                raise ValueError(f"The {name!r} parameter of sample must be a positive int. Got {value!r} instead.")
        counts = self.class_count_
        seed = [*self._seed, int(counts.sum())]
        rng = np.random.default_rng(seed) if random_state is None else generator(random_state)
        wanted = self._wanted(n_samples, y, counts, rng)
        dreams = np.empty((len(wanted), self.n_features_in_), dtype=self.dtype)
        for place in np.unique(wanted):
            chosen = np.flatnonzero(wanted == place)
            dreams[chosen] = self._dream(int(place), len(chosen), int(n_gibbs or self._n_gibbs), rng)
        return dreams

    def _wanted(
        self,
        n_samples: int | None,
        y: npt.ArrayLike | None,
        counts: npt.NDArray[np.int64],
        rng: np.random.Generator,
    ) -> npt.NDArray[np.intp]:
        """The place of the class of each dream."""
        n = 1 if n_samples is None else int(n_samples)
        if y is None:
            return rng.choice(len(counts), size=n, p=counts / counts.sum())
        given = labels.as_labels(y)
        if given.ndim == 1 and n_samples not in (None, len(given)):
            raise ValueError(f"sample gives one row for each label: y has {len(given)}, but n_samples={n_samples}.")
        wanted = labels.places(np.full(n, given) if given.ndim == 0 else given, self.classes_)
        if len(unseen := np.flatnonzero(counts[wanted] == 0)):
            raise ValueError(f"No row of the label {self.classes_[wanted[unseen[0]]].item()!r} was seen yet.")
        return wanted

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the classifier and its whole training state to one safetensors file, atomically.

        Learning continues from the file bit for bit. A ``random_state`` that is not an int is saved as None; what
        follows from it is saved.

        Examples
        --------
        >>> import tempfile, pathlib, numpy as np
        >>> from genreplay import OnlineRBMClassifier
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.safetensors"
        >>> OnlineRBMClassifier(n_hidden=4).fit(np.eye(4).repeat(50, axis=0), np.arange(4).repeat(50)).save(path)
        >>> OnlineRBMClassifier.load(path).classes_
        array([0, 1, 2, 3])
        """
        check_is_fitted(self)
        self._check_changes()
        names = [str(name) for name in getattr(self, "feature_names_in_", ())]
        class_files.save(path, self, self.classes_, self.n_features_in_, names, self._seed, self._held())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a classifier written by ``save``."""
        with refusing(path):
            loaded = class_files.load(path, cls)
            model = cls(**loaded.params)
            model._validate_params()
            model._settings, model._seed, model._warned_of_range = model._arguments(), loaded.seed, False
            model.classes_, model.n_features_in_ = loaded.classes, loaded.n_features
            if loaded.feature_names:
                model.feature_names_in_ = np.array(loaded.feature_names, dtype=object)
            model._begin()
            model._resume(loaded.held)
        return model

    def _start(self, X: npt.ArrayLike, y: object, classes: npt.ArrayLike | None) -> tuple[InputRows, Labels]:
        """Check everything that can fail, then start anew. Return rows and labels."""
        checked = check_array(plain(X, allow_nan=False), accept_sparse="csr", estimator=self, input_name="X")
        rows = self._check_values(checked)
        found = labels.checked(y, rows.shape[0], type(self).__name__)
        announced = labels.merged(None, _announced(found, classes))
        self._check_classes(announced)
        settings = self._arguments()
        _ = self._new_model(settings).recipe_  # refuses what cannot stand together
        warned_of_range = self._warn_of_range(rows, warned=False, stacklevel=5)
        seed = generator(self.random_state).integers(2**32, size=4).tolist()
        validate_data(self, X, reset=True, skip_check_array=True)  # sets n_features_in_ and feature_names_in_
        self._settings, self._seed, self._warned_of_range = settings, seed, warned_of_range
        self.classes_ = announced
        self._begin()
        return rows, found

    def _check_classes(self, merged: Labels) -> None:
        """Refuse more labels than there is room for."""

    def _new_model(self, settings: dict[str, Any]) -> OnlineRBM:
        """A model with the arguments of the classifier."""
        return OnlineRBM(**settings)

    def _arguments(self) -> dict[str, Any]:
        """Those that a model takes."""
        return {name: getattr(self, name) for name in self._get_param_names() if name != "random_state"}

    def _check_changes(self) -> None:
        for name, value in self._arguments().items():
            if value != self._settings[name]:
                raise ValueError(
                    f"The {name!r} parameter of {type(self).__name__} cannot change while it learns: set it back, or "
                    "call fit to start anew."
                )

    def _learn(self, rows: InputRows, found: Labels) -> None:
        first = 0
        for block in blocks(rows):
            self._learn_block(block, found[first : first + block.shape[0]])
            first += block.shape[0]

    @property
    def _number_type(self) -> npt.DTypeLike:
        return self.dtype

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = True  # on numbers that a threshold makes bits, as BernoulliNB
        return tags


def _announced(found: Labels, classes: npt.ArrayLike | None) -> Labels:
    if classes is None:
        return found
    announced = np.unique(labels.as_labels(classes))
    labels.places(found, announced)
    return announced
