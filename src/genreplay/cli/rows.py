"""What the commands that read rows have in common: options, bad rows, and rows in the columns of a model."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

import click

from genreplay.cli.errors import BadInput, say
from genreplay.cli.identity import Trace, label
from genreplay.streams.chunks import BadRow, Chunk, Chunks, is_text, short
from genreplay.streams.gzipped import MAGIC
from genreplay.streams.limits import LIMITS, Limits
from genreplay.streams.lines import never
from genreplay.streams.quarantine import Quarantine
from genreplay.streams.readers import FORMATS, Format, form_of, known_form, open_rows
from genreplay.streams.schema import Schema, TypedRows

Command = TypeVar("Command", bound=Callable[..., Any])
_SMALL = 2**16
"""bytes of a file whose lines are counted at once"""


@dataclass(frozen=True)
class Reading:
    """Where rows come from, and what to do with bad ones."""

    source: str
    form: Format | None
    header: bool
    key: str | None
    delimiter: str | None
    on_bad_row: str
    quarantine: Path | None
    limits: Limits = LIMITS

    @property
    def format(self) -> Format:
        """The format that was given, or that of the name."""
        return self.form or form_of(self.source)

    @property
    def is_rereadable(self) -> bool:
        """Whether the input can be read again from its start: a regular file, not a pipe."""
        return self.source != "-" and os.path.isfile(self.source)

    @property
    def most_rows(self) -> int | None:
        """How many rows a small file of text has at most, by its lines; None for any other input."""
        if not self.is_rereadable or self.format not in ("csv", "tsv", "ndjson"):
            return None
        with open(self.source, "rb") as file:
            content = file.read(_SMALL + 1)
        return None if len(content) > _SMALL or content.startswith(MAGIC) else len(content.splitlines())

    def open(self, names: Sequence[str], sampled: bool = False, stopped: Callable[[], bool] = never) -> Chunks:
        """The records, in chunks. With ``sampled``, the first records may have columns that are not in ``names``."""
        return open_rows(
            self.source,
            self.form,
            header=self.header,
            key=self.key,
            delimiter=self.delimiter,
            names=names,
            sampled=sampled,
            stopped=stopped,
            limits=self.limits,
        )

    def remark_on(self, chunk: Chunk) -> str | None:
        """A remark for the user if the only column of a table looks like several with another delimiter.

        >>> Reading("-", "csv", True, None, None, "error", None).remark_on(Chunk({"age;colour": ()}, (), ()))
        "The header has one column, 'age;colour': if its cells are separated by ';', add --delimiter ';'."
        """
        if len(chunk.columns) != 1 or self.format not in ("csv", "tsv") or not self.header:
            return None
        [name] = chunk.columns
        found = next((sign for sign in (*DELIMITERS, ",") if sign in name and sign != self.delimiter), None)
        if found is None:
            return None
        word = DELIMITERS.get(found, f"'{found}'")
        return (
            f"The header has one column, {short(name)}: if its cells are separated by {word}, add --delimiter {word}."
        )


DELIMITERS = {";": "';'", "\t": "tab", "|": "'|'"}
"""other characters that separate cells, with the words for them on the command line"""


def _one_character(context: click.Context, option: click.Parameter, text: str | None) -> str | None:
    """Check a delimiter; a tab may be written as \\t or tab."""
    sign = "\t" if text in ("\\t", "tab") else text
    if sign is not None and (len(sign) != 1 or sign in '"\r\n\0' or not is_text(sign)):
        raise click.BadParameter(f"{text!r} must be one character, such as ';', '|' or \\t for a tab.")
    return sign


def reading_options(command: Command) -> Command:
    """Add the options that say where rows come from; ``reading`` combines them."""
    options = [
        click.argument("source", metavar="[FILE|-]", default="-"),
        click.option(
            "--format",
            "form",
            type=click.Choice(FORMATS),
            help="Format of the input.  [default: by the end of its name, before .gz; csv for a pipe]",
        ),
        click.option(
            "--delimiter",
            metavar="CHARACTER",
            callback=_one_character,
            help="CSV and TSV: what separates cells, such as ';', '|' or \\t.  [default: a comma, a tab]",
        ),
        click.option("--no-header", is_flag=True, help="CSV and TSV: the first row is data; columns are c0, c1, ..."),
        click.option("--key", metavar="NAME", help="npz: the array to read, where several are 2-D."),
        click.option(
            "--on-bad-row",
            type=click.Choice(["error", "skip", "quarantine"]),
            help="What to do with a row that cannot be read.  [default: error]",
        ),
        click.option(
            "--quarantine",
            metavar="FILE",
            type=click.Path(dir_okay=False, path_type=Path),
            help="Add bad rows to this file, as JSON lines, and go on.",
        ),
        click.option(
            "--max-columns",
            metavar="N",
            type=click.IntRange(1),
            default=LIMITS.columns,
            show_default=True,
            help="Refuse a table with more columns.",
        ),
        click.option(
            "--max-cell",
            metavar="BYTES",
            type=click.IntRange(LIMITS.cell),
            default=LIMITS.cell,
            show_default=True,
            help="A row with a longer cell, or a longer line of text, is bad.",
        ),
        click.option(
            "--max-array",
            metavar="BYTES",
            type=click.IntRange(1),
            default=LIMITS.array,
            show_default=True,
            help="Refuse an array in Fortran order, or a compressed column, that would take more memory as a whole.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def reading(
    source: str,
    form: str | None,
    delimiter: str | None,
    no_header: bool,
    key: str | None,
    on_bad_row: str | None,
    quarantine: Path | None,
    max_columns: int,
    max_cell: int,
    max_array: int,
) -> Reading:
    """Combine the options, or raise an error that says which contradict each other."""
    if on_bad_row == "quarantine" and quarantine is None:
        raise click.UsageError("--on-bad-row quarantine needs a file: add --quarantine FILE.")
    if quarantine is not None and on_bad_row in ("error", "skip"):
        raise click.UsageError(f"--quarantine keeps bad rows, but --on-bad-row is {on_bad_row}: leave one out.")
    if quarantine is not None and source != "-" and same_file(source, quarantine):
        raise click.UsageError("The input and the file for its bad rows must not be the same.")
    if delimiter is not None:
        form = form or (known_form(source) or "csv")
        if form not in ("csv", "tsv"):
            raise click.UsageError(f"--delimiter separates the cells of CSV and TSV, but the input is {form}.")
    policy = "quarantine" if quarantine else on_bad_row or "error"
    limits = Limits(max_columns, max_cell, max_array)
    return Reading(source, form, not no_header, key, delimiter, policy, quarantine, limits)  # type: ignore[arg-type]


def same_file(one: str | Path, other: str | Path) -> bool:
    """Whether two paths are, or will be, the same file."""
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


class BadRows:
    """Counts bad rows, reports the first, and writes all of them to the quarantine file if there is one."""

    def __init__(self, reading: Reading, continued_after: int | None = None) -> None:
        self.n_skipped = 0
        self.label = ""
        """name of the input in the quarantine file"""
        self._reading = reading
        self._continued_after = continued_after
        """the last record that an interrupted run has accounted for"""
        self._file: Quarantine | None = None
        self._stack = ExitStack()

    def take(self, bad: Sequence[BadRow]) -> None:
        """Count bad rows that are skipped, and write them to the quarantine file if there is one."""
        if bad and self.n_skipped == 0:
            say(f"{describe(bad[0])}: skipped. All further bad rows will be skipped, too.")
        self.n_skipped += len(bad)
        if self._file is not None:
            self._file.write(self.label, bad)

    def sync(self) -> None:
        """Make sure that quarantined rows are on the disk."""
        if self._file is not None:
            self._file.sync()

    def __enter__(self) -> Self:
        if self._reading.quarantine is not None:
            try:
                file = Quarantine(self._reading.quarantine, self._continued_after)
            except OSError as error:
                raise BadInput(f"{self._reading.quarantine} cannot be written: {error.strerror}.") from error
            self._file = self._stack.enter_context(file)
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()


def describe(bad: BadRow) -> str:
    """A bad row in words."""
    return f"Line {bad.line:,} is a bad row ({bad.reason})"


def typed_rows(reading: Reading, schema: Schema) -> Iterator[tuple[Chunk, TypedRows]]:
    """Yield each chunk of an input and its rows, if any, parsed by the schema of a model. Bad rows are handled here."""
    checked, trace = False, Trace()
    with BadRows(reading) as bad_rows:
        for chunk in reading.open(list(schema.kinds)):
            if chunk.columns and not checked:
                if remark := reading.remark_on(chunk):
                    say(remark)
                schema.check(chunk)
                checked = True
            if not trace.first and chunk.n_records:
                trace.follow(chunk, last=1)
                bad_rows.label = label(reading.source, trace.first)
            rows, error = up_to_error(schema.parse(chunk), reading.on_bad_row)
            bad_rows.take(rows.bad)
            yield chunk, rows
            if error is not None:
                raise bad_row_error(error)
        if bad_rows.n_skipped:
            say(f"Bad rows skipped: {bad_rows.n_skipped:,}.")


class Cut(NamedTuple):
    """Rows up to the first bad one, where bad rows are errors."""

    rows: TypedRows
    error: BadRow | None


def up_to_error(rows: TypedRows, on_bad_row: str) -> Cut:
    """Leave out what comes after the first bad row, unless bad rows are skipped."""
    if on_bad_row != "error" or not rows.bad:
        return Cut(rows, None)
    first = rows.bad[0]
    n = sum(row < first.row for row in rows.rows)
    return Cut(TypedRows(rows.cells[:n], rows.rows[:n], []), first)


def bad_row_error(bad: BadRow, hint: str = "") -> BadInput:
    """The error for the first bad row; the hint says what else the command that is repeated needs."""
    return BadInput(f"{describe(bad)}. Correct it, or skip bad rows with --on-bad-row skip or --quarantine FILE.{hint}")


def with_ignored(schema: Schema, ignored: Sequence[str]) -> Schema:
    """The schema of a model, with further columns of the input to ignore."""
    for name in ignored:
        if schema.kinds.get(name, "ignore") != "ignore":
            raise BadInput(f"The model has learned the column {name!r}: it cannot be ignored now.")
    return replace(schema, kinds={**schema.kinds, **dict.fromkeys(ignored, "ignore")})
