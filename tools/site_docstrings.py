"""How Griffe, which reads the code for the documentation, is to understand two things that it does not know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from griffe import Attribute, Class, Extension, Function, Object, Parameter, ParameterKind, Parameters

FIRST_EXAMPLE = re.compile(r"\n\n(?=>>> )")


class BareExamples(Extension):
    """Short docstrings have an example without a heading above it: puts that of numpydoc there."""

    def on_instance(self, *, obj: Object, **_: Any) -> None:
        """Called for every module, class, function and attribute that is read."""
        if obj.docstring and "Examples\n--------" not in obj.docstring.value:
            obj.docstring.value = FIRST_EXAMPLE.sub("\n\nExamples\n--------\n", obj.docstring.value, count=1)


class SignaturesOfTuples(Extension):
    """A named tuple has a signature: its fields."""

    def on_class_members(self, *, cls: Class, **_: Any) -> None:
        """Called for every class once its members are known."""
        fields = list(_fields(cls))
        if fields and "__init__" not in cls.members:
            kind = ParameterKind.positional_or_keyword
            parameters = [
                Parameter(field.name, annotation=field.annotation, default=field.value, kind=kind) for field in fields
            ]
            init = Function("__init__", parameters=Parameters(Parameter("self", kind=kind), *parameters), parent=cls)
            cls.set_member("__init__", init)


def _fields(cls: Class) -> Iterator[Attribute]:
    """The fields of a named tuple, its own or those of a base in the same module; none of other classes."""
    for base in map(str, cls.bases):
        known = cls.module.members.get(base)
        if base.endswith("NamedTuple"):
            for member in cls.members.values():
                if isinstance(member, Attribute) and member.annotation is not None and "property" not in member.labels:
                    yield member
        elif isinstance(known, Class):
            yield from _fields(known)
