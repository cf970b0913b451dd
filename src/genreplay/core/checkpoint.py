"""A learner's whole state in one safetensors file, written so that a crash leaves the old file or the new one.

The file has parameters, their velocities and averages, waiting rows, base rates, chains and the replay memory as
tensors. Its header has the format version, the counters, the random generator, the recipe, and a digest of the file.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt
from safetensors import SafetensorError
from safetensors.numpy import load as parse
from safetensors.numpy import save as serialize

from genreplay.core import ingredient, model_file
from genreplay.core.ingredient import Json
from genreplay.core.kernels import Workspace
from genreplay.core.model_arrays import check_learner
from genreplay.core.model_file import LARGEST_FILE, LARGEST_HEADER, Learner
from genreplay.core.rbm import RBM
from genreplay.core.recipe import Recipe
from genreplay.core.state import State

FORMAT_VERSION = 6
"""raised by any change that an older genreplay could not read"""

Tensors = dict[str, npt.NDArray[Any]]
_PAST = "past."
_NO_DIGEST = "0" * 64
"""stands where the digest will be while the digest of the file is taken"""
_LONGEST_REASON = 300
"""characters of what is said against a file, which may quote any of it"""


class CheckpointError(ValueError):
    """The file is not a model that this version can read.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "notes.txt"
    >>> _ = path.write_text("no model")
    >>> try:
    ...     load(path)
    ... except CheckpointError as error:
    ...     print("is not a genreplay model" in str(error))
    True
    """


class Checkpoint(NamedTuple):
    """What a file holds.

    >>> Checkpoint._fields
    ('state', 'recipe', 'extra')
    """

    state: State
    recipe: Recipe
    extra: dict[str, Json]
    """whatever the face that saved the file wanted to keep"""


def save(
    path: str | os.PathLike[str],
    state: State,
    recipe: Recipe,
    extra: Mapping[str, Json] | None = None,
) -> None:
    """Write ``state`` to ``path`` atomically: a temporary file beside it, fsync, rename.

    What ``load`` would refuse, such as parameters that have diverged, is not written.

    >>> import tempfile
    >>> from genreplay.core import PAPER, online
    >>> path = Path(tempfile.mkdtemp()) / "learner.safetensors"
    >>> save(path, online.init(8, 4, PAPER, np.random.default_rng(0)), PAPER)
    >>> load(path).state.t
    1
    """
    try:
        tensors, header = described(state, recipe)
    except ValueError as error:
        raise ValueError(f"{path} is not written, since it could not be read again. {error}") from error
    write(path, tensors, header | {"extra": dict(extra or {})})


def described(state: State, recipe: Recipe) -> tuple[Tensors, dict[str, Any]]:
    """The arrays and the header of a learner, but for what a face adds; an error if they could not be read again.

    >>> from genreplay.core import PAPER, online
    >>> tensors, header = described(online.init(8, 4, PAPER, np.random.default_rng(0)), PAPER)
    >>> sorted(tensors)[:2], sorted(header)[:2]
    (['ones', 'theta.W'], ['batch_rows', 'generator'])
    """
    held: Tensors = {
        **_named("theta", state.rbm),
        **_named("velocity", state.velocity),
        "waiting": state.waiting[: state.n_waiting],
        "ones": state.ones,
        **({} if state.chains is None else {"chains": state.chains}),
        **({} if state.average is None else _named("average", state.average)),
    }
    check_learner(held, recipe, state.n_learned, len(state.waiting))
    tensors = held | {_PAST + name: array for name, array in state.past.dump().items()}
    header = {
        "t": state.t,
        "n_epochs": state.n_epochs,
        "n_learned": state.n_learned,
        "batch_rows": len(state.waiting),
        "generator": generator_state(state.rng),
        "recipe": recipe.to_json(),
    }
    return tensors, header


def write(path: str | os.PathLike[str], tensors: Mapping[str, npt.NDArray[Any]], header: Mapping[str, Any]) -> None:
    """Write arrays and a header to ``path``, atomically.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "arrays.safetensors"
    >>> write(path, {"counts": np.arange(3)}, {"extra": {}})
    >>> read(path)[0]["counts"]
    array([0, 1, 2])
    """
    write_atomically(Path(os.path.realpath(path)), packed(tensors, header, path))


def packed(
    tensors: Mapping[str, npt.NDArray[Any]], header: Mapping[str, Any], name: str | os.PathLike[str] = "The model"
) -> bytes:
    """The bytes of a file with these arrays and this header; errors call it by its name.

    >>> unpacked(packed({"counts": np.arange(3)}, {"extra": {}}))[0]["counts"]
    array([0, 1, 2])
    """
    tensors = {each: np.ascontiguousarray(array) for each, array in tensors.items()}
    metadata = {
        "format": "genreplay",
        "version": str(FORMAT_VERSION),
        "learner": json.dumps(header, default=_plain_number, allow_nan=False),
        "sha256": _NO_DIGEST,
    }
    content = _in_order(serialize(tensors, metadata))
    _check_size(name, len(content), int.from_bytes(content[:8], "little"))
    digest = hashlib.sha256(content).hexdigest()
    return content.replace(_digest_field(_NO_DIGEST), _digest_field(digest), 1)


def generator_state(rng: np.random.Generator) -> dict[str, Any]:
    """What a file needs to go on drawing the same numbers.

    >>> rng = np.random.default_rng(0)
    >>> generator_of(generator_state(rng)).random() == rng.random()
    True
    """
    if not isinstance(rng.bit_generator, np.random.PCG64):
        kind = type(rng.bit_generator).__name__
        raise ValueError(f"A learner is saved with its generator, which must be a PCG64. Got {kind} instead.")
    return dict(rng.bit_generator.state)


def generator_of(state: Mapping[str, Any]) -> np.random.Generator:
    """The generator whose state this is.

    >>> generator_of(generator_state(np.random.default_rng(0))).integers(10)
    np.int64(8)
    """
    rng = np.random.default_rng()
    rng.bit_generator.state = state
    return rng


def remove_leftovers(path: str | os.PathLike[str]) -> None:
    """Delete what a save that was killed left beside ``path``; nobody else may be saving there.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "model.0123abcd.part").touch()
    >>> remove_leftovers(folder / "model")
    >>> list(folder.iterdir())
    []
    """
    target = Path(os.path.realpath(path))
    for part in target.parent.glob(f"{glob.escape(target.name)}.{'[0-9a-f]' * 8}.part"):
        part.unlink(missing_ok=True)


def load(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a file written by ``save``; what continues from it continues to the bit.

    >>> import tempfile
    >>> from genreplay.core import MODERN, online
    >>> path = Path(tempfile.mkdtemp()) / "learner.safetensors"
    >>> save(path, online.init(8, 4, MODERN, np.random.default_rng(0)), MODERN, extra={"site": "north"})
    >>> load(path).recipe == MODERN, load(path).extra
    (True, {'site': 'north'})
    """
    tensors, header = read(path)
    with refusing(path):
        return rebuilt(tensors, header)


