"""Columns of the input that are carried along to the output, beside what a command finds out about each row."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from genreplay.streams.chunks import Chunk, InputError, listed, short

Command = TypeVar("Command", bound=Callable[..., Any])


def split_names(text: str) -> list[str]:
    """Names of columns, separated by commas; one that has a comma is put in double quotes.

    >>> split_names('time, id,"last, first"')
    ['time', 'id', 'last, first']
    """
    try:
        [names] = csv.reader([text], skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        raise click.UsageError(f"{text!r} is not a list of column names, such as time,id.") from None
    return [name.strip() for name in names if name.strip()]


def carry_options(command: Command) -> Command:
    """Add the options --keep and --append; ``carrying`` combines them."""
    command = click.option(
        "--append", is_flag=True, help="Print all columns of the input first, as they are, then the results."
    )(command)
    return click.option(
        "--keep",
        metavar="COLUMN,...",
        multiple=True,
        help="Print these columns of the input first, as they are; the model need not know them.",
    )(command)


@dataclass(frozen=True)
class Carried:
    """Which columns of the input are printed before the results."""

    keep: tuple[str, ...] = ()
    append: bool = False
    """all of them"""

    def __bool__(self) -> bool:
        return bool(self.keep) or self.append

    def names(self, columns: Sequence[str], results: Sequence[str]) -> list[str]:
        """Names of the carried columns; an error for one that is not there or is called like a result.

        >>> Carried(("id",)).names(["id", "age"], ["row", "anomaly"])
        ['id']
        """
        for name in self.keep:
            if name not in columns:
                raise InputError(
                    f"The input has no column {short(name)}, which --keep names: it has {listed(columns)}."
                )
        names = list(columns) if self.append else list(self.keep)
        for name in names:
            if name in results:
                option = "--append" if self.append else "--keep"
                raise InputError(
                    f"The input has a column {short(name)}, and so do the results: rename it, or leave out {option}."
                )
        return names

    def cells(self, chunk: Chunk, rows: Sequence[int]) -> list[tuple[object, ...]]:
        """The carried cells of some rows of a chunk, as they were in the input.

        >>> Carried(("id",)).cells(Chunk({"id": ["a", "b"], "age": ["1", "2"]}, [1, 2], [2, 3]), [2])
        [('b',)]
        """
        if not self:
            return [()] * len(rows)
        places = {row: place for place, row in enumerate(chunk.rows)}
        columns = list(chunk.columns.values()) if self.append else [chunk.columns[name] for name in self.keep]
        return [tuple(column[places[row]] for column in columns) for row in rows]


def carrying(keep: Sequence[str], append: bool) -> Carried:
    """Combine the options, or raise an error if they contradict each other."""
    if keep and append:
        raise click.UsageError("--append prints all columns of the input, so --keep adds nothing: leave one out.")
    return Carried(tuple(dict.fromkeys(name for text in keep for name in split_names(text))), append)


class Unseen:
    """Kept columns that no row has had a cell of so far.

    In JSON objects any key may be absent, so only the end of the input tells that a name is wrong.

    >>> unseen = Unseen(Carried(("id",)))
    >>> unseen.note(Chunk({"id": [None], "age": [31]}, [1], [1]))
    >>> unseen.check()
    Traceback (most recent call last):
    genreplay.streams.chunks.InputError: The input has no column 'id', which --keep names: no row has a value there.
    """

    def __init__(self, carried: Carried) -> None:
        self._names = set(carried.keep)
        self._n_rows = 0

    def note(self, chunk: Chunk) -> None:
        """Take note of the cells of a chunk."""
        self._n_rows += len(chunk.rows)
        if self._names and chunk.rows:
            self._names = {name for name in self._names if all(cell is None for cell in chunk.columns[name])}

    def check(self) -> None:
        """At the end of an input of JSON objects, check that each kept column was the key of some object."""
        if self._n_rows and self._names:
            name = short(min(self._names))
            raise InputError(f"The input has no column {name}, which --keep names: no row has a value there.")
