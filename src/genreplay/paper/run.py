"""A run: the smallest independent piece of an experiment, described by its settings and a seed.

A figure or table is a list of runs. Two experiments that list the same run share its result.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Report = Callable[[float, str], object]
"""called with the share of the run that is done, and what it is doing"""
Figures = dict[str, Any]
"""what a run measured, as plain JSON"""


class Run(Protocol):
    """A frozen dataclass of settings that knows how to carry itself out.

    It may also have ``obstacle``, None or the sentence that says why it cannot be run here; and ``timed``, True where
    its seconds matter more than its peak of memory, which takes time to trace.
    """

    kind: ClassVar[str]
    """names the dataclass in result files"""

    def execute(self, seed: int, report: Report) -> Figures:
        """Carry the run out and return what it measured."""
        ...

    @property
    def title(self) -> str:
        """A few words for a progress bar."""
        ...


def describe(run: Run, seed: int) -> dict[str, Any]:
    """What determines a result: kind, settings and seed."""
    return {"kind": run.kind, "settings": asdict(cast("DataclassInstance", run)), "seed": seed}


def key(run: Run, seed: int) -> str:
    """A name for the run with this seed, the same on every machine."""
    return hashlib.sha256(json.dumps(describe(run, seed), sort_keys=True).encode()).hexdigest()[:16]


def override(runs: Iterable[Run], settings: Mapping[str, Any]) -> list[Run]:
    """Replace fields of the runs that have them: what a settings file asks for.

    >>> from genreplay.paper.online import OnlineRun
    >>> [run.title for run in override([OnlineRun()], {"dataset": "adult", "n_hidden": 50})]
    ['adult random OCD_GR 50']
    """
    runs = list(runs)
    known = {field: type(value) for run in runs for field, value in describe(run, 0)["settings"].items()}
    for name, value in settings.items():
        if name not in known:
            raise ValueError(f"no run of these experiments has the setting {name!r}; known are {', '.join(known)}")
        fits = (
            isinstance(value, known[name]) or known[name] is type(None) or (known[name] is float and type(value) is int)
        )
        if not fits:
            raise ValueError(f"the setting {name!r} must be of type {known[name].__name__}, not {value!r}")
    return [
        cast(
            "Run", replace(cast("Any", run), **{name: value for name, value in settings.items() if hasattr(run, name)})
        )
        for run in runs
    ]
