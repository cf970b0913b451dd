"""A run: the smallest independent piece of an experiment, described by its settings and a seed.

A figure or table is a list of runs. Two experiments that list the same run share its result.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Report = Callable[[float, str], object]
"""called with the share of the run that is done, and what it is doing"""
Figures = dict[str, Any]
"""what a run measured, as plain JSON"""


class Run(Protocol):
    """A frozen dataclass of settings, with the method that carries them out.

    A result belongs to a run if it has the same kind, the same version, the same seed, and the same settings that
    differ from their defaults. So a new field with a default leaves the results of earlier runs where they are, as
    long as its default means what was done before.

    Raise ``version`` by one whenever the same settings no longer mean the same experiment:

    - a default changes, that of a field here or one that the run takes from elsewhere (of an estimator, of a recipe);
    - a field gets another meaning, or ``execute`` trains, draws or measures in another way;
    - a bug is fixed that changed what was measured.

    Results of another version stay in the file, are not found, and so are run again. Do not raise it for a new field
    whose default keeps the meaning, for a new figure that old results may lack, or for faster code.

    A run may also have ``obstacle``, None or the sentence that says why it cannot be run here; ``timed``, True where
    its seconds matter more than its peak of memory, which takes time to trace; ``max_seeds``, None or the number of
    seeds that are enough; and ``replaces``, earlier versions whose results are shown until all seeds have run again,
    where that takes long, the newest first.
    """

    kind: ClassVar[str]
    """names the dataclass in result files"""
    version: ClassVar[int]
    """version of what the settings mean"""

    def execute(self, seed: int, report: Report) -> Figures:
        """Carry the run out and return what it measured."""
        ...

    @property
    def title(self) -> str:
        """A few words for a progress bar."""
        ...


def changed_settings(run: Run) -> dict[str, Any]:
    """The settings that differ from their defaults, as plain JSON.

    >>> from genreplay.experiments.paper.online import OnlineRun
    >>> changed_settings(OnlineRun(dataset="adult", n_hidden=500))
    {'dataset': 'adult'}
    """
    found = {}
    for field in fields(cast("DataclassInstance", run)):
        value = getattr(run, field.name)
        default = field.default if field.default_factory is MISSING else field.default_factory()
        if default is MISSING or value != default:
            found[field.name] = value
    plain: dict[str, Any] = json.loads(json.dumps(found))  # tuples become lists, as in the file
    return plain


def describe(run: Run, seed: int) -> dict[str, Any]:
    """What determines a result: kind, version, settings that differ from their defaults, and seed."""
    return {"kind": run.kind, "version": run.version, "settings": changed_settings(run), "seed": seed}


def seeds_of(run: Run, n_seeds: int) -> range:
    """The seeds that a run is carried out with if ``n_seeds`` are asked for."""
    max_seeds: int | None = getattr(run, "max_seeds", None)
    return range(n_seeds if max_seeds is None else min(n_seeds, max_seeds))


def identity(described: Mapping[str, Any]) -> str:
    """The same text for a run with a seed (see ``describe``) and for its record in a results file.

    >>> from genreplay.experiments.paper.online import OnlineRun
    >>> record = {"kind": "online", "version": 4, "settings": {"n_hidden": 25}, "seed": 0, "figures": {"nats": -170.0}}
    >>> identity(record) == identity(describe(OnlineRun(n_hidden=25), seed=0))
    True
    """
    return json.dumps([described[name] for name in ("kind", "version", "settings", "seed")], sort_keys=True)


def identities(run: Run, seed: int) -> list[str]:
    """The identity of a run with a seed, and those in the versions which it replaces, if any.

    >>> from genreplay.experiments.paper.online import OnlineRun
    >>> identities(OnlineRun(), seed=0)
    ['["online", 4, {}, 0]', '["online", 3, {}, 0]', '["online", 2, {}, 0]']
    """
    described = describe(run, seed)
    versions = [run.version, *getattr(run, "replaces", ())]
    return [identity(described | {"version": version}) for version in versions]


def override(runs: Iterable[Run], settings: Mapping[str, Any]) -> list[Run]:
    """Replace fields of the runs that have them: what a settings file asks for.

    >>> from genreplay.experiments.paper.online import OnlineRun
    >>> [run.title for run in override([OnlineRun()], {"dataset": "adult", "n_hidden": 50})]
    ['adult random OCD_GR 50']
    """
    runs = list(runs)
    known = {
        field.name: type(getattr(run, field.name)) for run in runs for field in fields(cast("DataclassInstance", run))
    }
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
