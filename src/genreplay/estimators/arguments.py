"""Constructor arguments of an estimator in a file, as JSON."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from inspect import signature
from numbers import Integral, Real
from typing import Any

import numpy as np

from genreplay.core.ingredient import Ingredient, Json
from genreplay.core.ingredient import from_json as ingredient_from_json
from genreplay.streams.coder import TableCoder


def arguments_of(estimator: object) -> dict[str, Any]:
    """The arguments that an estimator keeps under their names, in the order of scikit-learn's ``get_params``.

    >>> list(arguments_of(TableCoder()))
    ['combinations', 'dtype', 'kinds', 'max_categories', 'n_bins', 'time_bins', 'warm_up']
    """
    return {name: getattr(estimator, name) for name in _argument_names(type(estimator))}  # type: ignore[arg-type]


@cache
def _argument_names(cls: type[object]) -> list[str]:
    """Kept: to find them out takes part of a millisecond, and a fleet asks for each model that it reads and writes."""
    _, *names = signature(cls.__init__).parameters
    return sorted(names)


def name_in_files(cls: type) -> str:
    """The name that a file knows a class by: one without scikit-learn has that of its face.

    >>> name_in_files(TableCoder)
    'TableEncoder'
    """
    name: str = vars(cls).get("_saved_as", cls.__name__)  # its own: a subclass has another name
    return name


def to_json(params: Mapping[str, object]) -> dict[str, Json]:
    """Plain values; an ingredient or an encoder as its class and settings, a dict as pairs.

    What JSON cannot hold, such as a ``RandomState``, becomes None.

    >>> to_json({"n_hidden": 3, "kinds": {0: "number"}})
    {'n_hidden': 3, 'kinds': {'pairs': [[0, 'number']]}}
    """
    return {name: _value_to_json(value) for name, value in params.items()}


def from_json(params: Any, encoders: Mapping[str, type[TableCoder]] | None = None) -> dict[str, Any]:
    """The arguments that ``to_json`` was given; ``encoders`` are those that the file may name.

    >>> from_json({"n_hidden": 3, "kinds": {"pairs": [[0, "number"]]}})
    {'n_hidden': 3, 'kinds': {0: 'number'}}
    """
    return {name: _value_from_json(value, encoders or {}) for name, value in params.items()}


def _value_to_json(value: object) -> Json:
    if value is None or isinstance(value, bool | str):  # first, for speed
        return value
    if isinstance(value, Ingredient):
        return {"ingredient": value.to_json()}
    if isinstance(value, TableCoder):
        return {"estimator": name_in_files(type(value)), "params": dict(to_json(arguments_of(value)))}
    if isinstance(value, Mapping):
        return {"pairs": [[_value_to_json(key), _value_to_json(each)] for key, each in value.items()]}
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return {"dtype": np.dtype(value).name}
    return None


def _value_from_json(value: Any, encoders: Mapping[str, type[TableCoder]]) -> object:
    match value:
        case int() if abs(value) > sys.maxsize:
            raise ValueError("An argument is a number of more than 64 bits.")
        case None | bool() | int() | float() | str():
            return value
        case {"pairs": [*pairs], **more} if not more:
            return {key: _value_from_json(each, encoders) for key, each in pairs}
        case {"dtype": str(name), **more} if not more:
            return np.dtype(name).type
        case {"estimator": str(name), "params": {**params}, **more} if name in encoders and not more:
            return encoders[name](**from_json(params, encoders))
        case {"ingredient": {**ingredient}, **more} if not more:
            return ingredient_from_json(ingredient)
    raise ValueError("An argument has a form that is not known.")
