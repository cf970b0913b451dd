"""Any classifier that learns in batches, fed with dreamed pairs: a scikit-learn meta-estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, _fit_context, clone
from sklearn.linear_model import SGDClassifier
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from genreplay.estimators import labels as labels_module
from genreplay.estimators.classifier import OnlineRBMClassifier
from genreplay.estimators.params import NestedParams
from genreplay.estimators.rehearsed_pairs import Pairs, Past, RehearsedPairs
from genreplay.estimators.seeds import RandomState, generator

if TYPE_CHECKING:
    from sklearn.utils import Tags

Rows = npt.NDArray[np.floating[Any]]
Labels = npt.NDArray[Any]


def _delegates(name: str) -> Callable[[GenerativeReplayClassifier], bool]:
    """Whether the estimator has a method."""
    return lambda self: hasattr(self._new_estimator(), name)


class GenerativeReplayClassifier(ClassifierMixin, MetaEstimatorMixin, NestedParams):  # type: ignore[misc]
    """Any classifier with ``partial_fit``, which remembers what it has learned by pairs of the past that are dreamed.

    A classifier that learns from a stream forgets the labels that no longer come. Here each batch is joined with pairs
    of the past, drawn from a generator that has learned the stream, and the estimator learns both together. Then the
    generator learns the batch. Nothing needs to be known of the stream, neither its tasks nor when they change.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The learner: any classifier with ``partial_fit``, such as ``MLPClassifier()`` or ``TorchClassifier(network)``;
        None for ``SGDClassifier(loss="log_loss")``.
    generator : generator or None, default=None
        What pairs of the past come from; None for ``OnlineRBMClassifier(replay="dream-pool")``, which dreams them. Any
        object with ``partial_fit(X, y)``, ``sample(n_samples, y=labels, random_state=seed)``, which returns one row
        for each label, and ``classes_``, the labels that it knows. ``ReservoirMemory()`` and ``InfiniteMemory()`` store
        rows, for comparison.
    rehearsal : RehearsedPairs or None, default=None
        How many pairs, of which labels, and who labels them; None for ``RehearsedPairs()``.
    random_state : int, RandomState instance or None, default=None
        Seed of everything random; it also seeds the estimator and the generator where they have no seed of their own.

    Attributes
    ----------
    estimator_ : classifier or None
        The learner; None while only one label is known, when there is nothing to tell apart.
    generator_ : generator
        What has learned the stream.
    classes_ : ndarray of shape (n_classes,)
        Labels seen or announced, in order.
    label_counts_ : ndarray of shape (n_classes,)
        Rows seen of each.
    n_rows_seen_ : int
        Rows seen in all.
    n_rehearsed_ : int
        Pairs rehearsed beside the newest batch.
    n_features_in_ : int
        Features seen at the first fit.
    feature_names_in_ : ndarray of str
        Their names, if they all have one.

    Notes
    -----
    Most classifiers of scikit-learn cannot take a label that they were not told of at their first call. So tell
    ``partial_fit`` the labels to come, as ``classes``, if you know them. If another label comes, a new learner is made,
    and dreams of the past teach it first: up to ``rehearsal.n_relearn`` of them.

    The rows of the past must look like the rows of the stream: a generator that dreams bits needs a stream of bits. For
    other data, put a binary encoder before, such as ``KBinsDiscretizer`` in a pipeline.

    A pickle holds everything: a loaded copy goes on to the bit, if ``random_state`` is set.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.linear_model import SGDClassifier
    >>> from genreplay import GenerativeReplayClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> X, order = (X > 7).astype(float), np.argsort(y, kind="stable")  # a stream that has all zeros first
    >>> learner = SGDClassifier(loss="log_loss", random_state=0)
    >>> model = GenerativeReplayClassifier(learner, random_state=0)
    >>> for batch in np.array_split(order, 36):
    ...     learner = learner.partial_fit(X[batch], y[batch], classes=range(10))
    ...     model = model.partial_fit(X[batch], y[batch], classes=range(10))
    >>> bool(learner.score(X, y) < 0.3), bool(model.score(X, y) > 0.8)
    (True, True)
    """

    _parameter_constraints: dict[str, list[object]] = {  # noqa: RUF012 (scikit-learn's own way)
        "estimator": [BaseEstimator, None],
        "generator": [object],
        "rehearsal": [RehearsedPairs, None],
        "random_state": ["random_state"],
    }

    estimator_: Any
    generator_: Any
    classes_: Labels
    label_counts_: npt.NDArray[np.int64]
    n_rehearsed_: int
    _dtype: np.dtype[Any]
    """of the rows that the learner gets; some cannot take another than their first"""
    _rng: np.random.Generator

    def __init__(
        self,
        estimator: Any = None,
        generator: Any = None,
        *,
        rehearsal: RehearsedPairs | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.estimator = estimator
        self.generator = generator
        self.rehearsal = rehearsal
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Start anew and learn the rows of X once, all together, so that there is no past to rehearse.

        To learn them as a stream, call ``partial_fit`` with one batch after the other.
        """
        rows, labels = self._check_pairs(X, y, reset=True)
        self._start(rows.dtype)
        self._learn(rows, labels, None)
        return self

    @_fit_context(prefer_skip_nested_validation=False)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: npt.ArrayLike, y: npt.ArrayLike, classes: npt.ArrayLike | None = None) -> Self:
        """Learn one more batch, joined with pairs of the past.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Rows.
        y : array-like of shape (n_rows,)
            Their labels.
        classes : array-like of shape (n_classes,) or None, default=None
            Labels that may come. A label that is neither here nor known makes a new learner: see the notes.
        """
        is_first = not hasattr(self, "classes_")
        rows, labels = self._check_pairs(X, y, reset=is_first)
        if is_first:
            self._start(rows.dtype)
        self._learn(rows, labels, classes)
        return self

    def predict(self, X: npt.ArrayLike) -> Labels:
        """Return the label that the learner finds most likely, for each row."""
        rows = self._check_rows(X)
        if self.estimator_ is None:
            return np.repeat(self.classes_, len(rows))
        found: Labels = self.estimator_.predict(rows)
        return found

    @available_if(_delegates("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: npt.ArrayLike) -> Rows:
        """Return the learner's probabilities of the labels ``classes_``."""
        rows = self._check_rows(X)
        if self.estimator_ is None:
            return np.ones((len(rows), 1))
        found: Rows = self.estimator_.predict_proba(rows)
        return found

    @available_if(_delegates("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: npt.ArrayLike) -> Rows:
        """Return the learner's decision function."""
        rows = self._check_rows(X)
        if self.estimator_ is None:
            return np.zeros(len(rows))
        found: Rows = self.estimator_.decision_function(rows)
        return found

    @property
    def n_rows_seen_(self) -> int:
        return int(self.label_counts_.sum())

    def _start(self, dtype: npt.DTypeLike) -> None:
        """Forget everything."""
        self._dtype = np.dtype(dtype)
        self._rng = generator(self.random_state)
        self.generator_ = self._seeded(self._new_generator())
        self.estimator_, self.n_rehearsed_ = None, 0
        self.classes_, self.label_counts_ = np.empty(0, dtype=object), np.empty(0, dtype=np.int64)

    def _learn(self, rows: Rows, labels: Labels, announced: npt.ArrayLike | None) -> None:
        """Rehearse what the generator knows of the past beside the batch, then let the generator learn the batch."""
        past = Past(self.generator_, self.estimator_, self.classes_, self.label_counts_)
        self._know(labels, announced, past)
        self.n_rehearsed_ = 0
        if self.estimator_ is not None:
            dreams = self._rehearsal.pairs(rows, labels, past._replace(learner=self.estimator_), self._rng)
            self.n_rehearsed_ = len(dreams.rows)
            self._teach(Pairs(rows, labels), *([dreams] if self.n_rehearsed_ else []))
        self.generator_.partial_fit(rows, labels)
        np.add.at(self.label_counts_, np.searchsorted(self.classes_, labels), 1)

    def _know(self, labels: Labels, announced: npt.ArrayLike | None, past: Past) -> None:
        """Make a new learner if there is a label that the present one was not told of, and teach it the past."""
        classes = labels_module.merged(self.classes_ if len(self.classes_) else None, labels)
        if announced is not None:
            classes = labels_module.merged(classes, labels_module.as_labels(announced))
        if len(classes) == len(self.classes_):
            return
        counts = np.zeros(len(classes), dtype=np.int64)
        counts[np.searchsorted(classes, self.classes_)] = self.label_counts_
        self.classes_, self.label_counts_ = classes, counts
        if len(classes) == 1:
            return
        self.estimator_ = self._seeded(self._new_estimator())
        for dreams in self._rehearsal.lessons(past, self._rng):
            self._teach(dreams)

    def _teach(self, *lessons: Pairs) -> None:
        rows = np.concatenate([each.rows for each in lessons]).astype(self._dtype, copy=False)
        labels = np.concatenate([each.labels for each in lessons])
        self.estimator_.partial_fit(rows, labels, classes=self.classes_)

    @property
    def _rehearsal(self) -> RehearsedPairs:
        return RehearsedPairs() if self.rehearsal is None else self.rehearsal

    def _new_estimator(self) -> Any:
        return SGDClassifier(loss="log_loss") if self.estimator is None else clone(self.estimator)

    def _new_generator(self) -> Any:
        return OnlineRBMClassifier(replay="dream-pool") if self.generator is None else clone(self.generator)

    def _seeded(self, model: Any) -> Any:
        """The model, with a seed of ours where it has none and we have one."""
        if self.random_state is None:
            return model
        names = [name for name in model.get_params() if name == "random_state" or name.endswith("__random_state")]
        missing = [name for name in names if model.get_params()[name] is None]
        return model.set_params(**{name: int(self._rng.integers(2**31)) for name in missing})

    def _check_pairs(self, X: npt.ArrayLike, y: npt.ArrayLike, reset: bool) -> tuple[Rows, Labels]:
        """Check everything that can fail before anything is learned."""
        if not hasattr(self._new_estimator(), "partial_fit"):
            raise ValueError(
                "The 'estimator' parameter of GenerativeReplayClassifier must be a classifier with partial_fit, such "
                f"as SGDClassifier() or MLPClassifier(). Got {self.estimator!r} instead."
            )
        for name in ("partial_fit", "sample"):
            if self.generator is not None and not hasattr(self.generator, name):
                raise ValueError(
                    "The 'generator' parameter of GenerativeReplayClassifier must have partial_fit and sample, such as "
                    f"OnlineRBMClassifier() or ReservoirMemory(). Got {self.generator!r} instead."
                )
        rows, labels = validate_data(self, X, y, reset=reset, dtype=[np.float64, np.float32])
        return rows, labels_module.checked(labels, len(rows), type(self).__name__)

    def _check_rows(self, X: npt.ArrayLike) -> Rows:
        check_is_fitted(self)
        rows: Rows = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        return rows

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags
