"""Forged model files: one value of the header or one tensor replaced, and the digest made right again."""

from __future__ import annotations

import copy
import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from safetensors.numpy import save as serialize

from genreplay.core import checkpoint
from genreplay.core.checkpoint import Tensors

HOSTILE: tuple[Any, ...] = (
    None, math.nan, math.inf, -math.inf, -1, 0, 1, 2**31, 2**63, 10**400, 1e308, -1e308, 1e-308, 0.5, 20_000, "", "x",
    "y" * 100_000, [], {}, [[[]]], [0] * 1000, True, False, {"class": "Schedule", "settings": {}},
)  # fmt: skip
N_HOSTILE = 8
"""of them, in place of each value"""


class Forged(NamedTuple):
    """A file that nobody should trust."""

    what: str
    tensors: Tensors
    header: dict[str, Any]
    is_poison: bool
    """whether it has a NaN or an infinity, which no model may have"""


def write(path: Path, forged: Forged) -> None:
    """Write a file as ``checkpoint.write`` does, but whatever is in it."""
    metadata = {
        "format": "genreplay",
        "version": str(checkpoint.FORMAT_VERSION),
        "learner": json.dumps(forged.header),
        "sha256": checkpoint._NO_DIGEST,
    }
    tensors = {name: np.ascontiguousarray(array) for name, array in forged.tensors.items()}
    content = checkpoint._in_order(serialize(tensors, metadata))
    blank, digest = checkpoint._digest_field(checkpoint._NO_DIGEST), hashlib.sha256(content).hexdigest()
    path.write_bytes(content.replace(blank, checkpoint._digest_field(digest), 1))


def forgeries(tensors: Tensors, header: Mapping[str, Any], rng: np.random.Generator) -> Iterator[Forged]:
    """All forgeries of a file."""
    for place in places(header):
        for i in rng.choice(len(HOSTILE), N_HOSTILE, replace=False):
            value = HOSTILE[i]
            poison = isinstance(value, float) and not math.isfinite(value)
            yield Forged(f"{_named(place)} = {value!r:.30}", tensors, _replaced(header, place, value), poison)
        if isinstance(place[-1], str):
            yield Forged(f"{_named(place)} removed", tensors, _removed(header, place), False)
    for place in [(), *places(header)]:
        found: Any = header
        for key in place:
            found = found[key]
        if isinstance(found, dict):
            yield Forged(f"{_named(place)}.more added", tensors, _replaced(header, (*place, "more"), 0), False)
    for name, array in tensors.items():
        for what, forged in _arrays(array):
            poison = forged is not None and forged.dtype.kind == "f" and not np.isfinite(forged).all()
            changed = {key: each for key, each in tensors.items() if key != name}
            if forged is not None:
                changed[name] = forged
            yield Forged(f"{name} {what}", changed, dict(header), poison)
        yield Forged(f"{name}2 added", {**tensors, f"{name}2": array}, dict(header), False)


def places(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where each value of a header is; of a list the last one, and of a list of lists or objects the first, too."""
    items: list[tuple[str | int, Any]] = []
    if isinstance(value, Mapping):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))[-1:]
        if len(value) > 1 and isinstance(value[0], dict | list):
            items.insert(0, (0, value[0]))
    for key, each in items:
        yield (*place, key)
        yield from places(each, (*place, key))


def _arrays(array: np.ndarray[Any, Any]) -> Iterator[tuple[str, np.ndarray[Any, Any] | None]]:
    yield "removed", None
    yield "emptied", array[:0]
    yield "with an axis more", array[np.newaxis]
    if array.ndim > 1:
        yield "flattened", array.reshape(-1)
        yield "turned", array.T
    yield "with a row more", np.concatenate([array, array[-1:]])
    yield "without its last row", array[:-1]
    yield "wide and empty", np.empty((0, 2**40), dtype=array.dtype)
    yield "a number", np.zeros((), dtype=array.dtype)
    for kind in ("float16", "float32", "float64", "int8", "int64", "uint8", "bool"):
        if kind != array.dtype:
            yield f"as {kind}", array.astype(kind)
    if array.size == 0:
        return
    if array.dtype.kind == "f":
        for value in (math.nan, math.inf, -math.inf, 1e30, -1e30):
            for place in (0, -1):
                changed = array.copy()
                changed.reshape(-1)[place] = value
                yield f"with {value}", changed
        with np.errstate(over="ignore", invalid="ignore"):
            yield "times 1e30", array * array.dtype.type(1e30)
            yield "times 1e300", array * 1e300
        yield "negative", -np.abs(array) - 1
        yield "all NaN", np.full_like(array, math.nan)
    else:
        limits = np.iinfo(array.dtype)
        for value in (limits.min, limits.max, limits.max // 2):
            for place in (0, -1):
                changed = array.copy()
                changed.reshape(-1)[place] = value
                yield f"with {value}", changed
        yield "all large", np.full_like(array, limits.max)


def _replaced(header: Mapping[str, Any], place: tuple[str | int, ...], value: Any) -> dict[str, Any]:
    forged, parent = _copy(header, place)
    parent[place[-1]] = value
    return forged


def _removed(header: Mapping[str, Any], place: tuple[str | int, ...]) -> dict[str, Any]:
    forged, parent = _copy(header, place)
    del parent[place[-1]]
    return forged


def _copy(header: Mapping[str, Any], place: tuple[str | int, ...]) -> tuple[dict[str, Any], Any]:
    """A header of which everything on the way to a place is a copy, and what holds that place."""
    forged = parent = dict(header)
    for key in place[:-1]:
        parent[key] = copy.copy(parent[key])  # type: ignore[index]
        parent = parent[key]  # type: ignore[index]
    return forged, parent


def _named(place: tuple[str | int, ...]) -> str:
    return ".".join(map(str, place)) or "header"
