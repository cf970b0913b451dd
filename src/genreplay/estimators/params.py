"""Constructor arguments of an estimator by nested names, as in scikit-learn."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Self

from sklearn.base import BaseEstimator

from genreplay.core.ingredient import Ingredient


class NestedParams(BaseEstimator):  # type: ignore[misc]
    """``set_params`` for estimators whose arguments may be ingredients, which are frozen: they are replaced."""

    def set_params(self, **params: Any) -> Self:
        """Change arguments by name; two underscores reach those of a nested object, as ``recipe__learning_rate``."""
        nested: dict[str, dict[str, Any]] = defaultdict(dict)
        plain = {}
        for path, value in params.items():
            name, _, inner = path.partition("__")
            if inner:
                nested[name][inner] = value
            else:
                plain[name] = value
        super().set_params(**plain)
        for name, settings in nested.items():
            held = getattr(self, name) if name in self._get_param_names() else None
            if isinstance(held, Ingredient):
                setattr(self, name, held.replace(**settings))
            elif held is not None and hasattr(held, "set_params"):
                held.set_params(**settings)
            elif name in self._get_param_names():
                inner = next(iter(settings))
                raise ValueError(
                    f"The {name!r} parameter of {type(self).__name__} is {held!r}, which has no settings of its own: "
                    f"give it an object to set {name}__{inner}."
                )
            else:
                super().set_params(**{name: None})  # raises scikit-learn's error for unknown names
        return self