@contextmanager
def refusing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what is wrong with a file into one ``CheckpointError`` that names it.

    >>> with refusing("model"):
    ...     raise ValueError("It has no weights.")
    Traceback (most recent call last):
    genreplay.core.checkpoint.CheckpointError: model cannot be read. It has no weights.
    """
    try:
        yield
    except CheckpointError:
        raise
    except (ValueError, TypeError, RecursionError) as error:  # TypeError: from the constructor of an estimator
        reason = " ".join(str(error).split())
        if len(reason) > _LONGEST_REASON:
            reason = f"{reason[:_LONGEST_REASON]} ..."
        raise CheckpointError(f"{path} cannot be read. {reason.rstrip('.')}.") from error


def read(path: str | os.PathLike[str]) -> tuple[Tensors, dict[str, Any]]:
    """The arrays and the header that ``write`` wrote.

    >>> import tempfile
    >>> from genreplay.core import PAPER, online
    >>> path = Path(tempfile.mkdtemp()) / "learner.safetensors"
    >>> save(path, online.init(8, 4, PAPER, np.random.default_rng(0)), PAPER)
    >>> tensors, header = read(path)
    >>> tensors["theta.W"].shape, header["n_learned"]
    ((4, 8), 0)
    """
    with open(path, "rb") as file:
        start = file.read(8)
        _check_size(path, os.fstat(file.fileno()).st_size, int.from_bytes(start, "little"))
        return unpacked(start + file.read(), path)


def unpacked(content: bytes, name: str | os.PathLike[str] = "The model") -> tuple[Tensors, dict[str, Any]]:
    """The arrays and the header in the bytes of a file; errors call it by its name.

    >>> unpacked(b"no model")
    Traceback (most recent call last):
    genreplay.core.checkpoint.CheckpointError: The model is not a genreplay model, or it is truncated (...).
    """
    _check_size(name, len(content), int.from_bytes(content[:8], "little"))
    try:
        tensors = parse(content)
        metadata = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")]).get("__metadata__") or {}
    except (SafetensorError, ValueError, TypeError, KeyError) as error:  # the last two: of types that NumPy lacks
        raise CheckpointError(f"{name} is not a genreplay model, or it is truncated ({error}).") from error
    if metadata.get("format") != "genreplay":
        raise CheckpointError(f"{name} is a safetensors file, but not one of genreplay's.")
    version = metadata.get("version", "")
    if version != str(FORMAT_VERSION):
        raise CheckpointError(
            f"{name} has format version {version!r}, but this genreplay reads {FORMAT_VERSION}: learn the model again, "
            "or use the genreplay that saved it."
        )
    digest = metadata.get("sha256", "")
    blank = content.replace(_digest_field(digest), _digest_field(_NO_DIGEST), 1)
    if digest != hashlib.sha256(blank).hexdigest():
        raise CheckpointError(f"{name} is damaged: its content does not match its digest. Use an earlier copy.")
    with refusing(name):
        header = json.loads(metadata.get("learner", ""), parse_constant=_refuse_constant)
        extra = header.get("extra") if isinstance(header, dict) else None
        if not isinstance(extra, dict) or not isinstance(extra.get("estimator", ""), str):
            raise ValueError("Its header does not say what it holds.")
        return tensors, header


def _check_size(name: str | os.PathLike[str], n_bytes: int, header_bytes: int) -> None:
    if n_bytes > LARGEST_FILE:
        raise CheckpointError(f"{name} has {n_bytes:,} bytes, more than the {LARGEST_FILE:,} that a model may have.")
    if header_bytes > min(LARGEST_HEADER, n_bytes):
        raise CheckpointError(
            f"{name} is not a genreplay model, or it is truncated (a header of {header_bytes:,} bytes)."
        )


def _refuse_constant(name: str) -> NoReturn:
    """Python reads NaN and Infinity, which are not JSON and which no model has."""
    raise ValueError(f"Its header has the number {name}.")


def rebuilt(tensors: Tensors, header: Mapping[str, Any]) -> Checkpoint:
    """The learner that ``read`` found, once everything in it is checked; a ``ValueError`` says what is wrong.

    >>> import tempfile
    >>> from genreplay.core import PAPER, online
    >>> path = Path(tempfile.mkdtemp()) / "learner.safetensors"
    >>> save(path, online.init(8, 4, PAPER, np.random.default_rng(0)), PAPER)
    >>> rebuilt(*read(path)).state.t
    1
    """
    if "recipe" not in header:
        raise ValueError(f"It holds a {header['extra'].get('estimator', 'model of another kind')}.")
    held = model_file.checked(header, Learner)
    recipe = ingredient.from_json(held.recipe)
    if not isinstance(recipe, Recipe):
        raise ValueError(f"It has a {type(recipe).__name__} in place of a recipe.")
    of_past = {name.removeprefix(_PAST): array for name, array in tensors.items() if name.startswith(_PAST)}
    tensors = {name: array for name, array in tensors.items() if not name.startswith(_PAST)}
    check_learner(tensors, recipe, held.n_learned, held.batch_rows)
    rbm, velocity = _theta("theta", tensors), _theta("velocity", tensors)
    n_waiting = len(tensors["waiting"])
    waiting = np.empty((held.batch_rows, rbm.n_visible), dtype=rbm.W.dtype)
    waiting[:n_waiting] = tensors["waiting"]
    past = recipe.replay.start(rbm)
    past.restore(of_past)
    state = State(
        rbm=rbm,
        velocity=velocity,
        t=held.t,
        n_epochs=held.n_epochs,
        waiting=waiting,
        n_waiting=n_waiting,
        ones=tensors["ones"],
        n_learned=held.n_learned,
        past=past,
        rng=generator_of(header["generator"]),
        work=Workspace(),
        chains=tensors.get("chains"),
        average=_theta("average", tensors) if "average.W" in tensors else None,
    )
    return Checkpoint(state, recipe, held.extra)


def _named(kind: str, theta: RBM) -> Tensors:
    return {f"{kind}.{name}": part for name, part in theta._asdict().items()}


def _theta(kind: str, tensors: Tensors) -> RBM:
    """Laid out in memory as the learner lays them out, for then the arithmetic rounds alike."""
    return RBM(*(np.asfortranarray(tensors[f"{kind}.{name}"]) for name in RBM._fields))


def _in_order(content: bytes) -> bytes:
    """The same file with its header in order: safetensors writes it in another each time, and equal models must not."""
    length = int.from_bytes(content[:8], "little")
    header = json.dumps(json.loads(content[8 : 8 + length]), sort_keys=True, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + content[8 + length :]


def _digest_field(digest: str) -> bytes:
    """The digest's place in the header; inside another string its quotation marks would be escaped."""
    return f'"sha256":"{digest}"'.encode()


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that a crash leaves the old one or the new one: a temporary file beside it, fsync, rename.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "state.json"
    >>> write_atomically(path, b"{}")
    >>> path.read_bytes()
    b'{}'
    """
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent} to save {path.name} in.")
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(temporary, "xb") as file:
            if path.exists():  # before anything is in it: who may read the model stays as it was
                temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if os.name == "posix":  # make the rename itself last
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _plain_number(value: object) -> Json:
    """NumPy's numbers as Python's: a user's settings and the generator's state may have them."""
    if isinstance(value, np.generic):
        plain: Json = value.item()
        return plain
    raise TypeError(f"{value!r} cannot be written to a file.")
