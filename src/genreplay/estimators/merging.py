"""Models that meet through their dreams: a new one learns from what others dream, and from nothing else.

Each model has the share of the dreams that it has of the rows which all of them have learned together. No row leaves
the place where it was learned: what is passed on is a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from genreplay.core.dreamers import dreams_of
from genreplay.estimators.arguments import arguments_of
from genreplay.estimators.seeds import RandomState, generator

if TYPE_CHECKING:
    from genreplay.estimators.online_rbm import OnlineRBM

AnyRBM = TypeVar("AnyRBM", bound="OnlineRBM")


class Number(NamedTuple):
    """How many dreams are learned if nobody says."""

    per_row: int
    """dreams for each row that was learned"""
    least: int
    most: int


OF_BITS = Number(per_row=3, least=30_000, most=120_000)
"""dreams cost no rows, and more of them fit better: chosen on validation rows of MNIST"""


class Shares(NamedTuple):
    """How much each model counts."""

    of_dreams: npt.NDArray[np.float64]
    """one share for each model"""
    n_rows: int
    """rows that all of them have learned together"""


def shares_of(n_learned: Sequence[int], n_before: int | None = None) -> Shares:
    """The shares of models that have learned so many rows each.

    If all of them went on from one model that had learned ``n_before`` rows, these count once, and each model has the
    share of its new rows.

    >>> shares_of([100, 300])
    Shares(of_dreams=array([0.25, 0.75]), n_rows=400)
    >>> shares_of([1100, 1300], n_before=1000)
    Shares(of_dreams=array([0.25, 0.75]), n_rows=1400)
    """
    if not n_learned:
        raise ValueError("merge needs at least one model: got none.")
    for place, n in enumerate(n_learned, start=1):
        if n == 0:
            raise ValueError(f"Model {place} has learned no rows: merge only models that have.")
        if n_before is not None and n < n_before:
            raise ValueError(
                f"Model {place} has learned {n:,} rows, fewer than the {n_before:,} of the model in 'since', so it did "
                "not go on from that one."
            )
    new = np.array(n_learned, dtype=np.float64) - (n_before or 0)
    if new.sum() == 0:
        raise ValueError("No model has learned a row since they went on from the model in 'since'.")
    return Shares(new / new.sum(), (n_before or 0) + int(new.sum()))


def merge(
    cls: type[AnyRBM],
    models: Sequence[AnyRBM],
    n_hidden: int | None,
    n_dreams: int | None,
    since: AnyRBM | None,
    random_state: RandomState,
) -> AnyRBM:
    """A new model that has learned the dreams of others; see ``OnlineRBM.merge``."""
    models = list(models)
    n_learned = [model.state_.n_learned if hasattr(model, "state_") else 0 for model in models]
    shares = shares_of(n_learned, None if since is None else since.state_.n_learned)
    check_alike([_columns(model) for model in (*models, *([] if since is None else [since]))])
    states = [model.state_ for model in models]
    merged = cls(**{**arguments_of(models[0]), "random_state": random_state})
    merged.n_hidden = max(state.rbm.n_hidden for state in states) if n_hidden is None else n_hidden
    merged._validate_params()
    merged._start_state(states[0].rbm.n_visible, generator(random_state))
    merged.n_features_in_ = states[0].rbm.n_visible
    if hasattr(models[0], "feature_names_in_"):
        merged.feature_names_in_ = models[0].feature_names_in_
    rng = merged.state_.rng
    for rows in dreams_of(states, shares.of_dreams, checked_dreams(n_dreams, shares, OF_BITS), rng):
        merged._learn(rows)
    merged.flush()
    # what is counted is known exactly: the sums of all rows learned, not of their dreams
    ones = np.sum([state.ones for state in states], axis=0)
    if since is not None:
        ones = np.maximum(ones - (len(states) - 1) * since.state_.ones, 0)
    merged.state_ = merged.state_._replace(ones=np.minimum(ones, shares.n_rows), n_learned=shares.n_rows)
    return merged


def checked_dreams(n_dreams: int | None, shares: Shares, number: Number) -> int:
    """How many dreams to learn.

    >>> [checked_dreams(n, shares_of([100, 300]), Number(3, 1_000, 9_000)) for n in (None, 7)]
    [1200, 7]
    """
    if n_dreams is not None and (isinstance(n_dreams, bool) or n_dreams != int(n_dreams) or n_dreams < 1):
        raise ValueError(f"The 'n_dreams' parameter of merge must be a positive int or None. Got {n_dreams!r} instead.")
    if n_dreams is None:
        return min(max(number.per_row * shares.n_rows, number.least), number.most)
    return int(n_dreams)


def _columns(model: OnlineRBM) -> list[Any]:
    if hasattr(model, "feature_names_in_"):
        return [str(name) for name in model.feature_names_in_]
    return [f"x{i}" for i in range(model.state_.rbm.n_visible)]


def check_alike(columns: Sequence[Sequence[Any]]) -> None:
    """Refuse models of different columns.

    >>> check_alike([["age", "city"], ["age", "town"]])
    Traceback (most recent call last):
    ValueError: Models can be merged only if they have the same columns: the first has 'city' where model 2 has 'town'.
    """
    first = columns[0]
    for place, others in enumerate(columns[1:], start=2):
        if len(others) != len(first):
            said = f"the first has {len(first)}, but model {place} has {len(others)}"
        elif pair := next(((a, b) for a, b in zip(first, others, strict=True) if a != b), None):
            said = f"the first has {pair[0]!r} where model {place} has {pair[1]!r}"
        else:
            continue
        raise ValueError(f"Models can be merged only if they have the same columns: {said}.")
