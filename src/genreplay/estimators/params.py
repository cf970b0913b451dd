"""Constructor arguments of an estimator, to and from the JSON of a file."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from genreplay.core import checkpoint
from genreplay.core.checkpoint import Json
from genreplay.core.replay import Replay


def to_json(params: Mapping[str, object]) -> dict[str, Json]:
    """Plain values; a replay strategy as its class and settings, a dict as pairs, and what JSON cannot hold as None.

    >>> to_json({"n_hidden": 3, "kinds": {0: "number"}})
    {'n_hidden': 3, 'kinds': {'pairs': [[0, 'number']]}}
    """
    return {name: _value_to_json(value) for name, value in params.items()}


def from_json(params: Any) -> dict[str, Any]:
    """The arguments that ``to_json`` was given.

    >>> from_json({"n_hidden": 3, "kinds": {"pairs": [[0, "number"]]}})
    {'n_hidden': 3, 'kinds': {0: 'number'}}
    """
    return {name: _value_from_json(value) for name, value in params.items()}


def _value_to_json(value: object) -> Json:
    if isinstance(value, Replay):
        return {"class": type(value).__name__, "settings": dict(value.settings())}
    if isinstance(value, Mapping):
        return {"pairs": [[_value_to_json(key), _value_to_json(each)] for key, each in value.items()]}
    if isinstance(value, bool):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    return value if isinstance(value, str) else None


def _value_from_json(value: Any) -> object:
    if isinstance(value, dict):
        if "pairs" in value:
            return {key: _value_from_json(each) for key, each in value["pairs"]}
        return checkpoint.make_replay(value["class"], value["settings"])
    return value
