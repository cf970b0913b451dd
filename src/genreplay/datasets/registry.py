"""The data sets by name: load one, or describe what is available."""

from __future__ import annotations

import inspect
from typing import NamedTuple

from genreplay.datasets import digits, files, mnist, toy, uci
from genreplay.datasets.base import Dataset, DatasetError, title
from genreplay.datasets.files import Folder
from genreplay.datasets.spec import Form, Spec

SPECS: dict[str, Spec] = {spec.name: spec for spec in (mnist.SPEC, *uci.SPECS, toy.SPEC, digits.SPEC)}
"""The paper's nine sets in the order of Table 1, its toy classes, and scikit-learn's digits."""


def names() -> list[str]:
    """Return the names that ``load`` knows.

    >>> names()
    ['mnist', 'adult', 'connect4', 'dna', 'mushrooms', 'nips', 'ocr_letters', 'rcv1', 'web', 'toy', 'digits']
    """
    return list(SPECS)


def spec_of(name: str) -> Spec:
    """Return what is known of a data set."""
    if name not in SPECS:
        raise DatasetError(f"There is no data set {name!r}. Known are: {', '.join(SPECS)}.")
    return SPECS[name]


def load(name: str, **options: int | str) -> Dataset:
    """Find a data set's files, verify them, and return its rows as bits.

    Options are ``binarisation="threshold"`` (or ``"stochastic"``) and ``seed`` for mnist; ``seed``,
    ``n_train_per_class`` and ``n_test_per_class`` for toy; ``seed`` for digits. Nothing is downloaded.

    >>> toy = load("toy", seed=1)
    >>> toy.train.shape, toy.train_labels[[0, 1000, 9999]], toy.state
    ((10000, 100), array([0, 1, 9]), 'generated')
    """
    spec = spec_of(name)
    found = _find(spec)
    if found is None:
        wrong = [
            f"{f.kind} names {f.path}, which is not a folder; "
            for f in files.folders()
            if f.kind == files.VARIABLE and not f.path.is_dir()
        ]
        raise DatasetError(f"The files of {name} are not here: {''.join(wrong)}{spec.how_to_get}.")
    form, folder = found
    known = list(inspect.signature(form.parse).parameters)[1:]
    for option in options:
        if option not in known:
            raise DatasetError(f"{name} has no option {option!r}. It has: {', '.join(known) or 'none'}.")
    contents = [files.read(folder.path / file.path, file) for file in form.files]
    return Dataset(name, *form.parse(contents, **options), state=form.state, note=form.note)


def _find(spec: Spec) -> tuple[Form, Folder] | None:
    """Return the best form of which all files are in one folder: a surrogate only where nothing better is anywhere."""
    for form in spec.forms:
        folder = files.folder_with(form.files)
        if folder is not None:
            return form, folder
    return None


class Summary(NamedTuple):
    """A data set as it is found on this machine.

    >>> describe("digits").state, describe("digits").n_features
    ('exact', 64)
    """

    name: str
    title: str
    """the name, marked where the rows are not those of Table 1"""
    n_features: int
    n_train: int
    n_valid: int
    n_test: int
    state: str
    """the state that ``load`` will give, or "damaged" """
    where: str
    """GENREPLAY_DATA, cache, built in or missing"""
    note: str
    """what to know about it, or what to do"""


def describe(name: str) -> Summary:
    """Describe what ``load`` would find, with its files verified.

    >>> summary = describe("toy")
    >>> summary.n_train, summary.where
    (10000, 'built in')
    """
    spec = spec_of(name)
    form, folder = _find(spec) or (spec.source or spec.forms[0], None)
    summary = Summary(name, title(name, form.state), spec.n_features, *form.n_rows, form.state, "missing", form.note)
    if folder is None:
        return summary._replace(note=spec.how_to_get)
    try:
        for file in form.files:
            files.read(folder.path / file.path, file)
    except DatasetError as error:
        return summary._replace(state="damaged", where=folder.kind, note=str(error))
    return summary._replace(where=folder.kind)
