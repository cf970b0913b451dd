"""Model files of the estimators: a learner's whole state, the constructor's arguments, and what an estimator adds."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from genreplay.core import checkpoint, model_file
from genreplay.core.checkpoint import CheckpointError
from genreplay.core.grouped import GroupedRBM, TableRBM
from genreplay.core.grouped import State as TableState
from genreplay.core.grouped.learner import LIMIT, MEMORY, log_shares
from genreplay.core.grouped.model import offsets_of
from genreplay.core.ingredient import Json
from genreplay.core.kernels.arrays import Codes
from genreplay.core.model_arrays import Form, check_arrays, check_room
from genreplay.core.recipe import Recipe
from genreplay.core.state import State
from genreplay.estimators import arguments
from genreplay.estimators.arguments import arguments_of, name_in_files
from genreplay.streams.coder import TableCoder
from genreplay.streams.number_code import FAR


class Loaded(NamedTuple):
    """What a model file holds."""

    state: State
    recipe: Recipe
    params: dict[str, Any]
    """the constructor's arguments"""
    feature_names: list[str]
    """none if the columns have no names"""


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
    tensors, header = checkpoint.read(path)
    check_class(path, header["extra"], cls)
    extra = model_file.checked(header["extra"], model_file.Estimator)
    state, recipe, _ = checkpoint.rebuilt(tensors, header)
    if len(extra.feature_names) not in (0, state.rbm.n_visible):
        raise ValueError(f"It has {len(extra.feature_names)} names of {state.rbm.n_visible} features.")
    return Loaded(state, recipe, arguments.from_json(extra.params), extra.feature_names)


def check_class(path: str | os.PathLike[str], extra: Mapping[str, Json], cls: type) -> None:
    """Refuse a file that holds an estimator of another class."""
    if extra.get("estimator") != name_in_files(cls):
        raise CheckpointError(f"{path} holds a {extra.get('estimator', 'bare learner')}, not an {name_in_files(cls)}.")


class TableModel(NamedTuple):
    """What the file of a detector holds; its arrays are not yet checked."""

    tensors: checkpoint.Tensors
    header: model_file.Detector
    rng: np.random.Generator
    params: dict[str, Any]
    """the constructor's arguments"""
    more: dict[str, Any]
    """what the detector added, as it was saved"""


_PARTS = ("rbm", "mean", "square")
_ARRAYS = ("learned", "counts", "prior", "offsets", "rehearsed")
_COUNTERS = ("n_steps", "n_learned", "n_updates")
_STEEPEST = 1e6
"""slope of the likelihood of a row, beyond any that there is"""
_LEAST_PRIOR = 1e-300
"""of a code in the open interval of a number, which has 255 intervals at most: its logarithm is finite"""


def table_model_parts(
    estimator: object,
    state: TableState | None,
    waiting: Codes,
    rng: np.random.Generator,
    more: Mapping[str, Json],
) -> tuple[checkpoint.Tensors, dict[str, Any]]:
    """The arrays and the header of a detector's file."""
    tensors = {"waiting": waiting}
    header: dict[str, Any] = {"generator": checkpoint.generator_state(rng), "extra": _extra(estimator, more)}
    if state is not None:
        for name in _PARTS:
            tensors |= {f"{name}.{part}": array for part, array in getattr(state, name)._asdict().items()}
        tensors |= {name: getattr(state, name) for name in _ARRAYS}
        header["counters"] = {name: getattr(state, name) for name in _COUNTERS}
    return tensors, header


def table_model(
    tensors: checkpoint.Tensors,
    header: dict[str, Any],
    name: str | os.PathLike[str],
    cls: type,
    encoders: Mapping[str, type[TableCoder]],
) -> TableModel:
    """What these parts of a file hold; ``encoders`` are those that it may name."""
    extra = header["extra"]
    check_class(name, extra, cls)
    held = model_file.checked(header, model_file.Detector)
    rng = checkpoint.generator_of(header["generator"])
    return TableModel(tensors, held, rng, arguments.from_json(extra["params"], encoders), extra)


def table_state(held: TableModel, encoder: TableCoder, settings: TableRBM) -> TableState | None:
    """The state of a detector with this encoder, once its arrays are checked; None before anything is learned."""
    tensors, counters = held.tensors, held.header.counters
    if counters is None:
        check_arrays(tensors, waiting=Form("uint8", (0, 0)))
        n_codes = encoder.n_features_in_ * (encoder.n_bins + 2 * len(FAR) + 2)  # about as many as there will be
        check_room(len(_PARTS) * 8 * n_codes * settings.n_hidden, f"{settings.n_hidden:,} hidden units")
        return None
    sizes, n_groups = encoder.group_sizes_, int((encoder.column_of_group_ >= 0).sum())
    offsets = offsets_of(sizes)
    n_codes, n_hidden = int(offsets[n_groups]), settings.n_hidden
    shapes = {"W": (n_codes, n_hidden), "a": (n_codes,), "b": (n_hidden,)}
    low = {"rbm": -LIMIT, "mean": -_STEEPEST, "square": 0.0}
    high = {"rbm": LIMIT, "mean": _STEEPEST, "square": _STEEPEST**2}
    forms = {
        f"{kind}.{name}": Form("float64", shape, low[kind], high[kind])
        for kind in _PARTS
        for name, shape in shapes.items()
    }
    n_waiting = len(tensors.get("waiting", ()))
    forms |= {
        "rbm.a": Form("float64", (n_codes,)),
        "learned": Form("float64", (n_codes,), -LIMIT, LIMIT),
        "counts": Form("float64", (offsets[-1],), 0, 1.001 * MEMORY),
        "prior": Form("float64", (offsets[-1],), _LEAST_PRIOR, 1),
        "offsets": Form("int64", offsets.shape, offsets, offsets),
        "rehearsed": Form("uint8", (None, n_groups), 0, sizes[:n_groups] - 1),
        "waiting": Form("uint8", (None, len(sizes)), 0, sizes - 1) if n_waiting else Form("uint8", (0, 0)),
    }
    check_arrays(tensors, **forms)
    shares = log_shares(tensors["counts"], tensors["prior"], offsets)[:n_codes]
    if not np.allclose(tensors["rbm.a"], shares + tensors["learned"], atol=1e-6):
        raise ValueError("Its array 'rbm.a' does not follow from the counts of the codes.")
    if not settings.replay.may_hold(len(tensors["rehearsed"])):
        raise ValueError(f"It rehearses {len(tensors['rehearsed']):,} rows, which {settings.replay!r} does not.")
    parts = {name: GroupedRBM(*(tensors[f"{name}.{part}"] for part in GroupedRBM._fields)) for name in _PARTS}
    fields: dict[str, Any] = {**parts, **{name: tensors[name] for name in _ARRAYS}}
    fields |= {name: getattr(counters, name) for name in _COUNTERS}
    return TableState(**fields, rng=held.rng)
