"""What every ingredient of a recipe has: names for its settings, changed copies, JSON, and scikit-learn's manners."""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from dataclasses import fields, is_dataclass, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias, cast

import numpy as np

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

Layer = Literal["probabilities", "samples"]
"""what the units of a layer hold where the paper does not say: probabilities of a one, or zeros and ones"""

MOST = 10**9
"""of anything that a setting counts"""
MOST_ROWS = 1_000_000
"""that a setting may ask to be held, or to be learned at once"""
MOST_PASSES = 1_000
"""epochs of an update, steps of a Gibbs chain: a model file must not ask for work without an end"""


class Ingredient:
    """A base for frozen dataclasses whose fields are settings.

    A subclass is known by its name from then on, so that a model file may name it. ``replace`` returns a changed copy;
    nested settings are reached by two underscores, as in scikit-learn.

    >>> from genreplay.core.schedules import Falling
    >>> Falling(first=0.06, last=0.01).replace(last=0.02)
    Falling(first=0.06, last=0.02)
    >>> from genreplay.core.recipe import PAPER
    >>> PAPER.replace(momentum__last=0.8).momentum
    LowAtFirst(last=0.8)
    """

    classes: ClassVar[dict[str, type[Ingredient]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        Ingredient.classes[cls.__name__] = cls

    def __repr__(self) -> str:
        """The class and the settings that differ from their defaults."""
        changed = [
            f"{field.name}={value!r}"
            for field in fields(cast("DataclassInstance", self))
            if (value := getattr(self, field.name)) != field.default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_clone__(self) -> Self:
        """A frozen value is its own copy."""
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The settings by name; with ``deep``, those of nested ingredients too, as ``learning_rate__last``."""
        found = {field.name: getattr(self, field.name) for field in fields(cast("DataclassInstance", self))}
        if deep:
            for name, value in list(found.items()):
                if isinstance(value, Ingredient):
                    found |= {f"{name}__{inner}": each for inner, each in value.get_params().items()}
        return found

    def set_params(self, **settings: Any) -> Self:
        """The same as ``replace``: ingredients are frozen, so a changed copy is returned."""
        return self.replace(**settings)

    def replace(self, **settings: Any) -> Self:
        """A copy with some settings changed."""
        known = self.get_params(deep=False)
        changes: dict[str, Any] = {}
        nested: dict[str, dict[str, Any]] = defaultdict(dict)
        for path, value in settings.items():
            name, _, inner = path.partition("__")
            if name not in known:
                raise ValueError(
                    f"{type(self).__name__} has no setting {name!r}: its settings are {', '.join(known) or 'none'}."
                )
            if inner:
                nested[name][inner] = value
            else:
                changes[name] = value
        for name, inner_settings in nested.items():
            value = changes.get(name, known[name])
            if not isinstance(value, Ingredient):
                raise ValueError(
                    f"{type(self).__name__}.{name} is {value!r}, which has no settings of its own: replace it by an "
                    "ingredient that has them."
                )
            changes[name] = value.replace(**inner_settings)
        return replace(cast("Any", self), **changes)  # type: ignore[no-any-return]

    def to_json(self) -> Json:
        """The class and all settings, for a file."""
        settings = {name: to_json(value) for name, value in self.get_params(deep=False).items()}
        return {"class": type(self).__name__, "settings": settings}


def to_json(value: object) -> Json:
    """A setting as JSON: a plain value, a tuple of them as a list, or an ingredient.

    >>> from genreplay.core.schedules import Falling
    >>> to_json(Falling(first=2, last=np.float64(1)))["settings"]["last"]
    1.0
    """
    if isinstance(value, Ingredient):
        return value.to_json()
    if isinstance(value, np.generic):
        plain: Json = value.item()
        return plain
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple):
        return [to_json(each) for each in value]
    raise TypeError(f"{value!r} cannot be written to a file.")


def from_json(value: Any) -> Any:
    """The setting that ``to_json`` wrote."""
    if not isinstance(value, dict):
        return value
    name, settings = value.get("class"), value.get("settings")
    if not isinstance(name, str) or not isinstance(settings, dict) or len(value) != 2:
        raise ValueError("An ingredient must have a class and settings, and nothing else.")
    cls = Ingredient.classes.get(name)
    if cls is None:
        raise ValueError(f"It names the ingredient {name!r}, which is not known: import the module that defines it.")
    if not is_dataclass(cls):
        raise ValueError(f"It names the ingredient {name!r}, which is a base of others.")
    known = {field.name for field in fields(cls)}
    for setting in settings:
        if setting not in known:
            raise ValueError(f"{name} has no setting {setting!r}.")
    return cls(**{setting: from_json(each) for setting, each in settings.items()})


def require(ingredient: object, name: str, rule: str, holds: bool) -> None:
    """Raise one clear sentence unless a setting keeps its rule."""
    if not holds:
        cls, value = type(ingredient).__name__, getattr(ingredient, name)
        raise ValueError(f"The {name!r} setting of {cls} must be {rule}. Got {value!r} instead.")


def is_positive_int(value: object, most: int = MOST) -> bool:
    """Whether a setting counts something: 1, 2, ..., up to ``most``; True is no number here."""
    return isinstance(value, Integral) and not isinstance(value, bool) and 1 <= int(value) <= most


def require_layer(ingredient: Ingredient, name: str) -> None:
    """Refuse a setting that is not a kind of layer.

    >>> from genreplay.core.contrastive import FromRows
    >>> FromRows(reconstruction="means")
    Traceback (most recent call last):
    ValueError: The 'reconstruction' setting of FromRows must be 'probabilities' or 'samples'. Got 'means' instead.
    """
    rule = "'probabilities' or 'samples'"
    require(ingredient, name, rule, getattr(ingredient, name) in ("probabilities", "samples"))


def require_count(ingredient: object, name: str, most: int = MOST) -> None:
    """Raise one clear sentence unless a setting counts something: 1, 2, ..., up to ``most``.

    >>> from genreplay.core import GenerativeReplay
    >>> GenerativeReplay(n_gibbs=0)
    Traceback (most recent call last):
    ValueError: The 'n_gibbs' setting of GenerativeReplay must be a positive int, up to 1,000. Got 0 instead.
    """
    require(ingredient, name, f"a positive int, up to {most:,}", is_positive_int(getattr(ingredient, name), most))


def is_number(value: object, above: float = -math.inf, most: float = sys.float_info.max) -> bool:
    """Whether a setting is a finite real number greater than ``above``, up to ``most``."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    try:
        return above < float(value) <= most
    except OverflowError:  # an int beyond all floats
        return False
