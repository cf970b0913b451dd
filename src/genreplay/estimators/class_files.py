"""Model files of the classifiers: the states of their models, the labels, and the constructor's arguments."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core import checkpoint, model_file
from genreplay.core.classifier_file import Classifier
from genreplay.core.model_arrays import Form, check_arrays
from genreplay.core.recipe import Recipe
from genreplay.core.state import State
from genreplay.estimators import arguments
from genreplay.estimators.arguments import arguments_of, name_in_files
from genreplay.estimators.files import check_class
from genreplay.estimators.labels import Labels

Float64 = npt.NDArray[np.float64]
_KINDS = {"b": "bool", "i": "int", "u": "int", "f": "float", "U": "str"}
_JUDGED = "judged"


class Held(NamedTuple):
    """What a classifier has learned."""

    learners: list[tuple[State, Recipe]]
    counts: npt.NDArray[np.int64]
    """rows seen of each class"""
    judged: list[Float64]
    """of each learner, the free energies of its newest rows"""
    units: list[int]
    """of each class seen, which came first, second and so on; or where its learner stands"""


class Loaded(NamedTuple):
    """What a file holds."""

    params: dict[str, Any]
    """the constructor's arguments"""
    classes: Labels
    n_features: int
    feature_names: list[str]
    seed: list[int]
    held: Held


def save(
    path: str | os.PathLike[str],
    estimator: object,
    classes: Labels,
    n_features: int,
    feature_names: Sequence[str],
    seed: Sequence[int],
    held: Held,
) -> None:
    """Write one file, atomically."""
    tensors: checkpoint.Tensors = {}
    learners = []
    try:
        for place, ((state, recipe), judged) in enumerate(zip(held.learners, held.judged, strict=True)):
            arrays, header = checkpoint.described(state, recipe)
            learners.append(header)
            tensors |= {f"{place}.{name}": array for name, array in (arrays | {_JUDGED: judged}).items()}
    except ValueError as error:
        raise ValueError(f"{path} is not written, since it could not be read again. {error}") from error
    extra = {
        "estimator": name_in_files(type(estimator)),
        "params": dict(arguments.to_json(arguments_of(estimator))),
        "feature_names": list(feature_names),
        "n_features": n_features,
        "kind": _KINDS[classes.dtype.kind],
        "classes": classes.tolist(),
        "counts": held.counts.tolist(),
        "units": held.units,
        "seed": list(seed),
    }
    checkpoint.write(path, tensors, {"learners": learners, "extra": extra})


def load(path: str | os.PathLike[str], cls: type) -> Loaded:
    """Read a file that holds a classifier of this class."""
    tensors, header = checkpoint.read(path)
    check_class(path, header["extra"], cls)
    form = model_file.checked(header, Classifier)
    arrays: list[checkpoint.Tensors] = [{} for _ in form.learners]
    for name, array in tensors.items():
        place, _, rest = name.partition(".")
        if not place.isdecimal() or int(place) >= len(arrays):
            raise ValueError(f"It has an unknown array {name!r}.")
        arrays[int(place)][rest] = array
    learners, judged = [], []
    for of_learner, learner in zip(arrays, form.learners, strict=True):
        energies = {_JUDGED: of_learner.pop(_JUDGED)} if _JUDGED in of_learner else {}
        check_arrays(energies, judged=Form("float64", (None,)))
        state, recipe, _ = checkpoint.rebuilt(of_learner, learner | {"extra": {}})
        learners.append((state, recipe))
        judged.append(energies[_JUDGED])
    extra = form.extra
    classes = np.array(extra.classes, dtype=None if extra.kind == "str" else extra.kind)
    held = Held(learners, np.array(extra.counts, dtype=np.int64), judged, list(extra.units))
    return Loaded(
        arguments.from_json(extra.params), classes, extra.n_features, extra.feature_names, list(extra.seed), held
    )
