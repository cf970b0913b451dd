"""A network of PyTorch with scikit-learn's interface, as a learner for ``GenerativeReplayClassifier``.

Needs the extra ``torch``, which is imported when a network first learns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from numbers import Integral
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from genreplay.estimators.seeds import RandomState, generator

Labels = npt.NDArray[Any]
Probabilities = npt.NDArray[np.float64]


def _torch() -> Any:
    try:
        return import_module("torch")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "TorchClassifier needs PyTorch, which is not installed: pip install 'genreplay[torch]'."
        ) from error


class TorchClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A network of PyTorch as a classifier that learns in batches, by cross-entropy.

    Parameters
    ----------
    network : function
        Makes the network, of the numbers of features and classes: ``network(n_features, n_classes)`` returns a
        ``torch.nn.Module`` that turns rows into one logit a class. A function at the top of a module can be pickled.
    optimizer : function or None, default=None
        Makes the optimiser, of the network's parameters, such as ``functools.partial(torch.optim.SGD, lr=0.1)``; None
        for ``torch.optim.Adam``.
    batch_size : int, default=200
        Rows for each step of the optimiser.
    n_epochs : int, default=20
        Passes of ``fit`` over its rows; ``partial_fit`` makes one.
    device : str, default="cpu"
        Where the network learns.
    random_state : int, RandomState instance or None, default=None
        Seed of the network's parameters, of the order of rows, and of what is random in the network, such as dropout.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, in order.
    network_ : torch.nn.Module
        The network.
    optimizer_ : torch.optim.Optimizer
        Its optimiser.
    n_features_in_ : int
        Features seen at the first fit.
    feature_names_in_ : ndarray of str
        Their names, if they all have one.

    Notes
    -----
    A pickle holds the network, the optimiser and the random numbers: a loaded copy goes on to the bit on the same
    machine. PyTorch's global random numbers are neither used nor changed.

    Examples
    --------
    >>> import numpy as np
    >>> import torch
    >>> from genreplay.estimators.torch import TorchClassifier
    >>> def network(n_features, n_classes):
    ...     return torch.nn.Sequential(torch.nn.Linear(n_features, 32), torch.nn.ReLU(), torch.nn.Linear(32, n_classes))
    >>> X, y = np.eye(4).repeat(50, axis=0), np.repeat(["a", "b", "c", "d"], 50)
    >>> model = TorchClassifier(network, batch_size=10, random_state=0).fit(X, y)
    >>> model.predict(np.eye(4))
    array(['a', 'b', 'c', 'd'], dtype='<U1')
    """

    _parameter_constraints: dict[str, list[object]] = {  # noqa: RUF012 (scikit-learn's own way)
        "network": [callable],
        "optimizer": [callable, None],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "n_epochs": [Interval(Integral, 1, None, closed="left")],
        "device": [str],
        "random_state": ["random_state"],
    }

    classes_: Labels
    network_: Any
    optimizer_: Any
    _random_numbers: Any
    """the state of PyTorch's generator between two calls"""

    def __init__(
        self,
        network: Callable[[int, int], Any],
        *,
        optimizer: Callable[..., Any] | None = None,
        batch_size: int = 200,
        n_epochs: int = 20,
        device: str = "cpu",
        random_state: RandomState = None,
    ) -> None:
        self.network = network
        self.optimizer = optimizer
        self.batch_size = batch_size
        self.n_epochs = n_epochs
        self.device = device
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike) -> Self:
        """Start anew and learn the rows, in ``n_epochs`` passes."""
        rows, labels = self._check_pairs(X, y, reset=True)
        self._start(np.unique(labels))
        self._learn(rows, labels, self.n_epochs)
        return self

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: npt.ArrayLike, y: npt.ArrayLike, classes: npt.ArrayLike | None = None) -> Self:
        """Learn further rows, in one pass; the first call needs ``classes``, all labels that may come."""
        is_first = not hasattr(self, "classes_")
        rows, labels = self._check_pairs(X, y, reset=is_first)
        if is_first:
            if classes is None:
                raise ValueError("The first call of partial_fit needs classes, all labels that may come.")
            self._start(np.unique(column_or_1d(classes)))
        self._learn(rows, labels, 1)
        return self

    def predict_proba(self, X: npt.ArrayLike) -> Probabilities:
        """Return the probabilities of the labels ``classes_``, one row for each row of X."""
        check_is_fitted(self)
        torch = _torch()
        rows = validate_data(self, X, reset=False, dtype=np.float32)
        self.network_.eval()
        with torch.no_grad():
            parts = [self._logits(rows[first : first + 10_000]) for first in range(0, len(rows), 10_000)]
            found: Probabilities = torch.cat(parts).double().softmax(dim=1).cpu().numpy()
        return found

    def predict(self, X: npt.ArrayLike) -> Labels:
        """Return the most likely label of each row."""
        check_is_fitted(self)
        found: Labels = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return found

    def _start(self, classes: Labels) -> None:
        torch = _torch()
        if len(classes) < 2:
            raise ValueError("TorchClassifier needs two classes at least, but there is only one class.")
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(int(generator(self.random_state).integers(2**63)))
            self.network_ = self.network(self.n_features_in_, len(classes)).to(self.device)
            self._random_numbers = torch.get_rng_state()
        self.optimizer_ = (self.optimizer or torch.optim.Adam)(self.network_.parameters())
        self.classes_ = classes

    def _learn(self, rows: npt.NDArray[np.float32], labels: Labels, n_epochs: int) -> None:
        torch = _torch()
        indices = np.searchsorted(self.classes_, labels).clip(max=len(self.classes_) - 1)
        if (unknown := self.classes_[indices] != labels).any():
            raise ValueError(f"The label {labels[unknown][0]} is not one of the classes that were announced.")
        targets = torch.from_numpy(indices).to(self.device)
        self.network_.train()
        with self._own_random_numbers():
            for _ in range(n_epochs):
                for batch in torch.randperm(len(rows)).split(self.batch_size):
                    loss = torch.nn.functional.cross_entropy(self._logits(rows[batch.numpy()]), targets[batch])
                    self.optimizer_.zero_grad()
                    loss.backward()
                    self.optimizer_.step()

    def _logits(self, rows: npt.NDArray[np.float32]) -> Any:
        return self.network_(_torch().from_numpy(np.ascontiguousarray(rows)).to(self.device))

    @contextmanager
    def _own_random_numbers(self) -> Iterator[None]:
        torch = _torch()
        with torch.random.fork_rng(devices=[]):
            torch.set_rng_state(self._random_numbers)
            yield
            self._random_numbers = torch.get_rng_state()

    def _check_pairs(self, X: npt.ArrayLike, y: npt.ArrayLike, reset: bool) -> tuple[npt.NDArray[np.float32], Labels]:
        rows, labels = validate_data(self, X, y, reset=reset, dtype=np.float32)
        check_classification_targets(labels)
        return rows, column_or_1d(labels, warn=True)
