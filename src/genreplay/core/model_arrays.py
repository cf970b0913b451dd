"""What the arrays of a model file may hold: names, types, shapes, finite values in their range.

Those of an ``OnlineRBM`` are declared here, those of a detector where its encoder is known (``estimators.files``), and
those of a replay strategy in its class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from genreplay.core.model_file import LARGEST_FILE

if TYPE_CHECKING:
    from genreplay.core.recipe import Recipe

LARGEST_PARAMETER = 1e6
"""of an ``RBM``: a log-odds beyond any that is learned, with which no score overflows"""


class Form(NamedTuple):
    """What an array must be."""

    dtype: str
    shape: tuple[int | None, ...]
    """None for any number"""
    low: npt.ArrayLike = -np.inf
    high: npt.ArrayLike = np.inf
    """limits of its values, of all or of each column"""


def check_arrays(arrays: Mapping[str, npt.NDArray[Any]], /, **forms: Form) -> None:
    """Raise an error unless there are these arrays and no others, each as it must be.

    >>> check_arrays({"counts": np.array([1.0, np.nan])}, counts=Form("float64", (2,), low=0))
    Traceback (most recent call last):
    ValueError: Its array 'counts' has values that are not finite, or out of their range.
    """
    for name in [*arrays, *forms]:
        if name not in forms or name not in arrays:
            raise ValueError(f"It {'lacks the' if name in forms else 'has an unknown'} array {name!r}.")
    for name, form in forms.items():
        array = arrays[name]
        fits = len(array.shape) == len(form.shape) and all(
            wanted in (None, n) for wanted, n in zip(form.shape, array.shape, strict=True)
        )
        if array.dtype != form.dtype or not fits:
            wanted = ", ".join("n" if n is None else str(n) for n in form.shape)
            raise ValueError(
                f"Its array {name!r} is {array.dtype} of shape {array.shape}, but must be {form.dtype} of ({wanted})."
            )
        if not (np.isfinite(array) & (array >= form.low) & (array <= form.high)).all():
            raise ValueError(f"Its array {name!r} has values that are not finite, or out of their range.")


def check_learner(arrays: Mapping[str, npt.NDArray[Any]], recipe: Recipe, n_learned: int, batch_rows: int) -> None:
    """Check the arrays of an ``OnlineRBM``, but those of its past, which the recipe's replay knows."""
    W = arrays.get("theta.W")
    if W is None or W.ndim != 2 or 0 in W.shape or W.dtype.name not in ("float32", "float64"):
        raise ValueError("It has no weights 'theta.W', a matrix of floats.")
    dtype, (n_hidden, n_visible) = W.dtype.name, W.shape
    shapes = {"W": (n_hidden, n_visible), "a": (n_visible,), "b": (n_hidden,)}
    averaged = ("average",) if "average.W" in arrays else ()
    forms = {
        f"{kind}.{name}": Form(dtype, shape, -LARGEST_PARAMETER, LARGEST_PARAMETER)
        for kind in ("theta", "velocity", *averaged)
        for name, shape in shapes.items()
    }
    forms |= {
        "waiting": Form(dtype, (None, n_visible), 0, 1),
        "ones": Form("float64", (n_visible,), 0, n_learned),
    }
    n_chains = recipe.negative.n_chains
    if "chains" in arrays:
        forms["chains"] = Form(dtype, (n_chains or None, n_visible), 0, 1)
    check_arrays(arrays, **forms)
    if len(arrays["waiting"]) > batch_rows:
        raise ValueError(f"{len(arrays['waiting'])} rows wait in it, more than the {batch_rows} it has room for.")
    rows = max(batch_rows, n_chains, getattr(recipe.rehearsal, "n_rows", 0))
    check_room(rows * n_visible * W.itemsize, f"{rows:,} rows")


def check_room(n_bytes: int, what: str) -> None:
    """Raise an error if a setting asks for more memory than a whole file may take."""
    if n_bytes > LARGEST_FILE:
        raise ValueError(f"Its settings ask for {what}, which take {n_bytes:,} bytes, more than {LARGEST_FILE:,}.")
