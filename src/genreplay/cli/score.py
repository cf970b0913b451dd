"""``genreplay score`` and ``genreplay explain``: how unusual rows are, and which columns make them so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import numpy.typing as npt

from genreplay.cli import models
from genreplay.cli.carry import Carried, Unseen, carry_options, carrying
from genreplay.cli.clock import early_remark
from genreplay.cli.errors import clean_exits, say
from genreplay.cli.models import Saved, model_option
from genreplay.cli.output import Output, Style, escape_option, style
from genreplay.cli.rows import reading, reading_options, typed_rows, with_ignored
from genreplay.cli.verdicts import Verdict, headings, scoring, verdicts
from genreplay.core.kernels.choice import numba_later
from genreplay.streams.chunks import Chunk

ignore_option = click.option(
    "--ignore", "ignored", metavar="COLUMN", multiple=True, help="Leave out a column of the input; may be repeated."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON lines in place of CSV.")
alarms_option = click.option("--alarms", is_flag=True, help="Print only rows that raise an alarm.")

_FINDING = ("column", "cell", "nats", "p")
"""what ``explain`` prints about a column"""


class _Judged(NamedTuple):
    """Rows of a chunk that are to be printed."""

    chunk: Chunk
    rows: list[int]
    cells: npt.NDArray[Any]
    verdicts: list[Verdict]


@click.command()
@reading_options
@model_option
@ignore_option
@carry_options
@alarms_option
@json_option
@escape_option
@clean_exits
@numba_later()
def score(
    path: Path,
    ignored: tuple[str, ...],
    keep: tuple[str, ...],
    append: bool,
    alarms: bool,
    as_json: bool,
    escape_formulas: bool,
    **where: Any,
) -> None:
    """Print how unusual the rows of FILE, or of a pipe, are. Nothing is learned.

    For each row: its number; anomaly, which is minus the logarithm of the p-value and high for unusual rows; p_value,
    how often a usual row would be as surprising; and alarm, true where the p-value is at most the contamination of the
    model.

    The rows of a time series are judged in their order, as those that come after the rows that the model has learned.
    For each: its number; anomaly, how much more surprising its cells are than usual, in this row and over the last few;
    alarm, true where that reaches the threshold of the model; and column, the one that deviates most.
    """
    written = style(as_json, escape_formulas)
    saved = models.load_ready(path)
    results = _Results(headings(saved.is_series), carrying(keep, append), written)
    for part in _judge(saved, ignored, alarms, results, where):
        results.write(part, [(row, *verdict.cells) for row, verdict in zip(part.rows, part.verdicts, strict=True)])


@click.command()
@reading_options
@model_option
@ignore_option
@carry_options
@alarms_option
@click.option("--top", default=3, show_default=True, type=click.IntRange(1), help="Columns to name for each row.")
@json_option
@escape_option
@clean_exits
@numba_later()
def explain(
    path: Path,
    ignored: tuple[str, ...],
    keep: tuple[str, ...],
    append: bool,
    alarms: bool,
    top: int,
    as_json: bool,
    escape_formulas: bool,
    **where: Any,
) -> None:
    """Print which columns make the rows of FILE, or of a pipe, surprising.

    For each row: its number, anomaly and p-value, then the most surprising columns, each with its name, its cell, how
    much more surprising the cell is than usual in its column, given the rest of the row, in nats, and p, how often a
    usual cell of that column would be as surprising. A row of a time series has alarm in place of the p-value, and the
    column that deviates most, in this row or over the last few, comes first.
    """
    written = style(as_json, escape_formulas)
    saved = models.load_ready(path)
    names = saved.schema.names
    top = min(top, len(names))
    findings = ["columns"] if as_json else [f"{what}_{i}" for i in range(1, top + 1) for what in _FINDING]
    results = _Results([*headings(saved.is_series)[:3], *findings], carrying(keep, append), written)
    for part in _judge(saved, ignored, alarms, results, where):
        nats, p_values = saved.model.explain(part.cells), saved.model.column_p_values(part.cells)
        places = {row: place for place, row in enumerate(part.chunk.rows)}
        lines: list[Sequence[object]] = []
        for row, verdict, surprise, p in zip(part.rows, part.verdicts, nats, p_values, strict=True):
            found = [
                (names[i], part.chunk.columns[names[i]][places[row]], round(float(surprise[i]), 4), _four_digits(p[i]))
                for i in _order(surprise, verdict.column)[:top]
            ]
            if as_json:
                found_by_name = [dict(zip(_FINDING, finding, strict=True)) for finding in found]
                lines.append((row, *verdict.cells[:2], found_by_name))
            else:
                lines.append((row, *verdict.cells[:2], *(part for finding in found for part in finding)))
        results.write(part, lines)


def _order(surprise: npt.NDArray[np.float64], first: int | None) -> list[int]:
    """Columns, the most surprising one first, behind the one that is the reason for an alarm."""
    order: list[int] = np.argsort(-surprise, kind="stable").tolist()
    return order if first is None else [first, *(column for column in order if column != first)]


def _four_digits(p: float) -> float:
    return float(f"{p:.4g}")


class _Results:
    """Results of rows on standard output, after the columns that are carried along."""

    def __init__(self, names: Sequence[str], carried: Carried, style: Style) -> None:
        self.carried = carried
        self._names, self._style = names, style
        self._output: Output | None = None
        self.unseen = Unseen(carried)
        if not carried:
            self._output = Output(names, style)

    def start(self, chunk: Chunk) -> None:
        """Write the header, once the input has said what its columns are."""
        if self._output is None and chunk.columns:
            names = self.carried.names(list(chunk.columns), self._names)
            self._output = Output([*names, *self._names], self._style)
        self.unseen.note(chunk)

    def write(self, part: _Judged, lines: Sequence[Sequence[object]]) -> None:
        """Write a line for each row."""
        assert self._output is not None, "rows have columns"
        kept = self.carried.cells(part.chunk, part.rows)
        self._output.write([*cells, *line] for cells, line in zip(kept, lines, strict=True))


def _judge(
    saved: Saved, ignored: tuple[str, ...], alarms: bool, results: _Results, where: dict[str, Any]
) -> Iterator[_Judged]:
    """Rows with their verdicts, all of them or those that raise an alarm."""
    source, judge, is_first = reading(**where), scoring(saved.model), True
    unknown = [name for name in results.carried.keep if name not in saved.schema.kinds]
    for chunk, rows in typed_rows(source, with_ignored(saved.schema, [*ignored, *unknown])):
        results.start(chunk)
        if len(rows.rows) == 0:
            continue
        if is_first and (remark := early_remark(saved, rows.cells)):
            say(remark)
        is_first = False
        found = verdicts(saved.model, judge(rows.cells), saved.schema.names)
        kept = [i for i, verdict in enumerate(found) if verdict.alarm or not alarms]
        if kept:
            yield _Judged(chunk, [rows.rows[i] for i in kept], rows.cells[kept], [found[i] for i in kept])
    if source.format == "ndjson":
        results.unseen.check()
