"""What is known about a data set before any file is opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from genreplay.datasets.base import Splits, State
from genreplay.datasets.files import VARIABLE, DataFile


class Form(NamedTuple):
    """One form in which a data set is available."""

    n_rows: tuple[int, int, int]
    """rows to train, validate and test"""
    parse: Callable[..., Splits]
    """(content of each file, in order; options by name) -> rows"""
    files: tuple[DataFile, ...] = ()
    """none for a set that needs no file"""
    base_urls: tuple[str, ...] = ()
    """public addresses that have all of the files, the first tried first"""
    state: State = "exact"
    note: str = ""


class Spec(NamedTuple):
    """A data set and its forms."""

    name: str
    n_features: int
    forms: tuple[Form, ...]
    """the best first"""

    @property
    def source(self) -> Form | None:
        """The form that can be downloaded."""
        return next((form for form in self.forms if form.base_urls), None)

    @property
    def how_to_get(self) -> str:
        """What the user can do when no form is found."""
        if self.source is None:
            file = self.forms[0].files[0]
            return (
                f"no verified public copy is known; put {file.path} ({file.expected}) into the folder {VARIABLE} names"
            )
        others = len(self.source.files) - 1
        wanted = self.source.files[0].path + (f" and {others} more files" if others else "")
        return f"run `genreplay data fetch {self.name}`, or set {VARIABLE} to a folder that has {wanted}"
