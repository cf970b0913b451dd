"""Constructor arguments of an estimator: nested names, and JSON for a file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from genreplay.core.ingredient import Ingredient, Json
from genreplay.core.ingredient import from_json as ingredient_from_json


class NestedParams(BaseEstimator):  # type: ignore[misc]
    """``set_params`` for estimators whose arguments may be ingredients, which are frozen: they are replaced."""

    def set_params(self, **params: Any) -> Self:
        """Change arguments by name; two underscores reach those of a nested object, as ``recipe__learning_rate``."""
        nested: dict[str, dict[str, Any]] = defaultdict(dict)
        plain = {}
        for path, value in params.items():
            name, _, inner = path.partition("__")
            if inner:
                nested[name][inner] = value
            else:
                plain[name] = value
        super().set_params(**plain)
        for name, settings in nested.items():
            held = getattr(self, name) if name in self._get_param_names() else None
            if isinstance(held, Ingredient):
                setattr(self, name, held.replace(**settings))
            elif held is not None and hasattr(held, "set_params"):
                held.set_params(**settings)
            elif name in self._get_param_names():
                inner = next(iter(settings))
                raise ValueError(
                    f"The {name!r} parameter of {type(self).__name__} is {held!r}, which has no settings of its own: "
                    f"give it an object to set {name}__{inner}."
                )
            else:
                super().set_params(**{name: None})  # raises scikit-learn's error for unknown names
        return self


def to_json(params: Mapping[str, object]) -> dict[str, Json]:
    """Plain values; an ingredient or an estimator as its class and settings, a dict as pairs.

    What JSON cannot hold, such as a ``RandomState``, becomes None.

    >>> to_json({"n_hidden": 3, "kinds": {0: "number"}})
    {'n_hidden': 3, 'kinds': {'pairs': [[0, 'number']]}}
    """
    return {name: _value_to_json(value) for name, value in params.items()}


def from_json(params: Any, estimators: Mapping[str, type[BaseEstimator]] | None = None) -> dict[str, Any]:
    """The arguments that ``to_json`` was given; ``estimators`` are those that the file may name.

    >>> from_json({"n_hidden": 3, "kinds": {"pairs": [[0, "number"]]}})
    {'n_hidden': 3, 'kinds': {0: 'number'}}
    """
    return {name: _value_from_json(value, estimators or {}) for name, value in params.items()}


def _value_to_json(value: object) -> Json:
    if isinstance(value, Ingredient):
        return {"ingredient": value.to_json()}
    if isinstance(value, BaseEstimator):
        return {"estimator": type(value).__name__, "params": dict(to_json(value.get_params(deep=False)))}
    if isinstance(value, Mapping):
        return {"pairs": [[_value_to_json(key), _value_to_json(each)] for key, each in value.items()]}
    if isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return {"dtype": np.dtype(value).name}
    return value if isinstance(value, str) else None


def _value_from_json(value: Any, estimators: Mapping[str, type[BaseEstimator]]) -> object:
    if not isinstance(value, dict):
        return value
    if "pairs" in value:
        return {key: _value_from_json(each, estimators) for key, each in value["pairs"]}
    if "dtype" in value:
        return np.dtype(value["dtype"]).type
    if "estimator" in value:
        return estimators[value["estimator"]](**from_json(value["params"], estimators))
    return ingredient_from_json(value["ingredient"])
