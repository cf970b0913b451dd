"""What the header of a classifier's file may hold, in the manner of ``model_file``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from genreplay.core.model_file import Count, Finite, Part, Size, _require

_Seed = Annotated[list[Annotated[int, Meta(ge=0, lt=2**32)]], Meta(min_length=4, max_length=4)]
_Whole = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]


class ClassifierPart(Part, frozen=True):
    """What a classifier adds to the learners."""

    estimator: str
    params: dict[str, Any]
    """go through the constructor"""
    feature_names: list[str]
    n_features: Size
    kind: Literal["bool", "int", "float", "str"]
    """of the labels"""
    classes: Annotated[list[bool | _Whole | Finite | str], Meta(min_length=1)]
    counts: list[Count]
    """rows seen of each class"""
    units: list[Count]
    """of each class seen, its place among the learners or among the units of labels"""
    seed: _Seed

    def __post_init__(self) -> None:
        kinds = {"bool": (bool,), "int": (int,), "float": (int, float), "str": (str,)}[self.kind]
        fits = all(isinstance(label, kinds) for label in self.classes)
        _require(fits, f"has labels of the kind {self.kind!r}")
        _require(all(a < b for a, b in zip(self.classes, self.classes[1:], strict=False)), "has its classes in order")  # type: ignore[operator]
        _require(len(self.counts) == len(self.classes) and any(self.counts), "has a count of rows of each class")
        _require(len(self.units) == sum(count > 0 for count in self.counts), "has a place of each class seen")
        _require(len(self.feature_names) in (0, self.n_features), "has a name of each feature, or none")


class Classifier(Part, frozen=True):
    """The header of a classifier."""

    learners: list[dict[str, Any]]
    """each is the header of a learner"""
    extra: ClassifierPart
