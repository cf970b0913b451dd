"""Model files of the estimators: a learner's whole state, the constructor's arguments, and what an estimator adds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from genreplay.core import checkpoint
from genreplay.core.checkpoint import CheckpointError
from genreplay.core.grouped import GroupedRBM
from genreplay.core.grouped import State as TableState
from genreplay.core.ingredient import Json
from genreplay.core.kernels.arrays import Codes
from genreplay.core.recipe import Recipe
from genreplay.core.state import State
from genreplay.estimators import arguments
from genreplay.estimators.arguments import arguments_of, name_in_files
from genreplay.streams.coder import TableCoder


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
    estimator: object,
    state: State,
    recipe: Recipe,
    more: Mapping[str, Json],
) -> None:
    """Write one file, atomically."""
    checkpoint.save(path, state, recipe, _extra(estimator, more))


def _extra(estimator: object, more: Mapping[str, Json]) -> dict[str, Json]:
    given = dict(arguments.to_json(arguments_of(estimator)))
    return {"estimator": name_in_files(type(estimator)), "params": given, **more}


def load(path: str | os.PathLike[str], cls: type) -> Loaded:
    """Read a file that holds an estimator of this class."""
    _check_class(path, checkpoint.read(path)[1]["extra"], cls)
    state, recipe, extra = checkpoint.load(path)
    return Loaded(state, recipe, arguments.from_json(extra["params"]), extra)


def _check_class(path: str | os.PathLike[str], extra: Mapping[str, Json], cls: type) -> None:
    if extra.get("estimator") != name_in_files(cls):
        raise CheckpointError(f"{path} holds a {extra.get('estimator', 'bare learner')}, not an {name_in_files(cls)}.")


class TableModel(NamedTuple):
    """What the file of a detector holds."""

    state: TableState | None
    """None before anything is learned"""
    waiting: Codes
    rng: np.random.Generator
    params: dict[str, Any]
    """the constructor's arguments"""
    more: dict[str, Any]
    """what the detector added"""


_PARTS = ("rbm", "mean", "square")
_ARRAYS = ("learned", "counts", "prior", "offsets", "rehearsed")
_COUNTERS = ("n_steps", "n_learned", "n_updates")


def save_table_model(
    path: str | os.PathLike[str],
    estimator: object,
    state: TableState | None,
    waiting: Codes,
    rng: np.random.Generator,
    more: Mapping[str, Json],
) -> None:
    """Write a detector to one file, atomically."""
    tensors = {"waiting": waiting}
    header: dict[str, Any] = {"generator": checkpoint.generator_state(rng), "extra": _extra(estimator, more)}
    if state is not None:
        for name in _PARTS:
            tensors |= {f"{name}.{part}": array for part, array in getattr(state, name)._asdict().items()}
        tensors |= {name: getattr(state, name) for name in _ARRAYS}
        header["counters"] = {name: getattr(state, name) for name in _COUNTERS}
    checkpoint.write(path, tensors, header)


def load_table_model(path: str | os.PathLike[str], cls: type, encoders: Mapping[str, type[TableCoder]]) -> TableModel:
    """Read what ``save_table_model`` wrote; ``encoders`` are those that it may name."""
    tensors, header = checkpoint.read(path)
    extra = header["extra"]
    _check_class(path, extra, cls)
    rng = checkpoint.generator_of(header["generator"])
    state = None
    if "counters" in header:
        held: dict[str, Any] = {**header["counters"], **{name: tensors[name] for name in _ARRAYS}, "rng": rng}
        for name in _PARTS:
            held[name] = GroupedRBM(*(tensors[f"{name}.{part}"] for part in GroupedRBM._fields))
        state = TableState(**held)
    return TableModel(state, tensors["waiting"], rng, arguments.from_json(extra["params"], encoders), extra)
