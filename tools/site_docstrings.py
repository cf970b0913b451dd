"""Short docstrings have an example without a heading above it. The documentation shows it as one with a heading."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

FIRST_EXAMPLE = re.compile(r"\n\n(?=>>> )")


class BareExamples(Extension):
    """Puts the heading of numpydoc above the first example of a docstring that has none."""

    def on_instance(self, *, obj: Object, **_: Any) -> None:
        """Called for every module, class, function and attribute that is read."""
        if obj.docstring and "Examples\n--------" not in obj.docstring.value:
            obj.docstring.value = FIRST_EXAMPLE.sub("\n\nExamples\n--------\n", obj.docstring.value, count=1)
