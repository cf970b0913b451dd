"""Tables from files and pipes: open one by its name, and read its records in chunks, in constant memory."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, get_args

from genreplay.streams.arrays import read_npy, read_npz
from genreplay.streams.chunks import Chunks, InputError
from genreplay.streams.delimited import read_delimited
from genreplay.streams.gzipped import unpacked
from genreplay.streams.limits import LIMITS, Limits
from genreplay.streams.lines import never, reads
from genreplay.streams.ndjson import read_ndjson
from genreplay.streams.parquet import read_parquet
from genreplay.streams.schema import SAMPLE_ROWS

Format = Literal["csv", "tsv", "ndjson", "npy", "npz", "parquet"]
FORMATS: tuple[Format, ...] = get_args(Format)
_BY_SUFFIX: dict[str, Format] = {**{f".{form}": form for form in FORMATS}, ".jsonl": "ndjson", ".pq": "parquet"}

_GZ = ".gz"
_OF_LINES = ("csv", "tsv", "ndjson")
_FROM_THE_END = ("npz", "parquet")
_NO_PIPE = "A pipe cannot carry {}, which is read from its end: name a file."


def open_rows(
    source: str | os.PathLike[str] | BinaryIO,
    form: Format | None = None,
    *,
    header: bool = True,
    key: str | None = None,
    delimiter: str | None = None,
    names: Sequence[str] = (),
    sampled: bool = True,
    stopped: Callable[[], bool] = never,
    limits: Limits = LIMITS,
) -> Chunks:
    """Open a table and return its records in chunks of at most 1,000.

    From a pipe, a chunk is what has arrived: a slow stream is not held back, and a chunk without records says that
    nothing has arrived for a while. A record that cannot be read is a bad row. ``InputError`` is raised only if the
    input as a whole cannot be read, at once or during reading.

    Parameters
    ----------
    source : path, "-" for standard input, or binary file
    form : str or None
        One of csv, tsv, ndjson, npy, npz and parquet; None chooses by the suffix of the name; a pipe is CSV. The first
        three may be compressed by gzip: a file named such as rows.csv.gz, or any input that starts like gzip data.
    header : bool
        Whether the first row of CSV or TSV has the names; if not, columns are called c0, c1, ...
    key : str or None
        Array of an npz file; not needed where only one is 2-D.
    delimiter : str or None
        CSV and TSV: the character between two cells; None for a comma or, in TSV, a tab.
    names : sequence of str
        NDJSON: columns that are already known.
    sampled : bool
        NDJSON: whether the keys of the first 500 objects are columns too. An object with another key is a bad row.
    stopped : callable
        Asked again and again, also while nothing arrives. Once it returns True, all whole records that were taken from
        the input are handed over, and then ``Stopped`` is raised.
    limits : Limits
        What is too large to be taken.

    Examples
    --------
    >>> from io import BytesIO
    >>> for chunk in open_rows(BytesIO(b"a\\tb\\n1\\t2\\n"), "tsv"):
    ...     print(dict(chunk.columns), list(chunk.rows), list(chunk.lines))
    {'a': (), 'b': ()} [] []
    {'a': ('1',), 'b': ('2',)} [1] [2]
    """
    how = _How(header, delimiter, names, sampled, stopped, limits)
    if not isinstance(source, str | os.PathLike):
        return _read(source, form or "csv", how)
    if str(source) == "-":
        if form in _FROM_THE_END:
            raise InputError(_NO_PIPE.format(form))
        if sys.stdin is None:
            raise InputError("There is no standard input to read: name a file.")
        return _read(sys.stdin.buffer, form or "csv", how)
    path = Path(source)
    form = form or form_of(path)
    is_gzip = path.suffix.lower() == _GZ
    if is_gzip and form not in _OF_LINES:
        raise InputError(f"{path} is a compressed {form} file, which cannot be read in chunks: unpack it with gunzip.")
    try:
        file = open(path, "rb", buffering=0 if form in _OF_LINES else -1)  # noqa: SIM115 (closed with the reader)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    is_regular = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
    if form in _FROM_THE_END:
        file.close()
        if not is_regular:
            raise InputError(_NO_PIPE.format(form))
        return read_npz(path, key, stopped, limits) if form == "npz" else read_parquet(path, stopped, limits)
    return _closing(file, _read(file, form, how, path if is_regular else None, is_gzip))


class _How(NamedTuple):
    """How rows are read."""

    header: bool
    delimiter: str | None
    names: Sequence[str]
    sampled: bool
    stopped: Callable[[], bool]
    limits: Limits


def _read(file: BinaryIO, form: Format, how: _How, path: Path | None = None, is_gzip: bool = False) -> Chunks:
    if form in _OF_LINES:
        blocks = unpacked(reads(file, how.stopped), str(path or "The input") if is_gzip else None)
        if form == "ndjson":
            return read_ndjson(blocks, SAMPLE_ROWS if how.sampled else 0, how.names, how.limits)
        return read_delimited(blocks, how.delimiter or ("," if form == "csv" else "\t"), how.header, how.limits)
    if form == "npy":
        return read_npy(file, path, how.stopped, how.limits)
    raise InputError(f"{form} must come from a file with a name.")


def _closing(file: BinaryIO, chunks: Chunks) -> Chunks:
    with closing(file):
        yield from chunks


def form_of(source: str | os.PathLike[str]) -> Format:
    """The format that a name says; csv for a pipe.

    >>> form_of("rows.TSV"), form_of("rows.ndjson.gz"), form_of("-")
    ('tsv', 'ndjson', 'csv')
    """
    if str(source) == "-":
        return "csv"
    path = Path(source)
    form = known_form(path)
    if form is None:
        try:
            if not stat.S_ISREG(path.stat().st_mode):
                return "csv"  # a named pipe, or a folder, for which open raises an error
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}.") from error
        raise InputError(f"The name {path} does not say what format it has: add --format {'|'.join(FORMATS)}.")
    return form


def known_form(source: str | os.PathLike[str]) -> Format | None:
    """The format that the end of a name says, if it is one of those that are known.

    >>> known_form("rows.csv.gz"), known_form("rows.txt")
    ('csv', None)
    """
    path = Path(source)
    named = path.with_suffix("") if path.suffix.lower() == _GZ else path
    return _BY_SUFFIX.get(named.suffix.lower())
