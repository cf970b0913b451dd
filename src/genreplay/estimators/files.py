"""Model files of the estimators: a learner's whole state, the constructor's arguments, and what an estimator adds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

from sklearn.base import BaseEstimator

from genreplay.core import checkpoint
from genreplay.core.checkpoint import CheckpointError
from genreplay.core.ingredient import Json
from genreplay.core.recipe import Recipe
from genreplay.core.state import State
from genreplay.estimators import params


class Loaded(NamedTuple):
    """What a model file holds."""

    state: State
    recipe: Recipe
    params: dict[str, Any]
    """the constructor's arguments"""
    more: dict[str, Any]
    """what the estimator added"""


def save(
    path: str | os.PathLike[str],
    estimator: BaseEstimator,
    state: State,
    recipe: Recipe,
    more: Mapping[str, Json],
) -> None:
    """Write one file, atomically."""
    extra: dict[str, Json] = {
        "estimator": type(estimator).__name__,
        "params": dict(params.to_json(estimator.get_params(deep=False))),
        **more,
    }
    checkpoint.save(path, state, recipe, extra)


def load(
    path: str | os.PathLike[str], cls: type[BaseEstimator], nested: Mapping[str, type[BaseEstimator]] | None = None
) -> Loaded:
    """Read a file that holds an estimator of this class, whose arguments may be the ``nested`` ones."""
    state, recipe, extra = checkpoint.load(path)
    if extra.get("estimator") != cls.__name__:
        raise CheckpointError(f"{path} holds a {extra.get('estimator', 'bare learner')}, not an {cls.__name__}.")
    return Loaded(state, recipe, params.from_json(extra["params"], nested), extra)
